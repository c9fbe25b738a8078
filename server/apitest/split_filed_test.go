package apitest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// file says of a row whether it is filed: filed or unfiled.
func (o *office) file(id, state string) {
	o.t.Helper()
	o.must(o.rows().SetFilingState(o.t.Context(), o.clock.Now(), uuid.MustParse(id), state))
}

// A filed row keeps what it was filed as, whatever the bank makes of its amount in between: parts of a cent, of nothing
// or of the other direction say nothing of those that were filed.
func TestAFiledRowThatTheBankCorrectsBackIsDividedAsItWasFiled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, amount, words, other, divided string }{
		"percentages": {loan, "-455.00", "60% supplies, rest personal", "-910.00",
			"expense.supplies -546.00, personal.living -364.00"},
		"an amount": {loan, "-455.00", "10.00 supplies, rest personal", "-910.00",
			"expense.supplies -20.00, personal.living -890.00"},
		"thirds": {loan, "-455.00", "33.33% supplies, 33.33% meals, rest personal", "-910.00",
			"expense.supplies -303.30, expense.meals -303.30, personal.living -303.40"},
		"a year": {loan, "-455.00", "interest 100.01 in 2026", "-910.00",
			"expense.interest.other -200.02, liability.loan_principal -709.98"},
		"taken off": {blantvik, "300.00", "less 3.00 expense.commissions_fees, rest revenue.sales", "600.00",
			"expense.commissions_fees -6.00, revenue.sales 606.00"},
		"taken off of nothing": {blantvik, "0.00", "10.00 revenue.sales, less rest expense.commissions_fees", "5.00",
			"revenue.sales 5.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			now := func(amount string) {
				t.Helper()
				o.upload(account, transaction("r", amount, "2026-01-05", c.line))
				o.process(0)
				o.sums("2026-01-01", "2026-12-31")
			}
			id := o.upload(account, transaction("r", c.amount, "2026-01-05", c.line))["r"]
			o.process(0)
			o.answerIssue("t:"+id, c.words, nil).want(200).wantAt("accepted", "status")
			o.process(0)
			filed := o.partsOf(id)
			o.file(id, "filed")
			for _, via := range [][]string{{"0.00"}, {"-0.01"}, {"-5.00"}, {"5.00"}, {"0.01", "-77.77", "0.00"}} {
				for _, amount := range via {
					now(amount)
				}
				now(c.other)
				o.wantParts(id, append([]string{"user"}, strings.Split(c.divided, ", ")...)...)
				now(c.amount)
				o.wantParts(id, filed...)
			}
		})
	}
}

// A row that was filed again was filed as what it was then.
func TestARowThatIsFiledAgainKeepsWhatItWasFiledAsLast(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	now := func(amount string) {
		t.Helper()
		o.upload(account, transaction("r", amount, "2026-01-05", loan))
		o.process(0)
	}
	id := o.upload(account, transaction("r", "-455.00", "2026-01-05", loan))["r"]
	o.process(0)
	o.answerIssue("t:"+id, "10.00 supplies, rest personal", nil).want(200)
	o.file(id, "filed")
	now("-5.00")
	o.wantParts(id, "user", "expense.supplies -0.11", "personal.living -4.89")
	o.file(id, "filed") // which it is
	now("-910.00")
	o.wantParts(id, "user", "expense.supplies -20.00", "personal.living -890.00")
	now("-5.00")
	o.file(id, "unfiled")
	o.file(id, "filed")
	now("-500.00")
	o.wantParts(id, "user", "expense.supplies -11.00", "personal.living -489.00")
	now("-5.00")
	o.wantParts(id, "user", "expense.supplies -0.11", "personal.living -4.89")
}

// A refund has the proportion of its purchase, and a filed one that in which it was filed: not that of a cent.
func TestARefundThatTheBankCorrectsBackIsDividedLikeItsPurchaseAgain(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"filed", "unfiled"} {
		o, account := openPaid(t)
		const shop = "HOME DEPOT #1234"
		bought := o.upload(account, transaction("bought", "-100.00", "2026-03-02", shop))["bought"]
		o.process(0)
		o.answerIssue("t:"+bought, "60% supplies, rest personal", nil).want(200)
		id := o.upload(account, transaction("back", "33.33", "2026-03-20", shop+" REFUND"))["back"]
		o.process(0)
		was := []string{"rule", "expense.supplies 20.00", "personal.living 13.33"}
		o.wantParts(id, was...)
		o.file(id, state)
		for _, via := range []string{"0.00", "0.01", "50.01"} {
			for _, amount := range []string{via, "33.33"} {
				o.upload(account, transaction("back", amount, "2026-03-20", shop+" REFUND"))
				o.process(0)
			}
			o.wantParts(id, was...)
		}
	}
}

// No part is more than an amount can be: of a filed row that grows so large nothing is taken off.
func TestAFiledRowThatGrowsHasNoPartThatIsMoreThanAnAmountCanBe(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	const most = "9999999999999.99"
	id := o.upload(account, transaction("r", "300.00", "2026-01-05", blantvik))["r"]
	o.process(0)
	o.answerIssue("t:"+id, "less 3.00 expense.commissions_fees, rest revenue.sales", nil).want(200)
	o.file(id, "filed")
	for _, c := range [][]string{{most, "revenue.sales " + most},
		{"300.00", "expense.commissions_fees -3.00", "revenue.sales 303.00"}} {
		o.upload(account, transaction("r", c[0], "2026-01-05", blantvik))
		o.process(0)
		o.wantParts(id, append([]string{"user"}, c[1:]...)...)
		o.year("pnl").want(200).wantAt(json.Number(c[0]), "totals", "netProfit")
	}
}
