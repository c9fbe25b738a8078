package questions

import (
	"slices"

	"bizfin/internal/ontology"
)

// Offering is the question with a category among its options, where it is about one counterparty, one row or rows that
// name nobody: first, and where an open question of the same shop is known by what it offers first, second. Families
// have options of their own.
func (q *Question) Offering(c *ontology.Category) *Question {
	if q == nil || len(q.Options) == 0 {
		return q
	}
	offers := *q
	if q.Narrow != nil {
		offers.Narrow = q.Narrow.offering(c, q.Key.reads() != nil)
	}
	if q.Key.about == counterparty || q.Key.about == oneRow || q.Key.about == likeLines {
		offers = *offers.offering(c, false)
	}
	return &offers
}

func (q *Question) offering(c *ontology.Category, second bool) *Question {
	own, at := OptionOf(c), 0
	if second {
		at = 1
	}
	others := slices.DeleteFunc(slices.Clone(q.Options), func(o Option) bool { return o.Value == own.Value })
	if len(others) == len(q.Options) && len(others) == MostOptions {
		plain := func(o Option) bool { return o.Role == "" && o.Value != "personal.living" }
		last := len(others) - 1
		for last > at && !plain(others[last]) {
			last--
		}
		others = slices.Delete(others, last, last+1)
	}
	offers := *q
	offers.Options = slices.Insert(others, min(at, len(others)), own)
	return &offers
}
