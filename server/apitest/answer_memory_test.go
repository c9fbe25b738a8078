package apitest

import (
	"encoding/json"
	"testing"
)

// Rows that were decided before their answer was noted with them are found by whom it is about.
func TestARowFromMemoryOfBeforeAnswersWereNotedFollowsByName(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"undo", "personal.living"} {
		o, account := openPaid(t)
		o.upload(account, bills("k", 4, "-600.00", blantvik)...)
		o.process(0)
		hook := o.questionAbout("Blantvik").id
		o.answerIssue(hook, "expense.meals", nil).want(200)
		o.upload(account, bills("later", 2, "-600.00", blantvik)...)
		o.process(0)
		o.wantRows("blantvik", 6, "expense.meals", "*", false)
		o.exec(`UPDATE transactions SET answer_id = NULL WHERE organization_id = $1 AND category_source = 'memory'`,
			o.organization)
		o.answerIssue(hook, last, nil).want(200)
		o.process(0)
		if last == "undo" {
			o.wantAsked("Blantvik", 6, "3600.00", openQuestion{id: hook})
		} else {
			o.wantRows("blantvik", 6, last, "*", false)
		}
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
