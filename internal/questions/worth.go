package questions

import (
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// The certainty of what is suggested, in percent: a question is asked where nobody knows, whatever the confidence.
// Where nothing is suggested its first option is the best guess.
const (
	mostCertain = 90
	bestGuess   = 50
	taxGuess    = 85 // what an agency takes of a small business is most often the owner's own tax
)

// What an answer is worth that changes no profit, in percent of the money: between lines of the form, and off the form.
const (
	books   = 3
	offForm = 1
)

// change is what an answer is expected to change of the net profit, in percent of the money of a row, against what is
// suggested of it.
func (q Question) change(suggested int, confidence money.Ratio) int {
	now, known := ontology.ScheduleC().ByID(suggested)
	known = known && !now.Is(ontology.Uncategorized)
	sure, from := bestGuess, 0
	if now != nil && now.Is("uncategorized.tax_payment") {
		sure = taxGuess
	}
	least := offForm
	if known && now.Kind.OnForm() {
		least = books
	}
	if known {
		sure, from = min(int(confidence/100), mostCertain), counted(now)
	}
	var others []int // what each of the other answers would change
	sum := 0
	for i, o := range q.Options {
		c, ok := ontology.ScheduleC().ByPath(o.Value)
		differs := from / 2 // a mix
		if ok {
			differs = max(counted(c)-from, from-counted(c))
			if c.Kind.OnForm() {
				least = books
			}
		}
		switch {
		case known && c == now:
		case !known && i == 0:
			sum += sure * differs
		default:
			others = append(others, differs)
		}
	}
	for _, differs := range others {
		sum += (100 - sure) * differs / len(others)
	}
	return max(least, sum/100)
}

// counted is how much of a category's money counts in the net profit, in percent.
func counted(c *ontology.Category) int {
	switch {
	case !c.Kind.OnForm():
		return 0
	case c.Kind.Side() == ontology.SideIn:
		return 100
	default:
		return c.DeductiblePercent
	}
}

// effort is what answering takes, in percent of one plain choice: lines that have nothing else in common are looked
// through for exceptions first.
func (k Key) effort() int {
	if k.about == likeLines || k.about == family {
		return 150
	}
	return 100
}
