package answers

import (
	"fmt"
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

var (
	licences = onDays(asksOf(false, "30.00 Iowa Sec Of State|IOWA SEC OF STATE",
		"30.00 Iowa Sec Of State|IOWA SEC OF STATE",
		"30.00 Iowa Sec Of State|IOWA SEC OF STATE", "900.00 IRS|IRS USATAXPYMT", "85.00 IRS|IRS USATAXPYMT"),
		"01-20", "02-20", "05-11", "04-15", "06-15")
	venmo = onDays(asksOf(false, "240.00 Venmo|VENMO", "240.00 Venmo|VENMO", "120.00 Venmo|VENMO", "88.00 Venmo|VENMO",
		"55.00 Venmo|VENMO"), "02-11", "12-15", "12-15", "06-23", "02-19")
	bistro = onDays(asksOf(false, "1812.01 Gordon|GORDON FOOD", "1700.00 Gordon|GORDON FOOD",
		"1650.10 Gordon|GORDON FOOD",
		"233.40 Gordon|GORDON FOOD"), "07-10", "08-28", "09-11", "05-31")
	cash = onDays(asksOf(false, "400.00 |ATM WITHDRAWAL", "250.00 |ATM WITHDRAWAL", "80.00 |ATM WITHDRAWAL"),
		"12-08", "09-22", "04-07")
	juniper = asksOf(true, "895.00 Juniper Ha|BILL.COM JUNIPER HA", "412.00 Juniper Ha|BILL.COM JUNIPER HA",
		"1.20 Mercury|MERCURY INTEREST")
)

// Each row is what names it most closely: some of the rows of a clause outrank it, whatever they are named by.
func TestARowIsWhatNamesItMostClosely(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
		want  string
	}{
		{licences, "The $30 Secretary of State charges are personal, except the one on Feb 20, that was a " +
			"business license",
			"1,3: personal.living; 2: expense.taxes_licenses.licenses_permits"},
		{licences, "Iowa is state income tax. Iowa is a business license. 900 was my own federal estimate",
			"1,2,3: open; 4: tax.estimated_income"},
		{licences, "The IRS ones are my own federal estimates, the 85 was a penalty because I filed January late",
			"4: tax.estimated_income; 5: nondeductible.fines"},
		{venmo, "Contract labor. Three are private: the 120 in December, the 88 in June, and 55 for girls night",
			"3,4,5: personal.living; expense.contract_labor"},
		{venmo, "Contract labor, except June 23 - that 88 was private", "4: personal.living; expense.contract_labor"},
		{juniper, "Juniper & Ham buys plates from me, sales. Mercury is bank interest",
			"1,2: revenue.sales.products; 3: revenue.other.interest"},
		{groceries, "personal, but Costco and the Aldi are office supplies",
			"1,2: expense.office.supplies; personal.living"},
		{groceries, "Costco, Publix and the Aldi are office supplies, the rest is personal",
			"1,2: expense.office.supplies"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

// A figure within a row is a part of it, of a day as well: what the others are called is the rest.
func TestFiguresArePartsOfTheRowsOfDays(t *testing.T) {
	loan := onDays(asksOf(false, "391.50 US Bank|US BANK LOAN", "391.50 US Bank|US BANK LOAN",
		"391.50 US Bank|US BANK LOAN"),
		"01-24", "02-24", "03-24")
	loan.Options = []questions.Option{{Value: "liability.loan_payment_unsplit"}, {Value: "liability.loan_principal"}}
	for _, c := range []struct {
		of    Asked
		words string
		want  []string // what each row is
	}{
		{loan, "The van. Interest was 125.84 in Jan, 124.07 in Feb and 122.29 in March", []string{
			"125.84 expense.interest.other 265.66 liability.loan_principal",
			"124.07 expense.interest.other 267.43 liability.loan_principal",
			"122.29 expense.interest.other 269.21 liability.loan_principal"}},
		{loan, "It's the van loan. Interest was 125.84 in Jan and less after that", []string{"", "", ""}},
		{bistro, "Office supplies. But some invoices have groceries for home in them: 102.80 on July 10, 127.33 on " +
			"Aug 28. May 31 was personal", []string{"102.80 personal.living 1709.21 expense.office.supplies",
			"127.33 personal.living 1572.67 expense.office.supplies", "expense.office.supplies", "personal.living"}},
		{bistro, "Office supplies. But some invoices have groceries for home in them: 2102.80 on July 10",
			[]string{"", "expense.office.supplies", "expense.office.supplies", "expense.office.supplies"}},
		{cash, "12/8: 150 office supplies, 250 for me. 9/22: contract labor. Rest personal", []string{
			"150.00 expense.office.supplies 250.00 personal.living", "expense.contract_labor", "personal.living"}},
		{cash, "400 is shop rent, one fifth of that is the part of the house we live in. 250 is contract labor",
			[]string{"80.00 personal.living 320.00 expense.rent.property", "expense.contract_labor", ""}},
	} {
		m := Understand(c.of, c.words, nil)
		for i, l := range c.of.Lines {
			if got := saidOf(t, m, l); got != c.want[i] {
				t.Errorf("%q says of row %d that it is %q, want %q", c.words, i+1, got, c.want[i])
			}
		}
	}
}

// Fractions are shares; what is none that people say stays as it was said.
func TestFractionsAreShares(t *testing.T) {
	for words, want := range map[string]string{
		"one fifth of that is ours":   "20% of that is ours",
		"Two thirds of it":            "66.67% of it",
		"three-quarters of this":      "75% of this",
		"two quarters of it is mine":  "two quarters of it is mine",
		"a third of the people there": "a third of the people there",
	} {
		if got := inParts(words); got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
}

// saidOf is what an answer says of a row: its category, or its parts and theirs; empty where it leaves it open.
func saidOf(t *testing.T, m Meaning, l AskedLine) (said string) {
	t.Helper()
	of := Exception{CategoryID: m.CategoryID, Split: m.Split}
	for _, e := range m.Exceptions {
		if has(e.Transactions, l.Transaction) {
			of = e
		}
	}
	switch {
	case m.Unclear:
		return ""
	case of.Split == nil:
		c, known := ontology.ScheduleC().ByID(of.CategoryID)
		if !known {
			return ""
		}
		return c.Path
	}
	portions, err := of.Split.Divide(l.Amount)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range portions {
		c, _ := ontology.ScheduleC().ByID(p.Category)
		if i > 0 {
			said += " "
		}
		said += fmt.Sprintf("%s %s", size(p.Amount), c.Path)
	}
	return said
}
