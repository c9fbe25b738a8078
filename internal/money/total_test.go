package money_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
)

// cents makes a Total of any size that fits, by the way it comes out of PostgreSQL.
func cents(t interface {
	Helper()
	Fatal(...any)
}, text string) money.Total {
	t.Helper()
	var total money.Total
	if err := total.Scan(text); err != nil {
		t.Fatal(text, err)
	}
	return total
}

// bigOf is a Total as a big integer, by the way it goes into PostgreSQL.
func bigOf(t *rapid.T, total money.Total) *big.Int {
	t.Helper()
	text, err := total.Value()
	if err != nil {
		t.Fatal(err)
	}
	n, ok := new(big.Int).SetString(text.(string), 10)
	if !ok {
		t.Fatalf("%v is no whole number", text)
	}
	return n
}

// wide draws numbers of up to bits bits, the ends of an int64 and of a uint64 among them.
func wide(bits int) *rapid.Generator[*big.Int] {
	edges := []*big.Int{
		big.NewInt(0), big.NewInt(1), big.NewInt(math.MaxInt64), new(big.Int).SetUint64(math.MaxUint64),
		new(big.Int).Lsh(big.NewInt(1), 63), new(big.Int).Lsh(big.NewInt(1), 64),
	}
	return rapid.Custom(func(t *rapid.T) *big.Int {
		n := new(big.Int)
		if rapid.Bool().Draw(t, "edge") {
			n.Set(edges[rapid.IntRange(0, len(edges)-1).Draw(t, "which")])
		} else {
			n.SetBytes(rapid.SliceOfN(rapid.Byte(), 0, bits/8).Draw(t, "bytes"))
		}
		if rapid.Bool().Draw(t, "negative") {
			n.Neg(n)
		}
		return n
	})
}

func TestTotalWritesCurrencyUnitsWithTwoDecimals(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0":                     "0.00",
		"1":                     "0.01",
		"-1":                    "-0.01",
		"99":                    "0.99",
		"-100":                  "-1.00",
		"9223372036854775807":   "92233720368547758.07",
		"-9223372036854775808":  "-92233720368547758.08",
		"18446744073709551615":  "184467440737095516.15",
		"18446744073709551616":  "184467440737095516.16",
		"-18446744073709551616": "-184467440737095516.16",
		"9999999999999990000":   "99999999999999900.00", // 10,000 of the largest amounts
		"170141183460469231731687303715884105727":  "1701411834604692317316873037158841057.27",
		"-170141183460469231731687303715884105727": "-1701411834604692317316873037158841057.27",
	} {
		total := cents(t, in)
		if got := total.String(); got != want {
			t.Errorf("%s cents are %s, want %s", in, got, want)
		}
		if got, err := json.Marshal(total); err != nil || string(got) != want {
			t.Errorf("%s cents marshal to %s, %v, want %s", in, got, err, want)
		}
	}
}

func TestTotalScansWhatASumCanBe(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		src  any
		want string
	}{
		{nil, "0.00"},
		{int64(-5), "-0.05"},
		{int64(math.MinInt64), "-92233720368547758.08"},
		{[]byte("12345678901234567890"), "123456789012345678.90"},
		{"-0", "0.00"},
	} {
		total := money.TotalOf(7)
		if err := total.Scan(tc.src); err != nil || total.String() != tc.want {
			t.Errorf("Scan(%v) = %s, %v, want %s", tc.src, total, err, tc.want)
		}
	}
}

func TestTotalRefusesWhatIsNoWholeNumberOfCents(t *testing.T) {
	t.Parallel()
	for _, src := range []any{
		"", "1.0", "1e3", " 1", "NaN", "Infinity", 1.5, true,
		"170141183460469231731687303715884105728",  // 2^127
		"-170141183460469231731687303715884105728", // its size does not fit
	} {
		total := money.TotalOf(7)
		if err := total.Scan(src); !errors.Is(err, money.ErrTotal) {
			t.Errorf("Scan(%v) = %v, want ErrTotal", src, err)
		}
		if total != money.TotalOf(7) {
			t.Errorf("Scan(%v) changed the total to %s", src, total)
		}
	}
}

func TestTenThousandOfTheLargestAmountsAddUp(t *testing.T) {
	t.Parallel()
	var up, down money.Total
	for range 10_000 {
		up = up.Plus(money.TotalOf(money.Max))
		down = down.Plus(money.TotalOf(money.Min))
	}
	if got, want := up.String(), "99999999999999900.00"; got != want {
		t.Errorf("sum %s, want %s", got, want)
	}
	if got, want := down.String(), "-99999999999999900.00"; got != want {
		t.Errorf("sum %s, want %s", got, want)
	}
	if got := up.Plus(down); got != (money.Total{}) {
		t.Errorf("both together are %s, want 0.00", got)
	}
}

func TestTotalsOfAmountsAreThoseAmounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64().Draw(t, "cents")
		if got, want := money.TotalOf(money.Amount(a)).String(), money.Amount(a).String(); got != want {
			t.Fatalf("total %s, want %s", got, want)
		}
		if got := bigOf(t, money.TotalOf(money.Amount(a))); got.Cmp(big.NewInt(a)) != 0 {
			t.Fatalf("total %s, want %d", got, a)
		}
	})
}

func TestTotalsCalculateLikeBigIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := wide(120).Draw(t, "a"), wide(120).Draw(t, "b")
		x, y := cents(t, a.String()), cents(t, b.String())
		for name, tc := range map[string]struct {
			got  money.Total
			want *big.Int
		}{
			"a":     {x, a},
			"a + b": {x.Plus(y), new(big.Int).Add(a, b)},
			"a - b": {x.Minus(y), new(big.Int).Sub(a, b)},
			"-a":    {x.Neg(), new(big.Int).Neg(a)},
			"|a|":   {x.Abs(), new(big.Int).Abs(a)},
		} {
			if got := bigOf(t, tc.got); got.Cmp(tc.want) != 0 {
				t.Fatalf("%s = %s, want %s", name, got, tc.want)
			}
		}
		if got, want := x.Sign(), a.Sign(); got != want {
			t.Fatalf("sign %d, want %d", got, want)
		}
		if got, want := x.Compare(y), a.Cmp(b); got != want {
			t.Fatalf("Compare = %d, want %d", got, want)
		}
		if (x == y) != (a.Cmp(b) == 0) {
			t.Fatalf("== is %t", x == y)
		}
	})
}

func TestDivisionRoundsHalfToEven(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		total   string
		by      int64
		want    string
		percent int
		part    string
	}{
		{"5", 2, "0.02", 50, "0.02"},
		{"15", 2, "0.08", 50, "0.08"},
		{"-5", 2, "-0.02", 50, "-0.02"},
		{"-15", 2, "-0.08", 50, "-0.08"},
		{"1", 3, "0.00", 33, "0.00"},
		{"2", 3, "0.01", 67, "0.01"},
		{"-2", 3, "-0.01", 67, "-0.01"},
		{"7", 1, "0.07", 100, "0.07"},
		{"0", 9, "0.00", 50, "0.00"},
	} {
		if got := cents(t, tc.total).DividedBy(tc.by).String(); got != tc.want {
			t.Errorf("%s / %d = %s, want %s", tc.total, tc.by, got, tc.want)
		}
		if got := cents(t, tc.total).Percent(tc.percent).String(); got != tc.part {
			t.Errorf("%d %% of %s = %s, want %s", tc.percent, tc.total, got, tc.part)
		}
	}
}

func TestQuotientsAreTheNearestOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dividend, n := wide(112).Draw(t, "total"), rapid.Int64Range(1, math.MaxInt64).Draw(t, "n")
		checkNearest(t, bigOf(t, cents(t, dividend.String()).DividedBy(n)), dividend, big.NewInt(n))

		percent := rapid.IntRange(0, 100).Draw(t, "percent")
		product := new(big.Int).Mul(dividend, big.NewInt(int64(percent)))
		checkNearest(t, bigOf(t, cents(t, dividend.String()).Percent(percent)), product, big.NewInt(100))

		divisor := wide(112).Draw(t, "divisor")
		scaled := new(big.Int).Mul(dividend, big.NewInt(10_000))
		ratio, ok := cents(t, dividend.String()).Over(cents(t, divisor.String()))
		switch {
		case ok:
			checkNearest(t, big.NewInt(int64(ratio)), scaled, divisor)
		case divisor.Sign() == 0:
		case new(big.Int).Quo(scaled, divisor).IsInt64():
			// One past the largest may round out of range.
			if q := new(big.Int).Quo(scaled, divisor); new(big.Int).Abs(q).Cmp(big.NewInt(math.MaxInt64)) < 0 {
				t.Fatalf("no ratio for %s / %s", dividend, divisor)
			}
		}
	})
}

// checkNearest fails where q is not dividend / divisor rounded half to even, by the definition of it:
// 2 |dividend - q divisor| <= |divisor|, and q is even where both sides are equal.
func checkNearest(t *rapid.T, q, dividend, divisor *big.Int) {
	t.Helper()
	rest := new(big.Int).Sub(dividend, new(big.Int).Mul(q, divisor))
	rest.Abs(rest).Lsh(rest, 1)
	switch rest.Cmp(new(big.Int).Abs(divisor)) {
	case 1:
		t.Fatalf("%s / %s is not %s", dividend, divisor, q)
	case 0:
		if q.Bit(0) != 0 {
			t.Fatalf("%s / %s = %s is a half that is not rounded to even", dividend, divisor, q)
		}
	}
}
