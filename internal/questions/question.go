package questions

import (
	"fmt"
	"strings"
	"time"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// The kinds of questions.
const (
	KindCategory = "category" // what the rows of a counterparty or a wording are
	KindChanged  = "changed"  // whether a row is still what it was before the bank changed its line
)

// Question is asked once for all rows of a key, in one direction.
type Question struct {
	Key     Key
	Text    string
	OfOne   string // the text while the question is about one row; empty where that makes no difference
	Why     string // the reason in words; empty where the money that waits for it is the reason
	Kind    string
	Options []Option
	Narrow  *Question // of a family: the row's own, for where it stays alone
	Kept    bool      // what it asks about stands meanwhile: only what was kept of it is asked
	Taxed   bool      // sales tax may be in what it asks about; in most books it is not
	Lapsed  bool      // Why says of an answer that it fits no more, which is said of the open question, too
}

// OfLapsed asks again, and says why: the amounts that were said of a year are not those of its payments any more.
func (q Question) OfLapsed(why string) *Question {
	q.Why, q.Lapsed = strings.TrimSpace(why+" "+q.Why), true
	if q.Narrow != nil {
		q.Narrow = q.Narrow.OfLapsed(why)
	}
	return &q
}

// OfTaxed asks about payouts of customers' money that may have sales tax in it, which is no part of the receipts.
func (q Question) OfTaxed(year int) *Question {
	q.Why = fmt.Sprintf("You said that sales tax is no part of your receipts. What customers pay through others may "+
		"have some in it: then say the year's, as in `less 520.00 expense.commissions_fees.payment_processing, "+
		"1,310.00 liability.sales_tax_collected, rest revenue.sales in %d`. Where it has none, it is what it seems to "+
		"be.", year)
	q.Taxed = true
	return &q
}

// textOfOne words the question about a row that names nobody.
func textOfOne(l Line) string {
	if l.Incoming() {
		return fmt.Sprintf("What is the money for that came in on %s?", about(l))
	}
	return fmt.Sprintf("What was the payment of %s for?", about(l))
}

// TextAbout words the question about a counterparty.
func TextAbout(name string, incoming bool) string {
	if incoming {
		return fmt.Sprintf("What does %s pay you for?", name)
	}
	return fmt.Sprintf("What do you pay %s for?", name)
}

// Standing is what would be asked about the rows of a hook that nothing is asked about: about whom they are with, where
// that is known, and what they are taken for.
func Standing(name string, incoming bool, category int) (text string, options []Option) {
	if name != "" {
		text = TextAbout(name, incoming)
	}
	if c, ok := ontology.ScheduleC().ByID(category); ok && c.Assignable && !c.Is(ontology.Uncategorized) {
		options = []Option{OptionOf(c)}
	}
	return text, options
}

// about names a row that a person is to recognize: its day, its amount and the words of the bank.
func about(l Line) string {
	return fmt.Sprintf("%s (%s %s, %q)", l.PrimaryDate.Format(day), money.TotalOf(l.Amount).Abs(), l.Currency,
		short(l.Description))
}

// short are the first words of a bank's line.
func short(description string) string {
	const most = 60
	words := strings.Join(strings.Fields(description), " ")
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return words
}

const day = "January 2, 2006"

// Waiting is the money that waits for an answer.
type Waiting struct {
	Rows     int64
	Amount   money.Total // the size of the rows, of Currency
	Currency string
	From, To *time.Time // their days; nil where they are very many
}

// Why says why a question is asked that has no reason of its own.
func Why(w Waiting) string {
	if w.Rows == 1 {
		return fmt.Sprintf("1 transaction%s, %s %s, waits for it: the bank's line does not say what it means for "+
			"the tax form.", w.period(), w.Amount, w.Currency)
	}
	return fmt.Sprintf("%d transactions%s, %s %s in all, wait for it: the bank's lines do not say what they mean "+
		"for the tax form.",
		w.Rows, w.period(), w.Amount, w.Currency)
}

// period is when the rows were, as words behind them.
func (w Waiting) period() string {
	switch {
	case w.From == nil || w.To == nil:
		return ""
	case w.From.Equal(*w.To):
		return " of " + w.From.Format(day)
	default:
		return fmt.Sprintf(" from %s to %s", w.From.Format(day), w.To.Format(day))
	}
}
