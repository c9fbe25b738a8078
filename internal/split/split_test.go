package split_test

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// The parts of money come to it to the cent, each is its exact share or the cent next to it, and no cent went to a part
// with a smaller remainder than one that got none.
func TestPartsAddUpByTheLargestRemainder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sum := rapid.Uint64Range(0, uint64(money.Max)).Draw(t, "sum")
		weights := rapid.SliceOfN(rapid.Uint64Range(0, uint64(money.Max)), 1, 20).Draw(t, "weights")
		shares := split.Apportion(sum, weights)
		all := new(big.Int)
		for _, w := range weights {
			all.Add(all, new(big.Int).SetUint64(w))
		}
		if all.Sign() == 0 {
			return
		}
		var got uint64
		least, most := new(big.Rat).SetInt64(2), new(big.Rat).SetInt64(-1) // of those that got a cent, and did not
		for i, w := range weights {
			exact := new(big.Rat).SetFrac(new(big.Int).Mul(new(big.Int).SetUint64(sum), new(big.Int).SetUint64(w)), all)
			floor := new(big.Int).Div(exact.Num(), exact.Denom())
			remainder := new(big.Rat).Sub(exact, new(big.Rat).SetInt(floor))
			switch shares[i] - floor.Uint64() {
			case 0:
				if remainder.Cmp(most) > 0 {
					most = remainder
				}
			case 1:
				if remainder.Cmp(least) < 0 {
					least = remainder
				}
			default:
				t.Fatalf("%v is divided into %v", exact, shares[i])
			}
			got += shares[i]
		}
		if got != sum || least.Cmp(most) < 0 {
			t.Fatalf("%d by %v is %v", sum, weights, shares)
		}
	})
}

// takenOff are categories of parts that are taken off.
const takenOff = 100

// specs are splits of any kind that take any money.
// What is taken off is its exact share to the nearest cent, too.
func TestAPercentageTakenOffIsRounded(t *testing.T) {
	t.Parallel()
	s := split.Spec{Parts: []split.Share{{Category: 1, Rest: true}, {Category: 2, Points: 300, Off: true}}}
	of := map[money.Amount]money.Amount{333_33: -10_00, 333_16: -9_99, 333_17: -10_00, -333_33: 10_00}
	for amount, off := range of {
		portions, err := s.Divide(amount)
		if err != nil || len(portions) != 2 || portions[1].Amount != off || total(portions) != amount {
			t.Errorf("%v is divided into %v, %v; want %v taken off", amount, portions, err, off)
		}
	}
}

func specs(t *rapid.T) split.Spec {
	n := rapid.IntRange(1, 6).Draw(t, "parts")
	var s split.Spec
	points := int64(100_00)
	for i := range n {
		share := split.Share{Category: 100 + rapid.IntRange(0, 8).Draw(t, "category")}
		switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
		case i == n-1:
			share.Rest = true
		case kind == 0 && points > 2:
			share.Points = rapid.Int64Range(1, points/2).Draw(t, "points")
			points -= share.Points
		default:
			share.Cents = rapid.Int64Range(1, 500_00).Draw(t, "cents")
		}
		if !share.Rest && rapid.IntRange(0, 3).Draw(t, "off") == 0 {
			share.Category, share.Off = takenOff+share.Category, true
			points += 2 * share.Points // it was taken from what percentages may come to, and adds to it
		}
		s.Parts = append(s.Parts, share)
	}
	return s
}

func total(portions []split.Portion) (sum money.Amount) {
	for _, p := range portions {
		sum += p.Amount
	}
	return sum
}

func TestASplitComesToTheMoneyAndKeepsItsSign(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, amount := specs(t), money.Amount(rapid.Int64Range(-5_000_00, 5_000_00).Draw(t, "amount"))
		portions, err := s.Divide(amount)
		if fits := max(amount, -amount) >= s.Fixed(); fits != (err == nil) {
			t.Fatalf("%v of %v: %v", s, amount, err)
		}
		if err != nil {
			return
		}
		if total(portions) != amount || len(portions) == 0 {
			t.Fatalf("%v of %v is %v", s, amount, portions)
		}
		for i, p := range portions {
			twice := slices.ContainsFunc(portions[:i], func(q split.Portion) bool { return q.Category == p.Category })
			off := p.Category >= 100+takenOff
			turned := (p.Amount > 0) != (amount > 0)
			if twice || amount != 0 && (p.Amount == 0 || turned != off) {
				t.Fatalf("%v of %v is %v", s, amount, portions)
			}
		}
		back := split.Like(-amount/2, portions)
		if total(back) != -amount/2 {
			t.Fatalf("%v back is %v", -amount/2, back)
		}
	})
}

// The amounts of a year come out over its payments, each of which is divided exactly, whatever part of them is filed.
func TestAYearsAmountsComeOutOverItsPayments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payments := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) money.Amount {
			return -money.Amount(rapid.Int64Range(1, 900_00).Draw(t, "payment"))
		}), 1, 14).Draw(t, "payments")
		var paid money.Amount
		for _, p := range payments {
			paid -= p
		}
		interest := rapid.Int64Range(1, int64(paid)).Draw(t, "interest")
		fee := rapid.Int64Range(0, int64(paid)-interest).Draw(t, "fee")
		s := split.Spec{Yearly: true, Parts: []split.Share{{Category: 1, Cents: interest}, {Category: 2, Rest: true}}}
		if fee > 0 {
			s.Parts = append(s.Parts, split.Share{Category: 3, Cents: fee})
		}
		less := rapid.Int64Range(0, 2*int64(paid)).Draw(t, "less")
		if less > 0 {
			s.Parts = append(s.Parts, split.Share{Category: 4, Cents: less, Off: true})
		}
		by := map[int]money.Amount{}
		for i, portions := range s.OverYear(payments, nil) {
			if total(portions) != payments[i] {
				t.Fatalf("%v is divided into %v", payments[i], portions)
			}
			for _, p := range portions {
				by[p.Category] -= p.Amount
			}
		}
		if by[1] != money.Amount(interest) || by[3] != money.Amount(fee) || by[4] != -money.Amount(less) {
			t.Fatalf("%d, %d and less %d of %v are %v", interest, fee, less, payments, by)
		}
		again := money.Amount(0)
		for _, portions := range s.OverYear(payments, []uint64{uint64(interest) / 3}) {
			for _, p := range portions {
				if p.Category == 1 {
					again -= p.Amount
				}
			}
		}
		if want := money.Amount(uint64(interest) - uint64(interest)/3); again != want {
			t.Fatalf("%v of the rest of the year, want %v", again, want)
		}
	})
}

func TestPaymentsOfAYearThatAreLessThanItsAmountsAreDividedByThem(t *testing.T) {
	t.Parallel()
	s := split.Spec{Yearly: true, Parts: []split.Share{
		{Category: 1, Cents: 300_00}, {Category: 2, Cents: 100_00}, {Category: 3, Rest: true},
	}}
	got := s.OverYear([]money.Amount{-100_00, -100_00}, nil)
	want := []split.Portion{{Category: 1, Amount: -75_00}, {Category: 2, Amount: -25_00}}
	for _, portions := range got {
		if !slices.Equal(portions, want) {
			t.Errorf("%v, want %v", portions, want)
		}
	}
}

// What went the other way before the bank saw the rest has the other sign, and the others come to more than the money.
func TestWhatIsTakenOffHasTheOtherSign(t *testing.T) {
	t.Parallel()
	const gross, fees, more = 1, 2, 3
	type portions = []split.Portion
	payout := split.Spec{Parts: []split.Share{{Category: gross, Rest: true}, {Category: fees, Points: 3_00, Off: true}}}
	closing := split.Spec{Parts: []split.Share{
		{Category: gross, Cents: 182_000_00}, {Category: fees, Cents: 91_500_20, Off: true},
		{Category: more, Rest: true, Off: true},
	}}
	for name, c := range map[string]struct {
		of     split.Spec
		amount money.Amount
		want   []split.Portion
		err    error
	}{
		"percents of what came": {of: payout, amount: 100_01, want: portions{{gross, 103_01}, {fees, -3_00}}},
		"of money that goes":    {of: payout, amount: -100_01, want: portions{{gross, -103_01}, {fees, 3_00}}},
		"the rest": {of: closing, amount: 84_210_33,
			want: portions{{gross, 182_000_00}, {fees, -91_500_20}, {more, -6_289_47}}},
		"nothing is left to take off": {of: closing, amount: 90_499_80,
			want: portions{{gross, 182_000_00}, {fees, -91_500_20}}},
		"more than there was": {of: closing, amount: 90_499_81, err: split.ErrLeftOver},
	} {
		got, err := c.of.Divide(c.amount)
		if !slices.Equal(got, c.want) || err != c.err {
			t.Errorf("%s: %v, %v, want %v, %v", name, got, err, c.want, c.err)
		}
	}
	sold := []split.Portion{{gross, 1_200_00}, {fees, -200_00}}
	if got, want := split.Like(-250_00, sold), (portions{{gross, -300_00}, {fees, 50_00}}); !slices.Equal(got, want) {
		t.Errorf("back came %v, want %v", got, want)
	}
	if closing.Holds(84_210_33, 84_210_34, "USD", 2026) || !payout.Holds(100_00, 7_00, "USD", 2026) {
		t.Error("amounts divide money of the same amount, and percents any")
	}
}
