package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/money"
)

// partsOf are the parts of a row as "path amount", with the source in front; of a row without parts its category or
// suggestion.
func (o *office) partsOf(id string) []string {
	o.t.Helper()
	got := o.get(o.path + "/transactions/" + id).want(200)
	return partsIn(got, "transaction")
}

func partsIn(got answer, at ...any) []string {
	got.t.Helper()
	member := func(more ...any) []any { return append(slices.Clone(at), more...) }
	if got.size(member("parts")...) == 0 {
		switch {
		case got.get(member("category")...) != nil:
			return []string{got.text(member("category", "source")...), got.text(member("category", "categoryPath")...)}
		case got.get(member("suggestion")...) != nil:
			return []string{"suggested", got.text(member("suggestion", "categoryPath")...)}
		default:
			return nil
		}
	}
	got.wantAt(nil, member("category")...)
	got.wantAt(nil, member("suggestion")...)
	parts := []string{got.text(member("parts", 0, "source")...)}
	var sum money.Amount
	for i := range got.size(member("parts")...) {
		amount := got.text(member("parts", i, "amount")...)
		cents, err := money.Parse(amount)
		if err != nil {
			got.t.Fatal(err)
		}
		sum += cents
		parts = append(parts, got.text(member("parts", i, "categoryPath")...)+" "+amount)
	}
	if amount := got.text(member("amount")...); sum.String() != amount {
		got.t.Errorf("parts of %s come to %s: %v", amount, sum, parts)
	}
	return parts
}

// wantParts compares the source and the parts of a row.
func (o *office) wantParts(id string, want ...string) {
	o.t.Helper()
	if got := o.partsOf(id); !slices.Equal(got, want) {
		o.t.Errorf("parts %q, want %q", got, want)
	}
}

// sums are a profit and loss and a cash flow of some days, after their identity was held: net profit, what is not on
// the form and what is not categorized are the cash flow, which with own transfers is the sum of the rows.
func (o *office) sums(from, to string) map[string]string {
	o.t.Helper()
	days := query("startDate", from, "endDate", to)
	pnl, cash := o.get(o.path+"/reports/pnl"+days).want(200), o.get(o.path+"/reports/cashflow"+days).want(200)
	cents := func(got answer, path ...any) money.Amount {
		amount, err := money.Parse(got.text(path...))
		o.must(err)
		return amount
	}
	sum := cents(pnl, "totals", "netProfit") + cents(pnl, "basis", "uncategorized", "inflow") - cents(pnl, "basis",
		"uncategorized", "outflow")
	sums := map[string]string{"netProfit": pnl.text("totals", "netProfit"),
		"rows": pnl.text("basis", "transactionCount")}
	for i := range pnl.size("notOnForm") {
		sum += cents(pnl, "notOnForm", i, "net")
	}
	if net := cents(cash, "totals", "net"); sum != net {
		o.t.Errorf("%s to %s: the profit and loss adds up to %v, the cash flow is %v", from, to, sum, net)
	}
	for i := range pnl.size("scheduleC") {
		sums["line "+pnl.text("scheduleC", i, "line")] = pnl.text("scheduleC", i, "amount")
	}
	var walk func(got answer, at ...any)
	walk = func(got answer, at ...any) {
		for i := range got.size(at...) {
			node := func(member ...any) []any { return append(append(slices.Clone(at), i), member...) }
			sums[got.text(node("categoryPath")...)] = got.text(node("net")...) + " x" +
				got.text(node("transactionCount")...)
			walk(got, node("children")...)
		}
	}
	walk(cash, "categories")
	cash.wantAt(json.Number(pnl.text("basis", "transactionCount")), "basis", "transactionCount")
	return sums
}

func TestASplitDividesTheRowsOfAQuestionAndTheNextOnes(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("p", 3, "-100.01", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "60% phone; rest personal", nil).want(200).wantAt("accepted", "status")
	o.wantParts(ids["p-0"], "user", "expense.utilities.phone -60.01", "personal.living -40.00")
	later := o.upload(account, transaction("later", "-50.05", "2026-04-02", blantvik))
	o.process(0)
	o.wantNoQuestions()
	o.wantParts(later["later"], "memory", "expense.utilities.phone -30.03", "personal.living -20.02")
	short := o.get(o.path + "/transactions?detail=summary").want(200)
	short.wantAt(json.Number("2"), "summary", "rows", 0, "partCount")
	sums := o.sums("2026-01-01", "2026-12-31")
	for name, want := range map[string]string{
		"netProfit": "-210.06", "line 25": "210.06", "expense.utilities.phone": "-210.06 x4",
		"personal.living": "-140.02 x4", "rows": "4",
	} {
		if sums[name] != want {
			t.Errorf("%s is %s, want %s", name, sums[name], want)
		}
	}
	for _, words := range []string{"60% phone; rest personal", "undo"} {
		o.answerIssue(q.id, words, nil).want(200)
	}
	o.process(0)
	if got := o.partsOf(ids["p-0"]); len(got) > 0 && !strings.HasPrefix(got[0], "suggested") {
		t.Errorf("taken back, the row is %q", got)
	}
	if sums := o.sums("2026-01-01", "2026-12-31"); sums["netProfit"] != "0.00" {
		t.Errorf("net profit %s", sums["netProfit"])
	}
}

// eachMonth are rows of one day of each month of a year.
func eachMonth(prefix, year, amount, description string, months int) []M {
	rows := make([]M, months)
	for i := range rows {
		rows[i] = transaction(fmt.Sprintf("%s-%d", prefix, i), amount, fmt.Sprintf("%s-%02d-05", year, i+1),
			description)
	}
	return rows
}

const loan = "TERM LOAN AUTOPAY KESTREL BANK"

// The interest of a year is exact of that year, and of its months a guess, as which the range gives it.
func TestTheRangeOfAMonthSaysThatAYearsInterestIsSpreadOverIt(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("l", "2025", "-500.00", loan, 12)...)
	o.process(0)
	rangeOf := func(from, to string) string {
		t.Helper()
		pnl := o.get(o.path + "/reports/pnl" + query("startDate", from, "endDate", to)).want(200)
		pnl.wantAt(true, "basis", "complete")
		return pnl.text("range", "low") + " to " + pnl.text("range", "high")
	}
	hook := o.hookOf(ids["l-0"])
	o.answerIssue(hook, "interest 1200.00 a year", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	for days, want := range map[[2]string]string{
		{"2025-01-01", "2025-12-31"}: "-1200.00 to -1200.00",
		{"2025-03-01", "2025-03-31"}: "-145.84 to -54.16",
		{"2025-01-01", "2025-06-30"}: "-750.00 to -450.00",
		{"2026-01-01", "2026-12-31"}: "0.00 to 0.00",
	} {
		if got := rangeOf(days[0], days[1]); got != want {
			t.Errorf("the profit of %s lies in %s, want %s", days, got, want)
		}
	}
	o.answerIssue(hook, "20% interest, rest principal", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	if got := rangeOf("2025-03-01", "2025-03-31"); got != "-100.00 to -100.00" {
		t.Errorf("by shares of each payment the profit of a month lies in %s", got)
	}
}

func TestALoansInterestOfAYearIsSpreadOverItsPayments(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("l", "2025", "-512.37", loan, 11)...)
	o.process(0)
	hook := o.hookOf(ids["l-0"])
	o.answerIssue(hook, "interest 4,210.33 a year", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	year := func(interest, principal string) {
		t.Helper()
		sums := o.sums("2025-01-01", "2025-12-31")
		if sums["line 16b"] != interest || !strings.HasPrefix(sums["liability.loan_principal"], principal) {
			t.Errorf("interest %s, principal %s of %v; want %s and %s", sums["line 16b"],
				sums["liability.loan_principal"], sums, interest, principal)
		}
	}
	year("4210.33", "-1425.74 x11")
	later := o.upload(account, transaction("l-11", "-512.37", "2025-12-05", loan),
		transaction("next", "-512.37", "2026-01-05", loan))
	o.process(0)
	year("4210.33", "-1938.11 x12")
	if got := o.partsOf(later["l-11"]); len(got) != 3 || got[0] != "memory" {
		t.Errorf("the last payment of the year is %q", got)
	}
	if got := o.partsOf(later["next"]); len(got) > 0 && got[0] != "suggested" {
		t.Errorf("a payment of the next year is %q", got)
	}
	o.sums("2026-01-01", "2026-12-31")
	o.delete(o.path + "/transactions/" + ids["l-3"]).want(200)
	o.process(0)
	year("4210.33", "-1425.74 x11")
	o.upload(account, transaction("l-5", "-1000.00", "2025-06-05", loan))
	o.process(0)
	year("4210.33", "-1913.37 x11")
	got := o.answerIssue(hook, "interest 41,000.00 a year", nil).want(422)
	if want := "more than the payments of 2025"; !strings.Contains(string(got.body), want) {
		t.Errorf("%s does not say %q", got.body, want)
	}
	year("4210.33", "-1913.37 x11")
}

// hookOf is the hook of all rows with the counterparty of a row that goes out.
func (o *office) hookOf(id string) string {
	o.t.Helper()
	return "c:" + o.get(o.path+"/transactions/"+id).want(200).text("transaction", "counterparty", "id") + ":out"
}

// What was said of a loan before a year's interest was said is not said of the payments of the next year: these are
// asked about.
func TestThePaymentsOfAnotherYearAreNotWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("a", "2025", "-412.40", loan, 6)...)
	o.process(0)
	o.answerIssue(o.questionOf("", 6).id, "liability.loan_payment_unsplit", nil).want(200)
	o.process(0)
	o.answerIssue(o.hookOf(ids["a-0"]), "interest 345.35 in 2025", nil).want(200).wantAt("accepted", "status")
	next := o.upload(account, eachMonth("b", "2026", "-412.40", loan, 1)...)
	o.process(0)
	row := o.get(o.path + "/transactions/" + next["b-0"]).want(200)
	if row.get("transaction", "category") != nil || row.size("transaction", "issueIds") != 1 {
		t.Errorf("the next payment is %s", row.body)
	}
}

func TestAYearThatIsNamedIsTheOnlyOneThatIsDivided(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(eachMonth("a", "2024", "-500.00", loan, 4),
		eachMonth("b", "2025", "-500.00", loan, 4)...)...)
	o.process(0)
	hook := o.hookOf(ids["a-0"])
	o.answerIssue(hook, "interest 100.01 in 2025", nil).want(200)
	o.process(0)
	if sums := o.sums("2025-01-01", "2025-12-31"); sums["line 16b"] != "100.01" {
		t.Errorf("2025: %v", sums)
	}
	if sums := o.sums("2024-01-01", "2024-12-31"); sums["line 16b"] != "0.00" || sums["uncategorized"] == "" {
		t.Errorf("2024: %v", sums)
	}
	if len(o.questions()) == 0 {
		t.Error("nobody asks about the other year")
	}
	o.answerIssue(hook, "interest 100.01 in 2023", nil).want(422)
}

func TestAPayrollOfAYearIsDividedIntoPayTaxesAndFees(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("p", "2025", "-4800.00", payroll, 12)...)
	o.process(0)
	hook := o.hookOf(ids["p-0"])
	o.answerIssue(hook, "payroll 52,000 wages, 3,978 taxes a year", nil).want(422) // 57,600 in all
	o.answerIssue(hook, "payroll 52,000 wages, 3,978 taxes a year, rest payroll fees", nil).want(200).wantAt("accepted",
		"status")
	o.process(0)
	sums := o.sums("2025-01-01", "2025-12-31")
	for line, want := range map[string]string{"line 26": "52000.00", "line 23": "3978.00", "line 17": "1622.00",
		"netProfit": "-57600.00"} {
		if sums[line] != want {
			t.Errorf("%s is %s, want %s", line, sums[line], want)
		}
	}
	o.wantParts(ids["p-0"], "user", "expense.wages -4333.33", "expense.taxes_licenses.payroll -331.50",
		"expense.legal_professional.payroll_service -135.17")
}

func TestAHookOfARowTakesAmounts(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 3, "-200.50", blantvik)...)
	o.process(0)
	o.answerIssue("t:"+ids["r-1"], "120.50 supplies; 30 meals; rest owner draw", nil).want(200)
	o.process(0)
	o.wantParts(ids["r-1"], "user", "expense.supplies -120.50", "expense.meals -30.00", "equity.owner_draw -50.00")
	if got := o.partsOf(ids["r-0"]); len(got) > 0 && got[0] != "suggested" {
		t.Errorf("another row is %q", got)
	}
	got := o.get(o.path + "/transactions/" + ids["r-1"]).want(200)
	got.wantAt("120.50 supplies; 30 meals; rest owner draw", "transaction", "answers", 0, "answer")
	got.wantAt(json.Number("-150.50"), "transaction", "answers", 0, "netProfitEffect")
	sums := o.sums("2026-01-01", "2026-12-31")
	if sums["line 24b"] != "30.00" || sums["line 22"] != "120.50" || sums["netProfit"] != "-150.50" {
		t.Errorf("%v", sums)
	}
}

func TestABrokenSplitIsRefusedByNameAndChangesNothing(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 2, "-100.00", blantvik)...)
	o.process(0)
	o.answerIssue("t:"+ids["r-0"], "60% car, rest personal", nil).want(200)
	before := o.partsOf(ids["r-0"])
	for words, want := range map[string]string{
		"120.50 supplies; rest owner draw": "come to 120.50, more than the 100.00 of 2026-03-01",
		"20.50 supplies; 30 meals": "come to 50.50 and no part that takes the rest, less than the " +
			"100.00",
		"60% car, 50% personal":                    "come to 110 %, more than 100",
		"60% suplies.ofice, rest personal":         "nearest: expense.",
		"60% car, rest personal, rest meals":       "rest twice",
		"rest meals, rest personal":                "rest twice",
		"60% car, 40% personal, rest meals":        "nothing is left",
		"60% car, 20% personal":                    "come to 80 %",
		"33.333% car, rest personal":               "at most two decimals",
		"60% expense.nothing.here, rest personal":  "nearest:",
		"interest 4,210.33 a year":                 "more than the payments of 2026",
		"60% uncategorized.in, rest expense.meals": "names no category",
	} {
		got := o.answerIssue("t:"+ids["r-0"], words, nil).want(422)
		got.wantAt("/answer", "issues", 0, "path")
		if text := got.text("issues", 0, "message"); !strings.Contains(text, want) {
			t.Errorf("%q: %q does not say %q", words, text, want)
		}
		o.wantParts(ids["r-0"], before...)
	}
	o.get(o.path+"/transactions/"+ids["r-0"]).want(200).wantAt(json.Number("1"), "transaction", "answers", 0, "rows")
	if n := o.get(o.path+"/transactions/"+ids["r-0"]).want(200).size("transaction", "answers"); n != 1 {
		t.Errorf("%d answers are kept", n)
	}
}

func TestAnUploadThatChangesTheAmountDividesTheRowAnewOrAsksAgain(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("percent", "-100.00", "2026-03-01", blantvik),
		transaction("amount", "-100.00", "2026-03-02", blantvik),
		transaction("both", "-100.00", "2026-03-03", blantvik), transaction("turned", "-100.00", "2026-03-04",
			blantvik))
	o.process(0)
	for name, words := range map[string]string{"percent": "60% car, rest personal", "amount": "90 supplies; 10 meals",
		"both": "90 supplies; rest meals", "turned": "60% car, rest personal"} {
		o.answerIssue("t:"+ids[name], words, nil).want(200)
	}
	o.upload(account, transaction("percent", "-33.33", "2026-03-01", blantvik),
		transaction("amount", "-120.00", "2026-03-02", blantvik),
		transaction("both", "-120.00", "2026-03-03", blantvik), transaction("turned", "100.00", "2026-03-04", blantvik))
	o.wantParts(ids["percent"], "user", "expense.car_truck -20.00", "personal.living -13.33")
	o.sums("2026-01-01", "2026-12-31")
	o.process(0)
	o.wantParts(ids["percent"], "user", "expense.car_truck -20.00", "personal.living -13.33")
	o.wantParts(ids["both"], "user", "expense.supplies -90.00", "expense.meals -30.00")
	for _, name := range []string{"amount", "turned"} {
		if got := o.partsOf(ids[name]); len(got) > 0 && got[0] != "suggested" {
			t.Errorf("%s is %q", name, got)
		}
	}
	if len(o.questions()) == 0 {
		t.Error("nobody asks about the row whose amounts do not fit any more")
	}
	o.sums("2026-01-01", "2026-12-31")
}

func TestAmountsDivideLaterRowsOfTheSameAmountAlone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("r", 2, "-100.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "90 supplies; rest meals", nil).want(200)
	ids := o.upload(account, transaction("same", "-100.00", "2026-04-01", blantvik),
		transaction("other", "-110.00", "2026-04-02", blantvik))
	o.process(0)
	o.wantParts(ids["same"], "memory", "expense.supplies -90.00", "expense.meals -10.00")
	o.wantParts(ids["other"], "suggested", "expense.supplies")
	if again := o.questionAbout("Blantvik"); again.transactions != "1" {
		t.Errorf("asked again about %s rows", again.transactions)
	}
}
