package questions

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
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
	Why     string // the reason in words; empty where the money that waits for it is the reason
	Kind    string
	Options []Option
	Swing   int // percent of the money by which its answers differ on the tax form
}

// Line is a row as a person is to recognize it.
type Line struct {
	ID          uuid.UUID
	Amount      money.Amount // of Currency; positive is incoming
	Currency    string
	Description string    // the bank's words
	PrimaryDate time.Time // midnight in UTC
}

// Incoming reports the direction of the money; 0 is read as outgoing.
func (l Line) Incoming() bool { return l.Amount > 0 }

// Of asks about a counterparty, or about a single row where it names nobody: checks and receipts have nothing in
// common. Cash and checks paid in have: they are the takings of a business, or not.
func Of(l Line, d categorize.Decision) *Question {
	q := &Question{Key: AboutCounterparty(d.Counterparty.Key), Kind: KindCategory}
	q.Options, q.Swing = optionsOf(d, l.Incoming())
	switch {
	case PaidIn(l, d):
		q.Key, q.Text = Deposits, "What are the cash and checks that you pay in?"
	case d.Counterparty.Key == "":
		q.Key = AboutRow(l.ID)
		q.Text = fmt.Sprintf("What was the payment of %s for?", about(l))
		if l.Incoming() {
			q.Text = fmt.Sprintf("What is the money for that came in on %s?", about(l))
		}
	default:
		q.Text = TextAbout(d.Counterparty.Name, l.Incoming())
	}
	return q
}

// TextAbout words the question about a counterparty.
func TextAbout(name string, incoming bool) string {
	if incoming {
		return fmt.Sprintf("What does %s pay you for?", name)
	}
	return fmt.Sprintf("What do you pay %s for?", name)
}

// PaidIn reports whether a line says that cash or a check was paid in, and no more.
func PaidIn(l Line, d categorize.Decision) bool {
	return d.CategoryID == cashDeposit.ID && d.Counterparty.Key == "" && l.Incoming()
}

// about names a row that a person is to recognize: its day, its amount and the words of the bank.
func about(l Line) string {
	const most = 60
	words := strings.Join(strings.Fields(l.Description), " ")
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%s (%s %s, %q)", l.PrimaryDate.Format(day), money.TotalOf(l.Amount).Abs(), l.Currency, words)
}

const day = "January 2, 2006"

// OfChanged asks about a row whose line the bank changed and that would now be understood differently: its category
// stays until the person says otherwise. It is nil where the change changes nothing, or the new line says nothing.
func OfChanged(l Line, was int, d categorize.Decision) *Question {
	before, ok := ontology.ScheduleC().ByID(was)
	after, known := ontology.ScheduleC().ByID(d.CategoryID)
	if !ok || !known || before == after || after.Is(ontology.Uncategorized) {
		return nil
	}
	return &Question{
		Key:     AboutRow(l.ID),
		Kind:    KindChanged,
		Text:    fmt.Sprintf("The bank changed this line; is it still %q, or is it %q now?", before.Name, after.Name),
		Options: []Option{optionOf(before), optionOf(after)},
		Swing:   swing([]*ontology.Category{before, after}),
	}
}

// PaysSalesTax reports whether a line says sales tax, and leaves open only what the business alone knows.
func PaysSalesTax(d categorize.Decision) bool {
	return d.CategoryID == salesTaxCollected.ID && d.Source == categorize.SourceRule && d.Ask
}

// OfSalesTax asks the business once.
func OfSalesTax() *Question {
	return &Question{
		Key:  SalesTax,
		Kind: KindCategory,
		Text: "Is sales tax included in your receipts?",
		Why: "The business pays sales tax to the state. Whether that is a cost depends on how its receipts are " +
			"counted: the bank's lines cannot tell.",
		Options: []Option{
			{Value: salesTaxIncluded.Path, Label: "Yes, receipts include it", Role: RoleYes,
				Description: "The sales tax paid is deducted. " + consequence(salesTaxIncluded)},
			{Value: salesTaxCollected.Path, Label: "No, it is kept apart", Role: RoleNo,
				Description: "The sales tax paid is neither a cost nor income. " + consequence(salesTaxCollected)},
			{Value: otherStateTax.Path, Label: "It was another tax", Role: RoleOthers,
				Description: "What these authorities are paid is a state tax on the business. " +
					consequence(otherStateTax)},
		},
		Swing: swing([]*ontology.Category{salesTaxIncluded, salesTaxCollected, otherStateTax}),
	}
}

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
