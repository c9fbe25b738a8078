package apitest

import "testing"

// Who said that some of what a service pays out is owed to others is asked about the rest of it, and about no other
// service; who takes that back is not.
func TestPayoutsAreAskedAboutWhereSomeOfThemAreOwed(t *testing.T) {
	t.Parallel()
	const payouts = "revenue.sales.processor_payouts"
	o, account := openPaid(t)
	rows := o.upload(account, append(numbered("payout", 3, "573.15", "SQUARE INC SQ25%d122 T39Y9V5JKC0"),
		transaction("round", "2000.00", "2026-04-02", "SQUARE INC SQ260402 T39Y9V5JKC0"),
		transaction("other", "300.10", "2026-04-03", "STRIPE TRANSFER ST-K4J2H1 JUNIPER BIKES"))...)
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", payouts)
	round := o.questionAbout("Square pay you for?")
	if round.transactions != "1" {
		t.Fatalf("asked is about %s rows", round.transactions)
	}
	o.answerIssue(round.id, "40% liability.client_funds, rest revenue.sales", nil).want(200).
		wantAt("accepted", "status")
	o.process(0)
	o.wantParts(rows["round"], "user", "liability.client_funds 800.00", "revenue.sales 1200.00")
	o.wantParts(rows["other"], "rule", payouts)
	for _, id := range []string{"payout-0", "payout-1", "payout-2"} {
		if got := o.partsOf(rows[id]); got[0] == "rule" {
			t.Errorf("%s stands as %v", id, got)
		}
	}
	o.sums("2026-01-01", "2026-12-31")

	o.answerIssue(round.id, "30% liability.client_funds, rest revenue.sales", nil).want(200).
		wantAt("accepted", "status") // in place of it
	o.process(0)
	for _, id := range []string{"payout-0", "payout-1", "payout-2"} {
		if got := o.partsOf(rows[id]); got[0] == "rule" {
			t.Errorf("%s stands as %v", id, got)
		}
	}

	o.answerIssue(round.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", payouts)
	o.wantParts(rows["other"], "rule", payouts)
	o.sums("2026-01-01", "2026-12-31")
}

// Who said of deposits, which name nobody, that clients pay what is passed on is asked what services pay out; who takes
// that back is not, and who says it of those that lines name neither.
func TestPayoutsAreAskedAboutWhereClientsPayWhatIsPassedOn(t *testing.T) {
	t.Parallel()
	const payouts = "revenue.sales.processor_payouts"
	o, account := openPaid(t)
	rows := o.upload(account, append(numbered("payout", 3, "573.15", "SQUARE INC SQ25%d122 T39Y9V5JKC0"),
		transaction("in-1", "4120.00", "2026-04-02", "MOBILE DEPOSIT"),
		transaction("in-2", "2980.00", "2026-04-09", "MOBILE DEPOSIT"),
		transaction("jane", "325.50", "2026-04-03", "ZELLE PAYMENT FROM JANE HOLLOWAY 1017"),
		transaction("marcus", "510.25", "2026-04-04", "ZELLE PAYMENT FROM MARCUS TILL 1018"),
		transaction("priya", "275.75", "2026-04-05", "ZELLE PAYMENT FROM PRIYA NAIR 1020"),
		transaction("sweep", "812.40", "2026-04-10", "ACH CREDIT HARLAN ESCROW CO DISBURSE 0410"))...)
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", payouts)
	one := "t:" + rows["sweep"]
	o.answerIssue(one, "liability.client_funds", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", payouts)

	o.answerIssue(o.questionAbout("people").id, "liability.client_funds", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", payouts)

	deposits := o.questionAbout("cash and checks")
	o.answerIssue(deposits.id, "60% liability.client_funds, rest revenue.sales", nil).want(200).
		wantAt("accepted", "status")
	o.process(0)
	for _, id := range []string{"payout-0", "payout-1", "payout-2"} {
		if got := o.partsOf(rows[id]); got[0] == "rule" {
			t.Errorf("%s stands as %v", id, got)
		}
	}
	o.sums("2026-01-01", "2026-12-31")

	o.answerIssue(deposits.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(rows["payout-0"], "rule", payouts)
	o.sums("2026-01-01", "2026-12-31")
}

// What a service pays into the business's own account may be its clients', where it has an account for their money.
func TestPayoutsAreAskedAboutWhereTheBusinessHoldsMoneyOfOthers(t *testing.T) {
	t.Parallel()
	const line = "SQUARE INC SQ260319 T3GMEOYZ JUNIPER BIKES"
	with, without := start(t).open(), start(t).open()
	with.accountCalled("Owners' escrow account 6612")
	for o, stands := range map[*office]bool{with: false, without: true} {
		id := o.upload(o.accountCalled("Checking 1182"), transaction("in", "925.97", "2026-03-19", line))["in"]
		o.process(1000)
		got := o.get(o.path + "/transactions/" + id).want(200)
		if stood := got.get("transaction", "category") != nil; stood != stands {
			t.Errorf("it stands: %t, want %t", stood, stands)
		}
	}
}

// Who takes such an answer back is asked again of what a lender paid out from the loan on, and of nothing before, also
// once the loan was answered.
func TestPayoutsBeforeALoanStandWhereNothingIsOwedAnyMore(t *testing.T) {
	t.Parallel()
	const payouts = "revenue.sales.processor_payouts"
	o, account := openPaid(t)
	rows := o.upload(account,
		transaction("before", "412.44", "2026-04-04", "SQUARE INC SQ260404 T3GMEOYZ JUNIPER BIKES"),
		transaction("round", "2000.00", "2026-04-06", "SQUARE INC SQ260406 T3GMEOYZ JUNIPER BIKES"),
		transaction("loan", "8000.00", "2026-05-06", "SQUARE FINANCIAL SQ LOAN 260506 L2XFF JUNIPER BIKES"),
		transaction("after", "790.12", "2026-05-07", "SQUARE INC SQ260507 T3GMEOYZ JUNIPER BIKES"))
	o.process(0)
	o.wantParts(rows["before"], "rule", payouts)
	square := o.questionAbout("Square pay you for?")
	o.answerIssue(square.id, "1: liability.client_funds; rest: revenue.sales", nil).want(200)
	o.process(0)
	o.answerIssue(square.id, "undo", nil).want(200)
	o.process(0)
	o.wantParts(rows["before"], "rule", payouts)
	o.wantParts(rows["after"], "suggested", payouts)

	o.answerIssue(o.questionAbout("Loan or advance received").id, "liability.loan_proceeds", nil).want(200)
	late := o.upload(account,
		transaction("late", "413.44", "2026-04-05", "SQUARE INC SQ260405 T3GMEOYZ JUNIPER BIKES"),
		transaction("next", "791.12", "2026-05-08", "SQUARE INC SQ260508 T3GMEOYZ JUNIPER BIKES"))
	o.process(0)
	o.wantParts(late["late"], "rule", payouts)
	o.wantParts(late["next"], "suggested", payouts)
}
