package apitest

import (
	"encoding/json"
	"fmt"
	"testing"
)

const (
	texas, california = "ORIG CO NAME:TX COMPTROLLER CO ENTRY DESCR:SALES TAX SEC:CCD",
		"CA CDTFA SALES TAX EPMT 28221 CDTFA EPMT"
	salesTaxQuestion = "Is sales tax included in your receipts?"
)

func TestSalesTaxIsAskedOfTheBusinessOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, category, deducted string
		option                   any
	}{
		{"It is", "expense.taxes_licenses.sales_tax", "5200.00", "expense.taxes_licenses.sales_tax"},
		{"Yes", "expense.taxes_licenses.sales_tax", "5200.00", nil},
		{"no.", "liability.sales_tax_collected", "0.00", nil},
	} {
		o, account := openPaid(t)
		o.upload(account, append(bills("tx", 2, "-1200.00", texas), bills("ca", 1, "-800.00", california)...)...)
		o.process(0)
		q := o.questionAbout("sales tax")
		if q.text != salesTaxQuestion || q.objectType != "company" || q.objectID != o.organization ||
			q.transactions != "3" || q.amount != "3200.00" {
			t.Fatalf("asked %+v", q)
		}
		if len(o.questions()) != 1 {
			t.Errorf("asked beside it: %v", o.questions())
		}
		o.get(o.path+"/outstanding-issues?objectType=company").want(200).wantAt(1, "totalOpen")
		o.wantRows("tax", 3, "liability.sales_tax_collected", "suggested", true)
		o.answerIssue(q.id, c.text, c.option).want(200)
		o.wantRows("tax", 3, c.category, "user", false)

		o.upload(account, append(bills("tx-later", 1, "-1300.00", texas),
			bills("ca-later", 1, "-700.00", california)...)...)
		o.process(0)
		o.wantNoQuestions()
		o.wantRows("tax", 5, c.category, "*", false)
		o.get(o.path+"/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200).
			wantAt(json.Number(c.deducted), "totals", "operatingExpenses")
	}
}

func TestTheQuestionAboutSalesTaxClosesWhenItsReasonGoes(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("tx", 1, "-1200.00", texas), bills("ca", 1, "-800.00", california)...)...)
	o.process(0)
	q := o.questionAbout("sales tax")
	o.delete(o.path + "/transactions/" + ids["tx-0"]).want(200)
	if left := o.questionAbout("sales tax"); left.id != q.id || left.transactions != "1" || left.amount != "800.00" {
		t.Errorf("after one went the question is %+v", left)
	}
	reworded := bills("ca", 1, "-18.00", "MONTHLY SERVICE FEE")
	o.upload(account, reworded...)
	o.process(0)
	o.wantNoQuestions()
	// It was not answered, so it is asked when there is a reason again.
	o.upload(account, bills("again", 1, "-900.00", texas)...)
	o.process(0)
	again := o.questionAbout("sales tax")
	if again.id == q.id || again.transactions != "1" {
		t.Errorf("asked again as %+v", again)
	}
	o.delete(o.path + "/transactions/" + o.search("query", "texas").want(200).text("transactions", 0, "id")).want(200)
	o.answerIssue(again.id, "yes, it is", nil).want(200) // it closed by itself, and decides what comes
	o.upload(account, bills("last", 1, "-950.00", texas)...)
	o.process(0)
	o.wantNoQuestions()
	o.wantRows("sales tax included", 1, "expense.taxes_licenses.sales_tax", "memory", false)
}

func TestOtherWordsAboutSalesTaxAreNoAnswer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("tx", 1, "-1200.00", texas)...)
	o.process(0)
	// a category, but no answer to this
	o.answerIssue(o.questionAbout("sales tax").id, "Meals", nil).want(200).wantAt("unclear", "status")
	o.upload(account, bills("later", 1, "-1300.00", california)...)
	o.process(0)
	if q := o.questionAbout("sales tax"); q.transactions != "2" {
		t.Errorf("asked about %s rows", q.transactions)
	}
	o.wantRows("tax", 2, "liability.sales_tax_collected", "suggested", true)
}

// Authorities take other taxes too: that they do is no answer about the business's receipts.
func TestAnotherTaxIsAboutTheAuthoritiesThatWerePaid(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("tx", 2, "-600.00", "TX COMPTROLLER TAX PYMT")...)
	o.process(0)
	o.answerIssue(o.questionAbout("sales tax").id, "Franchise tax", "expense.taxes_licenses.state_business").want(200)
	o.upload(account, append(bills("tx-later", 1, "-700.00", "TX COMPTROLLER TAX PYMT"),
		bills("ca", 1, "-800.00", california)...)...)
	o.process(0)
	o.wantRows("comptroller", 3, "expense.taxes_licenses.state_business", "*", false)
	if q := o.questionAbout("sales tax"); q.transactions != "1" || q.amount != "800.00" {
		t.Errorf("asked about %s rows of %s", q.transactions, q.amount)
	}
}

// The questions of an upload are listed by money times doubt times what depends on them.
func TestTheQuestionsOfAnUploadComeByTheirWorth(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account,
		transaction("small", "-90.00", "2026-03-01", "AARDVELD TRADING LLC"),
		transaction("large", "-9000.00", "2026-03-02", "ZZYRVANE TRADING LLC"),
		transaction("middle", "-900.00", "2026-03-03", "MERRIVANE TRADING LLC"),
		transaction("likely", "-1000.00", "2026-03-03", "KAISER PERMANENTE PREMIUM 0412"), // nearly always what it says
	)
	o.process(0)
	page := o.get(o.path + "/outstanding-issues").want(200)
	var rows []string
	for i := range page.size("issues") {
		rows = append(rows, page.text("issues", i, "impact", "amount"))
	}
	if got := fmt.Sprint(rows); got != "[9000.00 900.00 90.00 1000.00]" {
		t.Errorf("asked in the order of %s", got)
	}
}
