package apitest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A rule with exceptions may divide some rows.
func TestAnExceptionMayBeASplit(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "contract labor; 1: 950.00 owner draw, rest rent", nil).want(422)
	o.answerIssue(q.id, "contract labor; Per Solberg: 60% contract labor, rest owner draw; 4: personal", nil).want(200).
		wantAt("accepted", "status")
	o.wantCategories(map[string]string{"z0": "expense.contract_labor", "z1": "expense.contract_labor", "z2": "",
		"z3": "personal.living"})
	row := o.search("query", "Solberg").want(200)
	row.wantAt(json.Number("-420.00"), "transactions", 0, "parts", 0, "amount")
	row.wantAt("equity.owner_draw", "transactions", 0, "parts", 1, "categoryPath")
	o.upload(account, transaction("next", "-700.00", "2026-07-05", "ZELLE PAYMENT TO PER SOLBERG"))
	o.process(0)
	o.search("dateFrom", "2026-07-01").want(200).wantAt(json.Number("-280.00"), "transactions", 0, "parts", 1, "amount")
}

// Each part of an answer may divide its rows in its own way. The next ones with whom it names, and those whose amount
// the bank changes, are divided in the same way, and taking the answer back takes back all of it.
func TestEachPartOfAnAnswerMayDivideItsRowsInItsOwnWay(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")...)
	o.process(0)
	q := o.questionAbout("people")
	words := "10% contract labor, rest owner draw; Maria Lopez: 50% rent, rest owner draw; " +
		"Per Solberg: 60% contract labor, rest owner draw; Dana Whitford: personal"
	for range 2 { // the same again changes nothing
		o.answerIssue(q.id, words, nil).want(200).wantAt("accepted", "status")
		o.wantParts(ids["z0"], "user", "expense.contract_labor -90.00", "equity.owner_draw -810.00")
		o.wantParts(ids["z1"], "user", "expense.rent.property -400.00", "equity.owner_draw -400.00")
		o.wantParts(ids["z2"], "user", "expense.contract_labor -420.00", "equity.owner_draw -280.00")
		o.wantParts(ids["z3"], "user", "personal.living")
	}
	next := o.upload(account, transaction("next1", "-600.00", "2026-07-05", "ZELLE PAYMENT TO MARIA LOPEZ"),
		transaction("next2", "-600.00", "2026-07-06", "ZELLE PAYMENT TO PER SOLBERG"))
	o.process(0)
	o.wantParts(next["next1"], "memory", "expense.rent.property -300.00", "equity.owner_draw -300.00")
	o.wantParts(next["next2"], "memory", "expense.contract_labor -360.00", "equity.owner_draw -240.00")
	o.upload(account, transaction("z1", "-810.01", "2026-02-05", "ZELLE PAYMENT TO MARIA LOPEZ"),
		transaction("next2", "-500.10", "2026-07-06", "ZELLE PAYMENT TO PER SOLBERG"))
	o.process(0)
	o.wantParts(ids["z1"], "user", "expense.rent.property -405.01", "equity.owner_draw -405.00")
	o.wantParts(next["next2"], "memory", "expense.contract_labor -300.06", "equity.owner_draw -200.04")
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"z0": "", "z1": "", "z2": "", "z3": "", "next1": "", "next2": ""})
	for _, id := range []string{ids["z1"], next["next2"]} {
		o.wantParts(id, "suggested", "expense.contract_labor")
	}
}

// Of several loans each has the interest of its own year's statement: each sum is spread over its own payments, and
// lapses alone where these come to less.
func TestEachLoanHasItsOwnInterestOfAYearInOneAnswer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for _, name := range []string{"JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG"} {
		for month := 1; month <= 3; month++ {
			rows = append(rows, transaction(fmt.Sprint(name, month), "-700.00", fmt.Sprintf("2025-%02d-05", month),
				"ZELLE PAYMENT TO "+name))
		}
	}
	ids := o.upload(account, rows...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "personal; Jeff Yount: interest 900.00 in 2025; Maria Lopez: interest 31.00 in 2025", nil).
		want(200).wantAt("accepted", "status")
	if got := o.interestOf("2025"); got != "931.00" {
		t.Errorf("%s is deducted, want the interest of both loans", got)
	}
	o.wantParts(ids["MARIA LOPEZ1"], "user", "expense.interest.other -10.33", "liability.loan_principal -689.67")
	o.answerIssue(q.id, "personal; Jeff Yount: interest 50.00 in 2025; Maria Lopez: interest 50.00 in 2025", nil).
		want(200)
	if got := o.interestOf("2025"); got != "100.00" {
		t.Errorf("%s is deducted, want that of two loans that cost the same", got)
	}
	o.answerIssue(q.id, "personal; Jeff Yount: interest 900.00 in 2025; Maria Lopez: interest 31.00 in 2025", nil).
		want(200)
	for _, month := range []int{2, 3} {
		o.delete(o.path + "/transactions/" + ids[fmt.Sprint("JEFF YOUNT", month)]).want(200)
	}
	o.process(0)
	if got := o.interestOf("2025"); got != "31.00" {
		t.Errorf("%s is deducted, want that of the loan whose payments are there alone", got)
	}
	o.wantOpen(fitsNoMore, "JEFF YOUNT1")
}
