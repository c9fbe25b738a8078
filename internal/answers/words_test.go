package answers_test

import (
	"strings"
	"testing"

	"bizfin/internal/answers"
	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

func TestEveryCategoryIsFoundByItsNamesHoweverTheyAreWritten(t *testing.T) {
	for _, c := range ontology.ScheduleC().All() {
		for _, words := range []string{c.Name, strings.ToUpper(c.Name), "  " + strings.ReplaceAll(c.Name, " ",
			" - ") + "!", c.Path, strings.Join(c.Names, " > ")} {
			for _, d := range []wording.Direction{wording.Either, wording.Out, wording.In} {
				got, ok := wording.CategoryNamed(words, d)
				switch {
				case c.Assignable:
					if got != c {
						t.Errorf("%q is understood as %v, want %s", words, got, c.Path)
					}
				case ok && !got.Assignable:
					t.Errorf("%q is understood as %s, which nothing is assigned to", words, got.Path)
				}
			}
		}
	}
}

func TestPhrases(t *testing.T) {
	for _, c := range []struct{ words, out, in string }{
		{"rent", "expense.rent.property", "revenue.sales.rents"},
		{"Office rent.", "expense.rent.property", ""},
		{"advertising", "expense.advertising", "expense.advertising"},
		{"ADS", "expense.advertising.digital", ""},
		{"online ads", "expense.advertising.digital", "expense.advertising.digital"},
		{"Meals", "expense.meals", "expense.meals"},
		{"client lunch", "expense.meals", ""},
		{"personal", "personal.living", "personal.income"},
		{"Private!", "personal.living", "personal.income"},
		{"owner draw", "equity.owner_draw", "equity.owner_draw"},
		{"owner's draw", "equity.owner_draw", ""},
		{"office supplies", "expense.office.supplies", "expense.office.supplies"},
		{"insurance", "expense.insurance", "expense.insurance"},
		{"health insurance", "", ""},
		{"workers comp", "expense.insurance.workers_comp", ""},
		{"Workers' compensation", "expense.insurance.workers_comp", "expense.insurance.workers_comp"},
		{"electricity, gas, water & waste", "expense.utilities.power_water", "expense.utilities.power_water"},
		{"gas", "", ""},
		{"sales tax", "", ""},
		{"Tenant", "", "revenue.sales.rents"},
		{"Babysitter", "personal.living", ""},
		{"tax", "", ""},
		{"refund", "", ""},
		{"income", "", "revenue.sales"},
		{"loan", "liability.loan_payment_unsplit", "liability.loan_proceeds"},
		{"own transfer", "transfer.internal", "transfer.internal"},
		{"expense advertising digital", "expense.advertising.digital", "expense.advertising.digital"},
		{"Expenses / Advertising / Online ads", "expense.advertising.digital", "expense.advertising.digital"},
		{"meals with the mayor", "", ""},
		{"it was rent", "", ""},
		{"it's rent", "expense.rent.property", "revenue.sales.rents"},
		{"that is personal", "personal.living", "personal.income"},
		{"it is not rent", "", ""},
		{"it support", "", ""},
		{"unknown outgoing", "uncategorized.out", "uncategorized.out"},
		{"", "", ""},
		{"...", "", ""},
	} {
		for d, want := range map[wording.Direction]string{wording.Out: c.out, wording.In: c.in} {
			path := ""
			if got, ok := wording.CategoryNamed(c.words, d); ok {
				path = got.Path
			}
			if path != want {
				t.Errorf("%q in the direction %d is understood as %q, want %q", c.words, d, path, want)
			}
		}
		either, ok := wording.CategoryNamed(c.words, wording.Either)
		if same := c.out == c.in && c.out != ""; ok != same || ok && either.Path != c.out {
			t.Errorf("%q in either direction is understood as %v", c.words, either)
		}
	}
}

func TestMixed(t *testing.T) {
	for words, want := range map[string]bool{"Both": true, "50/50": true, "Half personal, half business": true,
		"half of it": false, "personal": false, "": false} {
		if wording.Mixed(words) != want {
			t.Errorf("%q is a mix: %v, want %v", words, !want, want)
		}
	}
}

func TestRelationships(t *testing.T) {
	for words, want := range map[string]string{
		"landlord": "landlord", "My landlord": "landlord", "Tax authority": "tax_authority",
		"tax_authority": "tax_authority", "VENDOR": "supplier", "a friend": "",
		"she's my landlord": "landlord", "He is our landlord.": "landlord", "they’re clients": "client",
		"she was my landlord": "", "his landlord": "", "unknown": "", "": "",
	} {
		if got, _ := wording.RelationshipNamed(words); got != want {
			t.Errorf("%q is understood as %q, want %q", words, got, want)
		}
	}
	for _, word := range []string{"client", "service", "partner", "contractor", "investor", "owner", "lifestyle",
		"supplier", "utility", "landlord",
		"lender", "insurer", "payment_processor", "marketplace", "regulator", "tax_authority",
		"donation_recipient", "payroll"} {
		if got, _ := wording.RelationshipNamed(word); got != word {
			t.Errorf("the contract's word %q is understood as %q", word, got)
		}
	}
	for _, c := range []struct{ relationship, out, in string }{
		{"landlord", "expense.rent.property", ""}, {"contractor", "expense.contract_labor", ""}, {"client", "",
			"revenue.sales"},
		{"owner", "equity.owner_draw", "equity.owner_contribution"}, {"supplier", "", ""}, {"insurer", "", ""},
		{"payroll", "expense.wages.provider_funding", ""},
	} {
		for d, want := range map[wording.Direction]string{wording.Out: c.out, wording.In: c.in} {
			path := ""
			if got, ok := wording.CategoryOf(c.relationship, d); ok {
				path = got.Path
			}
			if path != want {
				t.Errorf("money to or from a %s in the direction %d is %q, want %q", c.relationship, d, path, want)
			}
		}
	}
}

// What the service itself calls a category says that category, whichever way the money went: wages that came back are
// wages.
func TestAWrittenPathIsThatCategoryInEitherDirection(t *testing.T) {
	for _, c := range ontology.ScheduleC().All() {
		if !c.Assignable || !strings.Contains(c.Path, ".") {
			continue
		}
		for _, incoming := range []bool{true, false} {
			for _, words := range []string{c.Path, " " + strings.ToUpper(c.Path) + " "} {
				q := answers.Asked{Context: wording.Context{Incoming: &incoming}}
				if m := answers.Understand(q, words, nil); m.CategoryID != c.ID {
					t.Errorf("%q is read as %+v where incoming is %v", words, m, incoming)
				}
			}
		}
	}
}
