package apitest

import (
	"encoding/json"
	"testing"
)

const (
	marketplace = "revenue.sales.marketplace_payouts"
	whatWasKept = "what did it keep"
)

// openShop is a business with three payouts of a marketplace in 2025, 3,120.66 in all.
func openShop(t *testing.T) (o *office, account string, ids map[string]string) {
	o, account = openPaid(t)
	ids = o.upload(account, transaction("etsy-0", "1040.21", "2025-03-03", "ETSY, INC. PAYOUT 4K85433050"),
		transaction("etsy-1", "980.24", "2025-06-03", "ETSY, INC. PAYOUT 4K85433051"),
		transaction("etsy-2", "1100.21", "2025-09-03", "ETSY, INC. PAYOUT 4K85433052"))
	o.process(0)
	return o, account, ids
}

// wantStanding compares what a payout is, where it stands and needs no attention.
func (o *office) wantStanding(id string, want ...string) {
	o.t.Helper()
	o.wantParts(id, want...)
	o.get(o.path+"/transactions/"+id).want(200).wantAt(false, "transaction", "needsAttention")
}

// Payouts stand as they came, and are asked about meanwhile, last: fees that were kept of them change no profit, but
// lines of the form. What was said of the year is spread over it; who takes that back has them stand as before.
func TestWhatWasKeptOfPayoutsIsAskedWhileTheyStand(t *testing.T) {
	t.Parallel()
	o, account, ids := openShop(t)
	o.upload(account, transaction("unknown", "-60.00", "2025-03-04", blantvik),
		transaction("unknown-2", "-61.00", "2025-03-05", blantvik))
	o.process(0)
	for _, id := range ids {
		o.wantStanding(id, "rule", marketplace)
	}
	list := o.get(o.path + "/outstanding-issues").want(200)
	list.wantAt(json.Number("2"), "totalOpen")
	q := o.questionAbout(whatWasKept)
	list.wantAt(q.id, "issues", 1, "id")
	if q.transactions != "3" || q.amount != "3120.66" || list.size("issues", 1, "lines") != 3 {
		t.Errorf("asked is about %s rows of %s: %s", q.transactions, q.amount, list.body)
	}
	o.get(o.path+"/transactions/"+ids["etsy-0"]).want(200).wantAt(q.id, "transaction", "issueIds", 0)
	before := o.sums("2025-01-01", "2025-12-31")

	o.answerIssue(q.id, "they take about 8 percent", nil).want(200).wantAt("unclear", "status")
	o.wantStanding(ids["etsy-0"], "rule", marketplace)
	o.answerIssue(q.id, "less 312.07 fees, less 100.00 refunds, rest sales in 2025", nil).want(200).
		wantAt("accepted", "status")
	o.process(0)
	after := o.sums("2025-01-01", "2025-12-31")
	for name, want := range map[string]string{"line 1": "3532.73", "line 2": "100.00", "line 10": "312.07",
		"netProfit": before["netProfit"]} {
		if after[name] != want {
			t.Errorf("%s is %s, want %s", name, after[name], want)
		}
	}
	o.wantNoQuestionAbout(whatWasKept)

	o.answerIssue(q.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	for _, id := range ids {
		o.wantStanding(id, "rule", marketplace)
	}
	if again := o.questionAbout(whatWasKept); again.id != q.id || again.transactions != "3" {
		t.Errorf("asked is %+v, want %s again", again, q.id)
	}
	now := o.sums("2025-01-01", "2025-12-31")
	if now["netProfit"] != before["netProfit"] || now["line 1"] != "3120.66" {
		t.Errorf("taken back, the sums are %v", now)
	}
}

// Shares that were kept are kept of the next payouts, of whatever amount; amounts of a year are asked about again in
// the next one, while its payouts stand.
func TestWhatWasKeptIsRememberedByShares(t *testing.T) {
	t.Parallel()
	o, account, _ := openShop(t)
	q := o.questionAbout(whatWasKept)
	o.answerIssue(q.id, "less 412.07 fees, rest sales in 2025", nil).want(200).wantAt("accepted", "status")
	next := o.upload(account, transaction("next", "3700.40", "2026-02-03", "ETSY, INC. PAYOUT 4K85433059"))
	o.process(0)
	o.wantStanding(next["next"], "rule", marketplace)
	again := o.questionAbout(whatWasKept)
	if again.transactions != "1" {
		t.Fatalf("asked is about %s rows", again.transactions)
	}
	o.answerIssue(again.id, "less 10% fees, rest sales", nil).want(200).wantAt("accepted", "status")
	later := o.upload(account, transaction("later", "90.00", "2026-03-03", "ETSY, INC. PAYOUT 4K85433060"))
	o.process(0)
	o.wantStanding(later["later"], "memory", "expense.commissions_fees.marketplace -9.00", "revenue.sales 99.00")
	o.wantNoQuestionAbout(whatWasKept)
	o.sums("2025-01-01", "2026-12-31")
}

// Who says that payouts are no sales is asked about another one that is much larger: it does not stand.
func TestPayoutsThatAreNoSalesDoNotStand(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, numbered("etsy", 2, "210.35", "ETSY, INC. PAYOUT 4K8543305%d")...)
	o.process(0)
	o.answerIssue(o.questionAbout(whatWasKept).id, "personal.income", "personal.income").want(200).
		wantAt("accepted", "status")
	o.wantStanding(ids["etsy-1"], "user", "personal.income")
	next := o.upload(account, transaction("like", "211.10", "2026-05-03", "ETSY, INC. PAYOUT 4K85433059"),
		transaction("large", "3900.40", "2026-05-04", "ETSY, INC. PAYOUT 4K85433060"))
	o.process(0)
	o.wantStanding(next["like"], "memory", "personal.income")
	o.wantParts(next["large"], "suggested", "personal.income")
	if q := o.questionAbout("Etsy"); q.transactions != "1" {
		t.Errorf("asked is %+v", q)
	}
}

// A payout that is asked about leaves the question where it is deleted, and where it does not stand any more as sales
// tax is said to be apart; the bank may change its amount.
func TestPayoutsLeaveWhatAsksWhatWasKept(t *testing.T) {
	t.Parallel()
	o, account, ids := openShop(t)
	q := o.questionAbout(whatWasKept)
	o.upload(account, transaction("etsy-0", "1050.00", "2025-03-03", "ETSY, INC. PAYOUT 4K85433050"))
	o.process(0)
	o.wantStanding(ids["etsy-0"], "rule", marketplace)
	if now := o.questionAbout(whatWasKept); now.id != q.id || now.transactions != "3" || now.amount != "3130.45" {
		t.Errorf("asked is %+v", now)
	}
	o.delete(o.path + "/transactions/" + ids["etsy-2"]).want(200)
	if now := o.questionAbout(whatWasKept); now.transactions != "2" || now.amount != "2030.24" {
		t.Errorf("asked is %+v", now)
	}
	o.upload(account, bills("tax", 2, "-212.40", "WEBFILE TAX PYMT DD 902/4367705")...)
	o.process(0)
	o.answerIssue(o.questionAbout("sales tax").id, "no", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantNoQuestionAbout(whatWasKept)
	o.wantParts(ids["etsy-1"], "suggested", marketplace)
	o.get(o.path+"/transactions/"+ids["etsy-1"]).want(200).wantAt(true, "transaction", "needsAttention")
	if now := o.questionAbout("Etsy"); now.transactions != "2" {
		t.Errorf("asked is %+v", now)
	}
}

// Amounts of one of several years are of its payouts: those of the others are asked about again, and the answer says
// so.
func TestPayoutsOfOtherYearsAreAskedAboutStill(t *testing.T) {
	t.Parallel()
	o, account, ids := openShop(t)
	before := o.upload(account, transaction("before", "610.45", "2024-05-03", "ETSY, INC. PAYOUT 4K85433011"))
	o.process(0)
	q := o.questionAbout(whatWasKept)
	o.answerIssue(q.id, "less 312.07 fees, rest sales in 2025", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantStanding(before["before"], "rule", marketplace)
	rest := o.questionAbout(whatWasKept)
	if rest.transactions != "1" || rest.id == q.id {
		t.Fatalf("asked is %+v", rest)
	}
	o.answerIssue(rest.id, "less 61.05 fees, rest sales in 2024", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantNoQuestionAbout(whatWasKept)
	if sums := o.sums("2024-01-01", "2025-12-31"); sums["line 10"] != "373.12" {
		t.Errorf("line 10 is %s", sums["line 10"])
	}
	if got := o.partsOf(ids["etsy-0"]); got[0] != "user" {
		t.Errorf("a payout of 2025 is %q", got)
	}
}

// Payouts of who lent to the business are asked about, and stand where it is said that nobody lent: whenever that was
// answered, corrected or taken back.
func TestPayoutsFollowWhatIsSaidOfALoan(t *testing.T) {
	t.Parallel()
	const payouts = "revenue.sales.processor_payouts"
	o, account := openPaid(t)
	ids := o.upload(account,
		transaction("loan", "12000.00", "2025-05-06", "SQUARE FINANCIAL SQ LOAN 250506 L2XFF JUNIPER BIKES"),
		transaction("first", "655.20", "2025-05-11", "SQUARE INC SQ250511 T3GMEOYA JUNIPER BIKES"))
	o.process(0)
	o.wantParts(ids["first"], "suggested", payouts)
	loan := o.questionAbout("Loan or advance received")
	o.answerIssue(loan.id, "personal.income", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(ids["first"], "rule", payouts)
	next := o.upload(account, transaction("next", "701.35", "2025-06-11", "SQUARE INC SQ250611 T3GMEOYA JUNIPER BIKES"))
	o.process(0)
	o.wantParts(next["next"], "rule", payouts)
	o.answerIssue(loan.id, "liability.loan_proceeds", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	for _, id := range []string{ids["first"], next["next"]} {
		o.wantParts(id, "suggested", payouts)
	}
	o.answerIssue(loan.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	for _, id := range []string{ids["first"], next["next"]} {
		o.wantParts(id, "suggested", payouts)
	}
	o.answerIssue("t:"+ids["loan"], "personal.income", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	for _, id := range []string{ids["first"], next["next"]} {
		o.wantParts(id, "rule", payouts)
	}
	o.sums("2025-01-01", "2025-12-31")
}

// A payout of which nobody knows what was kept stands, and is asked about alone: what is said of the others is not said
// of it.
func TestAPayoutThatIsLeftOpenStands(t *testing.T) {
	t.Parallel()
	o, _, ids := openShop(t)
	q := o.questionAbout(whatWasKept)
	o.answerIssue(q.id, "2: not sure; rest: less 10% fees, rest sales", nil).want(200).wantAt("partly", "status")
	o.process(0)
	stand, said := 0, 0
	for _, id := range ids {
		switch o.partsOf(id)[0] {
		case "rule":
			stand++
		case "user":
			said++
		}
	}
	if left := o.questionAbout(whatWasKept); stand != 1 || said != 2 || left.transactions != "1" {
		t.Errorf("%d stand and %d follow the answer; asked is %+v", stand, said, left)
	}
}

// Amounts of a year are of the payouts that were asked about: another one of the year, which stood before and does not
// any more, is asked about, and what is left of the others is not all of it.
func TestAmountsOfAYearAreNotOfOtherPayouts(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account,
		transaction("early", "801.15", "2025-02-11", "SQUARE INC SQ250211 T3GMEOYA JUNIPER BIKES"),
		transaction("loan", "9000.00", "2025-03-06", "SQUARE FINANCIAL SQ LOAN 250306 L2XFF JUNIPER BIKES"),
		transaction("late", "701.35", "2025-06-11", "SQUARE INC SQ250611 T3GMEOYB JUNIPER BIKES"),
		transaction("later", "655.20", "2025-07-11", "SQUARE INC SQ250711 T3GMEOYC JUNIPER BIKES"))
	o.process(0)
	o.wantStanding(ids["early"], "rule", "revenue.sales.processor_payouts")
	asked := o.questionAbout("Square pay you for?")
	o.answerIssue(asked.id, "less 150.00 liability.loan_principal, 1476.55 revenue.sales, rest "+
		"liability.sales_tax_collected in 2025", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(ids["early"], "suggested", "revenue.sales.processor_payouts")
	if sums := o.sums("2025-01-01", "2025-12-31"); sums["line 1"] != "1476.55" {
		t.Errorf("line 1 is %s", sums["line 1"])
	}
	if rest := o.questionAbout("Square pay you for?"); rest.transactions != "1" {
		t.Errorf("asked is %+v", rest)
	}
	next := o.upload(account,
		transaction("next", "640.10", "2025-08-11", "SQUARE INC SQ250811 T3GMEOYD JUNIPER BIKES"))
	o.process(0)
	if got := o.partsOf(next["next"]); got[0] != "memory" {
		t.Errorf("a payout that comes later is %q, want the year spread anew", got)
	}
	o.sums("2025-01-01", "2025-12-31")
}

// What asked what was kept, was answered in words that nobody understood, and closed as another answer changed what its
// rows are, opens again by its id, with its history, when that is taken back; an answer to it decides its rows.
func TestWhatClosedByAnotherAnswerOpensByItsId(t *testing.T) {
	t.Parallel()
	o, account, ids := openShop(t)
	o.upload(account, bills("tax", 2, "-212.40", "WEBFILE TAX PYMT DD 902/4367705")...)
	o.process(0)
	kept := o.questionAbout(whatWasKept)
	o.answerIssue(kept.id, "they take about 8 percent", nil).want(200).wantAt("unclear", "status")
	tax := o.questionAbout("sales tax")
	for range 2 {
		o.answerIssue(tax.id, "no", nil).want(200).wantAt("accepted", "status")
		o.process(0)
		o.wantNoQuestionAbout(whatWasKept)
		o.answerIssue(tax.id, "undo", nil).want(200).wantAt("accepted", "status")
		o.process(0)
		if again := o.questionAbout(whatWasKept); again.id != kept.id || again.transactions != "3" {
			t.Fatalf("asked is %+v, want %s again", again, kept.id)
		}
	}
	open := o.get(o.path + "/outstanding-issues?limit=50").want(200)
	for i := range open.size("issues") {
		if open.text("issues", i, "id") == kept.id {
			open.wantAt("they take about 8 percent", "issues", i, "answers", 0, "answer")
		}
	}
	o.answerIssue(kept.id, "less 312.07 fees, rest sales in 2025", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantNoQuestionAbout(whatWasKept)
	if row := o.get(o.path + "/transactions/" + ids["etsy-0"]).want(200); row.size("transaction", "parts") == 0 {
		t.Errorf("what was answered is %s", row.body)
	}
}
