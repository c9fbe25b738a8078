package questions

import (
	"fmt"
	"slices"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Categories of the kinds whose truth is not in the bank's line.
var (
	internalMove  = ontology.MustPath("transfer.internal")
	cardPayment   = ontology.MustPath("transfer.credit_card_payment")
	contractLabor = ontology.MustPath("expense.contract_labor")
	equipment     = ontology.MustPath("expense.depreciation.equipment_purchase")
	cashTaken     = ontology.MustPath("asset.cash_withdrawal")
	ClientFunds   = ontology.MustPath("liability.client_funds")
)

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
	case standsAlone(l, d):
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

// ofUse asks about the rows of one key that is narrower than a counterparty, or wider: its answer is about these alone.
func ofUse(k Key, l Line, d categorize.Decision) *Question {
	q := ofOwn(l, d)
	q.Key, q.Text = k, TextAbout(d.Counterparty.Name, l.Incoming())
	guess, _ := ontology.ScheduleC().ByID(d.CategoryID)
	if d.Counterparty.Key == "" {
		q.Text = fmt.Sprintf("What are these payments, which read like %q?", guess.Name)
	} else {
		q.Text = fmt.Sprintf("%s, which reads like %q?", strings.TrimSuffix(q.Text, "?"), guess.Name)
	}
	return q
}

// OfRest asks about a row that is too small for a question of its own and names nobody, together with all such rows.
func OfRest(l Line) *Question {
	q := &Question{
		Key: Rest, Kind: KindCategory, Text: "What is paid in small sums, whose lines name nobody?",
		Why: "Such are too small for a question each. One answer for all of them is enough: where some differ, name " +
			"them by the number of their line: `as_read; 3, 7: personal.living`.",
	}
	if l.Incoming() {
		q.Text = "What comes in in small sums, whose lines name nobody?"
		q.Why = strings.Replace(q.Why, "personal.living", "personal.income", 1)
		q.choose("revenue.sales", "revenue.other", "equity.owner_contribution")
	} else {
		q.choose("personal.living", "equity.owner_draw") // no cost: "business" is what each line reads
	}
	q.Options = slices.Insert(q.Options, 0, Option{
		Value: AsRead, Label: "Each is what it seems to be", Role: RoleReads,
		Description: "The suggestion of each becomes what it is; those that have none stay open.",
	})
	return q
}

// OfPayroll asks about what a payroll provider takes, of which the rows of a key are one thing.
func OfPayroll(k Key, l Line, d categorize.Decision) *Question {
	return withFamily(ofUse(k, l, d), l, d)
}

// PaymentService is the destination of what is moved from and to the balance of an app. Where that is not connected,
// what comes from it may be what customers paid there.
const PaymentService = "the balance of a payment service"

// OfTransfer asks where money goes that seems to move between own accounts: only one of the two is connected, or
// several rows could be its other leg.
func OfTransfer(destination string, l Line, d categorize.Decision) *Question {
	categories := []*ontology.Category{internalMove, OwnersDraw, cardPayment, contractLabor}
	if guess, ok := ontology.ScheduleC().ByID(d.CategoryID); ok && guess == cardPayment {
		categories[0], categories[2] = cardPayment, internalMove
	}
	if destination == PaymentService {
		categories[2] = Sales
	}
	if l.Incoming() { // nobody is paid by what comes in
		categories = categories[:3]
		if destination != PaymentService {
			categories = append(categories, Sales)
		}
	}
	labels := map[*ontology.Category]string{
		Sales:         "What customers pay there",
		internalMove:  "Another account of the business",
		OwnersDraw:    "My own money",
		cardPayment:   "A card of the business",
		contractLabor: "Somebody the business pays",
	}
	q := &Question{
		Key: AboutTransfer(destination), Kind: KindCategory,
		Text: fmt.Sprintf("Whose is %s, which money moves to or from?", destination),
		Why: "Only one side of these moves is seen: the other account is not connected, or several rows could be the " +
			"other side. What was spent from it is not seen either.",
	}
	for _, c := range categories {
		q.Options = append(q.Options, Option{Value: c.Path, Label: labels[c], Description: consequence(c)})
	}
	return q
}

// OfHeld asks whose the money is that comes into an account, or goes out of it, which seems to hold what belongs to
// others.
func OfHeld(k Key, account string, incoming bool) *Question {
	q := &Question{
		Key: k, Kind: KindCategory,
		Text: fmt.Sprintf("What goes out of %s, which seems to hold money of others?", account),
		Why: "What is held for clients, tenants or others is no income when it comes in, and no cost when it goes " +
			"out. One answer for all of it is enough. Where some is the business's own, name it by the number of " +
			"its line: `liability.client_funds; 3: expense.other.bank_fees`.",
	}
	if incoming {
		q.Text = fmt.Sprintf("What comes into %s, which seems to hold money of others?", account)
		q.Why = strings.Replace(q.Why, "expense.other.bank_fees", "revenue.sales.services", 1)
		q.choose(ClientFunds.Path, "liability.customer_deposit", "revenue.sales.services", "equity.owner_contribution")
	} else {
		q.choose(ClientFunds.Path, "liability.customer_deposit", "asset.reimbursable", internalMove.Path)
	}
	return q
}

// EarnedLabel is the option that tells questions about what may have been earned.
const EarnedLabel = "It was earned"

// OfMoved asks what money was that comes from an account which may hold what belongs to others, or goes to it.
func OfMoved(destination string, incoming bool) *Question {
	q := &Question{
		Key: AboutMoved(destination, incoming), Kind: KindCategory,
		Text: fmt.Sprintf("What is the money for that comes from %s?", destination),
		Why: "An account of the business holds money of others. What moves from there to another account of it was " +
			"earned, pays back costs, or was the business's own all along. Where some is something else, name it by " +
			"the number of its line: `revenue.sales.services; 3: asset.reimbursable`.",
	}
	labels := []string{EarnedLabel, "It pays back costs of clients", "It was the business's own there",
		"It is my own money"}
	if incoming {
		q.choose("revenue.sales.services", "asset.reimbursable", internalMove.Path, "equity.owner_contribution")
	} else {
		q.Text = fmt.Sprintf("What is the money for that goes to %s?", destination)
		q.Why = "That account holds money of others. What moves there is theirs, or stays the business's own. Where " +
			"some is something else, name it by the number of its line: `liability.client_funds; 3: transfer.internal`."
		q.choose(ClientFunds.Path, internalMove.Path, "liability.customer_deposit", "asset.reimbursable")
		labels = []string{"It is theirs, and belongs there", "It is the business's own there"}
	}
	for i, label := range labels {
		q.Options[i].Label = label
	}
	return q
}

// OfCash asks what cash is taken out for, once for all.
func OfCash(l Line, d categorize.Decision) *Question {
	categories := []*ontology.Category{cashTaken, OwnersDraw, contractLabor}
	q := &Question{
		Key: Cash, Kind: KindCategory,
		Text: "What is the cash for that is taken out?",
	}
	for _, c := range categories {
		q.Options = append(q.Options, OptionOf(c))
	}
	return q
}

// OfCapital asks whether a large purchase of goods that last is equipment or an expense of the year.
func OfCapital(k Key, l Line, d categorize.Decision) *Question {
	d.Alternatives = append([]categorize.Alternative{{CategoryID: equipment.ID}}, d.Alternatives...)
	q := ofUse(k, l, d)
	q.Why = "It is large enough to be equipment that is used for years, which the form counts apart from supplies."
	return q
}

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
	turned := !d.Refund && (l.Incoming() && goesOut(before) || !l.Incoming() && comesIn(before))
	silent := !chosen && (after == nil || after.Is(ontology.Uncategorized)) // it says no more what it was taken for
	if !known && !turned && !silent {
		return nil
	}
	q := &Question{
		Key:     AboutRow(l.ID),
		Kind:    KindChanged,
		Text:    fmt.Sprintf("The bank changed this line to money that goes out; is it still %q?", before.Name),
		Options: []Option{OptionOf(before)},
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
		q.Options = append(q.Options, OptionOf(after))
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
		Options: []Option{OptionOf(before)},
	}
}

// goesOut and comesIn are whether money of a category moves one way only, but for what comes back.
func goesOut(c *ontology.Category) bool {
	private := c.Kind == ontology.KindPersonal && c.Path != "personal.income"
	return c.Kind.Cost() || private || c.Kind == ontology.KindNondeductible || c == OwnersDraw
}

func comesIn(c *ontology.Category) bool {
	return c.Kind.Earned() || c.Path == "personal.income" || c.Is("equity.owner_contribution")
}

// PaysSalesTax reports whether a line says sales tax, and leaves open only what the business alone knows.
func PaysSalesTax(d categorize.Decision) bool {
	return d.CategoryID == SalesTaxCollected.ID && d.Source == categorize.SourceRule && d.Ask
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
			{Value: SalesTaxIncluded.Path, Label: "Yes, receipts include it", Role: RoleYes,
				Description: "The sales tax paid is deducted. " + consequence(SalesTaxIncluded)},
			{Value: SalesTaxCollected.Path, Label: "No, it is kept apart", Role: RoleNo,
				Description: "The sales tax paid is neither a cost nor income. " + consequence(SalesTaxCollected)},
			{Value: otherStateTax.Path, Label: "It was another tax", Role: RoleOthers,
				Description: "What these authorities are paid is a state tax on the business. " +
					consequence(otherStateTax)},
		},
	}
}
