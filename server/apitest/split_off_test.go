package apitest

import (
	"encoding/json"
	"strings"
	"testing"
)

const closing = "WIRE IN ORIG:HARBOR TITLE & ESCROW TRUST ACCT REF:CLOSING 14 ELM ST"

// What a closing pays out is the price of a house less what was taken off of it; everything that sums sums these parts.
func TestWhatIsTakenOffOfAClosingCountsTheOtherWay(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("closing", "84210.33", "2026-03-05", closing),
		transaction("plain", "-100.00", "2026-03-06", blantvik))
	o.process(0)
	o.answerIssue("t:"+ids["plain"], "Bank fees", nil).want(200)
	hook := "t:" + ids["closing"]
	o.answerIssue(hook, "182,000 revenue.sales, less 91,500.20 principal, less the rest legal fees", nil).want(200)
	o.process(0)
	o.wantParts(ids["closing"], "user", "revenue.sales 182000.00", "liability.loan_principal -91500.20",
		"expense.legal_professional.legal -6289.47")
	sums := o.sums("2026-03-01", "2026-03-31")
	for name, want := range map[string]string{
		"line 1": "182000.00", "line 17": "6289.47", "netProfit": "175610.53",
		"liability.loan_principal": "-91500.20 x1", "rows": "2",
		"revenue.sales": "182000.00 x1",
	} {
		if sums[name] != want {
			t.Errorf("%s is %s, want %s", name, sums[name], want)
		}
	}
	o.get(o.path+"/transactions/"+ids["closing"]).want(200).wantAt(json.Number("175710.53"), "transaction", "answers",
		0, "netProfitEffect")
	for path, want := range map[string]int{"expense.legal_professional": 1, "liability": 1, "revenue": 1,
		"expense": 2} {
		if got := o.search("categoryPath", path).want(200); got.size("transactions") != want {
			t.Errorf("%s finds %d rows, want %d", path, got.size("transactions"), want)
		}
	}
	days := query("startDate", "2026-03-01", "endDate", "2026-03-31", "categoryPaths", `[["expense"]]`)
	cash := o.get(o.path + "/reports/cashflow" + days).want(200)
	cash.wantAt(json.Number("-6389.47"), "totals", "net")
	cash.wantAt(json.Number("6389.47"), "totals", "outflow")
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(0)
	if sums := o.sums("2026-03-01", "2026-03-31"); sums["netProfit"] != "-100.00" {
		t.Errorf("taken back, net profit is %s", sums["netProfit"])
	}
}

// Percentages of what is taken off are of the payment, and divide the next ones; amounts are those of one payment.
func TestAShareThatIsTakenOffDividesTheNextRowsToo(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("p", 2, "97.01", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "less 3% expense.commissions_fees, rest revenue.sales", nil).want(200)
	o.wantParts(ids["p-0"], "user", "expense.commissions_fees -2.91", "revenue.sales 99.92")
	later := o.upload(account, transaction("later", "200.00", "2026-04-02", blantvik))
	o.process(0)
	o.wantParts(later["later"], "memory", "expense.commissions_fees -6.00", "revenue.sales 206.00")
	o.answerIssue("t:"+later["later"], "210.00 revenue.sales, less rest expense.commissions_fees", nil).want(200)
	o.wantParts(later["later"], "user", "revenue.sales 210.00", "expense.commissions_fees -10.00")
	changed := o.upload(account, transaction("later", "195.00", "2026-04-02", blantvik))
	o.process(0)
	o.wantParts(changed["later"], "user", "revenue.sales 210.00", "expense.commissions_fees -15.00")
	o.sums("2026-01-01", "2026-12-31")
}

// A processor's statement of the year says what customers paid and what it kept: each payout bears its share.
func TestAYearsFeesAreTakenOffOfItsPayouts(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("p", "2026", "100.00", blantvik, 3)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "310.01 revenue.sales, less 10.01 expense.commissions_fees in 2026", nil).want(200)
	o.process(0)
	o.wantParts(ids["p-0"], "user", "revenue.sales 103.33", "expense.commissions_fees -3.33")
	o.wantParts(ids["p-2"], "user", "revenue.sales 103.34", "expense.commissions_fees -3.34")
	sums := o.sums("2026-01-01", "2026-12-31")
	if sums["line 1"] != "310.01" || sums["line 10"] != "10.01" || sums["netProfit"] != "300.00" {
		t.Errorf("%v", sums)
	}
	o.upload(account, transaction("p-3", "100.00", "2026-04-05", blantvik))
	o.process(0)
	if sums := o.sums("2026-01-01", "2026-12-31"); sums["line 1"] != "310.01" || sums["line 10"] != "10.01" {
		t.Errorf("a payout beyond the statement is none of it: %v", sums)
	}
	o.wantOpen("", "p-3")
}

func TestWhatIsTakenOffMustFitTheRow(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("r", "100.00", "2026-03-01", blantvik))
	o.process(0)
	for words, want := range map[string]string{
		"80.00 sales, less rest expense.commissions_fees": "come to 80.00 and no part that takes the rest, less " +
			"than the 100.00",
		"120.00 sales, less 10.00 bank fees":             "come to 110.00, more than the 100.00",
		"less 10.00 bank fees":                           "not what it is taken off of",
		"120.00 revenue.sales, less 20.00 revenue.sales": "is taken off and is not",
		"100% sales, less 5% bank fees":                  "come to 95 %",
		"120.00 sales, less rest bank fees in 2026":      "off of a year's amounts",
		"120.00 sales, less 10.00 bank fees in 2026":     "come to 110.00, more than the payments of 2026",
		"120.00 sales, less 20.00 expense.nothing.at":    "nearest:",
	} {
		got := o.answerIssue("t:"+ids["r"], words, nil)
		if got.status != 422 {
			t.Errorf("%q: status %d", words, got.status)
			continue
		}
		if text := got.text("issues", 0, "message"); !strings.Contains(text, want) {
			t.Errorf("%q: %q does not say %q", words, text, want)
		}
	}
}
