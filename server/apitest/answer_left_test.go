package apitest

import (
	"slices"
	"testing"
)

// twoOfBlantvik is a business with two questions about the same counterparty: the first, about three small payments,
// was answered, and then came three large ones.
func twoOfBlantvik(t *testing.T) (o *office, first, second openQuestion) {
	t.Helper()
	o, account := openPaid(t)
	o.upload(account, bills("small", 3, "-480.00", blantvik)...)
	o.process(0)
	first = o.questionAbout("Blantvik")
	o.answerIssue(first.id, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	o.upload(account, bills("large", 3, "-4800.00", blantvik)...)
	o.process(0)
	second = o.questionAbout("Blantvik")
	if second.id == first.id || second.transactions != "3" {
		t.Fatalf("asked: %+v", second)
	}
	return o, first, second
}

// Rows that an answer leaves join the question like theirs that is open, each by a number that no other row has there:
// who names a line means one row.
func TestRowsThatAnAnswerLeavesHaveNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	o, first, second := twoOfBlantvik(t)
	lines := o.linesOf(second.id)
	o.answerIssue(first.id, "1: expense.meals", nil).want(200).wantAt("partly", "status")
	o.process(0)
	now := o.linesOf(second.id)
	if len(now) != 5 {
		t.Errorf("the lines of five rows are %v", now)
	}
	for n, row := range lines {
		if now[n] != row {
			t.Errorf("line %s was %s, and is %s", n, row, now[n])
		}
	}
	o.answerIssue(first.id, "expense.rent.property", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"small-0": "expense.rent.property", "small-1": "expense.rent.property",
		"small-2": "expense.rent.property", "large-0": "", "large-1": "", "large-2": ""})
	if now := o.questionAbout("Blantvik"); now.id != second.id || now.transactions != "3" {
		t.Errorf("asked: %+v", now)
	}
}

// So they do where that question is older than theirs, as one whose answer was taken back.
func TestRowsThatAnAnswerLeavesJoinAnOlderQuestion(t *testing.T) {
	t.Parallel()
	o, first, second := twoOfBlantvik(t)
	o.answerIssue(second.id, "expense.rent.property", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(first.id, "undo", nil).want(200)
	o.process(0)
	o.answerIssue(second.id, "1: expense.meals", nil).want(200).wantAt("partly", "status")
	o.process(0)
	if now := o.questionAbout("Blantvik"); now.id != first.id || now.transactions != "5" {
		t.Errorf("asked: %+v, want five rows of %s", now, first.id)
	}
	if lines := o.linesOf(first.id); len(lines) != 5 {
		t.Errorf("the lines of five rows are %v", lines)
	}
	o.answerIssue(second.id, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"large-0": "expense.supplies", "large-1": "expense.supplies",
		"large-2": "expense.supplies", "small-0": "", "small-1": "", "small-2": ""})
}

// What a row seems to be by an answer is not what its line reads: who says then that each is what it reads leaves the
// row open.
func TestWhatAnAnswerLeftIsNotReadByIt(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, slices.Concat(bills("phone", 6, "-101.00", "VERIZON WIRELESS PAYMENTS"),
		bills("car", 6, "-142.55", "GEICO *AUTO"), bills("power", 6, "-81.30", "PG&E WEB ONLINE"))...)
	o.process(0)
	hook := o.questionAbout("at home").id
	o.answerIssue(hook, "60% expense.utilities, rest personal.living; 3: not sure", nil).want(200).
		wantAt("partly", "status")
	o.process(0)
	o.answerIssue(hook, "as_read", nil).want(200)
	o.process(0)
	got := o.search("query", "GEICO", "limit", "50").want(200)
	for i := range got.size("transactions") {
		if got.get("transactions", i, "category") == nil {
			continue
		}
		got.wantAt("expense.car_truck.insurance", "transactions", i, "category", "categoryPath")
	}
}
