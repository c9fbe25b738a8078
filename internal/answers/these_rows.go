package answers

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

var (
	customerDeposit   = ontology.MustPath("liability.customer_deposit")
	ownerContribution = ontology.MustPath("equity.owner_contribution")
)

// ofTheseRows is what words mean of some rows of a question that they need not mean of all of it: of what is paid in, a
// deposit is one that is held, and mine is the owner's own; what reads as the owner's health plan is that where it is
// mine. It is nil where they mean no such thing.
func (q Asked) ofTheseRows(p part, rows []uuid.UUID) *ontology.Category {
	if p.rank == theRest || len(rows) == 0 {
		return nil
	}
	switch words := plain(p.target); {
	case q.Direction() == wording.In && heldDeposit.MatchString(words):
		return customerDeposit
	case q.Direction() == wording.In && myMoney.MatchString(words):
		return ownerContribution
	case q.Direction() == wording.Out && private.MatchString(wording.Fold(words)):
		return q.personalReading(rows)
	default:
		return nil
	}
}

// personalReading is what all of some rows read that is the owner's, other than private spending; nil where that is
// several things.
func (q Asked) personalReading(rows []uuid.UUID) (reads *ontology.Category) {
	for _, l := range q.Lines {
		if !has(rows, l.Transaction) {
			continue
		}
		c, ok := ontology.ScheduleC().ByID(l.Reads)
		if !ok || !c.Is("personal") || reads != nil && c != reads {
			return nil
		}
		reads = c
	}
	return reads
}

// ownTax is what words say that call a tax the owner's own.
const ownTax = "my own income tax"

// ofManyKinds reports whether a meaning is one cost, and the lines of the rows read several: of all that is used at
// home, too, the rest is the van.
func (q Asked) ofManyKinds(says Meaning, rows []uuid.UUID) bool {
	c, known := ontology.ScheduleC().ByID(says.CategoryID)
	if !q.readApart() || !known || !c.Kind.OnForm() {
		return false
	}
	const many = 3
	read := map[int]bool{}
	for _, l := range q.Lines {
		if has(rows, l.Transaction) {
			read[l.Reads] = true
		}
	}
	return len(read) >= many
}

// inDollars are parts in whole dollars with their cents, where they add up to each of the rows: 300 wages, 100
// personal.
func (q Asked) inDollars(words string, rows []uuid.UUID) string {
	of := wholeDollars.FindAllStringSubmatch(words, -1)
	numbers := numberRuns.FindAllString(words, -1)
	if len(rows) == 0 || len(of) < 2 || strings.ContainsAny(words, "%;") || len(numbers) != len(of) {
		return words
	}
	var sum money.Amount
	for _, figure := range of {
		amount, ok := figureOfMoney(figure[2])
		if !ok {
			return words
		}
		sum += amount
	}
	for _, l := range q.Lines {
		if has(rows, l.Transaction) && size(l.Amount) != sum {
			return words
		}
	}
	return wholeDollars.ReplaceAllString(words, "$1$2.00 $3")
}

var wholeDollars = regexp.MustCompile(`(^|,\s*|\band\s+)\$?(\d+)\s+(\pL)`)
