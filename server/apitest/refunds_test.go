package apitest

import (
	"slices"
	"strings"
	"testing"
)

const stationer = "STAPLES STORE 0042"

// refunded are a purchase of 100 and what came back from its shop since, more than that.
func refunded() (purchase M, refunds []M) {
	return transaction("p", "-100.00", "2026-03-01", stationer), []M{
		transaction("r0", "100.00", "2026-03-10", stationer), transaction("r1", "100.00", "2026-03-11", stationer),
		transaction("r2", "100.00", "2026-03-12", stationer),
		transaction("s", "40.00", "2026-03-20", stationer+" RETURN"),
	}
}

// overRefunded is a business whose books have them, the purchase being answered.
func overRefunded(t *testing.T) (o *office, account string, ids map[string]string) {
	t.Helper()
	o, account = openPaid(t)
	purchase, refunds := refunded()
	ids = o.upload(account, append(refunds, purchase)...)
	o.process(0)
	o.answerIssue("t:"+ids["p"], "expense.supplies", nil).want(200)
	o.wantKnownRefunds(ids, "r0")
	return o, account, ids
}

// wantKnownRefunds fails where other refunds than these are supplies as their purchase is, or another one is not asked
// about, and where the profit has others in it.
func (o *office) wantKnownRefunds(ids map[string]string, want ...string) {
	o.t.Helper()
	o.process(0)
	var known []string
	for name, id := range ids {
		row := o.get(o.path + "/transactions/" + id)
		if name == "p" || row.status == 404 {
			continue
		}
		is, _ := row.get("transaction", "category").(map[string]any)
		if is != nil && is["categoryPath"] == "expense.supplies" {
			known = append(known, name)
		}
		row.wantAt(is == nil, "transaction", "needsAttention")
		if is == nil {
			row.text("transaction", "suggestion", "categoryPath")
		}
	}
	slices.Sort(known)
	if !slices.Equal(known, want) {
		o.t.Errorf("known to be refunds are %q, want %q", known, want)
	}
}

func (o *office) wantExpenses(want string) {
	o.t.Helper()
	got := o.get(o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200)
	if expenses := got.text("totals", "operatingExpenses"); expenses != want {
		o.t.Errorf("operating expenses are %s, want %s", expenses, want)
	}
}

// However the rows come, and whatever they come with, it is the first refunds that are of the purchase.
func TestNoMoreIsKnownToBeRefundedThanWasBought(t *testing.T) {
	t.Parallel()
	purchase, refunds := refunded()
	backwards := slices.Clone(refunds)
	slices.Reverse(backwards)
	alone := func(rows []M) (batches [][]M) {
		for _, row := range rows {
			batches = append(batches, []M{row})
		}
		return batches
	}
	for name, batches := range map[string][][]M{
		"in one batch":          {append([]M{purchase}, refunds...)},
		"refunds later":         {{purchase}, refunds},
		"one after the other":   append([][]M{{purchase}}, alone(refunds)...),
		"the last refund first": append([][]M{{purchase}}, alone(backwards)...),
		"the purchase last":     append(alone(backwards), []M{purchase}),
	} {
		for _, answered := range []string{"at once", "at last"} {
			o, account := openPaid(t)
			ids := map[string]string{}
			answer := func() {
				o.process(0)
				if id := ids["p"]; id != "" {
					o.answerIssue("t:"+id, "expense.supplies", nil).want(200)
				}
			}
			for _, batch := range batches {
				for row, id := range o.upload(account, batch...) {
					ids[row] = id
				}
				if o.process(0); answered == "at once" && ids["p"] != "" && batch[0]["external_id"] == "p" {
					answer()
				}
			}
			if answered == "at last" {
				answer()
			}
			o.wantKnownRefunds(ids, "r0")
			o.wantExpenses("0.00")
			o.get(o.path+"/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200).
				wantAt(false, "basis", "complete")
			if t.Failed() {
				t.Fatalf("%s, answered %s", name, answered)
			}
		}
	}
}

// What is known of a refund follows what becomes of the purchase and of the refunds before it.
func TestARefundIsKnownOnceThoseBeforeItLeaveEnoughOfThePurchase(t *testing.T) {
	t.Parallel()
	change := func(amount, date string) func(o *office, account, id string, row M) {
		return func(o *office, account, id string, row M) {
			description := row["description"].(string)
			o.upload(account, transaction(row["external_id"].(string), amount, date, description))
		}
	}
	answer := func(words ...string) func(o *office, account, id string, row M) {
		return func(o *office, _, id string, _ M) {
			for _, w := range words {
				o.answerIssue("t:"+id, w, nil).want(200)
				o.process(0)
			}
		}
	}
	purchase, refunds := refunded()
	for name, c := range map[string]struct {
		row      M
		becomes  func(o *office, account, id string, row M)
		want     string
		expenses string
	}{
		"the refund is deleted": {refunds[0], func(o *office, _, id string, _ M) {
			o.delete(o.path + "/transactions/" + id).want(200)
		}, "r1", "0.00"},
		"the refund is smaller": {refunds[0], change("40.00", "2026-03-10"), "r0 s", "20.00"},
		"the refund is later":   {refunds[0], change("100.00", "2026-03-19"), "r1", "0.00"},
		"the refund is a sale":  {refunds[0], answer("revenue.sales.services"), "r1", "0.00"},
		"the refund is a sale no more": {refunds[0], answer("revenue.sales.services", "undo"), "r0",
			"0.00"},
		"another is of the purchase":         {refunds[2], answer("expense.supplies"), "r2", "0.00"},
		"another is of the purchase no more": {refunds[2], answer("expense.supplies", "undo"), "r0", "0.00"},
		"the purchase is larger":             {purchase, change("-240.00", "2026-03-01"), "r0 r1 s", "0.00"},
		"the purchase is smaller":            {purchase, change("-45.00", "2026-03-01"), "s", "5.00"},
		"the purchase is something else":     {purchase, answer("expense.meals"), "", "0.00"},
		"the purchase is what it was":        {purchase, answer("expense.meals", "expense.supplies"), "r0", "0.00"},
		"the purchase is not known":          {purchase, answer("undo"), "", "0.00"},
	} {
		o, account, ids := overRefunded(t)
		c.becomes(o, account, ids[c.row["external_id"].(string)], c.row)
		o.process(0)
		if strings.HasPrefix(name, "the purchase is something") {
			o.get(o.path+"/transactions/"+ids["r0"]).want(200).
				wantAt("expense.meals", "transaction", "category", "categoryPath")
		} else {
			o.wantKnownRefunds(ids, strings.Fields(c.want)...)
		}
		o.wantExpenses(c.expenses)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// Of two purchases there may be two refunds, and of parts of one as many as come to no more.
func TestRefundsThatComeToNoMoreThanWasBoughtAreAllKnown(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][]M{
		"each of its own": {transaction("p2", "-100.00", "2026-03-02", stationer),
			transaction("r0", "100.00", "2026-03-10", stationer), transaction("r1", "100.00", "2026-03-11", stationer)},
		"parts of one": {transaction("r0", "60.00", "2026-03-10", stationer+" RETURN"),
			transaction("r1", "40.00", "2026-03-11", stationer+" RETURN")},
		"a part of the smaller, the larger wholly": {transaction("p2", "-60.00", "2026-02-27", stationer),
			transaction("r0", "40.00", "2026-03-10", stationer+" RETURN"),
			transaction("r1", "100.00", "2026-03-11", stationer)},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, append(rows, transaction("p", "-100.00", "2026-03-01", stationer))...)
		o.process(0)
		for _, p := range []string{"p", "p2"} {
			if id := ids[p]; id != "" {
				o.answerIssue("t:"+id, "expense.supplies", nil).want(200)
				o.process(0)
			}
		}
		delete(ids, "p2")
		o.wantKnownRefunds(ids, "r0", "r1")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
