package apitest

import (
	"fmt"
	"testing"
)

// An answer to a question whose only row went elsewhere is about no row: the others of its counterparty are asked about
// in another one.
func TestAnAnswerToAClosedQuestionAboutAnAmountDecidesNoOtherRows(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]func(o *office, account, id string) (left string){
		"deleted": func(o *office, _, id string) string {
			o.delete(o.path + "/transactions/" + id).want(200)
			return "5"
		},
		"corrected": func(o *office, account, _ string) string {
			o.upload(account, transaction("big", "420.00", "2026-06-05", "Redwood Dental"))
			return "6"
		},
	} {
		o, account := openPaid(t)
		rows := []M{transaction("big", "55603.18", "2026-06-05", "Redwood Dental")}
		for i := range 5 {
			rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("4%d0.00", i),
				fmt.Sprintf("2026-0%d-05", i+1), "Redwood Dental"))
		}
		ids := o.upload(account, rows...)
		o.process(0)
		large := o.questionAbout("55603.18")
		left := leaves(o, account, ids["big"])
		o.process(0)
		o.issue(large.id, "closed")
		open := o.questionAbout("Redwood Dental")
		o.answerIssue(large.id, "equity.owner_contribution", nil).want(200)
		o.process(0)
		if after := o.questionAbout("Redwood Dental"); after.transactions != left || after.amount != open.amount {
			t.Errorf("%s: the open question is about %s rows of %s, and was about %s of %s", name, after.transactions,
				after.amount,
				open.transactions, open.amount)
		}
		o.wantRows("redwood", len(o.search("query", "redwood").want(200).found()), "*", "suggested", true)
	}
}

// The question about all of a counterparty closed with them; the one payment that stands out is asked about by itself.
func TestAnAnswerToAClosedQuestionLeavesRowsToTheOpenOnesAboutThem(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := []M{transaction("big", "55603.18", "2026-06-05", "Redwood Dental")}
	for i := range 5 {
		rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("4%d0.00", i), fmt.Sprintf("2026-0%d-05", i+1),
			"Redwood Dental"))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	all, large := o.questionAbout("Redwood Dental pay"), o.questionAbout("55603.18")
	for i := range 5 {
		o.delete(o.path + "/transactions/" + ids[fmt.Sprint("r", i)]).want(200)
	}
	o.process(0)
	o.issue(all.id, "closed")
	o.answerIssue(all.id, "revenue.sales", nil).want(200)
	o.process(0)
	o.wantRows("redwood", 1, "*", "suggested", true)
	o.wantAsked("55603.18", 1, "55603.18", large)
}

func TestARowThatIsAnsweredAgainLeavesTheQuestionItCameToSince(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append([]M{transaction("deposit", "6300.44", "2026-06-29", "DEPOSIT")},
		transaction("f", "300.00", "2026-05-01", "Blue Heron Studio"),
		transaction("g", "310.00", "2026-06-01", "Blue Heron Studio"),
		transaction("h", "320.00", "2026-07-01", "Blue Heron Studio"))...)
	o.process(0)
	of := o.get(o.path+"/transactions/"+ids["deposit"]).want(200).text("transaction", "issueIds", 0)
	o.answerIssue(of, "Blue Heron Studio", nil).want(200)
	o.process(0)
	o.wantAsked("Blue Heron", 4, "7230.44", o.questionAbout("Blue Heron"))
	o.answerIssue(of, "revenue.sales", nil).want(200)
	o.process(0)
	row := o.get(o.path + "/transactions/" + ids["deposit"]).want(200)
	row.wantAt("revenue.sales", "transaction", "category", "categoryPath")
	row.wantAt(false, "transaction", "needsAttention")
	o.wantAsked("Blue Heron", 3, "930.00", o.questionAbout("Blue Heron"))
	o.answerIssue(of, "undo", nil).want(200)
	o.process(0)
	if n := o.get(o.path+"/transactions/"+ids["deposit"]).want(200).size("transaction", "issueIds"); n != 1 {
		t.Errorf("the deposit is in %d questions", n)
	}
	o.wantAsked("Blue Heron", 3, "930.00", o.questionAbout("Blue Heron"))
}
