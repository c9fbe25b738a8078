package questions

import (
	"fmt"
	"strings"
	"unicode"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Categories of the kinds whose truth is not in the bank's line.
var (
	internalMove  = mustPath("transfer.internal")
	cardPayment   = mustPath("transfer.credit_card_payment")
	ownersDraw    = mustPath("equity.owner_draw")
	contractLabor = mustPath("expense.contract_labor")
	equipment     = mustPath("expense.depreciation.equipment_purchase")
	cashTaken     = mustPath("asset.cash_withdrawal")
	sales         = mustPath("revenue.sales")
)

// alone is the amount from which money that comes in is asked about by its amount: one such row moves the profit of a
// small business by more than may be wrong of it, and a customer's deposit that is held, a tenant's and the proceeds of
// a loan look like what is earned. Equal amounts, like a monthly fee, are one use.
const alone money.Amount = 5_000_00

// check is the engine's word for how such money moved.
const check = "check"

// KeyOf is what a question about a row is about: its counterparty, or what is narrower or wider than that.
func KeyOf(l Line, d categorize.Decision) Key {
	size := max(l.Amount, -l.Amount)
	amount := func() string { return money.TotalOf(size).String() + " " + l.Currency }
	known, large := d.Counterparty.Key != "", l.Incoming() && size >= alone
	switch {
	case known && large:
		return AboutUse(amount(), d.Counterparty.Key)
	case known && paysTaxes(d):
		if words := wordsOf(l.Description); words != "" {
			return AboutUse(words, d.Counterparty.Key)
		}
		return AboutCounterparty(d.Counterparty.Key)
	case known:
		return AboutCounterparty(d.Counterparty.Key)
	case large:
		return AboutLines(amount())
	case PaidIn(l, d):
		return Deposits
	case d.Channel == check:
		return AboutLines("check of " + amount())
	}
	if words := wordsOf(l.Description); words != "" {
		return AboutLines(words)
	}
	return AboutRow(l.ID)
}

// paysTaxes reports whether a row may be one of several taxes that one agency takes.
func paysTaxes(d categorize.Decision) bool {
	if takesTaxes(d.Counterparty.Name) {
		return true
	}
	category, known := ontology.ScheduleC().ByID(d.CategoryID)
	return known && (category.Is("tax") || category.Is("expense.taxes_licenses") ||
		category.Is("uncategorized.tax_payment"))
}

// takesTaxes reports whether a name is that of an agency that takes several taxes.
func takesTaxes(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "state of ") || strings.Contains(name, "department of revenue") ||
		strings.Contains(name, "franchise tax")
}

// wordsOf are the words that lines of one use share: those without a digit, and what a bank writes right behind a long
// number. What is numbered, like a reference, differs from line to line.
func wordsOf(description string) string {
	const most = 30
	var words []string
	for _, token := range strings.FieldsFunc(strings.ToLower(description), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		behind := strings.TrimLeftFunc(token, unicode.IsDigit)
		numbered := len(token)-len(behind) >= 6 && len(behind) >= 4 && !strings.ContainsFunc(behind, unicode.IsDigit)
		if numbered || !strings.ContainsFunc(token, unicode.IsDigit) {
			words = append(words, behind)
		}
	}
	return strings.Join(words[:min(len(words), most)], " ")
}

// OfUse asks about the rows of one key that is narrower than a counterparty, or wider: its answer is about these alone.
func OfUse(k Key, l Line, d categorize.Decision) *Question {
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

// OfPayroll asks about what a payroll provider takes, of which the rows of a key are one thing.
func OfPayroll(k Key, l Line, d categorize.Decision) *Question {
	return withFamily(OfUse(k, l, d), l, d)
}

// PaymentService is the destination of what is moved from and to the balance of an app. Where that is not connected,
// what comes from it may be what customers paid there.
const PaymentService = "the balance of a payment service"

// OfTransfer asks where money goes that seems to move between own accounts: only one of the two is connected, or
// several rows could be its other leg.
func OfTransfer(destination string, l Line, d categorize.Decision) *Question {
	categories := []*ontology.Category{internalMove, ownersDraw, cardPayment, contractLabor}
	if guess, ok := ontology.ScheduleC().ByID(d.CategoryID); ok && guess == cardPayment {
		categories[0], categories[2] = cardPayment, internalMove
	}
	if destination == PaymentService {
		categories[2] = sales
	}
	labels := map[*ontology.Category]string{
		sales:         "What customers pay there",
		internalMove:  "Another account of the business",
		ownersDraw:    "My own money",
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

// OfCash asks what cash is taken out for, once for all.
func OfCash(l Line, d categorize.Decision) *Question {
	categories := []*ontology.Category{cashTaken, ownersDraw, contractLabor}
	q := &Question{
		Key: Cash, Kind: KindCategory,
		Text: "What is the cash for that is taken out?",
	}
	for _, c := range categories {
		q.Options = append(q.Options, optionOf(c))
	}
	return q
}

// OfCapital asks whether a large purchase of goods that last is equipment or an expense of the year.
func OfCapital(k Key, l Line, d categorize.Decision) *Question {
	d.Alternatives = append([]categorize.Alternative{{CategoryID: equipment.ID}}, d.Alternatives...)
	q := OfUse(k, l, d)
	q.Why = "It is large enough to be equipment that is used for years, which the form counts apart from supplies."
	return q
}
