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
		if p.covers(refund, day) {
			large = append(large, p)
		}
	}
	slices.SortFunc(large, newerFirst)
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

// Return is money that came back from whom something was bought.
type Return struct {
	ID     [16]byte
	Amount money.Amount // positive
	Day    time.Time    // midnight in UTC
	Reads  bool         // its line reads like a refund: it may be of a part of a purchase
	Known  int          // the category that is known by itself, be it of a purchase or not; 0 where its purchase tells
}

// Match is the purchase that money seems to be back from.
type Match struct {
	Purchase
	Found    bool
	Fits     bool // with what came back before it, it is no more than was bought
	Doubtful bool // none was found, as several differ that were large enough
}

// Matches finds the purchases of what came back from one shop in one currency. No purchase is given back more often
// than once, or more of it than it came to: first by what is known by itself, then in the order of days, then ids. What
// goes beyond that fits none, as nothing tells which of them is of the purchase; the rest of a purchase is as good as
// another one like it. So what an earlier day had never depends on a later one, save for what is known.
func Matches(returns []Return, purchases []Purchase) []Match {
	bought := slices.SortedFunc(slices.Values(purchases), newerFirst)
	left := map[[16]byte]money.Amount{}
	for _, p := range bought {
		left[p.ID] = -p.Amount
	}
	order := make([]int, len(returns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(returns[i].Day.Compare(returns[j].Day),
			bytes.Compare(returns[i].ID[:], returns[j].ID[:]))
	})
	for _, i := range order {
		returns[i].takes(bought, left)
	}
	matches := make([]Match, len(returns))
	for _, i := range order {
		matches[i] = returns[i].match(bought, left)
	}
	return matches
}

// takes leaves less of the purchases of a category that is known: of the one of exactly the amount, else of the newest.
func (r Return) takes(bought []Purchase, left map[[16]byte]money.Amount) {
	if r.Known == 0 {
		return
	}
	var of []Purchase
	for _, p := range bought {
		if p.CategoryID != r.Known || !p.before(r.Day) || !canComeBack(p.CategoryID) {
			continue
		}
		if p.wholly(r.Amount, left) {
			of = []Purchase{p}
			break
		}
		of = append(of, p)
	}
	amount := r.Amount
	for _, p := range of {
		part := min(amount, left[p.ID])
		amount -= part
		left[p.ID] -= part
	}
}

// match finds the purchase, and leaves less of it where there is enough. What is known by itself has none to find.
func (r Return) match(bought []Purchase, left map[[16]byte]money.Amount) Match {
	if r.Known != 0 {
		return Match{}
	}
	p, exact, found := PurchaseOf(r.Amount, r.Day, bought)
	if !found || !exact && !r.Reads {
		return Match{Doubtful: slices.ContainsFunc(bought, func(q Purchase) bool { return q.covers(r.Amount, r.Day) })}
	}
	var enough []Purchase
	alike := true
	for _, q := range bought {
		if !q.covers(r.Amount, r.Day) {
			continue
		}
		if q.wholly(r.Amount, left) {
			left[q.ID] = 0
			return Match{Purchase: q, Found: true, Fits: true}
		}
		alike = alike && q.alike(p)
		if left[q.ID] >= r.Amount {
			enough = append(enough, q)
		}
	}
	if !r.Reads || !alike || len(enough) == 0 {
		return Match{Purchase: p, Found: true}
	}
	// A part leaves larger ones whole, of which all may come back.
	of := enough[0]
	for _, q := range enough {
		if q.Confidence == of.Confidence && left[q.ID] < left[of.ID] {
			of = q
		}
	}
	left[of.ID] -= r.Amount
	return Match{Purchase: enough[0], Found: true, Fits: true}
}

// wholly reports whether a purchase is of exactly an amount, of which nothing came back.
func (p Purchase) wholly(amount money.Amount, left map[[16]byte]money.Amount) bool {
	return -p.Amount == amount && left[p.ID] == amount
}

// before reports whether something was bought so early that it may have come back on a day.
func (p Purchase) before(day time.Time) bool {
	age := int(day.Sub(p.Day) / (24 * time.Hour))
	return 0 <= age && age <= RefundDays
}

// covers reports whether that much of a purchase can come back on a day.
func (p Purchase) covers(amount money.Amount, day time.Time) bool {
	return -p.Amount >= amount && p.before(day) && canComeBack(p.CategoryID)
}

func newerFirst(a, b Purchase) int {
	return cmp.Or(b.Day.Compare(a.Day),
		bytes.Compare(b.ID[:], a.ID[:]))
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
