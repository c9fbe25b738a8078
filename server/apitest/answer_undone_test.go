package apitest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// linesOf are the lines of an open question: which row has which number.
func (o *office) linesOf(id string) map[string]string {
	o.t.Helper()
	lines := map[string]string{}
	issue := o.issue(id, "open").got
	for _, l := range issue["lines"].([]any) {
		line := l.(map[string]any)
		lines[fmt.Sprint(line["n"])] = fmt.Sprint(line["transactionId"])
	}
	return lines
}

// Taken back, an answer that left some rows open leaves nothing behind: its question is open again by its own id, about
// all of its rows, each by its number. So it stays when the rows are decided anew.
func TestAnUndoneAnswerLeavesItsQuestionAsItWas(t *testing.T) {
	t.Parallel()
	for _, answered := range []string{
		"expense.contract_labor; 2: not sure",
		"1: personal.living; rest: not sure",
	} {
		o, _, q := checkQuestion(t)
		lines := o.linesOf(q.id)
		o.answerIssue(q.id, answered, nil).want(200).wantAt("partly", "status")
		o.process(0)
		left := o.questionAbout("checks")
		o.answerIssue(q.id, "undo", nil).want(200)
		wantAsBefore := func(when string) {
			t.Helper()
			if now := o.questionAbout("checks"); now.id != q.id || now.transactions != "48" || now.amount != q.amount {
				t.Errorf("%q, undone, %s: %+v, want %+v", answered, when, now, q)
			}
			if diff := cmp.Diff(lines, o.linesOf(q.id)); diff != "" {
				t.Errorf("%q, undone, %s: %s", answered, when, diff)
			}
		}
		wantAsBefore("at once")
		o.process(0)
		wantAsBefore("decided anew")
		o.issue(left.id, "closed")
		o.search("query", "2047").want(200).wantAt(nil, "transactions", 0, "category")
		o.answerIssue(q.id, "2: expense.supplies; rest: expense.contract_labor", nil).want(200)
		o.wantCategories(map[string]string{"c01": "expense.supplies", "c00": "expense.contract_labor"})
	}
}

// What was answered of the rest meanwhile stays, and is taken back by itself.
func TestAnUndoneAnswerKeepsWhatWasAnsweredOfItsRest(t *testing.T) {
	t.Parallel()
	o, _, q := checkQuestion(t)
	o.answerIssue(q.id, "1: personal.living; rest: not sure", nil).want(200).wantAt("partly", "status")
	rest := o.questionAbout("checks")
	o.answerIssue(rest.id, "2: expense.supplies; rest: not sure", nil).want(200).wantAt("partly", "status")
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"c00": "", "c01": "expense.supplies", "c02": ""})
	if now := o.questionAbout("checks"); now.id != q.id || now.transactions != "47" {
		t.Errorf("the first, undone: %+v", now)
	}
	o.answerIssue(rest.id, "undo", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"c00": "", "c01": "", "c02": ""})
	if now := o.questionAbout("checks"); now.id != q.id || now.transactions != "48" {
		t.Errorf("both undone: %+v", now)
	}
}

// Rows that came since are asked about behind those of before, whose numbers they do not take.
func TestRowsThatCameSinceJoinAnUndoneQuestionBehindItsOwn(t *testing.T) {
	t.Parallel()
	o, account, q := checkQuestion(t)
	lines := o.linesOf(q.id)
	o.answerIssue(q.id, "1: personal.living; rest: not sure", nil).want(200)
	o.upload(account, transaction("late", "-900.00", "2026-06-30", "CHECK 2099"))
	o.process(0)
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	now := o.linesOf(q.id)
	for n, row := range now {
		if was, ok := lines[n]; ok && was != row {
			t.Errorf("line %s was %s, and is %s", n, was, row)
		}
	}
	if now := o.questionAbout("checks"); now.id != q.id || now.transactions != "49" {
		t.Errorf("with one more: %+v", now)
	}
}

// A question about one line, answered and taken back, says again which line it is about.
func TestAnUndoneAnswerToOneLineLeavesItsWordsAsTheyWere(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("one", "-480.00", "2026-02-03", "WITHDRAWAL 48812 CTR"))
	o.process(0)
	was := o.questionAbout("February 3")
	o.answerIssue(was.id, "Rent", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.answerIssue(was.id, "undo", nil).want(200)
	for _, when := range []string{"at once", "decided anew"} {
		if now := o.questionAbout("February 3"); now.id != was.id || now.transactions != "1" {
			t.Errorf("undone, %s: %+v, want %+v", when, now, was)
		}
		o.process(0)
	}
}
