package apitest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// wantCategories compares the established categories of rows by their external ids; "" is none.
func (o *office) wantCategories(want map[string]string) {
	o.t.Helper()
	got := map[string]string{}
	for cursor := ""; ; {
		params := []string{"limit", "50"}
		if cursor != "" {
			params = append(params, "cursor", cursor)
		}
		page := o.search(params...).want(200)
		for i := range page.size("transactions") {
			path := ""
			if page.get("transactions", i, "category") != nil {
				path = page.text("transactions", i, "category", "categoryPath")
			}
			got[page.text("transactions", i, "externalId")] = path
		}
		if page.get("nextCursor") == nil {
			break
		}
		cursor = page.text("nextCursor")
	}
	for id, path := range want {
		if got[id] != path {
			o.t.Errorf("%s is %q, want %q", id, got[id], path)
		}
	}
}

// zelle are payments to people, a month apart.
func zelle(names ...string) (rows []M) {
	for i, name := range names {
		rows = append(rows, transaction(fmt.Sprintf("z%d", i), fmt.Sprintf("-%d.00", 900-100*i),
			fmt.Sprintf("2026-%02d-05", i+1), "ZELLE PAYMENT TO "+name))
	}
	return rows
}

// Everybody who is paid by an app is one question: its answer is a rule, and exceptions are named by line or name. What
// it said of somebody decides that one's next payment, and of somebody new it only suggests.
func TestPeopleAreOneQuestionAndItsAnswerNamesExceptions(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")...)
	o.process(0)
	q := o.questionAbout("people")
	if q.transactions != "4" {
		t.Fatalf("asked %v", o.questions())
	}
	o.answerIssue(q.id, "contract labor; Per Solberg: owner draw; 4: personal spending",
		nil).want(200).wantAt("accepted", "status")
	o.wantCategories(map[string]string{"z0": "expense.contract_labor", "z1": "expense.contract_labor",
		"z2": "equity.owner_draw", "z3": "personal.living"})
	o.wantNoQuestions()
	o.upload(account, transaction("known", "-880.00", "2026-07-05", "ZELLE PAYMENT TO JEFF YOUNT"),
		transaction("drawn", "-700.00", "2026-07-06", "ZELLE PAYMENT TO PER SOLBERG"),
		transaction("new", "-300.00", "2026-07-07", "ZELLE PAYMENT TO KAJSA BERG"))
	o.process(0)
	o.wantCategories(map[string]string{"known": "expense.contract_labor", "drawn": "equity.owner_draw", "new": ""})
	o.search("query", "kajsa").want(200).wantAt("expense.contract_labor", "transactions", 0, "suggestion",
		"categoryPath")
	o.questionAbout("Kajsa Berg")
}

// An answer that says nothing of some rows leaves these open, asked about by a question of their own; taken back, it is
// as if it had never been given.
func TestRowsThatAnAnswerLeavesOutStayOpen(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "1-2: expense.contract_labor", nil).want(200).wantAt("partly", "status")
	left := o.questionAbout("people")
	if left.id == q.id || left.transactions != "2" || left.amount != "1300.00" {
		t.Fatalf("left open: %+v", left)
	}
	o.answerIssue(left.id, "equity.owner_draw; Dana: not sure", nil).want(200).wantAt("partly", "status")
	o.wantCategories(map[string]string{"z0": "expense.contract_labor", "z1": "expense.contract_labor",
		"z2": "equity.owner_draw", "z3": ""})
	if last := o.questionAbout("people"); last.transactions != "1" {
		t.Errorf("left open: %+v", last)
	}
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"z0": "", "z1": "", "z2": "equity.owner_draw", "z3": ""})
}

// An answer speaks for lines that nobody was shown where it says one thing of all that were, and where these are about
// as large. Others are asked about again, and seem to be what it says of most.
func TestAnAnswerDoesNotSpeakForLinesThatNobodyWasShown(t *testing.T) {
	t.Parallel()
	const checks, shown = 48, 40
	ask := func() (*office, openQuestion) {
		o, account := openPaid(t)
		var rows []M
		for i := range checks - 1 {
			rows = append(rows, transaction(fmt.Sprintf("c%02d", i), fmt.Sprintf("-%d.00", 600-5*i),
				fmt.Sprintf("2026-%02d-11", 1+i%6), fmt.Sprintf("CHECK %d", 2001+i)))
		}
		rows = append(rows, transaction("small", "-201.00", "2026-06-20", "CHECK 2090"))
		o.upload(account, rows...)
		o.process(0)
		return o, o.questionAbout("checks")
	}
	o, q := ask()
	// the smallest shown is 405.00
	o.answerIssue(q.id, "expense.contract_labor", nil).want(200).wantAt("partly", "status")
	o.wantCategories(map[string]string{"c00": "expense.contract_labor", "c46": "expense.contract_labor", "small": ""})
	o.answerIssue(o.questionAbout("checks").id, "personal.living", nil).want(200).wantAt("accepted", "status")
	o.wantCategories(map[string]string{"small": "personal.living"})

	o, q = ask()
	o.answerIssue(q.id, "expense.contract_labor; 2: personal.living", nil).want(200).wantAt("partly", "status")
	o.wantCategories(map[string]string{"c00": "expense.contract_labor", "c01": "personal.living",
		"c39": "expense.contract_labor", "c40": "", "c46": "", "small": ""})
	o.search("query", "2047").want(200).wantAt("expense.contract_labor", "transactions", 0, "suggestion",
		"categoryPath")
	left := o.questionAbout("checks")
	if left.transactions != fmt.Sprint(checks-shown) {
		t.Errorf("%s lines are asked about again, want those that were not shown", left.transactions)
	}
	o.answerIssue(left.id, "expense.contract_labor; 41: personal.living", nil).want(200).wantAt("accepted", "status")
	o.wantCategories(map[string]string{"c40": "personal.living", "c41": "expense.contract_labor",
		"small": "expense.contract_labor"})
}

// Names of rows that are not there, and categories that are none, are refused; nothing happens.
func TestAnAnswerThatNamesWhatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG")...)
	o.process(0)
	q := o.questionAbout("people")
	for _, words := range []string{"9: personal.living; rest: expense.contract_labor", "1: expense.nothing",
		"#77: personal.living", "1: ; 2: personal.living",
		"personal.living; rest: equity.owner_draw"} {
		o.answerIssue(q.id, words, nil).want(422)
	}
	o.answerIssue(q.id, "1: zebra; 2: giraffe", nil).want(200).wantAt("unclear", "status")
	o.wantCategories(map[string]string{"z0": "", "z1": "", "z2": ""})
}

// A check is named by its number; of two answers to the question the later is the only one.
func TestChecksAreNamedByTheirNumbers(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	for i, amount := range []string{"-950.00", "-410.00", "-2250.00", "-75.00"} {
		o.upload(account, transaction(fmt.Sprint("c", i), amount, fmt.Sprintf("2026-03-%02d", i+2),
			fmt.Sprintf("CHECK # %d", 2450+i)))
	}
	o.process(0)
	q := o.questionAbout("checks")
	if q.transactions != "4" {
		t.Fatalf("asked %v", o.questions())
	}
	o.answerIssue(q.id, "expense.contract_labor; #2451: personal.living", nil).want(200)
	o.wantCategories(map[string]string{"c0": "expense.contract_labor", "c1": "personal.living",
		"c2": "expense.contract_labor", "c3": "expense.contract_labor"})
	o.answerIssue(q.id, "expense.supplies; #2452: expense.legal_professional.consulting", nil).want(200)
	o.wantCategories(map[string]string{"c0": "expense.supplies", "c1": "expense.supplies",
		"c2": "expense.legal_professional.consulting", "c3": "expense.supplies"})
}

// What a row alone was said to be contradicts what its use was: the next row of the use is only suggested, and asked
// about; what was established stays.
func TestAContradictionStopsEstablishingAtOnce(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("a", "-480.00", "2026-01-05", blantvik),
		transaction("b", "-510.00", "2026-02-09", blantvik))
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.supplies", nil).want(200)
	ids := o.upload(account, transaction("c", "-500.00", "2026-03-20", blantvik))
	o.process(0)
	o.wantCategories(map[string]string{"c": "expense.supplies"})
	hook := o.get(o.path+"/transactions/"+ids["c"]).want(200).text("transaction", "hookId")
	o.answerIssue(hook, "personal.living", nil).want(200)
	o.upload(account, transaction("d", "-490.00", "2026-04-22", blantvik))
	o.process(0)
	o.wantCategories(map[string]string{"a": "expense.supplies", "b": "expense.supplies", "c": "personal.living",
		"d": ""})
	o.search("query", "blantvik").want(200).wantAt("expense.supplies", "transactions", 0, "suggestion", "categoryPath")
	o.questionAbout("Blantvik")
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(0)
	o.upload(account, transaction("e", "-505.00", "2026-05-22", blantvik))
	o.process(0)
	o.wantCategories(map[string]string{"c": "expense.supplies", "e": "expense.supplies"})
}

// A use is what its rows show: a steady monthly one is not a payment of another size, one a few days after another, or
// one by card.
func TestMemoryOfAUseKeepsToItsAmountRhythmAndAccount(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	card := o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{{"external_id": "card", "name": "Card",
		"type": "credit", "currency": "USD", "current_balance": json.Number("0.00")}}}).want(200).text("accounts", 0,
		"id")
	for month := range 4 {
		o.upload(account, transaction(fmt.Sprint("rent", month), "-1450.00", fmt.Sprintf("2026-%02d-03", month+1),
			quorvane))
	}
	o.process(0)
	o.answerIssue(o.questionAbout("Quorvane").id, "expense.rent.property", nil).want(200)
	o.upload(account, transaction("next", "-1490.00", "2026-05-04", quorvane),
		transaction("deposit", "-2900.00", "2026-05-05", quorvane),
		transaction("twice", "-1450.00", "2026-04-09", quorvane))
	o.upload(card, transaction("card", "-1450.00", "2026-06-04", quorvane))
	o.process(0)
	o.wantCategories(map[string]string{"next": "expense.rent.property", "deposit": "", "twice": "", "card": ""})
}

// A relationship that an answer set goes with it.
func TestARelationshipGoesWithTheAnswerThatSetIt(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("bill", 2, "-480.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	is := func(want string) {
		t.Helper()
		o.get(o.path+"/counterparties").want(200).wantAt(want, "counterparties", 0, "relationship")
	}
	before := o.get(o.path+"/counterparties").want(200).text("counterparties", 0, "relationship")
	o.answerIssue(q.id, "contractor", nil).want(200)
	is("contractor")
	o.answerIssue(q.id, "landlord", nil).want(200)
	is("landlord")
	o.answerIssue(q.id, "expense.supplies", nil).want(200)
	is(before)
	o.answerIssue(q.id, "contractor", nil).want(200)
	o.answerIssue(q.id, "undo", nil).want(200)
	is(before)
}

// Two counterparties that an answer made one are two again when it is taken back, with their rows, names and questions.
func TestAMergeGoesWithTheAnswerThatMadeIt(t *testing.T) {
	t.Parallel()
	o, account := twoFirms(t)
	named := o.questionAbout("pay Quorvane")
	o.answerIssue(named.id, "Blantvik Trading LLC", nil).want(200)
	if n := o.get(o.path + "/counterparties").want(200).size("counterparties"); n != 1 {
		t.Fatalf("%d counterparties, want one", n)
	}
	o.upload(account, bills("later", 1, "-10.00", quorvane)...)
	o.process(0)
	o.answerIssue(named.id, "undo", nil).want(200)
	o.process(0)
	list := o.get(o.path + "/counterparties").want(200)
	if n := list.size("counterparties"); n != 2 {
		t.Fatalf("%d counterparties, want two again", n)
	}
	for _, want := range []struct {
		about, amount string
		rows          int
	}{{"pay Quorvane", "710.00", 3}, {"does Quorvane", "180.00", 2}, {"pay Blantvik", "960.00", 2},
		{"does Blantvik", "1000.00", 2}} {
		if q := o.questionAbout(want.about); q.amount != want.amount || q.transactions != fmt.Sprint(want.rows) {
			t.Errorf("%s: %+v, want %d rows of %s", want.about, q, want.rows, want.amount)
		}
	}
	o.answerIssue(o.questionAbout("pay Quorvane").id, "Meals", nil).want(200)
	o.wantCategories(map[string]string{"q-out-0": "expense.meals", "q-out-1": "expense.meals",
		"later-0": "expense.meals", "b-out-0": ""})
}

// Books are not complete while it is open whether a row is still what it was.
func TestBooksAreNotCompleteBesideAChangedRow(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	say := func(description string) {
		o.upload(account, transaction("row", "-96.00", "2026-03-02", description))
		o.process(0)
	}
	say("SHELL OIL 57444212 DALLAS TX")
	o.year("pnl").want(200).wantAt(true, "basis", "complete")
	say("ADOBE *CREATIVE CLOUD")
	o.year("pnl").want(200).wantAt(false, "basis", "complete")
	o.answerIssue(o.questionAbout("changed this line").id, "expense.other.software", nil).want(200)
	o.year("pnl").want(200).wantAt(true, "basis", "complete")
}

// A line that the bank reworded to something that says nothing is asked about, unless a person had said what it is.
func TestALineThatSaysNoLongerWhatItWasIsAskedAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("row", "-96.00", "2026-03-02", "SHELL OIL 57444212 DALLAS TX"),
		transaction("mine", "-300.00", "2026-03-02", blantvik))
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.supplies", nil).want(200)
	o.upload(account, transaction("row", "-96.00", "2026-03-02", "WITHDRAWAL 00412"),
		transaction("mine", "-300.00", "2026-03-02", "WITHDRAWAL 00413"))
	o.process(0)
	q := o.questionAbout("says no longer")
	if len(o.questions()) != 1 || q.transactions != "1" {
		t.Errorf("asked %v", o.questions())
	}
	o.wantCategories(map[string]string{"row": "expense.car_truck.fuel", "mine": "expense.supplies"})
	o.upload(account, transaction("row", "-96.00", "2026-03-02", "SHELL OIL 57444212 DALLAS TX"))
	o.process(0)
	o.wantNoQuestions()
}

// What was said of a row itself is said of it, whomever its bank names later.
func TestARowThatWasAnsweredItselfStaysUnasked(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("row", "-300.00", "2026-03-02", blantvik),
		transaction("another", "-310.00", "2026-03-03", blantvik))
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.meals", nil).want(200)
	o.answerIssue("t:"+ids["row"], "expense.supplies", nil).want(200)
	o.process(0)
	o.upload(account, transaction("row", "-300.00", "2026-03-02", "ZELLE TO PETRA NOVAK"))
	o.process(0)
	o.wantNoQuestions()
	o.wantCategories(map[string]string{"row": "expense.supplies", "another": "expense.meals"})
}

// All that a payroll provider takes is one question. Each row may be what its line reads, and so are the next ones that
// read like it; the tax debits may be divided by the sums of the year, and then those of another year are asked about.
func TestWhatAPayrollProviderTakesIsOneQuestion(t *testing.T) {
	t.Parallel()
	debits := func(year string) []M {
		var rows []M
		for month := 1; month <= 2; month++ {
			for kind, amount := range map[string]string{"NET": "-4000.00", "TAX": "-1000.00", "FEE": "-49.00"} {
				rows = append(rows, transaction(fmt.Sprint(kind, month, year), amount,
					fmt.Sprintf("%s-%02d-05", year, month), "GUSTO DES:"+kind+" INDN:QUORVANE LLC PPD"))
			}
		}
		return rows
	}
	for _, how := range []struct {
		words    string
		option   any
		pay, tax string // of these debits; "" where they have parts
		later    int    // questions about the next year's
	}{
		{"Each is what its line reads", "as_read", "expense.wages.net_pay", "expense.taxes_licenses.payroll", 0},
		{"net pay; #TAX: 600.00 payroll taxes in 2025, rest withheld; #fee: payroll service fees", nil,
			"expense.wages.net_pay", "", 1},
	} {
		o, account := openPaid(t)
		o.upload(account, debits("2025")...)
		o.process(0)
		q := o.questionAbout("Gusto take")
		if q.transactions != "6" || len(o.questions()) != 1 {
			t.Fatalf("asked %v", o.questions())
		}
		o.answerIssue(q.id, how.words, how.option).want(200).wantAt("accepted", "status")
		o.wantCategories(map[string]string{"NET12025": how.pay, "TAX22025": how.tax,
			"FEE12025": "expense.legal_professional.payroll_service"})
		o.wantNoQuestions()
		if how.tax == "" {
			tax := o.search("query", "DES:TAX", "dateTo", "2025-01-31").want(200)
			tax.wantAt(json.Number("-300.00"), "transactions", 0, "parts", 0, "amount")
		}
		o.upload(account, debits("2026")...)
		o.process(0)
		o.wantCategories(map[string]string{"NET12026": how.pay, "TAX22026": how.tax,
			"FEE12026": "expense.legal_professional.payroll_service"})
		if got := len(o.questions()); got != how.later {
			t.Errorf("after %q the next year asks %v", how.words, o.questions())
		}
		// What their lines say by themselves is known from the answer, and goes with it.
		o.wantRows("DES:NET", 4, "expense.wages.net_pay", "*", false)
		next := o.path + "/transactions/" + o.all()["NET12026"]["id"].(string)
		o.get(next).want(200).wantAt("memory", "transaction", "category", "source")
		o.answerIssue(q.id, "undo", nil).want(200)
		o.process(0)
		o.get(next).want(200).wantAt(nil, "transaction", "category")
		o.get(next).want(200).wantAt(json.Number("1"), "transaction", "issueCount")
	}
}

// Large receipts of which nothing is known are one question. What it says of them only suggests what the next is, also
// of one that is as large and from the same payer: a customer's deposit looks like what they pay at the end.
func TestLargeReceiptsAreOneQuestionAndDecideNoOther(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	for i, payer := range []string{"REED CASTLEMAN", "MARGOT DELANEY", "LEILA GARABEDIAN"} {
		o.upload(account, transaction(fmt.Sprintf("w%d", i), fmt.Sprintf("%d000.00", 9-i),
			fmt.Sprintf("2026-%02d-05", i+1),
			"INCOMING WIRE "+payer))
	}
	o.process(0)
	q := o.questionAbout("large payments")
	if q.transactions != "3" {
		t.Fatalf("asked %v", o.questions())
	}
	o.answerIssue(q.id, "revenue.sales; Margot Delaney: liability.customer_deposit", nil).want(200).
		wantAt("accepted", "status")
	o.wantCategories(map[string]string{"w0": "revenue.sales", "w1": "liability.customer_deposit",
		"w2": "revenue.sales"})
	o.wantNoQuestions()
	o.upload(account, transaction("again", "9000.00", "2026-07-05", "INCOMING WIRE REED CASTLEMAN"))
	o.process(0)
	o.wantCategories(map[string]string{"again": ""})
	o.questionAbout("9000.00")
}

// What is said of single lines, beside `not sure` for the others, of a question that shows only some of its lines
// leaves open all the others: in one question.
func TestNotSureOfALongQuestionLeavesTheRestInOne(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i := range 48 {
		rows = append(rows, transaction(fmt.Sprintf("c%02d", i), fmt.Sprintf("-%d.00", 600-5*i),
			fmt.Sprintf("2026-%02d-11", 1+i%6), fmt.Sprintf("CHECK %d", 2001+i)))
	}
	o.upload(account, rows...)
	o.process(0)
	q := o.questionAbout("checks")
	o.answerIssue(q.id, "expense.contract_labor; 1: personal.living; 2: not sure", nil).want(200).
		wantAt("partly", "status")
	o.wantCategories(map[string]string{"c00": "personal.living", "c01": "", "c02": "expense.contract_labor",
		"c45": ""})
	if left := o.questionAbout("checks"); left.transactions != "9" { // the second, and eight that were not shown
		t.Errorf("left open: %+v", left)
	}
	o.process(0)
	o.answerIssue(o.questionAbout("checks").id, "expense.rent.property", nil).want(200)
	o.wantCategories(map[string]string{"c00": "personal.living", "c01": "expense.rent.property",
		"c02": "expense.contract_labor", "c45": "expense.rent.property"})
	o.wantNoQuestions()
}

// Rows that an answer leaves open are decided by no memory of it: not when it is put in place of another, and not when
// the bank words them anew.
func TestNoAnswerDecidesByMemoryWhatItLeavesOpen(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	people := []string{"JEFF YOUNT", "JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG"}
	o.upload(account, zelle(people...)...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(q.id, "expense.contract_labor; 2: not sure", nil).want(200).wantAt("partly", "status")
	want := map[string]string{"z0": "expense.contract_labor", "z1": "", "z2": "expense.contract_labor",
		"z3": "expense.contract_labor"}
	o.process(0)
	o.wantCategories(want)
	changed := zelle(people...)[1]
	changed["description"] = "ZELLE PAYMENT TO JEFF YOUNT REF 1"
	o.upload(account, changed)
	o.process(0)
	o.wantCategories(want)
	left := o.questionAbout("people")
	if left.transactions != "1" {
		t.Errorf("left open: %+v", left)
	}
	o.answerIssue(q.id, "equity.owner_draw; 2: not sure", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "equity.owner_draw", "z1": "", "z2": "equity.owner_draw",
		"z3": "equity.owner_draw"})
	o.answerIssue(o.questionAbout("people").id, "personal.living", nil).want(200)
	o.wantCategories(map[string]string{"z1": "personal.living"})
	o.wantNoQuestions()
}

// Nor those that were not shown when it was given.
func TestNoAnswerDecidesByMemoryWhatNobodyWasShown(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	small := func(words string) M {
		return transaction("small", "-100.00", "2026-06-20", "ZELLE PAYMENT TO JEFF YOUNT"+words)
	}
	rows := append(zelle("MARIA LOPEZ", "PER SOLBERG"), small(""))
	for i := range 46 {
		rows = append(rows, transaction(fmt.Sprintf("j%02d", i), fmt.Sprintf("-%d.00", 500+5*i),
			fmt.Sprintf("2026-%02d-%02d", 1+i%6, 1+i/6), "ZELLE PAYMENT TO JEFF YOUNT"))
	}
	o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("people").id, "expense.contract_labor", nil).want(200).wantAt("partly", "status")
	want := map[string]string{"small": "", "j00": "expense.contract_labor", "z1": "expense.contract_labor"}
	o.wantCategories(want)
	o.upload(account, small(" REF 1"))
	o.process(0)
	o.wantCategories(want)
	o.search("query", "REF 1").want(200).
		wantAt("expense.contract_labor", "transactions", 0, "suggestion", "categoryPath")
	o.questionAbout("people")
}

// A question about what a shop sells besides does not take the rows of a family, neither new ones nor those of an
// answer that is taken back.
func TestAFamilyKeepsItsRowsBesideAQuestionAboutOneOfItsShops(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := func(n int) (list []M) {
		for i, line := range []string{"WALMART AUTO CARE 2204 TX", "WALMART SUPERCENTER #2204 TX", "SAFEWAY #1592 TX",
			"KROGER #441 TX", "TARGET T-1124 TX"} {
			for day := range 3 {
				list = append(list, transaction(fmt.Sprintf("r%d-%d-%d", n, i, day), fmt.Sprintf("-%d.13", 61+10*i+day),
					fmt.Sprintf("2026-%02d-%02d", n, 5+7*day), line))
			}
		}
		return list
	}
	const groceries, besides = "Personal spending", "Walmart"
	wantRows := func(when, each string, family string) {
		t.Helper()
		shop, shops := o.questionAbout(besides), o.questionAbout(groceries)
		if shop.transactions != each || shops.transactions != family {
			t.Errorf("%s: Walmart is asked about with %s rows and shops like it with %s, want %s and %s", when,
				shop.transactions, shops.transactions, each, family)
		}
	}
	o.upload(account, rows(1)...)
	o.process(0)
	wantRows("at first", "3", "12")
	o.upload(account, rows(2)...)
	o.process(0)
	wantRows("with new rows", "6", "24")
	id := o.questionAbout(groceries).id
	o.answerIssue(id, "supplies", "expense.supplies").want(200)
	o.answerIssue(id, "undo", nil).want(200)
	o.process(0)
	wantRows("after an answer was taken back", "6", "24")
}

// Checks of one amount are of the checks that the business writes: the answer names them by it, and the next one of it
// is what these are, however many others there are and whatever these are about.
func TestChecksAreNamedByTheirAmount(t *testing.T) {
	t.Parallel()
	for name, others := range map[string][]string{
		"few smaller":  {"-812.40", "-610.00"},
		"more of them": {"-812.40", "-610.00", "-1100.00", "-700.00"},
		"all around":   {"-812.40", "-610.00", "-2400.00", "-2950.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			var rows []M
			want := map[string]string{"next": "expense.rent.property", "unlike": ""}
			for i, amount := range append(others, "-1950.00", "-1950.00", "-1950.00") {
				id := fmt.Sprint("c", i)
				want[id] = "expense.contract_labor"
				if amount == "-1950.00" {
					want[id] = "expense.rent.property"
				}
				rows = append(rows, transaction(id, amount, fmt.Sprintf("2026-0%d-03", i+1),
					fmt.Sprint("CHECK ", 2041+i)))
			}
			o.upload(account, rows...)
			o.process(0)
			q := o.questionAbout("checks")
			if q.transactions != fmt.Sprint(len(rows)) || len(o.questions()) != 1 {
				t.Fatalf("asked %v", o.questions())
			}
			o.answerIssue(q.id, "contract labor; 77.00: personal.living", nil).want(422)
			o.answerIssue(q.id, "contract labor; 1,950.00: expense.rent.property", nil).want(200).
				wantAt("accepted", "status")
			o.upload(account, transaction("next", "-1950.00", "2026-11-03", "CHECK 2077"),
				transaction("unlike", "-333.00", "2026-11-04", "CHECK 2078"))
			o.process(0)
			o.wantCategories(want)
		})
	}
}
