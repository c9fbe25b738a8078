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

// What a single wire is asked about by is open again by its id, however often the answer to its counterparty's hook is
// taken back.
func TestAnUndoneHookLeavesTheQuestionAboutASingleWireAsItWas(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("wire", "55603.18", "2026-06-05",
		"WIRE TYPE:WIRE IN DATE: 060526 TIME:1012 ET TRN:2026060500 SEQ:99 ORIG:BRIGHTWELL HOLDINGS LLC ID:0099"))
	o.process(0)
	was := o.questionAbout("Brightwell")
	hook := "c:" + fmt.Sprint(o.row(ids["wire"])["counterparty"].(map[string]any)["id"]) + ":in"
	for range 2 {
		o.answerIssue(hook, "revenue.sales", nil).want(200).wantAt("accepted", "status")
		o.process(0)
		o.issue(was.id, "closed")
		o.answerIssue(hook, "undo", nil).want(200)
		o.process(0)
		now := o.questionAbout("Brightwell")
		if now.id != was.id || now.transactions != "1" || now.amount != was.amount {
			t.Errorf("undone: %+v, want %+v", now, was)
		}
	}
}

// A family's question that closed as all of its rows were answered by hooks is open again, by its id, as these answers
// are taken back, in whatever order and whether or not the rows are decided anew between.
func TestAnUndoneHookLeavesTheFamilysQuestionAsItWas(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"all, one by one", "all at once", "two"} {
		o, account := openPaid(t)
		var rows []M
		for i := range 12 {
			name := []string{"BOB CARTER", "JOHN SMITH", "MARIA LOPEZ"}[i%3]
			rows = append(rows, transaction(fmt.Sprintf("z%02d", i), fmt.Sprintf("-%d.00", 600-10*i),
				fmt.Sprintf("2026-%02d-%02d", 1+i/3, 5+i), "ZELLE PAYMENT TO "+name))
		}
		ids := o.upload(account, rows...)
		o.process(0)
		q := o.questionAbout("people")
		var hooks []string
		for _, row := range []string{"z00", "z01", "z02"} {
			party := o.get(o.path+"/transactions/"+ids[row]).want(200).text("transaction", "counterparty", "id")
			hooks = append(hooks, "c:"+party+":out")
		}
		for _, hook := range hooks {
			o.answerIssue(hook, "personal.living", nil).want(200).wantAt("accepted", "status")
			o.process(0)
		}
		o.wantNoQuestions()
		if kind == "two" {
			hooks = hooks[1:]
		}
		for _, hook := range hooks {
			o.answerIssue(hook, "undo", nil).want(200)
			if kind != "all at once" {
				o.process(0)
			}
		}
		o.process(0)
		want := q
		if kind == "two" {
			want.transactions, want.amount = "8", "4320.00"
		}
		if now := o.questionAbout("people"); now.id != want.id || now.transactions != want.transactions ||
			now.amount != want.amount || len(o.questions()) != 1 {
			t.Errorf("%s: asked %v, want %+v", kind, o.questions(), want)
		}
		if lines := o.linesOf(q.id); kind != "two" && len(lines) != 12 {
			t.Errorf("%s: the lines are %v", kind, lines)
		}
	}
}
