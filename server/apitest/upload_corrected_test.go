package apitest

import (
	"encoding/json"
	"slices"
	"testing"
)

// corrected are rows as the bank sends them first, and with the amounts that they turn out to have.
var corrected = []struct{ id, description, first, then string }{
	{"check", "CHECK 1001", "-1.00", "-40000.00"},
	{"deposit", "DEPOSIT", "40.00", "99999.99"},
	{"ink", "ADOBE *CREATIVE CLD", "-40.00", "-40000.00"},
	{"fee", "LATE FEE", "-40.00", "-99999.99"},
	{"pump", "SHELL OIL 57444", "-1.00", "-8500.00"},
}

// A row with another amount is judged by it: what such an amount does not settle is asked about, as of a new row.
func TestARowWhoseAmountTheBankCorrectsIsAskedAboutLikeANewOne(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var first, then []M
	for _, r := range corrected {
		first = append(first, transaction(r.id, r.first, "2026-03-02", r.description))
		then = append(then, transaction(r.id, r.then, "2026-03-02", r.description))
	}
	first[4]["pending"] = true
	ids := o.upload(account, first...)
	o.process(0)
	o.wantNoQuestions()
	o.upload(account, then...)
	o.process(0)
	for _, r := range corrected {
		if o.row(ids[r.id])["needsAttention"] != true {
			t.Errorf("nobody asks about %s of %s that was %s", r.description, r.then, r.first)
		}
	}
	ink := o.get(o.path + "/transactions/" + ids["ink"]).want(200)
	ink.wantAt("expense.other.software", "transaction", "category", "categoryPath")
	o.year("pnl").want(200).wantAt(false, "basis", "complete")
}

// What memory established of rows of some size is no more known of one that turns out to be much larger.
func TestARowFromMemoryThatTurnsOutMuchLargerIsAskedAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("bill", 4, "-600.00", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.contract_labor", nil).want(200)
	ids := o.upload(account, transaction("next", "-600.00", "2026-04-20", blantvik))
	o.process(0)
	o.wantParts(ids["next"], "memory", "expense.contract_labor")
	o.upload(account, transaction("next", "-60000.00", "2026-04-20", blantvik))
	o.process(0)
	q := o.questionAbout("is it still")
	if q.amount != "60000.00" || q.transactions != "1" || !slices.Contains(q.options, "expense.contract_labor") {
		t.Errorf("asked %+v", q)
	}
	o.upload(account, transaction("next", "-605.00", "2026-04-20", blantvik))
	o.process(0)
	o.wantNoQuestions()
	o.wantParts(ids["next"], "memory", "expense.contract_labor")
}

// So it is with a row that was divided from memory: it is asked about with its counterparty.
func TestADividedRowThatTurnsOutMuchLargerIsAskedAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("bill", 4, "-600.00", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "60% phone; rest personal", nil).want(200)
	ids := o.upload(account, transaction("next", "-600.00", "2026-04-20", blantvik))
	o.process(0)
	for _, amount := range []string{"-610.00", "-60000.00"} {
		o.wantNoQuestions()
		o.upload(account, transaction("next", amount, "2026-04-20", blantvik))
		o.process(0)
	}
	if q := o.questionAbout("Blantvik"); q.amount != "60000.00" {
		t.Errorf("asked %+v", q)
	}
	o.wantParts(ids["next"], "memory", "expense.utilities.phone -36000.00", "personal.living -24000.00")
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.contract_labor", nil).want(200)
	o.process(0)
	o.wantNoQuestions()
	o.wantParts(ids["next"], "user", "expense.contract_labor")
	o.sums("2026-01-01", "2026-12-31")
}

// A payment that posts with a tip, or a bill that is a little larger, is what it was. So is what a person chose.
func TestASmallCorrectionOfAnAmountAsksNothing(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := func(add string) []M {
		return []M{
			transaction("ink", "-4"+add, "2026-03-02", "ADOBE *CREATIVE CLD"),
			transaction("pump", "-5"+add, "2026-03-03", "SHELL OIL 57444"),
			transaction("fee", "-3"+add, "2026-03-04", "LATE FEE"), transaction("meal", "-6"+add, "2026-03-05",
				"STARBUCKS STORE 01"),
			transaction("phone", "-9"+add, "2026-03-06", "VERIZON WRLS"),
			transaction("bill-0", "-60"+add, "2026-03-07", blantvik),
		}
	}
	o.upload(account, rows("0.00")...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.contract_labor", nil).want(200)
	before, asked := o.all(), len(o.questions())
	o.upload(account, rows("1.50")...)
	o.process(0)
	if n := len(o.questions()); n != asked {
		t.Errorf("asked: %v", o.questions())
	}
	for id, row := range o.all() {
		if was := before[id]; row["needsAttention"] != was["needsAttention"] ||
			(row["category"] == nil) != (was["category"] == nil) {
			t.Errorf("%v was %v", row, was)
		}
	}
	o.upload(account, transaction("bill-0", "-99999.99", "2026-03-07", blantvik))
	o.process(0)
	if n := len(o.questions()); n != asked {
		t.Errorf("asked of what a person chose: %v", o.questions())
	}
}

// Both legs of a transfer pair whichever of their lines the bank corrects, the day too.
func TestADayThatTheBankCorrectsPairsTheLegsOfATransfer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	savings := o.uploadAccount("savings")
	out := o.upload(account, transaction("out", "-500.00", "2026-03-02", "ONLINE TRANSFER TO SAV"))
	in := o.upload(savings, transaction("in", "500.00", "2026-09-02", "ONLINE TRANSFER FROM CHK"))
	o.process(0)
	for range 2 { // a day that goes wrong again breaks the pair, and is mended likewise
		if row := o.row(out["out"]); row["isTransfer"] == true || row["needsAttention"] != true {
			t.Fatalf("half a year apart: %v", row)
		}
		o.upload(savings, transaction("in", "500.00", "2026-03-03", "ONLINE TRANSFER FROM CHK"))
		o.process(0)
		for _, id := range []string{out["out"], in["in"]} {
			if row := o.row(id); row["isTransfer"] != true || row["needsAttention"] != false {
				t.Errorf("a day apart: %v", row)
			}
		}
		o.wantNoQuestions()
		o.upload(savings, transaction("in", "500.00", "2026-09-02", "ONLINE TRANSFER FROM CHK"))
		o.process(0)
	}
}

// openTurned is a business that said what it pays somebody for, of whose payments the bank turned one around: it is
// asked whether that is still the same.
func openTurned(t *testing.T, said string) (o *office, party string, ids map[string]string) {
	o, account := openPaid(t)
	rows := numbered("p", 4, "-1020.10", "ACH DEBIT CORVEN LLC 4%d12")
	ids = o.upload(account, rows...)
	o.process(0)
	party = o.get(o.path+"/transactions/"+ids["p-0"]).want(200).text("transaction", "counterparty", "id")
	o.answerIssue("c:"+party+":out", said, nil).want(200).wantAt("accepted", "status")
	rows[0]["amount"] = json.Number("1020.10")
	o.upload(account, rows[0])
	o.process(0)
	return o, party, ids
}

// Money that turns is asked about, whatever was said of it: what the owner drew does not come in.
func TestMoneyThatTurnsIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"expense.rent.property", "equity.owner_draw", "personal.living"} {
		o, _, ids := openTurned(t, said)
		o.questionAbout("is it still")
		o.wantParts(ids["p-0"], "user", said)
		o.year("pnl").want(200).wantAt(false, "basis", "complete")
	}
}

// Who answers what a row is that the bank changed ends the question whether it is still the same, by whichever hook;
// who takes that back is asked it again, by its id.
func TestAnAnswerEndsWhatAsksAboutAChangedRow(t *testing.T) {
	t.Parallel()
	o, party, ids := openTurned(t, "expense.rent.property")
	asked := o.questionAbout("is it still")
	hook := "c:" + party + ":in"
	o.answerIssue(hook, "revenue.sales", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(ids["p-0"], "user", "revenue.sales")
	o.wantNoQuestions()
	o.get(o.path+"/transactions/"+ids["p-0"]).want(200).wantAt(false, "transaction", "needsAttention")
	o.answerIssue(hook, "undo", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(ids["p-0"], "user", "expense.rent.property")
	if again := o.questionAbout("is it still"); again.id != asked.id || again.transactions != "1" ||
		again.amount != "1020.10" {
		t.Errorf("asked is %+v, want %s", again, asked.id)
	}
	o.get(o.path+"/transactions/"+ids["p-0"]).want(200).wantAt(true, "transaction", "needsAttention")
	o.year("pnl").want(200).wantAt(false, "basis", "complete")
}

// A row that is changed and changed back is what it was, and nothing is asked.
func TestAChangeThatIsTakenBackEndsItsQuestion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	row := transaction("check", "-2269.00", "2026-03-04", "CHECK 2045")
	ids := o.upload(account, row)
	o.process(0)
	o.answerIssue("t:"+ids["check"], "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	row["amount"] = json.Number("2269.00")
	o.upload(account, row)
	o.process(0)
	o.questionAbout("is it still")
	row["amount"] = json.Number("-2269.00")
	o.upload(account, row)
	o.process(0)
	o.wantNoQuestions()
	o.wantParts(ids["check"], "user", "expense.contract_labor")
}

// An answer that ended the question about one change of the bank is taken back while the next change is asked about:
// the first question opens again, alone.
func TestAnAnswerIsTakenBackWhileTheNextChangeIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, next := range []struct{ amount, description string }{
		{"-1020.10", "ACH DEBIT CORVEN LLC 4012"},
		{"-1020.20", "ACH DEBIT CORVEN LLC 4012"},
		{"1020.10", "ACH CREDIT QUILBERTON PARTNERS 9912"},
	} {
		o, party, ids := openTurned(t, "expense.rent.property")
		first := o.questionAbout("is it still")
		hook := "c:" + party + ":in"
		o.answerIssue(hook, "revenue.sales", nil).want(200).wantAt("accepted", "status")
		o.process(0)
		row := o.get(o.path + "/transactions/" + ids["p-0"]).want(200)
		o.upload(row.text("transaction", "accountId"), transaction("p-0", next.amount,
			row.text("transaction", "primaryDate"), next.description))
		o.process(0)
		if second := o.questionAbout("is it still"); second.id == first.id {
			t.Errorf("%v: asked is the first question", next)
		}
		o.answerIssue(hook, "undo", nil).want(200).wantAt("accepted", "status")
		o.process(0)
		if only := o.questionAbout("is it still"); only.id != first.id || len(o.asked()) != 1 {
			t.Errorf("%v: asked is %v", next, o.asked())
		}
	}
}
