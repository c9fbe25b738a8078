package apitest

import (
	"fmt"
	"testing"
)

// checkQuestion is a business with one question about 48 checks, of which 40 are shown: c00 of 600.00 is line 1, and each
// next one is 5.00 smaller.
func checkQuestion(t *testing.T) (o *office, account string, q openQuestion) {
	t.Helper()
	o, account = openPaid(t)
	var rows []M
	for i := range 48 {
		rows = append(rows, transaction(fmt.Sprintf("c%02d", i), fmt.Sprintf("-%d.00", 600-5*i), fmt.Sprintf("2026-%02d-11", 1+i%6), fmt.Sprintf("CHECK %d", 2001+i)))
	}
	o.upload(account, rows...)
	o.process(0)
	return o, account, o.questionAbout("checks")
}

// Lines that an answer leaves open and lines that nobody was shown are one question afterwards: none is lost.
func TestLinesLeftOpenAndLinesNotShownAreOneQuestion(t *testing.T) {
	t.Parallel()
	o, _, q := checkQuestion(t)
	o.answerIssue(q.id, "expense.contract_labor; 1: personal.living; 2: not sure", nil).want(200).wantAt("partly", "status")
	o.wantCategories(map[string]string{"c00": "personal.living", "c01": "", "c02": "expense.contract_labor", "c39": "expense.contract_labor", "c40": "", "c47": ""})
	left := o.questionAbout("checks")
	if left.transactions != "9" || left.amount != "3655.00" {
		t.Errorf("left open: %+v", left)
	}
	o.answerIssue(left.id, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	o.wantCategories(map[string]string{"c01": "expense.supplies", "c47": "expense.supplies", "c02": "expense.contract_labor"})
	o.wantNoQuestions()
}
