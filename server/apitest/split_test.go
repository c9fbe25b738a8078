package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/money"
)

// partsOf are the parts of a row as "path amount", with the source in front; of a row without parts its category or
// suggestion.
func (o *office) partsOf(id string) []string {
	o.t.Helper()
	got := o.get(o.path + "/transactions/" + id).want(200)
	return partsIn(got, "transaction")
}

func partsIn(got answer, at ...any) []string {
	got.t.Helper()
	member := func(more ...any) []any { return append(slices.Clone(at), more...) }
	if got.size(member("parts")...) == 0 {
		switch {
		case got.get(member("category")...) != nil:
			return []string{got.text(member("category", "source")...), got.text(member("category", "categoryPath")...)}
		case got.get(member("suggestion")...) != nil:
			return []string{"suggested", got.text(member("suggestion", "categoryPath")...)}
		default:
			return nil
		}
	}
	got.wantAt(nil, member("category")...)
	got.wantAt(nil, member("suggestion")...)
	parts := []string{got.text(member("parts", 0, "source")...)}
	var sum money.Amount
	for i := range got.size(member("parts")...) {
		amount := got.text(member("parts", i, "amount")...)
		cents, err := money.Parse(amount)
		if err != nil {
			got.t.Fatal(err)
		}
		sum += cents
		parts = append(parts, got.text(member("parts", i, "categoryPath")...)+" "+amount)
	}
	if amount := got.text(member("amount")...); sum.String() != amount {
		got.t.Errorf("parts of %s come to %s: %v", amount, sum, parts)
	}
	return parts
}

// wantParts compares the source and the parts of a row.
func (o *office) wantParts(id string, want ...string) {
	o.t.Helper()
	if got := o.partsOf(id); !slices.Equal(got, want) {
		o.t.Errorf("parts %q, want %q", got, want)
	}
}

// sums are a profit and loss and a cash flow of some days, after their identity was held: net profit, what is not on the
// form and what is not categorized are the cash flow, which with own transfers is the sum of the rows.
func (o *office) sums(from, to string) map[string]string {
	o.t.Helper()
	days := query("startDate", from, "endDate", to)
	pnl, cash := o.get(o.path+"/reports/pnl"+days).want(200), o.get(o.path+"/reports/cashflow"+days).want(200)
	cents := func(got answer, path ...any) money.Amount {
		amount, err := money.Parse(got.text(path...))
		o.must(err)
		return amount
	}
	sum := cents(pnl, "totals", "netProfit") + cents(pnl, "basis", "uncategorized", "inflow") - cents(pnl, "basis", "uncategorized", "outflow")
	sums := map[string]string{"netProfit": pnl.text("totals", "netProfit"), "rows": pnl.text("basis", "transactionCount")}
	for i := range pnl.size("notOnForm") {
		sum += cents(pnl, "notOnForm", i, "net")
	}
	if net := cents(cash, "totals", "net"); sum != net {
		o.t.Errorf("%s to %s: the profit and loss adds up to %v, the cash flow is %v", from, to, sum, net)
	}
	for i := range pnl.size("scheduleC") {
		sums["line "+pnl.text("scheduleC", i, "line")] = pnl.text("scheduleC", i, "amount")
	}
	var walk func(got answer, at ...any)
	walk = func(got answer, at ...any) {
		for i := range got.size(at...) {
			node := func(member ...any) []any { return append(append(slices.Clone(at), i), member...) }
			sums[got.text(node("categoryPath")...)] = got.text(node("net")...) + " x" + got.text(node("transactionCount")...)
			walk(got, node("children")...)
		}
	}
	walk(cash, "categories")
	cash.wantAt(json.Number(pnl.text("basis", "transactionCount")), "basis", "transactionCount")
	return sums
}

const phone = "VERIZON WIRELESS PAYMENT"

func TestASplitDividesTheRowsOfAQuestionAndTheNextOnes(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("p", 3, "-100.01", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "60% phone; rest personal", nil).want(200).wantAt("accepted", "status")
	o.wantParts(ids["p-0"], "user", "expense.utilities.phone -60.01", "personal.living -40.00")
	later := o.upload(account, transaction("later", "-50.05", "2026-04-02", blantvik))
	o.process(0)
	o.wantNoQuestions()
	o.wantParts(later["later"], "memory", "expense.utilities.phone -30.03", "personal.living -20.02")
	sums := o.sums("2026-01-01", "2026-12-31")
	for name, want := range map[string]string{
		"netProfit": "-210.06", "line 25": "210.06", "expense.utilities.phone": "-210.06 x4", "personal.living": "-140.02 x4", "rows": "4",
	} {
		if sums[name] != want {
			t.Errorf("%s is %s, want %s", name, sums[name], want)
		}
	}
	for _, words := range []string{"60% phone; rest personal", fmt.Sprint("undo")} {
		o.answerIssue(q.id, words, nil).want(200)
	}
	o.process(0)
	if got := o.partsOf(ids["p-0"]); len(got) > 0 && !strings.HasPrefix(got[0], "suggested") {
		t.Errorf("taken back, the row is %q", got)
	}
	if sums := o.sums("2026-01-01", "2026-12-31"); sums["netProfit"] != "0.00" {
		t.Errorf("net profit %s", sums["netProfit"])
	}
}
