package answers

import (
	"strings"
	"testing"

	"bizfin/internal/questions"
)

var ledger = onDays(asksOf(false, "2300.00 |CHECK 1007", "1200.00 |CHECK 1003", "850.00 |CHECK 1001",
	"850.00 |CHECK 1005", "640.00 |CHECK 1008", "412.00 |CHECK 1006", "296.00 |CHECK 1002", "75.50 |CHECK 1004"),
	"08-05", "03-04", "01-14", "05-06", "11-12", "06-17", "02-11", "03-20")

// What is taken back, denied, hoped, doubted, or said of one of several that is not named, decides no row: an outsider
// wrote these, and each had decided one as what nobody said of it.
func TestWhatNobodySaidDecidesNothing(t *testing.T) {
	for words := range strings.SplitSeq(`No check over 1000 is shop rent.
		None over 1000 were shop rent.
		Nothing over 1000 was shop rent, they were for subcontractors.
		Neither of the March checks is shop rent.
		No 850 is shop rent
		Not one of the March ones is personal.
		None of the 850s were shop rent.
		Checks not in March are office supplies.
		Unless it's March, it's shop rent.
		Those that aren't 850 are office supplies.
		Checks not over 500 are office supplies.
		Neither 1003 nor 1004 is the business's; rest shop rent.
		1003 and 1004 were shop rent. No, only 1003.
		All of them are shop rent. No, only 1003.
		I doubt that 1003 is shop rent
		I hope 1003 is shop rent
		I don't think 1001 is shop rent. 1005 is.
		My wife says 1003 was shop rent but she's mistaken.
		1003 was going to be shop rent.
		2300 included 300 for office supplies, the remainder was a subcontractor.
		1007 was partly office supplies, the rest subcontractor.
		Part of 1003 was shop rent.
		Most of 1003 was shop rent, the rest a lawyer
		The 17th was lunch with a client.
		On the weekend it was lunch.
		In Q1 shop rent, Q2 insurance.
		This spring was subcontractors.
		The recent ones are shop rent.
		At least one was personal, otherwise shop rent.
		Half of them are shop rent, the other half office supplies.
		About 60% are shop rent, the rest office supplies.
		Rent was 1001, 1005 was insurance.
		The landlord got 1001, 1003 went to the lawyer.
		The lawyer was 1003, 1004 the accountant.
		The first of the 850s was personal, the second shop rent.
		One of the 850s is shop rent, the other personal.
		The bigger March one is the lawyer.
		1003 was shop rent. Actually it was the lawyer.
		1003 was shop rent. Sorry, insurance.
		The lawyer got 1003, sorry I mean 1004.
		1003 lawyer. Scratch that, accountant.
		1001 and 1005 are shop rent. Except the second.
		1001 and 1005 are shop rent. Not the second one.
		1003 is shop rent but mostly the lawyer.
		1008 was my income tax.`, "\n") {
		m := Understand(ledger, strings.TrimSpace(words), nil)
		for _, l := range ledger.Lines {
			if got := saidOf(t, m, l); got != "" {
				t.Errorf("%q says of %s that it is %s", strings.TrimSpace(words), l.Description, got)
			}
		}
	}
}

// Exceptions behind their rows, and rows that are said to be something else in between, leave the rule to the others.
func TestExceptionsInBetweenLeaveTheRuleToTheOthers(t *testing.T) {
	const others = "expense.rent.property"
	for words, of3 := range map[string]string{
		"Except for 1003, which was the lawyer, they're all shop rent.": "expense.legal_professional.legal",
		"1003 excluded, all are shop rent.":                             "",
		"Leaving out 1003, they're shop rent.":                          "",
		"Aside from 1003, they were shop rent.":                         "",
	} {
		m := Understand(ledger, words, nil)
		for i, l := range ledger.Lines {
			want := others
			if i == 1 {
				want = of3
			}
			if got := saidOf(t, m, l); got != want {
				t.Errorf("%q says of %s that it is %q, want %q", words, l.Description, got, want)
			}
		}
	}
}

// A sentence that decides no row, beside others that do, is said to be not understood.
func TestASentenceThatDecidesNothingIsSaid(t *testing.T) {
	t.Parallel()
	for words, missed := range map[string]string{
		"1003 is the lawyer. The loud ones are zorbs":         "The loud ones are zorbs",
		"1001 and 1003 are shop rent. In between it is zorbs": "In between it is zorbs",
		"1003 is the lawyer. 1004 I don't remember":           "",
	} {
		m := Understand(ledger, words, nil)
		if missed == "" && m.Missed() != "" || !strings.Contains(m.Missed(), missed) {
			t.Errorf("%q says %q, want %q", words, m.Missed(), missed)
		}
	}
}

// What names one thing of several, one of several that are called so, or one by its place, is not said of all of them.
func TestWhatIsNarrowerIsNotSaidOfAll(t *testing.T) {
	t.Parallel()
	plans := asksOf(false, "784.60 Bcbs|BCBS OF NC PREM INDIV", "784.60 Bcbs|BCBS OF NC PREM INDIV",
		"612.40 Bcbs Of NC Grp|BCBS OF NC GRP PREM", "54.00 Stericycle|STERICYCLE SHRED")
	plans.Options = []questions.Option{{Value: questions.AsRead, Role: questions.RoleReads}}
	costco := asksOf(false, "140.21 Costco|COSTCO WHSE", "132.64 Costco|COSTCO WHSE", "58.97 Chewy|CHEWY.COM")
	for _, c := range []struct {
		of          Asked
		words, want string
	}{
		{plans, "group plan is the staff's, individual is mine, Stericycle is janitorial",
			"4: expense.repairs.cleaning"},
		{plans, "Bcbs group premium is health insurance for my employees. Stericycle is janitorial",
			"4: expense.repairs.cleaning"},
		{costco, "Costco 2 was office supplies, rest is personal", "2: expense.office.supplies; personal.living"},
		{costco, "Costco 1 and 2 were office supplies, rest is personal",
			"1,2: expense.office.supplies; personal.living"},
		{costco, "140.21 132.64 office supplies, rest personal", "1,2: expense.office.supplies; personal.living"},
		{ledger, "the second check in May is personal, the others are shop rent", "unclear"},
		{ledger, "contract labor, a part of each is materials", "unclear"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

// What is said of some rows of what is paid in, of parts in whole dollars, and by the words of a line, is understood.
func TestWhatIsSaidOfSomeRowsIsUnderstood(t *testing.T) {
	t.Parallel()
	paid := onDays(asksOf(true, "2364.00 |DEPOSIT", "1000.00 |DEPOSIT", "500.00 |DEPOSIT", "800.00 |DEPOSIT"),
		"01-05", "02-06", "02-20", "03-04")
	bills := asksOf(false, "911.00 Rural Mutual Ins|RURAL MUTUAL INS", "486.20 Security Hlth PL|SECURITY HLTH PL PREM",
		"120.00 Alliant|ALLIANT ENERGY")
	loan := asksOf(false, "231.40 Odk|ODK CAPITAL", "231.40 Odk|ODK CAPITAL")
	for _, c := range []struct {
		of          Asked
		words, want string
	}{
		{paid, "service income; 1: 2200 product sales, 164 sales tax collected; 2: customer deposit",
			"1: parts; 2: liability.customer_deposit; revenue.sales.services"},
		{paid, "service income. 1000 is a damage deposit. 500 in February was mine",
			"2: liability.customer_deposit; 3: equity.owner_contribution; revenue.sales.services"},
		{paid, "1: 2200 product sales, 100 sales tax collected; rest: service income",
			"1: open; revenue.sales.services"}, // which does not add up
		{bills, "Security Health Plan: owner's health insurance; rest: office supplies",
			"2: personal.health_insurance; expense.office.supplies"},
		{bills, "Nobody Energy Plan: personal; 1: business insurance", "1: expense.insurance"},
		{loan, "OnDeck loan", "liability.loan_payment_unsplit"},
		{loan, "student loan", "personal.student_loan"},
		{loan, "Office supplies. I buy them for the shop", "expense.office.supplies"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
	missed := Understand(bills, "1: zorbs; 2: sales tax; 3: electricity", nil).Missed()
	if !strings.Contains(missed, "Sales tax included in receipts") {
		t.Errorf("of sales tax is said %q", missed)
	}
}
