package apitest

import (
	"fmt"
	"reflect"
	"testing"
)

// Of many there may be no one answer: then each is asked about alone, too, and so are the next ones, until that is
// taken back.
func TestOfAFamilyWhoseQuestionIsSkippedEachIsAskedAboutAlone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")
	for i, amount := range []string{"-3000.00", "-480.00", "-310.00", "-90.00"} {
		rows = append(rows, transaction(fmt.Sprint("c", i), amount, "2026-02-11", fmt.Sprint("CHECK ", 2001+i)))
	}
	o.upload(account, rows...)
	hans := transaction("more", "-250.00", "2026-03-05", "ZELLE PAYMENT TO HANS GRUBER")
	o.upload(o.uploadAccount("another"), hans)
	o.process(0)
	before := o.questions()
	people, checks := o.questionAbout("people"), o.questionAbout("checks")
	for _, q := range []openQuestion{people, checks} {
		o.answerIssue(q.id, "not sure", nil).want(200).wantAt("accepted", "status")
	}
	o.process(0)
	if got := o.questions(); !reflect.DeepEqual(got[people.text], people) ||
		!reflect.DeepEqual(got[checks.text], checks) || len(got) != 10 {
		t.Errorf("%d questions are open, among them %v and %v", len(got), got[people.text], got[checks.text])
	}
	page := o.get(o.path + "/outstanding-issues").want(200)
	page.wantAt(checks.id, "issues", 8, "id")
	page.wantAt(people.id, "issues", 9, "id")
	for _, name := range []string{"Jeff Yount", "Maria Lopez", "Per Solberg", "Dana Whitford", "Hans Gruber",
		"CHECK 2001", "CHECK 2002", "CHECK 2003"} {
		if q := o.questionAbout(name); q.transactions != "1" {
			t.Errorf("%s is asked about by %v", name, q)
		}
	}
	rent := o.questionAbout("CHECK 2001").id
	for _, words := range []string{"rent", "undo"} {
		open := o.questions()
		o.answerIssue(rent, words, nil).want(200).wantAt("accepted", "status")
		o.process(0)
		if was, is := open[checks.text], o.questions()[checks.text]; was.transactions == is.transactions {
			t.Errorf("after %q the question about checks is about as many as before: %v", words, is)
		}
	}
	o.answerIssue(rent, "rent", nil).want(200).wantAt("accepted", "status")
	o.upload(account, transaction("c4", "-700.00", "2026-04-11", "CHECK 2009"),
		transaction("c5", "-800.00", "2026-04-12", "CHECK 2010"))
	o.process(0)
	o.questionAbout("CHECK 2010")
	if q := o.questionAbout("checks"); q.transactions != "5" {
		t.Errorf("the checks are %v, want five: one is answered, two came", q)
	}
	last := o.get(o.path + "/outstanding-issues").want(200)
	last.wantAt(people.id, "issues", last.size("issues")-1, "id") // that rows came to the checks changes nothing
	last.wantAt(checks.id, "issues", last.size("issues")-2, "id")
	o.answerIssue(people.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(checks.id, "contract labor; 2: not sure", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantCategories(map[string]string{"c0": "expense.rent.property", "c1": "", "c2": "expense.contract_labor",
		"c3": "expense.contract_labor", "c4": "expense.contract_labor", "c5": "expense.contract_labor", "z0": ""})
	got := o.questions()
	if !reflect.DeepEqual(got[people.text], before[people.text]) || len(got) != 2 {
		t.Errorf("open are %v, want %v as it was, and one about check 2002", got, before[people.text])
	}
}

// Answers about each end the question about all of them; taken back, both ask again.
func TestAQuestionThatAnswersAboutEachEndedIsOpenAgainOnceTheyAreTakenBack(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")...)
	o.process(0)
	people := o.questionAbout("people")
	o.answerIssue(people.id, "skip", nil).want(200)
	o.process(0)
	apart := o.questions()
	for _, words := range []string{"rent", "undo"} {
		for _, name := range []string{"z0", "z1", "z2", "z3"} {
			o.answerIssue("t:"+ids[name], words, nil).want(200).wantAt("accepted", "status")
			o.process(0)
		}
		if open := len(o.questions()); words == "rent" && open != 0 {
			t.Errorf("everything is answered, and %d questions are open", open)
		}
	}
	got := o.questions()
	for text, q := range apart {
		if now := got[text]; now.id != q.id || now.transactions != q.transactions || now.amount != q.amount {
			t.Errorf("%v is asked, want %v as before", now, q)
		}
	}
	for _, words := range []string{"expense.supplies", "undo"} { // nothing of the skip is left behind these
		o.answerIssue(people.id, words, nil).want(200)
		o.process(0)
	}
	if now := o.questions(); len(now) != 1 || now[people.text].transactions != "4" {
		t.Errorf("without the skip %v is asked, want %v", now, people)
	}
}

// What each of the uses of one firm is asked about by is open again by its id once an answer about the whole firm is
// taken back.
func TestQuestionsAboutUsesAreOpenAgainOnceAnAnswerAboutTheirFirmIsTakenBack(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i, use := range []string{"NET", "TAX", "FEE", "NET", "TAX", "FEE", "NET", "TAX"} {
		rows = append(rows, transaction(fmt.Sprint("g", i), fmt.Sprintf("-%d.00", 900-37*i),
			fmt.Sprintf("2026-0%d-15", i+1), "GUSTO DES:"+use+" INDN:QUORVANE LLC PPD"))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("Gusto").id, "skip", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	was := o.questions()
	if len(was) < 3 {
		t.Fatalf("asked is %v, want the uses, too", was)
	}
	hook := "c:" + fmt.Sprint(o.row(ids["g0"])["counterparty"].(map[string]any)["id"]) + ":out"
	for _, words := range []string{"personal.living", "undo"} {
		o.answerIssue(hook, words, nil).want(200).wantAt("accepted", "status")
		o.process(0)
	}
	if now := o.questions(); !reflect.DeepEqual(now, was) {
		t.Errorf("asked was %v, is %v", was, now)
	}
}

// What a payroll provider takes for contractors is asked about with its pay, taxes and fee, and an answer that is taken
// back leaves each row there.
func TestWhatAPayrollProviderTakesIsAskedAboutAsBeforeOnceAnAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i, use := range []string{"NET", "TAX", "FEE", "CND", "NET", "TAX", "FEE"} {
		rows = append(rows, transaction(fmt.Sprint("g", i), fmt.Sprintf("-%d.00", 900-37*i),
			fmt.Sprintf("2026-0%d-15", i+1), "GUSTO DES:"+use+" INDN:QUORVANE LLC PPD"))
	}
	o.upload(account, rows...)
	o.process(0)
	was := o.questions()
	gusto := o.questionAbout("Gusto")
	if len(was) != 1 || gusto.transactions != "7" {
		t.Fatalf("asked is %v, want one question about all seven", was)
	}
	for _, words := range []string{"as_read", "undo"} {
		o.answerIssue(gusto.id, words, nil).want(200).wantAt("accepted", "status")
		o.process(0)
	}
	if now := o.questions(); !reflect.DeepEqual(now, was) {
		t.Errorf("asked was %v, is %v", was, now)
	}
}

// What a shop sells beside what its own question is about does not join that: an answer about a repair would be one
// about groceries. Each row counts once in a report, with the narrower of its questions.
func TestARowJoinsNoQuestionAboutSomethingElseAndCountsOnceInReports(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i, line := range []string{"WALMART AUTO CARE 2204 TX", "WALMART SUPERCENTER #2204 TX", "SAFEWAY #1592 TX",
		"KROGER #441 TX", "TARGET T-1124 TX"} {
		for k := range 2 {
			day := fmt.Sprintf("2026-0%d-1%d", 1+k, i)
			rows = append(rows, transaction(fmt.Sprint("r", i, k), "-400.00", day, line))
		}
	}
	o.upload(account, rows...)
	o.process(0)
	repair, shops := o.questionAbout("Walmart"), o.questionAbout("shops and firms")
	pnl := o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31"
	before := o.get(pnl).want(200)
	o.answerIssue(shops.id, "skip", nil).want(200)
	o.process(0)
	if got := o.questionAbout("Walmart"); !reflect.DeepEqual(got, repair) {
		t.Errorf("the repair is asked about by %v, want %v", got, repair)
	}
	after, swing := o.get(pnl).want(200), map[string]string{}
	for i := range after.size("basis", "openQuestions") {
		swing[after.text("basis", "openQuestions", i, "id")] = after.text("basis", "openQuestions", i, "swing")
	}
	for _, shop := range []string{"Safeway", "Kroger", "Target"} {
		if swing[o.questionAbout(shop).id] == "" {
			t.Errorf("the report names %v, and not %s", swing, shop)
		}
	}
	for _, sum := range []string{"inflow", "outflow"} {
		after.wantAt(before.get("basis", "uncategorized", sum), "basis", "uncategorized", sum)
	}
	if n := o.search("query", "safeway").want(200).size("transactions", 0, "issueIds"); n != 2 {
		t.Errorf("groceries are asked about by %d questions, want the one about all shops and their own", n)
	}
}

// Who does not know is asked last until the rows of the question change: that they are decided anew changes none.
func TestAQuestionSkippedAfterAnAnswerStaysLast(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("b", "-2000.00", "2026-01-05", blantvik),
		transaction("q", "-300.00", "2026-01-06", quorvane))
	o.process(0)
	first := o.questionAbout("Blantvik").id
	last := func(want bool) {
		t.Helper()
		at := 0
		if want {
			at = 1
		}
		o.get(o.path+"/outstanding-issues").want(200).wantAt(first, "issues", at, "id")
	}
	last(false)
	for _, words := range []string{"expense.meals", "skip"} {
		o.answerIssue(first, words, nil).want(200).wantAt("accepted", "status")
		o.process(0)
	}
	last(true)
	o.upload(account, transaction("more", "-100.00", "2026-02-05", blantvik))
	o.process(0)
	last(false)
}

// A counterparty's answer that is taken back leaves no question behind but the one that it ended, whatever that is
// about.
func TestACounterpartysAnswerTakenBackOpensTheQuestionThatItEnded(t *testing.T) {
	t.Parallel()
	for _, line := range []string{loan, "CHASE CREDIT CRD AUTOPAY PPD", blantvik} {
		o, account := openPaid(t)
		var rows []M
		for i := range 3 {
			rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("-%d.00", 300+i), "2026-03-05", line))
		}
		o.upload(account, rows...)
		o.process(0)
		was := o.questions()
		hook := "c:" + o.search("limit", "1").want(200).text("transactions", 0, "counterparty", "id") + ":out"
		for _, words := range []string{"expense.meals", "undo"} {
			o.answerIssue(hook, words, nil).want(200).wantAt("accepted", "status")
			o.process(0)
		}
		if is := o.questions(); len(was) != 1 || !reflect.DeepEqual(is, was) {
			t.Errorf("%s: asked are %v, want %v as before", line, is, was)
		}
	}
}
