package apitest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
)

const depot = "THE HOME DEPOT #1002"

// bought is a business that bought twice from one shop, and got some money back.
func bought(t *testing.T, shop string) (o *office, ids map[string]string) {
	o, account := openPaid(t)
	ids = o.upload(account, transaction("first", "-92.79", "2026-04-16", shop),
		transaction("second", "-50.00", "2026-07-16", shop),
		transaction("back", "92.79", "2026-05-05", shop))
	o.process(0)
	return o, ids
}

// refund is what a refund is, with who says so, and the net profit.
func (o *office) refund(id string) []string {
	o.t.Helper()
	o.process(0)
	row := o.get(o.path + "/transactions/" + id).want(200)
	is := []string{"", "", o.get(o.path+"/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200).text("totals",
		"netProfit")}
	if row.get("transaction", "category") != nil {
		is[0], is[1] = row.text("transaction", "category", "categoryPath"),
			row.text("transaction", "category", "source")
	} else if row.get("transaction", "suggestion") != nil {
		is[0], is[1] = row.text("transaction", "suggestion", "categoryPath"), "suggested"
	}
	return is
}

func (o *office) wantRefund(id string, want ...string) {
	o.t.Helper()
	if got := o.refund(id); !slices.Equal(got, want) {
		o.t.Errorf("the refund is %q, want %q", got, want)
	}
}

func TestARefundFollowsThePurchaseWhoseAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	// one is suggested to be something, one is not known
	for _, shop := range []string{depot, "QUORVANE HOLDINGS LLC"} {
		for _, words := range []string{"undo", "skip", "half personal half business"} {
			o, ids := bought(t, shop)
			before := o.refund(ids["back"])
			hook := o.hookOf(ids["first"])
			for _, says := range []string{"expense.supplies.materials", "expense.meals"} {
				o.answerIssue(hook, says, nil).want(200)
				o.wantRefund(ids["back"], says, "rule", "-50.00")
				o.answerIssue(hook, words, nil).want(200)
				if got := o.refund(ids["back"]); got[1] == "rule" || got[2] != before[2] {
					t.Errorf("%s: after %q and %q the refund is %q; it was %q", shop, says, words, got, before)
				}
			}
		}
	}
}

func TestARefundFollowsThePurchaseThatIsWhatWasSaidOfAllAgain(t *testing.T) {
	t.Parallel()
	o, ids := bought(t, depot)
	o.answerIssue(o.hookOf(ids["first"]), "expense.meals", nil).want(200)
	o.wantRefund(ids["back"], "expense.meals", "rule", "-50.00")
	o.answerIssue("t:"+ids["first"], "expense.supplies.materials", nil).want(200)
	o.wantRefund(ids["back"], "expense.supplies.materials", "rule", "-50.00")
	o.answerIssue("t:"+ids["first"], "undo", nil).want(200)
	o.wantRefund(ids["back"], "expense.meals", "rule", "-50.00")
}

func TestARefundWithoutItsPurchaseIsDecidedAnew(t *testing.T) {
	t.Parallel()
	for name, loses := range map[string]func(o *office, id string){
		"deleted": func(o *office, id string) { o.delete(o.path + "/transactions/" + id).want(200) },
		"later": func(o *office, _ string) {
			o.upload(o.uploadAccount("a"), transaction("first", "-92.79", "2026-08-16", depot))
		},
		"smaller": func(o *office, _ string) {
			o.upload(o.uploadAccount("a"), transaction("first", "-1.00", "2026-04-16", depot))
		},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, transaction("first", "-92.79", "2026-04-16", depot),
			transaction("back", "92.79", "2026-05-05", depot))
		o.process(0)
		o.answerIssue("t:"+ids["first"], "expense.meals", nil).want(200)
		o.wantRefund(ids["back"], "expense.meals", "rule", "0.00")
		loses(o, ids["first"])
		if got := o.refund(ids["back"]); got[1] == "rule" {
			t.Errorf("%s: the refund is %q", name, got)
		}
		if n := o.get(o.path+"/transactions/"+ids["back"]).want(200).size("transaction", "issueIds"); n != 1 {
			t.Errorf("%s: the refund is in %d questions", name, n)
		}
	}
}

// A refund that was filed stays what its purchase was then; what it would be now is told.
func TestAFiledRefundIsAnAdjustmentWhileItsPurchaseIsSomethingElse(t *testing.T) {
	t.Parallel()
	o, ids := bought(t, depot)
	hook, first := o.hookOf(ids["first"]), "t:"+ids["first"]
	o.answerIssue(hook, "expense.meals", nil).want(200)
	o.wantRefund(ids["back"], "expense.meals", "rule", "-50.00")
	o.must(o.rows().SetFilingState(t.Context(), o.clock.Now(), uuid.MustParse(ids["back"]), "filed"))
	for _, step := range []struct{ hook, words, believed, effect string }{
		{first, "personal.living", "personal.living", "-92.79"}, {first, "expense.meals", "", ""},
		{hook, "personal.living", "", ""}, {first, "undo", "personal.living", "-92.79"}, {hook, "undo", "", ""},
	} {
		o.answerIssue(step.hook, step.words, nil).want(200)
		o.process(0)
		o.get(o.path+"/transactions/"+ids["back"]).want(200).wantAt("expense.meals", "transaction", "category",
			"categoryPath")
		pnl := o.get(o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200)
		if step.believed == "" {
			pnl.wantAt(json.Number("0"), "adjustmentCount")
			continue
		}
		pnl.wantAt(json.Number("1"), "adjustmentCount")
		pnl.wantAt(ids["back"], "adjustments", 0, "transactionId")
		pnl.wantAt("expense.meals", "adjustments", 0, "filed")
		pnl.wantAt(step.believed, "adjustments", 0, "nowBelieved")
		pnl.wantAt(json.Number(step.effect), "adjustments", 0, "netProfitEffect")
	}
}

// What a refund is only suggested to be, as its purchase is, goes with the purchase too.
func TestASuggestedRefundWithoutItsPurchaseIsDecidedAnew(t *testing.T) {
	t.Parallel()
	for name, loses := range map[string]func(o *office, account, id string){
		"deleted": func(o *office, _, id string) { o.delete(o.path + "/transactions/" + id).want(200) },
		"later": func(o *office, account, _ string) {
			o.upload(account, transaction("first", "-350.00", "2026-08-16", quorvane))
		},
		"smaller": func(o *office, account, _ string) {
			o.upload(account, transaction("first", "-1.00", "2026-04-16", quorvane))
		},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, transaction("first", "-350.00", "2026-04-16", quorvane),
			transaction("back", "350.00", "2026-05-05", quorvane))
		o.process(0)
		reason := func() any {
			row := o.get(o.path + "/transactions/" + ids["back"]).want(200)
			if row.get("transaction", "suggestion") == nil {
				return nil
			}
			return row.get("transaction", "suggestion", "reason")
		}
		const before = "Money back from Quorvane Holdings, counted like the purchase of 2026-04-16"
		if got := reason(); got != before {
			t.Fatalf("%s: before it was %v", name, got)
		}
		loses(o, account, ids["first"])
		o.process(0)
		if got := reason(); got == before {
			t.Errorf("%s: it is still %v", name, got)
		}
		if n := o.get(o.path+"/transactions/"+ids["back"]).want(200).size("transaction", "issueIds"); n != 1 {
			t.Errorf("%s: the refund is in %d questions", name, n)
		}
	}
}

// A refund that was only suggested after a purchase of its sum is decided anew when that one is deleted, though another
// purchase is large enough.
func TestASuggestedRefundDoesNotNameAPurchaseThatIsGone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account,
		transaction("large", "-626.70", "2026-02-05", "QUORVANE HOLDINGS LLC"),
		transaction("same", "-527.12", "2026-03-16", "QUORVANE HOLDINGS LLC"),
		transaction("back", "527.12", "2026-04-16", "QUORVANE HOLDINGS LLC"))
	o.process(0)
	o.get(o.path+"/transactions/"+ids["back"]).want(200).wantAt(true, "transaction", "isRefund")
	o.delete(o.path + "/transactions/" + ids["same"]).want(200)
	o.process(0)
	o.get(o.path+"/transactions/"+ids["back"]).want(200).wantAt(false, "transaction", "isRefund")
}
