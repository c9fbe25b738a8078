package apitest

import (
	"slices"
	"testing"
)

const (
	mixedShop = "COSTCO WHSE #0681 AUSTIN TX"
	payroll   = "GUSTO 8663423 ID:6SEMJR009 INDN:JUNIPER BIKES"
)

func TestAMixOfPurposesLeavesRowsUncategorizedAndIsAskedOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, context string
		option        any
	}{
		{"Part business, part personal", "Part business, part personal", "split"},
		{"About 60 % is for the shop", "Part business, part personal: About 60 % is for the shop", "split"},
		{"both", "Part business, part personal: both", nil},
	} {
		o, account := openPaid(t)
		o.upload(account, bills("first", 3, "-480.00", mixedShop)...)
		o.process(0)
		q := o.questionAbout("Costco")
		if n := len(q.options); n > 4 || !slices.Contains(q.options, "split") ||
			!slices.Contains(q.options, "personal.living") {
			t.Fatalf("options %v", q.options)
		}
		o.answerIssue(q.id, c.text, c.option).want(200)
		o.answerIssue(q.id, c.text, c.option).want(200)
		o.wantRows("costco", 3, "", "", false)
		o.upload(account, bills("later", 2, "-490.00", mixedShop)...)
		o.process(0)
		o.wantNoQuestions()
		o.wantRows("costco", 5, "", "", false)
		o.wantContext("costco", 5, c.context)
		o.get(o.path+"/profile").want(200).wantAt(5, "coverage", "transactions", "uncategorized")
	}
}

func TestAMixOfAPaymentThatIsNotYetSplitKeepsItApart(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 3, "-4800.00", payroll)...)
	o.process(0)
	q := o.questionAbout("Gusto")
	if n := len(q.options); n > 4 || !slices.Contains(q.options, "split") ||
		slices.Contains(q.options, "personal.living") {
		t.Fatalf("options %v", q.options)
	}
	o.answerIssue(q.id, "A mix of these", "split").want(200)
	o.wantRows("gusto", 3, "expense.wages.provider_funding", "user", false)
	o.wantContext("gusto", 3, "A mix of these")
	o.upload(account, bills("later", 2, "-4900.00", payroll)...)
	o.process(0)
	o.wantNoQuestions()
	o.wantRows("gusto", 5, "expense.wages.provider_funding", "*", false)
}

// Money that comes in is not split: nobody is paid partly.
func TestAMixIsOfferedForMoneyOutAlone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("in", 3, "480.00", blantvik), bills("payroll", 3, "4800.00", payroll)...)...)
	o.process(0)
	if len(o.questions()) != 2 {
		t.Fatalf("asked: %v", o.questions())
	}
	for text, q := range o.questions() {
		if slices.Contains(q.options, "split") || len(q.options) < 2 || len(q.options) > 4 {
			t.Errorf("%s: options %v", text, q.options)
		}
		o.answerIssue(q.id, "A mix of these", "split").want(422)
	}
}
