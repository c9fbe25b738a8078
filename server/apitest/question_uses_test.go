package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// monthly are rows of one amount, a month apart, whose descriptions are numbered.
func monthly(prefix string, n int, amount, description string) []M {
	rows := make([]M, n)
	for i := range rows {
		rows[i] = transaction(fmt.Sprint(prefix, "-", i), amount, fmt.Sprintf("2026-%02d-03", i+1),
			fmt.Sprintf(description, 2218+7*i))
	}
	return rows
}

// Rent that is paid by check is one question, and its answer decides the next check of that amount and no other.
func TestChecksOfOneAmountAreOneQuestion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(monthly("rent", 4, "-1100.00", "CHECK # %d"),
		transaction("other", "-950.00", "2026-03-21", "CHECK # 2226"))...)
	o.process(0)
	q := o.questionAbout("checks of 1100.00")
	if q.transactions != "4" || len(o.questions()) != 2 {
		t.Fatalf("asked %v", o.questions())
	}
	o.answerIssue(q.id, "rent", "expense.rent.property").want(200)
	o.upload(account, transaction("next", "-1100.00", "2026-05-03", "CHECK # 2301"),
		transaction("more", "-1150.00", "2026-05-04", "CHECK # 2302"))
	o.process(0)
	if left := o.questions(); len(left) != 2 { // two amounts are too few for one question about all checks
		t.Errorf("asked %v, want the checks of 950.00 and of 1150.00", left)
	}
	got := o.search("query", "2301").want(200)
	got.wantAt("expense.rent.property", "transactions", 0, "category", "categoryPath")
	got.wantAt("memory", "transactions", 0, "category", "source")
}

// A customer's deposit that is held looks like takings: what is paid in is one question, and a large one is an
// exception of its answer. None of the next is decided where the answer said several things, and a large one never.
func TestDepositsAreOneQuestionWhoseAnswerNamesTheLargeOnes(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("small", "640.00", "2026-03-02", "MOBILE DEPOSIT"),
		transaction("small2", "810.00", "2026-03-09", "MOBILE DEPOSIT"),
		transaction("held", "14500.00", "2026-03-04", "MOBILE DEPOSIT"),
		transaction("done", "16900.00", "2026-03-14", "MOBILE DEPOSIT"))
	o.process(0)
	q := o.questionAbout("cash and checks")
	if q.transactions != "4" {
		t.Fatalf("the deposits are %+v", q)
	}
	o.answerIssue(q.id, "2: liability.customer_deposit; rest: revenue.sales.services", nil).want(200).wantAt("accepted",
		"status")
	o.wantCategories(map[string]string{"small": "revenue.sales.services", "small2": "revenue.sales.services",
		"held": "liability.customer_deposit",
		"done": "revenue.sales.services"})
	o.upload(account, transaction("next", "700.00", "2026-04-02", "MOBILE DEPOSIT"),
		transaction("large", "15000.00", "2026-04-03", "MOBILE DEPOSIT"))
	o.process(0)
	o.wantCategories(map[string]string{"next": "", "large": ""})
}

// A franchise tax is a cost and an income tax is not, though one agency takes both.
func TestTaxesOfOneAgencyAreAskedAboutByWhatTheirLinesSay(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(monthly("estimate", 2, "-1300.00",
		"ORIG CO NAME:STATE OF MICHIGAN ORIG ID:9386000134 CO ENTRY DESCR:MIINCTAX SEC:CCD TRACE#:02100002%d"),
		monthly("business", 2, "-480.00",
			"ORIG CO NAME:STATE OF MICHIGAN ORIG ID:9386000134 CO ENTRY DESCR:MIBUSTAX SEC:CCD "+
				"TRACE#:02100002%d")...)...)
	o.process(0)
	about := map[string]string{}
	for text, q := range o.questions() {
		about[q.amount] = text
	}
	if about["960.00"] == "" || about["3560.00"] != "" { // the income tax may be known without asking
		t.Errorf("asked %v", about)
	}
}

// Moves that a bank describes alike are one question, whatever their amounts and numbers.
func TestLinesThatSayTheSameAreOneQuestion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("a", "-900.00", "2026-03-02", "WITHDRAWAL HOME BANKING 00412"),
		transaction("b", "-350.00", "2026-03-09", "WITHDRAWAL HOME BANKING 00977"),
		transaction("c", "-700.00", "2026-03-19", "WITHDRAWAL HOME BANKING 01223"))
	o.process(0)
	if left := o.questions(); len(left) != 1 {
		t.Fatalf("asked %v, want one question", left)
	}
}

// Each question shows its bank lines, largest first, and an outgoing one offers nothing that is earned.
func TestAQuestionShowsItsLinesAndOffersWhatFits(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := bills("bill", 25, "-480.00", blantvik)
	rows[7]["amount"] = M(transaction("x", "-910.25", "2026-03-05", blantvik))["amount"]
	o.upload(account, rows...)
	o.process(0)
	page := o.get(o.path + "/outstanding-issues").want(200)
	if n := page.size("issues", 0, "lines"); n != 25 {
		t.Fatalf("%d lines, want all 25", n)
	}
	page.wantAt(1, "issues", 0, "lines", 0, "n")
	page.wantAt(rows[7]["amount"], "issues", 0, "lines", 0, "amount")
	page.wantAt(blantvik, "issues", 0, "lines", 0, "description")
	for _, q := range o.questions() {
		if slices.ContainsFunc(q.options, func(path string) bool { return strings.HasPrefix(path, "revenue.sales") }) {
			t.Errorf("%q offers %v", q.text, q.options)
		}
	}
}

// Whatever a line says, it is shown as it is, up to 200 letters. Forty are shown: one of each counterparty and amount,
// of those that are alike the first, then others where there is room; and all by their size.
func TestLinesAreTheLargestOfEachKindWordForWord(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("checking")
	var rows []M
	texts := map[string]string{}
	for i := range 50 {
		amount := fmt.Sprintf("-%d.00", 100+i)
		if i%10 == 9 {
			amount = "-990.00" // five are alike
		}
		text := fmt.Sprintf("1 %d\n2 -3 ÄÖ %s", i, strings.Repeat("ü ", i*2))
		rows = append(rows, transaction(fmt.Sprint(i), amount, fmt.Sprintf("2026-03-%02d", 1+i%28), text))
	}
	ids := o.upload(account, rows...)
	for i := range 50 {
		texts[ids[fmt.Sprint(i)]] = o.get(o.path+"/transactions/"+ids[fmt.Sprint(i)]).text("transaction", "description")
	}
	id := o.openIssue(question("transaction", ids["0"], time.Now()))
	o.exec(`
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, n)
		SELECT organization_id, id, $2, 50 - external_id::integer
		FROM transactions
		WHERE organization_id = $1`, o.organization, id)
	o.exec(`UPDATE transactions SET deleted_at = now() WHERE organization_id = $1 AND external_id = '48'`, o.organization)
	// A snapshot's currency is kept as it is given, whatever that is.
	o.exec(`UPDATE transactions SET currency = 'A B' WHERE organization_id = $1 AND external_id = '47'`, o.organization)
	page := o.get(o.path + "/outstanding-issues").want(200)
	var got, want []string
	for i := range page.size("issues", 0, "lines") {
		got = append(got, page.text("issues", 0, "lines", i, "n"))
		row := page.text("issues", 0, "lines", i, "transactionId")
		whole := []rune(texts[row])
		page.wantAt(string(whole[:min(len(whole), 200)]), "issues", 0, "lines", i, "description")
		page.wantAt("Account checking", "issues", 0, "lines", i, "accountName")
	}
	want = append(want, "1") // of the alike, that is the first
	for i := 47; len(want) < 40; i-- {
		if i%10 != 9 {
			want = append(want, fmt.Sprint(50-i))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got): %s", diff)
	}
}

// A changed line that says again what it said is not asked about any more; one that changes once more is asked about as
// it is now.
func TestTheQuestionAboutAChangedLineFollowsTheLine(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	say := func(description string) {
		o.upload(account, transaction("row", "-96.00", "2026-03-02", description))
		o.process(0)
	}
	say("SHELL OIL 57444212 DALLAS TX")
	o.wantNoQuestions()
	say("ADOBE *CREATIVE CLOUD")
	first := o.questionAbout("changed this line")
	say("STARBUCKS STORE 10223 AUSTIN TX")
	second := o.questionAbout("changed this line")
	if second.text == first.text || second.transactions != "1" || second.amount != "96.00" {
		t.Errorf("after a second change: %+v, before %+v", second, first)
	}
	say("SHELL OIL 57444212 DALLAS TX")
	o.wantNoQuestions()
	o.wantRows("shell", 1, "expense.car_truck.fuel", "merchant", false)
}
