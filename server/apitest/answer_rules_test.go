package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What a person says of rows outranks the rule that reads them: it decides the next ones that it reads so, of whatever
// amount, and nobody is asked about them again.
func TestNoRuleOutranksAnAnswer(t *testing.T) {
	t.Parallel()
	for line, answer := range map[string]string{
		"VANGUARD BUY INVESTMENT 60%d2947":   "personal.retirement",
		"SALLIE MAE DES:PAYMENT ID:60%d2947": "personal.student_loan",
		"LATE FEE":                           "personal.living",
		"WIRE TRANSFER IN ORIG:HALVORSEN MEDICAL GROUP REF 60%d2947": "revenue.sales.services",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			amount, small, side := "-2500.00", "-120.00", "out"
			if answer == "revenue.sales.services" {
				amount, small, side = "4232.48", "1120.16", "in"
			}
			o, account := openPaid(t)
			o.upload(account, numbered("first", 1, amount, line)...)
			o.process(0)
			hook := o.questionAbout("").id
			o.answerIssue(hook, answer, nil).want(200).wantAt("accepted", "status")
			later := o.upload(account, append(numbered("again", 2, amount, line),
				numbered("small", 3, small, line)...)...)
			o.process(0)
			o.wantNoQuestions()
			for _, name := range []string{"again-0", "again-1", "small-0", "small-2"} {
				o.wantParts(later[name], "memory", answer)
			}
			o.sums("2026-01-01", "2026-12-31")
			o.answerIssue(hook, "undo", nil).want(200)
			o.process(0)
			for _, id := range later {
				if got := o.partsOf(id); got[0] == "memory" {
					t.Errorf("%s: without the answer the money that goes %s is still %v", line, side, got)
				}
			}
		})
	}
}

// An answer about what a rule reads says nothing of what another rule reads of the same firm.
func TestAnAnswerLeavesWhatAnotherRuleReads(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("taken", "-2800.00", "2026-03-01", "SQUARE INC SQ250422 DISPUTE T3AR1KJZ3P"))
	o.process(0)
	o.answerIssue(o.questionAbout("").id, "personal.living", nil).want(200).wantAt("accepted", "status")
	later := o.upload(account, transaction("fee", "-25.00", "2026-04-01", "SQUARE INC SQ250422 DISPUTE FEE T3AR1KJZ3P"))
	o.process(0)
	o.wantParts(later["fee"], "rule", "expense.commissions_fees.payment_processing")
}

// numbered are rows whose lines have numbers of their own, where they have any.
func numbered(prefix string, n int, amount, line string) []M {
	rows := bills(prefix, n, amount, line)
	for i := range rows {
		rows[i]["description"] = strings.ReplaceAll(line, "%d", fmt.Sprint(i))
	}
	return rows
}

// Who says that sales tax is no part of the receipts is asked about payouts, which may have some in them: they stand no
// more, and stand again without the answer.
func TestPayoutsAreAskedAboutWhereSalesTaxIsApart(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	const payout = "SQUARE INC SQ25%d122 T39Y9V5JKC0"
	rows := o.upload(account, append(numbered("payout", 4, "573.15", payout),
		numbered("tax", 3, "-236.21", "WI DEPT REVENUE SALES TAX 60%d2947")...)...)
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", "revenue.sales.processor_payouts")
	o.wantNoQuestionAbout("Square pay you for?")
	tax := o.questionAbout("sales tax").id
	o.answerIssue(tax, "liability.sales_tax_collected", nil).want(200)
	o.process(0)
	o.wantParts(rows["payout-0"], "suggested", "revenue.sales.processor_payouts")
	if q := o.questionAbout("Square pay you for?"); q.transactions != "4" {
		t.Errorf("of four payouts %s are asked about", q.transactions)
	}
	o.sums("2026-01-01", "2026-12-31")
	o.answerIssue(tax, "undo", nil).want(200)
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", "revenue.sales.processor_payouts")
	o.wantNoQuestionAbout("Square pay you for?")

	o.answerIssue(tax, "liability.sales_tax_collected", nil).want(200)
	o.process(0)
	o.answerIssue(o.questionAbout("Square pay you for?").id, "less 61.80 payment processing fees, 97.20 "+
		"liability.sales_tax_collected, rest revenue.sales in 2026", nil).want(200).wantAt("accepted", "status")
	later := o.upload(account, transaction("later", "573.15", "2026-05-01", "SQUARE INC SQ250501 T39Y9V5JKC0"))
	o.process(0)
	if got := o.partsOf(later["later"]); got[0] == "rule" {
		t.Errorf("a later payout is %q", got)
	}
	o.sums("2026-01-01", "2026-12-31")
}

// Sales tax that is a part of something else is no part of the receipts either, whichever way that goes.
func TestPayoutsAreAskedAboutWhereSalesTaxIsAPart(t *testing.T) {
	t.Parallel()
	for line, said := range map[string]struct{ amount, about, answer string }{
		"WI DEPT REVENUE TAXPYMT 60%d2947": {"-236.21", "Wisconsin",
			"36.00 expense.taxes_licenses.state_business, rest liability.sales_tax_collected in 2026"},
		"MOBILE DEPOSIT REF 41%d2947": {"1100.00", "cash and checks",
			"1000.00 revenue.sales.services, rest liability.sales_tax_collected"},
	} {
		o, account := openPaid(t)
		rows := o.upload(account, append(numbered("payout", 4, "573.15", "SQUARE INC SQ25%d122 T39Y9V5JKC0"),
			numbered("tax", 3, said.amount, line)...)...)
		o.process(0)
		o.wantParts(rows["payout-0"], "rule", "revenue.sales.processor_payouts")
		tax := o.questionAbout(said.about).id
		o.answerIssue(tax, said.answer, nil).want(200).wantAt("accepted", "status")
		o.process(0)
		o.wantParts(rows["payout-0"], "suggested", "revenue.sales.processor_payouts")
		if q := o.questionAbout("Square pay you for?"); q.transactions != "4" {
			t.Errorf("%s: of four payouts %s are asked about", line, q.transactions)
		}
		o.answerIssue(tax, "undo", nil).want(200)
		o.process(0)
		o.wantParts(rows["payout-0"], "rule", "revenue.sales.processor_payouts")
		o.sums("2026-01-01", "2026-12-31")
	}
}

// However many payouts there are, none stands as it was: what an answer has decided anew at once are the newest.
func TestTheOldestOfManyPayoutsDoesNotStandWhereSalesTaxIsApart(t *testing.T) {
	t.Parallel()
	const atOnce = 1000
	o, account := openPaid(t)
	oldest := o.upload(account, transaction("oldest", "573.15", "2024-01-02", "SQUARE INC SQ240102 T39Y9V5JKC0"))
	for from := 0; from < atOnce; from += 500 {
		o.upload(account, numbered(fmt.Sprint("payout", from), 500, "573.15", "SQUARE INC SQ25%d122 T39Y9V5JKC0")...)
	}
	o.upload(account, numbered("tax", 3, "-236.21", "WI DEPT REVENUE SALES TAX 60%d2947")...)
	o.process(0)
	o.wantParts(oldest["oldest"], "rule", "revenue.sales.processor_payouts")
	o.answerIssue(o.questionAbout("ales tax").id, "liability.sales_tax_collected", nil).want(200)
	o.restand()
	o.process(0)
	o.wantParts(oldest["oldest"], "suggested", "revenue.sales.processor_payouts")
}

func (o *office) wantNoQuestionAbout(name string) {
	o.t.Helper()
	for text := range o.questions() {
		if strings.Contains(text, name) {
			o.t.Errorf("asked: %s", text)
		}
	}
}

// A line that its bank spaces otherwise, or numbers anew, is what it was: nobody is asked whether it still is.
func TestALineInOtherSpacesOrNumbersStaysWhatWasAnswered(t *testing.T) {
	t.Parallel()
	const line = "WIRE TRANSFER IN ORIG:HALVORSEN MEDICAL GROUP REF 131373"
	o, account := openPaid(t)
	rows := o.upload(account, transaction("paid", "4232.48", "2026-03-01", line))
	o.process(0)
	o.answerIssue(o.questionAbout("").id, "revenue.sales.services", nil).want(200)
	for _, now := range []string{line + " ", strings.ReplaceAll(line, " ", "  "), line, line + "7"} {
		o.upload(account, transaction("paid", "4232.48", "2026-03-01", now))
		o.process(0)
		o.wantNoQuestions()
		o.wantParts(rows["paid"], "user", "revenue.sales.services")
	}
}

// Rows that nobody asked about when others of theirs were answered are decided by that answer, as the next ones are.
func TestAnAnswerDecidesRowsThatNobodyAskedAbout(t *testing.T) {
	t.Parallel()
	for line, answer := range map[string]string{
		"PAYPAL INST XFER 77%d": "expense.supplies",
		"APPLE CASH SENT MONEY": "personal.living",
	} {
		o, account := openPaid(t)
		first := o.upload(account, numbered("before", 1, "-8.10", line)...)
		o.process(0)
		o.wantNoQuestions()
		dated := numbered("asked", 1, "-640.00", line)
		dated[0]["date"] = "2026-06-20"
		o.upload(account, dated...)
		o.process(0)
		hook := o.questionAbout("").id
		o.answerIssue(hook, answer, nil).want(200)
		o.process(0)
		o.wantParts(first["before-0"], "memory", answer)
		o.answerIssue(hook, "undo", nil).want(200)
		o.process(0)
		if got := o.partsOf(first["before-0"]); slices.Contains(got, "memory") {
			t.Errorf("%s: without the answer it is still %v", line, got)
		}
		o.sums("2026-01-01", "2026-12-31")
	}
}

// Checks of one amount that wait for an answer of their own are not what is said of other checks, whenever they come.
func TestALateCheckJoinsTheQuestionAboutItsAmount(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	checks := func(name string, from int, amounts ...string) (rows []M) {
		for i, amount := range amounts {
			rows = append(rows, transaction(fmt.Sprintf("%s-%d", name, i), amount,
				fmt.Sprintf("2026-0%d-10", from+i), fmt.Sprintf("CHECK %d", 1000+10*from+i)))
		}
		return rows
	}
	o.upload(account, checks("rent", 2, "-1500.00", "-1500.00", "-1500.00")...)
	o.process(0)
	o.answerIssue(o.questionAbout("1500.00").id, "skip", nil).want(200)
	o.upload(account, checks("odd", 1, "-420.10", "-377.20", "-512.30", "-298.40")...)
	o.process(0)
	o.answerIssue(o.questionAbout("that you write").id, "expense.contract_labor", nil).want(200).
		wantAt("accepted", "status")
	later := o.upload(account, append(checks("late", 6, "-1500.00"), checks("other", 7, "-410.00")...)...)
	o.process(0)
	o.wantParts(later["other-0"], "memory", "expense.contract_labor")
	if got := o.partsOf(later["late-0"]); len(got) > 0 && got[0] != "suggested" {
		t.Errorf("a check of the amount that is asked about is %v", got)
	}
	if waits := o.questionAbout("1500.00"); waits.transactions != "4" {
		t.Errorf("%s checks wait, want 4", waits.transactions)
	}
}

// A bank that prints another number in a line that a person answered does not have them asked again, whatever the line
// reads by itself.
func TestAnotherNumberInAnAnsweredLineIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := append(numbered("net", 4, "-2000.11", "GUSTO PAYROLL  12345%d NET"),
		numbered("tax", 4, "-400.55", "GUSTO PAYROLL  12345%d TAX")...)
	ids := o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("Gusto").id, "expense.taxes_licenses.payroll", nil).want(200).
		wantAt("accepted", "status")
	rows[0]["description"] = "GUSTO PAYROLL  987654 NET"
	o.upload(account, rows[0])
	o.process(0)
	o.wantNoQuestions()
	o.wantParts(ids["net-0"], "user", "expense.taxes_licenses.payroll")
	rows[0]["description"] = "GUSTO REFUND  987654 NET"
	o.upload(account, rows[0])
	o.process(0)
	if len(o.questions()) != 1 {
		t.Errorf("of other words %v is asked", o.questions())
	}
}
