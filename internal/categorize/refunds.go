package categorize

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// RefundDays is how long after a purchase its money comes back.
const RefundDays = 120

// Purchase is an earlier outgoing row of the counterparty of a refund.
type Purchase struct {
	ID         [16]byte
	Amount     money.Amount // negative
	Day        time.Time    // midnight in UTC
	CategoryID int
	Confidence money.Ratio // 10000 where the user chose the category
	SplitBy    [16]byte    // what divides it, where its category is split.Category
}

// PurchaseOf finds what money that came back was paid for: the newest purchase of exactly the amount, or else the
// newest one that was large enough, where all of those belong to one category. It looks back [RefundDays].
func PurchaseOf(refund money.Amount, day time.Time, purchases []Purchase) (p Purchase, exact, found bool) {
	var large []Purchase
	for _, p := range purchases {
		age := int(day.Sub(p.Day) / (24 * time.Hour))
		if -p.Amount >= refund && 0 <= age && age <= RefundDays && canComeBack(p.CategoryID) {
			large = append(large, p)
		}
	}
	slices.SortFunc(large, func(a, b Purchase) int {
		return cmp.Or(b.Day.Compare(a.Day),
			bytes.Compare(b.ID[:], a.ID[:]))
	})
	for _, p := range large {
		if -p.Amount == refund {
			return p, true, true
		}
	}
	if len(large) == 0 ||
		slices.ContainsFunc(large, func(p Purchase) bool { return !p.alike(large[0]) }) {
		return Purchase{}, false, false
	}
	return large[0], false, true
}

// alike reports whether two purchases are one thing, or the same several.
func (p Purchase) alike(q Purchase) bool {
	return p.CategoryID == q.CategoryID && p.SplitBy == q.SplitBy
}

// canComeBack reports whether a category says what was bought.
func canComeBack(categoryID int) bool {
	c, ok := ontology.ScheduleC().ByID(categoryID)
	return categoryID == split.Category || ok && !c.Is("transfer") && !c.Is(ontology.Uncategorized) && !c.Is("revenue")
}
