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
	OfOne   string // the text while the question is about one row; empty where that makes no difference
	Why     string // the reason in words; empty where the money that waits for it is the reason
	Kind    string
	Options []Option
	Narrow  *Question // of a family: the row's own, for where it stays alone
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

// Line is a row as a person is to recognize it.
type Line struct {
	ID          uuid.UUID
	Amount      money.Amount // of Currency; positive is incoming
	Currency    string
	Description string      // the bank's words
	PrimaryDate time.Time   // midnight in UTC
	LeftOpenBy  []uuid.UUID // answers that were asked about it, or spoke for its like, and said nothing of it
}

// Incoming reports the direction of the money; 0 is read as outgoing.
func (l Line) Incoming() bool { return l.Amount > 0 }

// Of asks about the family of a row, and where it has none, about its counterparty, or about a use of it; where a line
// names nobody, about the lines that say the same.
func Of(l Line, d categorize.Decision) *Question { return withFamily(ofOwn(l, d), l, d) }

// ofOwn asks about a row by what is narrower than its family.
func ofOwn(l Line, d categorize.Decision) *Question {
	q := &Question{Key: KeyOf(l, d), Kind: KindCategory}
	q.Options = optionsOf(d, l.Incoming())
	switch {
	case q.Key == Deposits:
		q.Text = "What are the cash and checks that you pay in?"
	case q.Key.OfOneRow():
		q.Text = textOfOne(l)
	case l.Incoming() && max(l.Amount, -l.Amount) >= alone:
		who := "comes in"
		if d.Counterparty.Key != "" {
			who = d.Counterparty.Name + " paid you"
		}
		q.Text = fmt.Sprintf("What is the money for that %s as %s %s?", who, money.TotalOf(l.Amount), l.Currency)
	case q.Key.OfLines() && d.Channel == check:
		q.Text = fmt.Sprintf("What are the checks of %s %s for?", money.TotalOf(l.Amount).Abs(), l.Currency)
	case q.Key.OfLines() && l.Incoming():
		q.Text = fmt.Sprintf("What is the money for that comes in as %q?", short(l.Description))
	case q.Key.OfLines():
		q.Text = fmt.Sprintf("What are the payments like %q for?", short(l.Description))
	case q.Key.about == use:
		whole := strings.TrimSuffix(TextAbout(d.Counterparty.Name, l.Incoming()), "?")
		q.Text = fmt.Sprintf("%s, in lines like %q?", whole, short(l.Description))
	default:
		q.Text = TextAbout(d.Counterparty.Name, l.Incoming())
	}
	if q.Key.OfLines() && q.Key != Deposits {
		q.OfOne = textOfOne(l)
	}
	guess, _ := ontology.ScheduleC().ByID(d.CategoryID)
	return q.hinted(l, guess)
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

// PaidIn reports whether a line says that cash or a check was paid in, and no more.
func PaidIn(l Line, d categorize.Decision) bool {
	return d.CategoryID == cashDeposit.ID && d.Counterparty.Key == "" && l.Incoming()
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

// OfChanged asks about a row that the bank changed and that would now be understood differently: its category stays
// until the person says otherwise. It is nil where the change changes nothing, or the new line says nothing and the
// money still moves the way of the category, unless it was the old line alone that had said it: chosen is whether a
// person had.
func OfChanged(l Line, was int, chosen bool, d categorize.Decision) *Question {
	before, ok := ontology.ScheduleC().ByID(was)
	if !ok {
		return nil
	}
	after, known := ontology.ScheduleC().ByID(d.CategoryID)
	known = known && before != after && !after.Is(ontology.Uncategorized)
	turned := !d.Refund && (l.Incoming() && isCost(before) || !l.Incoming() && isIncome(before))
	silent := !chosen && (after == nil || after.Is(ontology.Uncategorized)) // it says no more what it was taken for
	if !known && !turned && !silent {
		return nil
	}
	q := &Question{
		Key:     AboutRow(l.ID),
		Kind:    KindChanged,
		Text:    fmt.Sprintf("The bank changed this line to money that goes out; is it still %q?", before.Name),
		Options: []Option{optionOf(before)},
	}
	if l.Incoming() {
		q.Text = fmt.Sprintf("The bank changed this line to money that comes in; is it still %q?", before.Name)
	}
	if silent && !turned {
		q.Text = fmt.Sprintf("The bank changed this line, which says no longer what it is for; is it still %q?",
			before.Name)
	}
	if known {
		q.Text = fmt.Sprintf("The bank changed this line; is it still %q, or is it %q now?", before.Name, after.Name)
		q.Options = append(q.Options, optionOf(after))
	}
	return q
}

// OfDoubtful asks about a row that the bank changed and whose category would not be established now, whatever else it
// may be: its amount is another.
func OfDoubtful(l Line, was int) *Question {
	before, ok := ontology.ScheduleC().ByID(was)
	if !ok {
		return nil
	}
	return &Question{
		Key:     AboutRow(l.ID),
		Kind:    KindChanged,
		Text:    fmt.Sprintf("The bank changed this line; is it still %q?", before.Name),
		Options: []Option{optionOf(before)},
	}
}

func isCost(c *ontology.Category) bool {
	return c.Kind == ontology.KindExpense || c.Kind == ontology.KindCOGS
}

func isIncome(c *ontology.Category) bool {
	return c.Kind == ontology.KindRevenue || c.Kind == ontology.KindOtherIncome
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
