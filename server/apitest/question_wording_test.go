package apitest

import (
	"slices"
	"strings"
	"testing"
)

func TestCashAndChecksPaidInAreOneQuestion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account,
		transaction("cash", "450.00", "2026-03-01", "CASH DEPOSIT BRANCH 7877"),
		transaction("check", "1200.00", "2026-03-09", "CHECK DEPOSIT 8146"),
		transaction("small", "60.00", "2026-03-12", "MOBILE DEPOSIT REF 2570"),
		transaction("bare", "900.00", "2026-03-13", "DEPOSIT"))
	o.process(0)
	q := o.questionAbout("cash and checks")
	if len(o.questions()) != 1 || q.transactions != "4" || q.amount != "2610.00" || q.objectType != "transaction" {
		t.Errorf("asked %v", o.questions())
	}
	o.answerIssue(q.id, "Sales", nil).want(200)
	o.wantRows("deposit branch", 1, "revenue.sales", "user", false)
	o.upload(account, transaction("later", "700.00", "2026-04-01", "CASH DEPOSIT BRANCH 1234"))
	o.process(0)
	o.wantRows("1234", 1, "revenue.sales", "memory", false)
	o.wantNoQuestions()
}

// What a question was not about is decided by no answer to it, neither when its own answer is taken back nor later.
func TestDepositsThatAreAskedAboutApartStayWhenCashAndChecksAreAnswered(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("cash", 3, "450.00", "CASH DEPOSIT BRANCH 7877")...)
	o.upload(account, bills("check", 3, "1200.00", "MOBILE DEPOSIT 1001")...)
	o.process(0)
	o.answerIssue(o.questionAbout("cash and checks").id, "Sales", nil).want(200)
	ids := o.upload(account, bills("bare", 4, "900.00", "DEPOSIT")...)
	o.process(0)
	hook := "t:" + ids["bare-1"]
	o.answerIssue(hook, "personal.living", nil).want(200)
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(0)
	for _, id := range []string{ids["bare-1"], ids["bare-2"]} {
		row := o.get(o.path + "/transactions/" + id).want(200)
		row.wantAt(nil, "transaction", "category")
		row.wantAt(true, "transaction", "needsAttention")
	}
}

// A corrected line stays with whom it was and is asked about with those it reads like: their counterparty's hook is
// about it, too.
func TestACounterpartysHookDecidesAllThatItsQuestionIsAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("own", 4, "-480.00", blantvik),
		transaction("corrected", "-45.50", "2026-03-07", "TARGET T-1001"))...)
	o.process(0)
	o.upload(account, transaction("corrected", "-45.50", "2026-03-07", blantvik))
	o.process(0)
	party := o.get(o.path+"/transactions/"+ids["own-1"]).want(200).text("transaction", "counterparty", "id")
	o.answerIssue("c:"+party+":out", "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	row := o.get(o.path + "/transactions/" + ids["corrected"]).want(200)
	row.wantAt("expense.contract_labor", "transaction", "category", "categoryPath")
	row.wantAt(false, "transaction", "needsAttention")
	o.wantNoQuestions()
}

// Who was answered for by name is no more among the people of a question about them all.
func TestACounterpartysHookTakesItsRowsOutOfTheQuestionAboutSeveral(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i, name := range []string{"ANN LEE", "JOSE NUNEZ", "TOBIAS KRAHL"} {
		rows = append(rows, bills(name, 2, "-600.00", "ZELLE PAYMENT TO "+name+" CONF# 77"+string(rune('0'+i)))...)
	}
	ids := o.upload(account, rows...)
	o.process(0)
	q := o.questionAbout("What do you pay people for")
	if q.transactions != "6" {
		t.Fatalf("asked: %+v", q)
	}
	party := o.get(o.path+"/transactions/"+ids["ANN LEE-0"]).want(200).text("transaction", "counterparty", "id")
	o.answerIssue("c:"+party+":out", "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	if q = o.questionAbout("What do you pay people for"); q.transactions != "4" || q.amount != "2400.00" {
		t.Errorf("still asked: %+v", q)
	}
	o.answerIssue(q.id, "personal.living", nil).want(200)
	row := o.get(o.path + "/transactions/" + ids["ANN LEE-1"]).want(200)
	row.wantAt("expense.contract_labor", "transaction", "category", "categoryPath")
	row.wantAt(false, "transaction", "needsAttention")
}

// What was deleted, changed or answered by itself while a question was answered is not what it was when it opens again.
func TestAQuestionThatOpensAgainIsAboutTheRowsThatAreLeft(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("large", 3, "-6000.00", blantvik),
		bills("small", 3, "-10.00", blantvik)...)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "expense.contract_labor", nil).want(200)
	for _, id := range []string{"large-0", "large-1", "large-2"} {
		o.delete(o.path + "/transactions/" + ids[id]).want(200)
	}
	o.answerIssue("t:"+ids["small-2"], "personal.living", nil).want(200)
	o.upload(account, transaction("small-0", "-12.00", "2026-03-01", blantvik))
	o.process(0)
	o.answerIssue(q.id, "undo", nil).want(200)
	if again := o.questionAbout("Blantvik"); again.transactions != "2" || again.amount != "22.00" {
		t.Errorf("the question is about %s rows and %s", again.transactions, again.amount)
	}
}

// An answer decides a row before the worker comes to its new amount: the question whether it is still the same has
// that.
func TestWhetherARowIsStillWhatWasAnsweredIsAboutItsNewAmount(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("bill", 3, "-600.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "expense.contract_labor", nil).want(200)
	o.upload(account, transaction("bill-0", "-600.00", "2026-03-01", "ORIENTAL TRADING CO"))
	o.process(0)
	o.upload(account, transaction("bill-0", "-700.00", "2026-03-01", "ORIENTAL TRADING CO"))
	o.answerIssue(q.id, "personal.living", nil).want(200)
	o.process(0)
	if still := o.questionAbout("is it still"); still.amount != "700.00" {
		t.Errorf("asked about %s", still.amount)
	}
}

// A question that was answered by two hooks is answered until both are taken back, and then it opens with all its rows.
func TestAQuestionThatAnotherAnswerStillHoldsKeepsItsRows(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("bill", 3, "-600.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	party := o.get(o.path+"/transactions/"+ids["bill-0"]).want(200).text("transaction", "counterparty", "id")
	hook := "c:" + party + ":out"
	o.answerIssue(hook, "expense.contract_labor", nil).want(200)
	o.answerIssue(q.id, "personal.living", nil).want(200)
	o.answerIssue(q.id, "undo", nil).want(200)
	o.wantRows("blantvik", 3, "expense.contract_labor", "user", false)
	o.issue(q.id, "answered")
	o.answerIssue(hook, "undo", nil).want(200)
	if again := o.questionAbout("Blantvik"); again.id != q.id || again.transactions != "3" ||
		again.amount != "1800.00" {
		t.Errorf("asked %+v, not %+v", again, q)
	}
}

// A question whether a row is still what was answered ends with that answer.
func TestWhetherARowIsStillWhatWasAnsweredIsNotAskedOnceThatIsTakenBack(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("bill", 3, "-600.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "expense.contract_labor", nil).want(200)
	o.upload(account, transaction("bill-0", "-600.00", "2026-03-01", "ORIENTAL TRADING CO"))
	o.process(0)
	o.questionAbout("is it still")
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	for text := range o.questions() {
		if strings.Contains(text, "is it still") {
			t.Errorf("asked: %s", text)
		}
	}
}

// Who pays in is not who is paid: what a counterparty is known for in the other direction decides nothing.
func TestCashAndChecksPaidInCanBeSomebodys(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("b-out", 2, "-480.00", blantvik), transaction("check", "1200.00", "2026-03-09",
		"CHECK DEPOSIT 8146"))...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "Meals", nil).want(200)
	o.answerIssue(o.questionAbout("cash and checks").id, "Blantvik Trading LLC", nil).want(200)
	o.counterparties("query", "blantvik").want(200).wantAt(3, "counterparties", 0, "stats", 0, "transactionCount")
	o.upload(account, transaction("later", "700.00", "2026-04-01", "CASH DEPOSIT BRANCH 1234"))
	o.process(0)
	o.wantRows("1234", 1, "revenue.sales.cash_deposits", "suggested", true) // as most such money is
}

// Two checks of a day are told apart by what is asked.
func TestAQuestionSaysWhichMoneyItIsAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("first", 3, "-480.00", blantvik), transaction("check", "-2100.00", "2026-04-09",
		"CHECK  1044"), transaction("other", "-900.00", "2026-04-09", "CHECK 1045"),
		transaction("bare", "900.50", "2026-03-13", "DEPOSIT"))...)
	o.process(0)
	texts := map[string]bool{}
	page := o.get(o.path + "/outstanding-issues").want(200)
	for i := range page.size("issues") {
		texts[page.text("issues", i, "question")+" "+page.text("issues", i, "why")] = true
	}
	const line, lines = "the bank's line does not say what it means for the tax form.",
		"the bank's lines do not say what they mean for the tax form."
	for _, want := range []string{
		`What was the payment of April 9, 2026 (2100.00 USD, "CHECK 1044") for? 1 transaction of April 9, 2026, 2100.00 USD, waits for it: ` + line,
		`What was the payment of April 9, 2026 (900.00 USD, "CHECK 1045") for? 1 transaction of April 9, 2026, 900.00 USD, waits for it: ` + line,
		`What is the money for that came in on March 13, 2026 (900.50 USD, "DEPOSIT")? 1 transaction of March 13, 2026, 900.50 USD, waits for it: ` + line,
		`What do you pay Blantvik Trading LLC for? 3 transactions from March 1, 2026 to March 3, 2026, 1440.00 USD in all, wait for it: ` + lines,
	} {
		if !texts[want] {
			t.Errorf("%s is not among %v", want, texts)
		}
	}
}

// A list that is read often has its parts in one place: the best guess first, then business, a mix, personal.
func TestOptionsComeInOneOrder(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	for i, line := range []string{blantvik, mixedShop, payroll, "GROVEHAM 2291 AUSTIN TX", "H-E-B #1234 AUSTIN TX",
		"ZELLE TO KIM TRAN", "ROCKET MORTGAGE LOAN PMT", "SP BRINDLEWOOD AUSTIN TX"} {
		o.upload(account, bills(string(rune('a'+i)), 3, "-480.00", line)...)
	}
	o.process(0)
	if len(o.questions()) != 8 {
		t.Fatalf("asked: %v", o.questions())
	}
	for text, q := range o.questions() {
		place := func(option string) int {
			rank := 0
			switch {
			case option == "split":
				rank = 1
			case strings.HasPrefix(option, "personal."):
				rank = 2
			}
			return rank
		}
		if rest := q.options[1:]; len(rest) > 3 || !slices.IsSortedFunc(rest,
			func(a, b string) int { return place(a) - place(b) }) {
			t.Errorf("%s: options %v", text, q.options)
		}
	}
}
