package apitest

import (
	"encoding/json"
	"slices"
	"testing"
)

// A row that was remembered, then asked about as the bank changed it, follows the memory again where that answer is
// taken back: it goes with the memory.
func TestARowFollowsItsMemoryAgainWithoutTheAnswerOfItsOwn(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	const withdrawal = "WITHDRAWAL HOME BANKING 0041"
	o.upload(account, bills("first", 3, "-900.00", withdrawal)...)
	o.process(0)
	hook := o.questionAbout("").id
	o.answerIssue(hook, "expense.rent.property", nil).want(200)
	ids := o.upload(account, transaction("later", "-900.00", "2026-04-02", withdrawal))
	o.process(0)
	o.wantParts(ids["later"], "memory", "expense.rent.property")
	o.upload(account, transaction("later", "-900.00", "2026-04-02", "SHELL OIL 57444"))
	o.process(0)
	changed := o.questionAbout("is it still").id
	o.answerIssue(changed, "expense.meals", nil).want(200)
	o.wantParts(ids["later"], "user", "expense.meals")
	o.answerIssue(changed, "undo", nil).want(200)
	o.wantParts(ids["later"], "memory", "expense.rent.property")
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(0)
	if got := o.partsOf(ids["later"]); slices.Contains(got, "memory") {
		t.Errorf("without its memory it is still %v", got)
	}
}

// What an answer makes rows seem to be that it does not speak for, they seem no more without it.
func TestWhatUnshownRowsSeemToBeGoesWithTheAnswer(t *testing.T) {
	t.Parallel()
	o, _, q := checkQuestion(t)
	seems := func() any {
		return o.search("query", "2047").want(200).get("transactions", 0, "suggestion", "reason")
	}
	before := seems()
	o.answerIssue(q.id, "expense.supplies; 2: personal.living", nil).want(200).wantAt("partly", "status")
	if got := seems(); got == before {
		t.Fatalf("after an answer to others it still seems so for: %v", got)
	}
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	if got := seems(); got != before {
		t.Errorf("without the answer it seems so for %v, want %v", got, before)
	}
}

// What the business said of rows in words goes from one that another answer decides, and comes back with the memory.
func TestTheNoteOfAMemoryGoesWithIt(t *testing.T) {
	t.Parallel()
	const note = "Part business, part personal: half personal half business"
	o, account := openPaid(t)
	o.upload(account, bills("first", 2, "-300.00", blantvik)...)
	o.process(0)
	hook := o.questionAbout("Blantvik").id
	o.answerIssue(hook, "half personal half business", nil).want(200)
	ids := o.upload(account, bills("later", 1, "-310.00", blantvik)...)
	o.process(0)
	row := func() answer { return o.get(o.path + "/transactions/" + ids["later-0"]).want(200) }
	row().wantAt(note, "transaction", "context")
	o.answerIssue("t:"+ids["later-0"], "expense.meals", nil).want(200)
	row().wantAt(nil, "transaction", "context")
	o.answerIssue("t:"+ids["later-0"], "undo", nil).want(200)
	o.process(0)
	row().wantAt(note, "transaction", "context")
	o.answerIssue("t:"+ids["later-0"], "expense.meals", nil).want(200)
	o.answerIssue(hook, "undo", nil).want(200)
	o.answerIssue("t:"+ids["later-0"], "undo", nil).want(200)
	o.process(0)
	row().wantAt(nil, "transaction", "context")
	row().wantAt(json.Number("1"), "transaction", "issueCount")
}

// A row that the bank changes has the words of the memory that it follows now, and of none where it follows none.
func TestAChangedRowLeavesTheWordsOfItsMemory(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("blantvik", 2, "-300.00", "BLANTVIK LTD")...)
	o.upload(account, bills("norrholt", 2, "-350.00", "NORRHOLT SUPPLY CO")...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "half personal half business for gifts", nil).want(200)
	o.answerIssue(o.questionAbout("Norrholt").id, "half personal half business", nil).want(200)
	for _, step := range []struct {
		description string
		context     any
	}{
		{"BLANTVIK LTD", "A mix: half personal half business for gifts"},
		{"NORRHOLT SUPPLY CO", "Part business, part personal: half personal half business"},
		{"SHELL OIL 57444", nil},
		{"BLANTVIK LTD", "A mix: half personal half business for gifts"},
	} {
		ids := o.upload(account, bills("later", 1, "-310.00", step.description)...)
		o.process(0)
		o.get(o.path+"/transactions/"+ids["later-0"]).want(200).wantAt(step.context, "transaction", "context")
	}
}

// A row that is a leg by a memory alone is none when the answer is taken back, or says something else.
func TestALegByAMemoryIsNoneWithoutIt(t *testing.T) {
	t.Parallel()
	for last, want := range map[string]any{"undo": nil, "expense.meals": "expense.meals"} {
		o, checking := openPaid(t)
		savings := o.uploadAccount("savings")
		o.upload(checking, bills("first", 2, "-480.00", blantvik)...)
		o.process(0)
		hook := o.hookOf(o.all()["first-0"]["id"].(string))
		o.answerIssue(hook, "transfer.internal", nil).want(200)
		ids := o.upload(checking, transaction("out", "-500.00", "2026-04-11", blantvik))
		o.process(0)
		ids["in"] = o.upload(savings, transaction("in", "500.00", "2026-04-13",
			"ONLINE TRANSFER FROM CHK ...9999"))["in"]
		o.process(0)
		row := func(id string) answer { return o.get(o.path + "/transactions/" + ids[id]).want(200) }
		row("out").wantAt(ids["in"], "transaction", "transferTransactionId")
		o.answerIssue(hook, last, nil).want(200)
		o.process(0)
		for _, leg := range []string{"in", "out"} {
			row(leg).wantAt(nil, "transaction", "transferTransactionId")
		}
		if want == nil {
			row("out").wantAt(nil, "transaction", "category")
			row("out").wantAt(json.Number("1"), "transaction", "issueCount")
		} else {
			row("out").wantAt(want, "transaction", "category", "categoryPath")
		}
		row("in").wantAt(nil, "transaction", "category")
		o.sums("2026-01-01", "2026-12-31")
	}
}

// What is not posted yet is no profit, and no answer changes it.
func TestTheEffectOfAnAnswerIsThatOfPostedMoney(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := bills("b", 2, "-480.00", blantvik)
	rows[1]["pending"] = true
	ids := o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "expense.meals", nil).want(200)
	got := o.get(o.path + "/transactions/" + ids["b-0"]).want(200)
	got.wantAt(json.Number("-480.00"), "transaction", "answers", 0, "netProfitEffect")
	got.wantAt(json.Number("2"), "transaction", "answers", 0, "rows")
}

// A row whose memory was taken back, or says something else since, does not come back to what that said: nobody stands
// for it any more.
func TestARowDoesNotFollowAMemoryThatIsGone(t *testing.T) {
	t.Parallel()
	for _, since := range []string{"undo", "expense.supplies"} {
		o, account := openPaid(t)
		const withdrawal = "WITHDRAWAL HOME BANKING 0041"
		o.upload(account, bills("first", 3, "-900.00", withdrawal)...)
		o.process(0)
		hook := o.questionAbout("").id
		o.answerIssue(hook, "expense.rent.property", nil).want(200)
		ids := o.upload(account, transaction("later", "-900.00", "2026-04-02", withdrawal))
		o.process(0)
		o.upload(account, transaction("later", "-900.00", "2026-04-02", "SHELL OIL 57444"))
		o.process(0)
		changed := o.questionAbout("is it still").id
		o.answerIssue(changed, "expense.meals", nil).want(200)
		o.answerIssue(hook, since, nil).want(200)
		o.process(0)
		o.answerIssue(changed, "undo", nil).want(200)
		o.process(0)
		if got := o.partsOf(ids["later"]); slices.Contains(got, "expense.rent.property") {
			t.Errorf("after %s the row is %v, which nobody says", since, got)
		}
	}
}
