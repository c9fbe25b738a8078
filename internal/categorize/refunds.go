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
	return purchaseOf(refund, day, returnable(purchases))
}

// returnable are the purchases that can come back at all, the newest first.
func returnable(purchases []Purchase) []Purchase {
	some := slices.DeleteFunc(slices.Clone(purchases), func(p Purchase) bool { return !canComeBack(p.CategoryID) })
	slices.SortFunc(some, newerFirst)
	return some
}

// purchaseOf is PurchaseOf among returnable purchases.
func purchaseOf(refund money.Amount, day time.Time, bought []Purchase) (p Purchase, exact, found bool) {
	alike := true
	for _, q := range bought {
		switch {
		case !q.covers(refund, day):
			continue
		case -q.Amount == refund:
			return q, true, true
		case !found:
			p, found = q, true
		}
		alike = alike && q.alike(p)
	}
	if !alike {
		return Purchase{}, false, false
	}
	return p, false, found
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
	s := stock{bought: returnable(purchases)}
	for _, p := range s.bought {
		s.left = append(s.left, -p.Amount)
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
		returns[i].takes(s.of(returns[i].Day))
	}
	matches := make([]Match, len(returns))
	for _, i := range order {
		matches[i] = returns[i].match(s.of(returns[i].Day))
	}
	return matches
}

// stock is what was bought, the newest first, and what is left of each.
type stock struct {
	bought []Purchase
	left   []money.Amount
}

// of is what may come back on a day: a shop may have thousands of others.
func (s stock) of(day time.Time) stock {
	newer := func(p Purchase, day time.Time) int { return day.Compare(p.Day) }
	first, _ := slices.BinarySearchFunc(s.bought, day, newer)
	last, _ := slices.BinarySearchFunc(s.bought, day.AddDate(0, 0, -RefundDays-1), newer)
	return stock{s.bought[first:last], s.left[first:last]}
}

// takes leaves less of the purchases of a category that is known: of the one of exactly the amount, else of the newest.
func (r Return) takes(s stock) {
	if r.Known == 0 {
		return
	}
	var of []int
	for i, p := range s.bought {
		if p.CategoryID != r.Known || !p.before(r.Day) {
			continue
		}
		if s.wholly(i, r.Amount) {
			of = []int{i}
			break
		}
		of = append(of, i)
	}
	amount := r.Amount
	for _, i := range of {
		part := min(amount, s.left[i])
		amount -= part
		s.left[i] -= part
	}
}

// match finds the purchase, and leaves less of it where there is enough. What is known by itself has none to find.
func (r Return) match(s stock) Match {
	if r.Known != 0 {
		return Match{}
	}
	p, exact, found := purchaseOf(r.Amount, r.Day, s.bought)
	if !found || !exact && !r.Reads {
		covers := func(q Purchase) bool { return q.covers(r.Amount, r.Day) }
		return Match{Doubtful: slices.ContainsFunc(s.bought, covers)}
	}
	var enough []int
	alike := true
	for i, q := range s.bought {
		if !q.covers(r.Amount, r.Day) {
			continue
		}
		if s.wholly(i, r.Amount) {
			s.left[i] = 0
			return Match{Purchase: q, Found: true, Fits: true}
		}
		alike = alike && q.alike(p)
		if s.left[i] >= r.Amount {
			enough = append(enough, i)
		}
	}
	if !r.Reads || !alike || len(enough) == 0 {
		return Match{Purchase: p, Found: true}
	}
	// A part leaves larger ones whole, of which all may come back.
	of := enough[0]
	for _, i := range enough {
		if s.bought[i].Confidence == s.bought[of].Confidence && s.left[i] < s.left[of] {
			of = i
		}
	}
	s.left[of] -= r.Amount
	return Match{Purchase: s.bought[enough[0]], Found: true, Fits: true}
}

// wholly reports whether a purchase is of exactly an amount, of which nothing came back.
func (s stock) wholly(i int, amount money.Amount) bool {
	return -s.bought[i].Amount == amount && s.left[i] == amount
}

// before reports whether something was bought so early that it may have come back on a day.
func (p Purchase) before(day time.Time) bool {
	age := int(day.Sub(p.Day) / (24 * time.Hour))
	return 0 <= age && age <= RefundDays
}

// covers reports whether that much of a purchase can come back on a day.
func (p Purchase) covers(amount money.Amount, day time.Time) bool {
	return -p.Amount >= amount && p.before(day)
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
