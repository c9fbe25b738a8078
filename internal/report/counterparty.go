package report

import (
	"slices"

	"bizfin/internal/money"
)

// Attribution is the part of a cash flow that is a counterparty's.
type Attribution struct {
	Sums
	Share *money.Ratio // size of its net by the sum of all sizes; nil where that is 0
}

// Attribute gives each of the listed counterparties its share of all. sizes is the sum of the sizes of all
// counterparties' nets, the unlisted ones' too, so that a share does not depend on how many are listed. others is what
// the listed ones leave, with the size of its one net as its share; it is nil where they leave no rows.
func Attribute(listed []Sums, all Sums, sizes money.Total) (attributions []Attribution, others *Attribution) {
	rest := Sums{Total: all.Total, ByPeriod: slices.Clone(all.ByPeriod)}
	for _, sums := range listed {
		attributions = append(attributions, attribution(sums, sizes))
		rest.remove(sums)
	}
	if rest.Total.TransactionCount > 0 {
		left := attribution(rest, sizes)
		others = &left
	}
	return attributions, others
}

func attribution(sums Sums, sizes money.Total) Attribution {
	return Attribution{Sums: sums, Share: ratio(sums.Total.Net().Abs(), sizes)}
}

// ratio is a / b, or nil where b is 0.
func ratio(a, b money.Total) *money.Ratio {
	r, ok := a.Over(b)
	if !ok {
		return nil
	}
	return &r
}
