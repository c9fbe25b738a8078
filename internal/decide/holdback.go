package decide

import (
	"time"

	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// heldBack reports whether a row may be less than what customers paid by more than fees, or not the business's in part:
// whoever takes their money and lent to the business keeps the loan's payments back of what it pays out, and no line
// says how much; nor does one say what sales tax is in it, or what of it is owed to others, where the business said
// that there is some, holds money of others or passes it on.
func heldBack(row Row, said categorize.Decision, memory questions.Memory) bool {
	c, ok := ontology.ScheduleC().ByID(said.CategoryID)
	by := said.Counterparty.Key
	return ok && questions.IsPayout(c) && (memory.TaxApart() || memory.PassesOn() || len(memory.Held) > 0 ||
		memory.Owes(by) || memory.Lent(by, row.PrimaryDate))
}

// Lenders are those whose rows say that they lent to the business, by [questions.BrandOf], and the first day of it.
func Lenders(decided []Decision) map[string]time.Time {
	var since map[string]time.Time
	for _, d := range decided {
		c, ok := ontology.ScheduleC().ByID(d.CategoryID)
		if !ok || !c.Is("liability.loan_proceeds") || d.Counterparty.Key == "" {
			continue
		}
		if since == nil {
			since = map[string]time.Time{}
		}
		brand := questions.BrandOf(d.Counterparty.Key)
		if first, ok := since[brand]; !ok || d.Row.PrimaryDate.Before(first) {
			since[brand] = d.Row.PrimaryDate
		}
	}
	return since
}

// paidOutBy reports whether a row was paid out by one of those that lent.
func paidOutBy(d Decision, lent map[string]time.Time) bool {
	first, ok := lent[questions.BrandOf(d.Counterparty.Key)]
	c, known := ontology.ScheduleC().ByID(d.CategoryID)
	return ok && known && questions.IsPayout(c) && !d.Row.PrimaryDate.Before(first)
}

// stand establishes a row by what its line says. Of a payout it says no more than what came: what was kept of it is
// asked while it stands. Where the business said of others that they are no sales, it does not.
func (d *Decision) stand(memory questions.Memory) {
	d.Established = true
	if !d.paysOut() || d.keptAnswered(memory) {
		return
	}
	d.Question = questions.OfKept(d.Row.Line, d.Decision)
	said, ok := memory.Decided(d.Question.Key, d.Row.Line)
	if !ok || memory.LeftOpen(d.Question.Key, d.Row.Line) || d.yearOfOthers(memory, said.CategoryID) {
		return
	}
	c, one := ontology.ScheduleC().ByID(said.CategoryID)
	if d.remembered(said, onceAnswered, useAnswered); !one || c.Is("revenue.sales") {
		d.Question = nil // as it was said, of whatever amount
		return
	}
	d.Established, d.Question, d.Confidence = false, questions.Of(d.Row.Line, d.Decision), Alike
	d.Reason += ", of other amounts"
}

// keptAnswered gives a payout what the business answered when it was asked what was kept of others like it.
func (d *Decision) keptAnswered(memory questions.Memory) bool {
	return d.paysOut() && d.answered(memory, questions.AboutKept(d.Decision), useAnswered)
}

// paysOut reports whether a row is what somebody pays out of what customers paid.
func (d *Decision) paysOut() bool {
	c, ok := ontology.ScheduleC().ByID(d.CategoryID)
	return ok && questions.IsPayout(c) && d.Source != categorize.SourceMemory && d.Counterparty.Key != ""
}
