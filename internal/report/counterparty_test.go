package report

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
)

func TestListedAndOthersAddUpToAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const periods = 3
		all, sizes := NewSums(periods), money.Total{}
		var parties []Sums
		for range rapid.IntRange(0, 6).Draw(t, "counterparties") {
			sums := NewSums(periods)
			for _, amount := range rapid.SliceOfN(rapid.Int64Range(-1000, 1000), 1, 4).Draw(t, "amounts") {
				sums.Add(rapid.IntRange(Older, periods-1).Draw(t, "period"), row{amount: money.Amount(amount)}.flow())
			}
			all.merge(sums)
			sizes = sizes.Plus(sums.Total.Net().Abs())
			parties = append(parties, sums)
		}
		listed := parties[:rapid.IntRange(0, len(parties)).Draw(t, "listed")]
		attributions, others := Attribute(listed, all, sizes)
		if (others != nil) != (len(listed) < len(parties)) {
			t.Fatalf("%d of %d listed, others %v", len(listed), len(parties), others)
		}
		if others != nil {
			attributions = append(attributions, *others)
		}
		sum := NewSums(periods)
		for _, a := range attributions {
			sum.merge(a.Sums)
			if (a.Share == nil) != (sizes.Sign() == 0) {
				t.Fatalf("share %v of %s", a.Share, sizes)
			}
		}
		if sum.Total != all.Total || !slices.Equal(sum.ByPeriod, all.ByPeriod) {
			t.Fatalf("listed and others are %v, all %v", sum, all)
		}
	})
}

func TestShareIsTheSizeOfTheNet(t *testing.T) {
	t.Parallel()
	sums := func(amount money.Amount) Sums {
		s := NewSums(1)
		s.Add(0, row{amount: amount}.flow())
		return s
	}
	all := sums(300)
	all.merge(sums(-100))
	all.merge(sums(200))
	attributions, others := Attribute([]Sums{sums(300), sums(-100)}, all, money.TotalOf(600))
	for i, want := range []string{"0.5000", "0.1667"} {
		if got := attributions[i].Share.String(); got != want {
			t.Errorf("share %d is %s, want %s", i, got, want)
		}
	}
	if got := others.Share.String(); got != "0.3333" {
		t.Errorf("share of the others is %s, want 0.3333", got)
	}
}
