package apitest

import (
	"fmt"
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
			later := o.upload(account, append(numbered("again", 2, amount, line), numbered("small", 3, small, line)...)...)
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
