package apitest

import (
	"encoding/json"
	"strings"
	"testing"
)

// The parts of a payment that something is taken off of come to more than the payment, and so to more than an amount
// can be where it is as large as one: such an answer is refused, and nothing changes.
func TestAnAnswerWithPartsOfMoreThanAnAmountCanBeIsRefused(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("large", "-9999999999999.99", "2026-03-01", blantvik),
		transaction("small", "-100.00", "2026-03-02", quorvane))
	o.process(0)
	for _, c := range [][2]string{
		{"large", "less 1 meals, rest car"},
		{"large", "less 100% meals, rest car"},
		{"large", "less 0.01% meals, rest car"},
		{"large", "less 1 meals in 2026, rest car"},
		{"small", "9,999,999,999,999.99 car, 0.01 car, less rest meals"},
	} {
		got := o.answerIssue("t:"+ids[c[0]], c[1], nil)
		if got.status != 422 {
			t.Errorf("%q: status %d: %s", c[1], got.status, got.body)
			continue
		}
		const want = "has parts that come to more than an amount can be"
		if text := got.text("issues", 0, "message"); !strings.Contains(text, want) {
			t.Errorf("%q: %q does not say %q", c[1], text, want)
		}
	}
	o.wantCategories(map[string]string{"large": "", "small": ""})
	o.answerIssue("t:"+ids["large"], "60% meals, rest car", nil).want(200).wantAt("accepted", "status")
	o.answerIssue("t:"+ids["small"], "9,999,999,999,999.99 car, less rest meals", nil).want(200).
		wantAt("accepted", "status")
	o.wantParts(ids["small"], "user", "expense.car_truck -9999999999999.99", "expense.meals 9999999999899.99")
}

// Nor is a next or a changed payment divided into such parts: it is asked about.
func TestWhatIsRememberedDividesNothingIntoMoreThanAnAmountCanBe(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("p", 2, "-5000000000000.00", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "less 50% meals, rest car", nil).want(200).
		wantAt("accepted", "status")
	rows := bills("p", 2, "-5000000000000.00", blantvik)
	rows[1]["amount"] = json.Number("-9000000000000.00")
	ids := o.upload(account, append(rows, transaction("next", "-7000000000000.00", "2026-04-02", blantvik))...)
	o.process(0)
	o.wantParts(ids["p-0"], "user", "expense.meals 2500000000000.00", "expense.car_truck -7500000000000.00")
	if q := o.questionAbout("Blantvik"); q.transactions != "2" {
		t.Errorf("asked: %+v", q)
	}
}

// Nor is a payment of a year: the year is asked about again, and takes the same words once none is so large any more.
func TestAYearsFigureLapsesWherePartsWouldBeMoreThanAnAmountCanBe(t *testing.T) {
	t.Parallel()
	const words = "less 1,510.20 expense.commissions_fees in 2025, rest revenue.sales"
	for of, why := range map[string]string{"row": "", "counterparty": fitsNoMore} {
		o, account := openPaid(t)
		ids := o.upload(account, eachMonth("p", "2025", "300.00", blantvik, 2)...)
		o.process(0)
		hook := "t:" + ids["p-0"]
		if of == "counterparty" {
			hook = strings.TrimSuffix(o.hookOf(ids["p-1"]), "out") + "in"
		}
		o.answerIssue(hook, words, nil).want(200).wantAt("accepted", "status")
		was, day := o.partsOf(ids["p-0"]), o.all()["p-0"]["primaryDate"].(string)
		o.upload(account, transaction("p-0", "9999999999999.99", day, blantvik))
		o.process(0)
		o.wantOpen(why, "p-0", "p-1")
		o.answerIssue(hook, words, nil).want(422)
		o.upload(account, transaction("p-0", "300.00", day, blantvik))
		o.process(0)
		o.answerIssue(hook, words, nil).want(200).wantAt("accepted", "status")
		o.wantParts(ids["p-0"], was...)
	}
}

// Percentages that are taken off beside a year's figure say nothing of a new payment that is too large for them.
func TestAYearsFigureStaysWhereANewPaymentIsTooLargeForItsPercentages(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("p", "2025", "5000000000000.00", blantvik, 2)...)
	o.process(0)
	o.answerIssue(strings.TrimSuffix(o.hookOf(ids["p-0"]), "out")+"in",
		"less 50% expense.commissions_fees, less 10.00 expense.travel in 2025, rest revenue.sales", nil).want(200)
	was := o.partsOf(ids["p-0"])
	o.upload(account, transaction("next", "7000000000000.00", "2025-05-05", blantvik))
	o.process(0)
	o.wantOpen("", "next")
	o.wantParts(ids["p-0"], was...)
}
