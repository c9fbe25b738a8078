package questions

import (
	"strings"
	"unicode"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// From these amounts on money that comes in is asked about by its amount, a round sum sooner than another: one such row
// moves the profit of a small business by more than may be wrong of it, and a customer's deposit that is held, a
// tenant's and the proceeds of a loan look like what is earned. Equal amounts, like a monthly fee, are one use.
const (
	alone       money.Amount = 5_000_00
	aloneUneven money.Amount = 25_000_00
)

// check is the engine's word for how such money moved.
const check = "check"

// KeyOf is what a question about a row is about: its counterparty, or what is narrower or wider than that.
func KeyOf(l Line, d categorize.Decision) Key {
	size := max(l.Amount, -l.Amount)
	amount := func() string { return money.TotalOf(size).String() + " " + l.Currency }
	known, large := d.Counterparty.Key != "", standsAlone(l, d)
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
		return aboutLines(amount())
	case PaidIn(l, d):
		return Deposits
	case d.Channel == check:
		return aboutLines(checksOf + amount())
	}
	if words := wordsOf(l.Description); words != "" {
		return aboutLines(words)
	}
	return AboutRow(l.ID)
}

// standsAlone reports whether money that comes in is asked about by its amount. An uneven payout is as the others,
// however large: many customers' money.
func standsAlone(l Line, d categorize.Decision) bool {
	switch {
	case !l.Incoming():
		return false
	case l.Amount%round == 0:
		return l.Amount >= alone
	}
	return l.Amount >= aloneUneven && !pays(d)
}

// pays reports whether a row is known to be a payout.
func pays(d categorize.Decision) bool {
	category, known := ontology.ScheduleC().ByID(d.CategoryID)
	return known && IsPayout(category)
}

// round sums are lent and held: what customers owe comes to one by chance, and rarely less what was kept of it.
const round money.Amount = 100_00

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
	tokens := strings.FieldsFunc(strings.ToLower(description), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i, token := range tokens {
		behind := strings.TrimLeftFunc(token, unicode.IsDigit)
		numbered := len(token)-len(behind) >= 6 && len(behind) >= 4 && !strings.ContainsFunc(behind, unicode.IsDigit)
		dated := categorize.IsMonth(token) && i+1 < len(tokens) && len(tokens[i+1]) <= 2 && allDigits(tokens[i+1])
		if (numbered || !strings.ContainsFunc(token, unicode.IsDigit)) && !dated {
			words = append(words, behind)
		}
	}
	return strings.Join(words[:min(len(words), most)], " ")
}

func allDigits(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
}

// PaidIn reports whether a line says that cash or a check was paid in, and no more.
func PaidIn(l Line, d categorize.Decision) bool {
	return d.CategoryID == cashDeposit.ID && d.Counterparty.Key == "" && l.Incoming()
}
