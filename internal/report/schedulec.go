package report

import (
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// LineAmount is a line of Schedule C with its amount.
type LineAmount struct {
	ontology.Line
	Amount     money.Total // of the books
	Deductible money.Total // what the form counts: meals at half
}

// headingLines take the rows of headings that stand on no line one can assign to. No transaction should have such a
// category; where one does, it counts with the branch's most general line rather than nowhere.
var headingLines = map[string]string{"revenue": "1", "cogs": "39", "expense": "27b"}

// lineOf is the line of the form on which a category's rows are counted.
func lineOf(c *ontology.Category) string {
	if line, ok := headingLines[c.Path]; ok {
		return line
	}
	return c.ScheduleCLine
}

// lineSide is the net of a flow as the line of its category counts it: returns and inventory at the end of the year are
// taken off on the form, so that they are positive where the category's own side is.
func lineSide(c *ontology.Category, f Flow) money.Total {
	switch {
	case c.ScheduleCLine == "41", c.Side == ontology.SideIn:
		return f.Net()
	default:
		return f.Net().Neg()
	}
}

// ScheduleC fills in every line of the form over the whole range, lines without rows included. Deductible amounts are
// rounded half to even to the cent, once for all rows of a line that deduct alike; computed lines follow from the
// rounded ones. Line 31 is the net profit of the books in Amount, and the form's in Deductible.
func (b *Books) ScheduleC() []LineAmount {
	type part struct {
		line    string
		percent int
	}
	parts := map[part]money.Total{}
	for c, own := range b.own {
		if OnForm(c) {
			key := part{lineOf(c), c.DeductiblePercent}
			parts[key] = parts[key].Plus(lineSide(c, own.Total))
		}
	}
	amounts, deductible := form{}, form{}
	for key, amount := range parts {
		amounts[key.line] = amounts[key.line].Plus(amount)
		deductible[key.line] = deductible[key.line].Plus(amount.Percent(key.percent))
	}
	amounts.compute()
	deductible.compute()
	lines := make([]LineAmount, len(ontology.Lines))
	for i, line := range ontology.Lines {
		lines[i] = LineAmount{Line: line, Amount: amounts[line.Number], Deductible: deductible[line.Number]}
	}
	return lines
}

// form is a column of amounts by line.
type form map[string]money.Total

// compute works out the computed lines from the others (IRS Schedule C, Form 1040, Parts I to III).
func (f form) compute() {
	f["40"] = f.sum("35", "39")
	f["42"] = f["40"].Minus(f["41"])
	f["3"] = f["1"].Minus(f["2"])
	f["4"] = f["42"]
	f["5"] = f["3"].Minus(f["4"])
	f["7"] = f["5"].Plus(f["6"])
	f["28"] = f.sum("8", "27b")
	f["29"] = f["7"].Minus(f["28"])
	f["31"] = f["29"].Minus(f["30"])
}

// sum adds up the lines from one to another, both included, in the form's order.
func (f form) sum(from, to string) money.Total {
	var sum money.Total
	within := false
	for _, line := range ontology.Lines {
		within = within || line.Number == from
		if within {
			sum = sum.Plus(f[line.Number])
		}
		if line.Number == to {
			break
		}
	}
	return sum
}
