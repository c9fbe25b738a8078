package questions

import (
	"slices"
	"strconv"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// What was said of one use of a counterparty, and what that is of another.

// Largest is the largest amount that answers for a key were about, without sign.
func (m Memory) Largest(k Key, l Line) money.Amount {
	return m.categories[Topic{k.String(), k.Incoming(l)}].largest
}

// OfOtherUse is whether what was answered of a counterparty says nothing of a row that reads like something else than
// the rows that were answered: what a city takes for water is not its income tax, and what a shop sells as fuel not its
// groceries.
func (m Memory) OfOtherUse(about Key, l Line, reads categorize.Decision) bool {
	d := m.categories[Topic{about.String(), about.Incoming(l)}]
	same := slices.ContainsFunc(d.uses, func(a Answered) bool { return a.reads(reads.CategoryID) })
	if d.whole || len(d.uses) == 0 || same {
		return false
	}
	if KeyOf(l, reads) != about && !standsAlone(l, reads) {
		return !slices.ContainsFunc(d.uses, func(a Answered) bool { return a.Reads == "" })
	}
	return reads.Confidence >= surely &&
		!slices.ContainsFunc(d.uses, func(a Answered) bool { return a.readsLike(reads.CategoryID) })
}

// surely is how sure a reading is at least that tells one use of a counterparty from another: a word of a name is a
// guess of what it sells, whatever it is paid for.
const surely money.Ratio = 7500

// OfReading is what the business answered last of rows with a counterparty that read the same as a row: of a shop that
// sells fuel and groceries what it said of its fuel holds, also where it said something of its groceries since. ok is
// false where that answer divided rows or said several things, or where the row is not like those.
func (m Memory) OfReading(about Key, l Line, accountType string, reads int) (said Said, ok bool) {
	size, key := max(l.Amount, -l.Amount), about.String()
	for _, a := range slices.Backward(m.answers) {
		if a.CounterpartyKey != key || a.Incoming != about.Incoming(l) || a.CategoryID == nil ||
			a.SameAs != nil || !a.reads(reads) {
			continue
		}
		c, _ := ontology.ScheduleC().ByID(*a.CategoryID)
		named := slices.Contains(l.LeftOpenBy, a.AnswerID) || slices.Contains(l.ExcludedBy, a.AnswerID)
		holds := a.Split == nil && !a.Several && !a.Contradicted && !named && !oneOff(c)
		return Said{*a.CategoryID, a.AnswerID}, holds && a.like(l, accountType) &&
			size <= widest*max(a.Largest, a.Amount, -a.Amount)
	}
	return Said{}, false
}

// readsLike is whether rows that the answer was about may read a category, or something near it: also where nothing is
// known of what one of them reads.
func (a Answered) readsLike(category int) bool {
	c, known := ontology.ScheduleC().ByID(category)
	if !known || c.Is(ontology.Uncategorized) {
		return true
	}
	for id := range strings.SplitSeq(a.Reads, ",") {
		n, err := strconv.Atoi(id)
		other, known := ontology.ScheduleC().ByID(n)
		if err != nil || !known || other.Is(ontology.Uncategorized) || c.Is(other.Path) || other.Is(c.Path) {
			return true
		}
	}
	return false
}
