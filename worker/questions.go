package worker

import (
	"fmt"
	"slices"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// questionOf asks about a counterparty, or about a single row where it names nobody: checks and receipts have nothing in
// common. Cash and checks paid in have: they are the takings of a business, or not.
func questionOf(row store.OpenTransaction, d categorize.Decision) *store.Question {
	q := &store.Question{GroupKey: d.Counterparty.Key, Kind: store.KindCategory}
	q.Options, q.Swing = optionsOf(d, row.Amount > 0)
	name, incoming := d.Counterparty.Name, row.Amount > 0
	switch {
	case paidIn(row, d):
		q.GroupKey, q.Text = depositsKey, "What are the cash and checks that you pay in?"
	case q.GroupKey == "":
		q.GroupKey = "row:" + row.ID.String()
		q.Text = fmt.Sprintf("What was the payment of %s for?", about(row))
		if incoming {
			q.Text = fmt.Sprintf("What is the money for that came in on %s?", about(row))
		}
	case incoming:
		q.Text = fmt.Sprintf("What does %s pay you for?", name)
	default:
		q.Text = fmt.Sprintf("What do you pay %s for?", name)
	}
	return q
}

// depositsKey is the group of the question about cash and checks that are paid in: their lines name nobody, and say the
// same each time. Keys of counterparties are words without a colon.
const depositsKey = "lines:deposits"

var cashDeposit = mustPath("uncategorized.cash_deposit")

// paidIn reports whether a line says that cash or a check was paid in, and no more.
func paidIn(row store.OpenTransaction, d categorize.Decision) bool {
	return d.CategoryID == cashDeposit.ID && d.Counterparty.Key == "" && row.Amount > 0
}

// about names a row that a person is to recognize: its day, its amount and the words of the bank.
func about(row store.OpenTransaction) string {
	const most = 60
	words := strings.Join(strings.Fields(row.Description), " ")
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%s (%s %s, %q)", row.PrimaryDate.Format("January 2, 2006"), money.TotalOf(row.Amount).Abs(), row.Currency, words)
}

// changedQuestion asks about a row that an upload changed and that would now be understood differently: its category
// stays until the person says otherwise. It is nil where the change changes nothing, or the new line says nothing.
func changedQuestion(row store.OpenTransaction, d categorize.Decision) *store.Question {
	before, ok := ontology.ScheduleC().ByID(*row.CategoryID)
	after, known := ontology.ScheduleC().ByID(d.CategoryID)
	if !ok || !known || before == after || after.Is(ontology.Uncategorized) {
		return nil
	}
	return &store.Question{
		GroupKey: "row:" + row.ID.String(),
		Kind:     store.KindChanged,
		Text:     fmt.Sprintf("The bank changed this line; is it still %q, or is it %q now?", before.Name, after.Name),
		Options:  []store.IssueOption{optionOf(before), optionOf(after)},
		Swing:    swing([]*ontology.Category{before, after}),
	}
}

func optionOf(c *ontology.Category) store.IssueOption {
	return store.IssueOption{Value: c.Path, Label: c.Name, Description: consequence(c)}
}

// mostOptions are so many that a person still reads all.
const mostOptions = 4

// optionsOf are the best guess, what else was considered, a mix of them, and personal, in this order: 2 to 4 in all, and
// how much they differ.
func optionsOf(d categorize.Decision, incoming bool) ([]store.IssueOption, int) {
	categories := considered(d, incoming)
	mix, mixed := mixOf(categories, incoming)
	if mixed {
		categories = categories[:min(len(categories), mostOptions-1)]
	}
	slices.SortStableFunc(categories[1:], func(a, b *ontology.Category) int { return personal(a) - personal(b) })
	options := make([]store.IssueOption, len(categories))
	for i, c := range categories {
		options[i] = optionOf(c)
	}
	if mixed {
		at := len(options)
		if at > 1 && personal(categories[at-1]) == 1 {
			at--
		}
		options = slices.Insert(options, at, mix)
	}
	return options, swing(categories)
}

func personal(c *ontology.Category) int {
	if c.Kind == ontology.KindPersonal {
		return 1
	}
	return 0
}

// considered are the best guess, what else the line can be, and what such money usually is.
func considered(d categorize.Decision, incoming bool) []*ontology.Category {
	var list []*ontology.Category
	add := func(category *ontology.Category, ok bool) {
		if ok && category.Assignable && !category.Is(ontology.Uncategorized) && len(list) < mostOptions && !slices.Contains(list, category) {
			list = append(list, category)
		}
	}
	add(ontology.ScheduleC().ByID(d.CategoryID))
	for _, a := range d.Alternatives {
		if len(list) < mostOptions-1 {
			add(ontology.ScheduleC().ByID(a.CategoryID))
		}
	}
	usual := []string{"expense.supplies", "expense.contract_labor", "personal.living"}
	if incoming {
		usual = []string{"revenue.sales", "equity.owner_contribution", "personal.income"}
	}
	if len(list) >= 2 {
		usual = usual[len(usual)-1:]
	}
	for _, path := range usual {
		add(ontology.ScheduleC().ByPath(path))
	}
	return list
}

// partPersonal is the label of the option that leaves rows uncategorized. The note of an answer that chose it begins so.
const partPersonal = "Part business, part personal"

// mixOf is the option that none of the categories fits alone: a debit that pays several things at once, and what is
// bought partly for the business, where there is room to say so.
func mixOf(categories []*ontology.Category, incoming bool) (store.IssueOption, bool) {
	private := slices.ContainsFunc(categories, func(c *ontology.Category) bool { return c.Kind == ontology.KindPersonal })
	business := slices.ContainsFunc(categories, func(c *ontology.Category) bool { return c.Kind != ontology.KindPersonal })
	switch {
	case incoming:
		return store.IssueOption{}, false
	case slices.ContainsFunc(categories, (*ontology.Category).Unsplit):
		return store.IssueOption{Value: store.OptionSplit, Label: "A mix of these", Description: "Stays as one payment that is not yet split; this is not asked again."}, true
	case private && business && len(categories) < mostOptions:
		return store.IssueOption{Value: store.OptionSplit, Label: partPersonal, Description: "Stays uncategorized, so that nothing is deducted that is not the business's; this is not asked again."}, true
	default:
		return store.IssueOption{}, false
	}
}

// swing is how far categories lie apart on the tax form, in percent of the money: income against a deduction is twice a
// deduction against nothing. What stands on one line still sorts the books.
func swing(categories []*ontology.Category) int {
	const books = 10
	lowest, highest := 100, -100
	for _, c := range categories {
		effect := 0
		switch {
		case !c.Kind.OnForm():
		case c.Kind.Side() == ontology.SideIn:
			effect = 100
		default:
			effect = -c.DeductiblePercent
		}
		lowest, highest = min(lowest, effect), max(highest, effect)
	}
	return max(books, highest-lowest)
}

// consequence says what choosing a category does to the tax form.
func consequence(c *ontology.Category) string {
	switch {
	case c.ScheduleCLine != "" && c.DeductiblePercent < 100:
		return fmt.Sprintf("Schedule C line %s, %d %% of it deductible.", c.ScheduleCLine, c.DeductiblePercent)
	case c.ScheduleCLine != "":
		return fmt.Sprintf("Schedule C line %s.", c.ScheduleCLine)
	default:
		return "Not on Schedule C."
	}
}
