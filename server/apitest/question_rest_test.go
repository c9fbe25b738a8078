package apitest

import "testing"

// Small rows that name nobody are one question in each direction: each may be what it seems to be, or one thing with
// exceptions. What is said of them is not said of the next: these are another matter each.
func TestSmallRowsThatNameNobodyAreOneQuestion(t *testing.T) {
	t.Parallel()
	rows := []M{
		transaction("fee", "-95.00", "2026-03-05", "OTHER FEE"),
		transaction("app", "-85.20", "2026-03-06", "ACH DEBIT, VENMO PAYMENT 6790483067"),
		transaction("again", "-40.10", "2026-03-07", "ACH DEBIT, VENMO PAYMENT 1336324607"),
		transaction("memo", "-12.00", "2026-03-08", "MISC DEBIT 44"),
		transaction("in", "31.33", "2026-03-09", "MISC CREDIT 45"),
		transaction("more", "12.10", "2026-03-10", "MISC CREDIT 46"),
		transaction("free", "0.00", "2026-03-09", "MISC CREDIT 47"),
	}
	type outcome struct {
		fee, app, memo []string
		open           string // rows that the question is about afterwards
	}
	fee, work, private := []string{"user", "expense.other.bank_fees"}, []string{"user", "expense.contract_labor"},
		[]string{"user", "personal.living"}
	for _, how := range []struct {
		words  string
		option any
		status string
		want   outcome
	}{
		{"Each is what it seems to be", "as_read", "partly", outcome{fee, work, nil, "1"}},
		{"expense.contract_labor; #FEE: as_read", nil, "accepted", outcome{fee, work, work, ""}},
		{"as_read; #VENMO, #MISC: personal.living", nil, "accepted", outcome{fee, private, private, ""}},
		{"#VENMO, #MISC: as_read; rest: personal.living", nil, "partly", outcome{private, work, nil, "1"}},
		{"#MISC: as_read", nil, "unclear", outcome{nil, nil, nil, "4"}},
		{"60% business, rest personal", nil, "partly", outcome{
			[]string{"user", "expense.other.bank_fees -57.00", "personal.living -38.00"},
			nil, nil, "1",
		}},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, rows...)
		o.process(0)
		q := o.questionAbout("is paid in small sums")
		if q.transactions != "4" || len(o.questions()) != 1 { // two that come in are too few
			t.Fatalf("asked %v", o.questions())
		}
		o.answerIssue(q.id, how.words, how.option).want(200).wantAt(how.status, "status")
		o.process(0)
		for id, parts := range map[string][]string{"fee": how.want.fee, "app": how.want.app, "again": how.want.app,
			"memo": how.want.memo} {
			if parts == nil {
				o.get(o.path+"/transactions/"+ids[id]).want(200).wantAt(nil, "transaction", "category")
				continue
			}
			o.wantParts(ids[id], parts...)
		}
		if how.want.open != "" && o.questionAbout("is paid in small sums").transactions != how.want.open {
			t.Errorf("after %q asked %v, want %s rows", how.words, o.questions(), how.want.open)
		}
		next := o.upload(account, transaction("next", "-30.00", "2026-04-05", "ACH DEBIT, VENMO PAYMENT 9942018192"))
		o.process(0)
		o.get(o.path+"/transactions/"+next["next"]).want(200).wantAt(nil, "transaction", "category")
		if how.want.open != "" {
			o.questionAbout("is paid in small sums")
		}
	}
	o, account := openPaid(t)
	o.upload(account, append(rows, transaction("third", "9.00", "2026-03-11", "MISC CREDIT 48"))...)
	o.process(0)
	if in := o.questionAbout("comes in in small sums"); in.transactions != "3" {
		t.Errorf("%s rows that come in are asked about, want 3: one of nothing is none", in.transactions)
	}
}

// One or two of them are worth a question from fifty dollars on, and are not suggested for ever.
func TestFewSmallRowsAreAskedAboutFromFiftyDollarsOn(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("little", "-49.99", "2026-03-05", "OTHER FEE"))
	o.process(0)
	o.wantNoQuestions()
	o.upload(account, transaction("more", "-12.00", "2026-03-06", "MISC DEBIT 44"))
	o.process(0)
	if q := o.questionAbout("is paid in small sums"); q.transactions != "2" {
		t.Errorf("asked are %s rows", q.transactions)
	}
}
