package apitest

import "testing"

// A processor that lent keeps the payments back of what it pays out, so that its payouts are asked about from then on:
// of the same upload, while the loan is asked about, and when it was answered.
func TestPayoutsOfAProcessorThatLentAreAskedAbout(t *testing.T) {
	t.Parallel()
	const loan = "SQUARE FINANCIAL SQ LOAN 260506 L2XFF JUNIPER BIKES"
	o, account := openPaid(t)
	ids := o.upload(account,
		transaction("before", "812.44", "2026-05-04", "SQUARE INC SQ260504 T3GMEOYZ JUNIPER BIKES"),
		transaction("loan", "12000.00", "2026-05-06", loan),
		transaction("after", "790.12", "2026-05-07", "SQUARE INC SQ260507 T3GMEOYZ JUNIPER BIKES"))
	o.process(0)
	o.wantParts(ids["before"], "rule", "revenue.sales.processor_payouts")
	o.wantParts(ids["after"], "suggested", "revenue.sales.processor_payouts")

	next := o.upload(account,
		transaction("open", "640.10", "2026-05-11", "SQUARE INC SQ260511 T3GMEOYZ JUNIPER BIKES"))
	o.process(0)
	o.wantParts(next["open"], "suggested", "revenue.sales.processor_payouts")

	o.answerIssue(o.questionAbout("Loan or advance received").id, "liability.loan_proceeds", nil).
		want(200).wantAt("accepted", "status")
	next = o.upload(account,
		transaction("known", "655.90", "2026-05-14", "SQUARE INC SQ260514 T3GMEOYZ JUNIPER BIKES"),
		transaction("other", "300.10", "2026-05-14", "STRIPE TRANSFER ST-K4J2H1 JUNIPER BIKES"))
	o.process(0)
	o.wantParts(next["known"], "suggested", "revenue.sales.processor_payouts")
	o.wantParts(next["other"], "rule", "revenue.sales.processor_payouts")

	const less = "less 11% liability.loan_principal, rest revenue.sales"
	o.answerIssue(o.questionAbout("Square pay you for?").id, less, nil).want(200).wantAt("accepted", "status")
	next = o.upload(account,
		transaction("next", "900.00", "2026-05-18", "SQUARE INC SQ260518 T3GMEOYZ JUNIPER BIKES"))
	o.process(0)
	o.wantParts(next["next"], "memory", "liability.loan_principal -99.00", "revenue.sales 999.00")
	o.wantParts(ids["before"], "rule", "revenue.sales.processor_payouts")
}

// A loan that is uploaded after the payouts from its day on leaves none of them standing.
func TestPayoutsFromALoansDayOnAreAskedAboutThoughTheLoanCameLater(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.accountCalled("Checking 1182")
	ids := o.upload(account,
		transaction("before", "640.10", "2026-05-04", "SQUARE INC SQ260504 T3GMEOYZ JUNIPER BIKES"),
		transaction("after", "655.20", "2026-05-11", "SQUARE INC SQ260511 T3GMEOYA JUNIPER BIKES"),
		transaction("other", "812.44", "2026-05-12", "STRIPE TRANSFER ST-K2J4L6 JUNIPER BIKES"))
	o.process(1000)
	for _, id := range ids {
		o.get(o.path+"/transactions/"+id).want(200).wantAt("revenue.sales.processor_payouts", "transaction", "category",
			"categoryPath")
	}
	o.upload(account,
		transaction("loan", "12000.00", "2026-05-06", "SQUARE FINANCIAL SQ LOAN 260506 L2XFF JUNIPER BIKES"))
	o.process(1000)
	o.restand()
	o.process(1000)
	for row, stands := range map[string]bool{"before": true, "after": false, "other": true} {
		got := o.get(o.path + "/transactions/" + ids[row]).want(200)
		if (got.get("transaction", "category") != nil) != stands {
			t.Errorf("%s stands: %v, want %v", row, !stands, stands)
		}
	}
}

// A row that becomes a loan by what its bank writes of it later, and an answer that it is none and is taken back, leave
// no payout of that lender standing from the loan's day on.
func TestPayoutsFromALoansDayOnAreAskedAboutOnceItIsSeen(t *testing.T) {
	t.Parallel()
	const loan = "SQUARE FINANCIAL SQ LOAN 260506 L2XFF JUNIPER BIKES"
	o := start(t).open()
	account := o.accountCalled("Checking 1182")
	ids := o.upload(account,
		transaction("before", "640.10", "2026-05-04", "SQUARE INC SQ260504 T3GMEOYZ JUNIPER BIKES"),
		transaction("after", "655.20", "2026-05-11", "SQUARE INC SQ260511 T3GMEOYA JUNIPER BIKES"),
		transaction("loan", "12000.00", "2026-05-06", "DEPOSIT 4471"))
	o.process(1000)
	settle := func() {
		for range 3 { // it comes to an end
			o.restand()
			o.process(1000)
		}
	}
	stands := func(row string, want bool) {
		t.Helper()
		got := o.get(o.path + "/transactions/" + ids[row]).want(200)
		if (got.get("transaction", "category") != nil) != want {
			t.Errorf("%s stands: %v, want %v", row, !want, want)
		}
	}
	stands("after", true)
	o.upload(account, transaction("loan", "12000.00", "2026-05-06", loan))
	o.process(1000)
	settle()
	stands("before", true)
	stands("after", false)

	hook := o.questionAbout("Loan or advance received").id
	o.answerIssue(hook, "equity.owner_contribution", nil).want(200).wantAt("accepted", "status")
	o.process(1000)
	ids["later"] = o.upload(account,
		transaction("later", "701.20", "2026-05-18", "SQUARE INC SQ260518 T3GMEOYB JUNIPER BIKES"))["later"]
	o.process(1000)
	stands("later", true)
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(1000)
	settle()
	stands("before", true)
	stands("later", false)
	o.get(o.path+"/profile").want(200).wantAt(0, "coverage", "transactions", "queued")
}

// A loan that nobody is asked about, as it is too small, has nobody's rows gone through: they would stand again.
func TestALoanThatNobodyIsAskedAboutSetsNothingGoing(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.accountCalled("Checking 1182")
	o.upload(account, transaction("after", "655.20", "2026-05-11", "SQUARE INC SQ260511 T3GMEOYA JUNIPER BIKES"))
	o.process(1000)
	o.upload(account, transaction("loan", "1.10", "2026-05-06", "SQUARE FINANCIAL SQ LOAN 260506 L2XFF JUNIPER BIKES"))
	o.process(1000)
	o.wantNoQuestionAbout("Loan")
	o.wantNoQuestionAbout("Square pay you for?")
	o.get(o.path+"/profile").want(200).wantAt(0, "coverage", "transactions", "queued")
}
