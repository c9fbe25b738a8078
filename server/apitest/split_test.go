package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

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

// sums are a profit and loss and a cash flow of some days, after their identity was held: net profit, what is not on the
// form and what is not categorized are the cash flow, which with own transfers is the sum of the rows.
func (o *office) sums(from, to string) map[string]string {
	o.t.Helper()
	days := query("startDate", from, "endDate", to)
	pnl, cash := o.get(o.path+"/reports/pnl"+days).want(200), o.get(o.path+"/reports/cashflow"+days).want(200)
	cents := func(got answer, path ...any) money.Amount {
		amount, err := money.Parse(got.text(path...))
		o.must(err)
		return amount
	}
	sum := cents(pnl, "totals", "netProfit") + cents(pnl, "basis", "uncategorized", "inflow") - cents(pnl, "basis", "uncategorized", "outflow")
	sums := map[string]string{"netProfit": pnl.text("totals", "netProfit"), "rows": pnl.text("basis", "transactionCount")}
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
			sums[got.text(node("categoryPath")...)] = got.text(node("net")...) + " x" + got.text(node("transactionCount")...)
			walk(got, node("children")...)
		}
	}
	walk(cash, "categories")
	cash.wantAt(json.Number(pnl.text("basis", "transactionCount")), "basis", "transactionCount")
	return sums
}

const phone = "VERIZON WIRELESS PAYMENT"

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
	sums := o.sums("2026-01-01", "2026-12-31")
	for name, want := range map[string]string{
		"netProfit": "-210.06", "line 25": "210.06", "expense.utilities.phone": "-210.06 x4", "personal.living": "-140.02 x4", "rows": "4",
	} {
		if sums[name] != want {
			t.Errorf("%s is %s, want %s", name, sums[name], want)
		}
	}
	for _, words := range []string{"60% phone; rest personal", fmt.Sprint("undo")} {
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
		rows[i] = transaction(fmt.Sprintf("%s-%d", prefix, i), amount, fmt.Sprintf("%s-%02d-05", year, i+1), description)
	}
	return rows
}

const loan = "TERM LOAN AUTOPAY KESTREL BANK"

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
			t.Errorf("interest %s, principal %s of %v; want %s and %s", sums["line 16b"], sums["liability.loan_principal"], sums, interest, principal)
		}
	}
	year("4210.33", "-1425.74 x11")
	later := o.upload(account, transaction("l-11", "-512.37", "2025-12-05", loan), transaction("next", "-512.37", "2026-01-05", loan))
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

func TestAYearThatIsNamedIsTheOnlyOneThatIsDivided(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(eachMonth("a", "2024", "-500.00", loan, 4), eachMonth("b", "2025", "-500.00", loan, 4)...)...)
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
	o.answerIssue(hook, "payroll 52,000 wages, 3,978 taxes a year, rest payroll fees", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	sums := o.sums("2025-01-01", "2025-12-31")
	for line, want := range map[string]string{"line 26": "52000.00", "line 23": "3978.00", "line 17": "1622.00", "netProfit": "-57600.00"} {
		if sums[line] != want {
			t.Errorf("%s is %s, want %s", line, sums[line], want)
		}
	}
	o.wantParts(ids["p-0"], "user", "expense.wages -4333.33", "expense.taxes_licenses.payroll -331.50", "expense.legal_professional.payroll_service -135.17")
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
		"120.50 supplies; rest owner draw":         "come to 120.50, more than the 100.00 of 2026-03-01",
		"20.50 supplies; 30 meals":                 "come to 50.50 and no part that takes the rest, less than the 100.00",
		"60% car, 50% personal":                    "come to 110 %, more than 100",
		"60% suplies.ofice, rest personal":         "nearest: expense.",
		"60% car, rest personal, rest meals":       "rest twice",
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
	ids := o.upload(account, transaction("percent", "-100.00", "2026-03-01", blantvik), transaction("amount", "-100.00", "2026-03-02", blantvik),
		transaction("both", "-100.00", "2026-03-03", blantvik), transaction("turned", "-100.00", "2026-03-04", blantvik))
	o.process(0)
	for name, words := range map[string]string{"percent": "60% car, rest personal", "amount": "90 supplies; 10 meals", "both": "90 supplies; rest meals", "turned": "60% car, rest personal"} {
		o.answerIssue("t:"+ids[name], words, nil).want(200)
	}
	o.upload(account, transaction("percent", "-33.33", "2026-03-01", blantvik), transaction("amount", "-120.00", "2026-03-02", blantvik),
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
	ids := o.upload(account, transaction("same", "-100.00", "2026-04-01", blantvik), transaction("other", "-110.00", "2026-04-02", blantvik))
	o.process(0)
	o.wantParts(ids["same"], "memory", "expense.supplies -90.00", "expense.meals -10.00")
	o.wantParts(ids["other"], "suggested", "expense.supplies")
	if again := o.questionAbout("Blantvik"); again.transactions != "1" {
		t.Errorf("asked again about %s rows", again.transactions)
	}
}

func TestARefundOfASplitPurchaseFollowsItInProportion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 2, "-100.00", blantvik)...)
	o.process(0)
	hook := o.hookOf(ids["r-0"])
	o.answerIssue(hook, "60% supplies, rest personal", nil).want(200)
	back := o.upload(account, transaction("back", "33.33", "2026-03-20", blantvik), transaction("whole", "100.00", "2026-03-21", blantvik))
	o.process(0)
	whole := []string{"rule", "expense.supplies 60.00", "personal.living 40.00"}
	o.wantParts(back["whole"], whole...)
	o.sums("2026-01-01", "2026-12-31")
	o.answerIssue(hook, "50% meals, rest personal", nil).want(200)
	o.process(0)
	o.wantParts(back["whole"], "rule", "expense.meals 50.00", "personal.living 50.00")
	if sums := o.sums("2026-01-01", "2026-12-31"); sums["expense.meals"] != "-50.00 x3" {
		t.Errorf("meals and what came back are %v", sums["expense.meals"])
	}
	o.answerIssue(hook, "Supplies", nil).want(200)
	o.process(0)
	o.wantParts(back["whole"], "rule", "expense.supplies")
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(0)
	if got := o.partsOf(back["whole"]); len(got) > 0 && got[0] != "suggested" {
		t.Errorf("the refund of what is not known is %q", got)
	}
	o.sums("2026-01-01", "2026-12-31")
}

func TestFiledRowsKeepTheirPartsAndAdjustmentsNameThem(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 3, "-100.00", blantvik)...)
	o.process(0)
	hook := o.hookOf(ids["r-0"])
	file := func(id string) {
		o.must(o.rows().SetFilingState(t.Context(), o.clock.Now(), uuid.MustParse(id), "filed"))
	}
	o.answerIssue("t:"+ids["r-0"], "Meals", nil).want(200)
	file(ids["r-0"])
	o.answerIssue(hook, "60% car, rest personal", nil).want(200).wantAt("partly", "status")
	file(ids["r-1"])
	o.answerIssue(hook, "70% meals, rest personal", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantParts(ids["r-0"], "user", "expense.meals")
	o.wantParts(ids["r-1"], "user", "expense.car_truck -60.00", "personal.living -40.00")
	o.wantParts(ids["r-2"], "user", "expense.meals -70.00", "personal.living -30.00")
	pnl := o.get(o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200)
	pnl.wantAt(json.Number("1"), "adjustmentCount")
	pnl.wantAt(ids["r-1"], "adjustments", 0, "transactionId")
	pnl.wantAt(nil, "adjustments", 0, "filed")
	pnl.wantAt(nil, "adjustments", 0, "nowBelieved")
	pnl.wantAt("expense.car_truck", "adjustments", 0, "filedParts", 0, "categoryPath")
	pnl.wantAt(json.Number("-60.00"), "adjustments", 0, "filedParts", 0, "amount")
	pnl.wantAt(json.Number("-70.00"), "adjustments", 0, "nowBelievedParts", 0, "amount")
	pnl.wantAt(json.Number("-10.00"), "adjustments", 0, "netProfitEffect")
	o.upload(account, transaction("r-1", "-200.02", "2026-03-02", blantvik))
	o.process(0)
	o.wantParts(ids["r-1"], "user", "expense.car_truck -120.01", "personal.living -80.01")
	o.sums("2026-01-01", "2026-12-31")
}

func TestSearchesAndFilteredReportsKnowParts(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("s", 2, "-100.00", blantvik), bills("w", 1, "-50.00", quorvane)...)...)
	o.process(0)
	o.answerIssue("t:"+ids["s-0"], "60% car, 10% meals, rest personal", nil).want(200)
	o.answerIssue("t:"+ids["s-1"], "20% meals, rest personal", nil).want(200)
	o.answerIssue("t:"+ids["w-0"], "Meals", nil).want(200)
	o.process(0)
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"categoryPath", "expense.car_truck", 1}, {"categoryPath", "expense", 3}, {"categoryPath", "personal", 2},
		{"categoryPath", "expense.meals", 3}, {"query", "truck", 1}, {"query", "blantvik meals", 2}, {"query", "meals", 3},
		{"categoryPath", "uncategorized", 0},
	} {
		got := o.search(c.name, c.value).want(200)
		if got.size("transactions") != c.want || got.text("totalMatched") != fmt.Sprint(c.want) {
			t.Errorf("%s %s finds %d of %s, want %d", c.name, c.value, got.size("transactions"), got.text("totalMatched"), c.want)
		}
		for i := range got.size("transactions") {
			partsIn(got, "transactions", i)
		}
	}
	days := []string{"startDate", "2026-01-01", "endDate", "2026-12-31", "categoryPaths", `[["expense","meals"]]`}
	cash := o.get(o.path + "/reports/cashflow" + query(days...)).want(200)
	cash.wantAt(json.Number("-80.00"), "totals", "net")
	cash.wantAt(json.Number("3"), "totals", "transactionCount")
	cash.wantAt(json.Number("3"), "basis", "transactionCount")
	days[5] = `[["expense"]]`
	cash = o.get(o.path + "/reports/cashflow" + query(days...)).want(200)
	cash.wantAt(json.Number("-140.00"), "totals", "net")
	cash.wantAt(json.Number("3"), "totals", "transactionCount")
	cash.wantAt(json.Number("4"), "categories", 0, "transactionCount")
	cash.wantAt(json.Number("-90.00"), "counterparties", 0, "net")
	cash.wantAt(json.Number("2"), "counterparties", 0, "transactionCount")
	pnl := o.get(o.path + "/reports/pnl" + query(days...)).want(200)
	pnl.wantAt(json.Number("-140.00"), "totals", "netProfit")
	o.get(o.path+"/profile").want(200).wantAt(json.Number("3"), "coverage", "transactions", "categorized")
	of := strings.TrimSuffix(strings.TrimPrefix(o.hookOf(ids["s-0"]), "c:"), ":out")
	detail := o.get(o.path + "/counterparties/" + of).want(200)
	var top []string
	for i := range detail.size("counterparty", "topCategories") {
		top = append(top, detail.text("counterparty", "topCategories", i, "categoryPath")+" "+detail.text("counterparty", "topCategories", i, "transactionCount"))
	}
	slices.Sort(top)
	if want := []string{"expense.car_truck 1", "expense.meals 2", "personal.living 2"}; !slices.Equal(top, want) {
		t.Errorf("categories of the counterparty are %q, want %q", top, want)
	}
}

// Random splits of random rows are what an oracle makes of their words, through HTTP and in the reports.
func TestRandomSplitsAreThoseOfAnOracle(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	random := rand.New(rand.NewPCG(7, 20))
	paths := []string{"expense.meals", "expense.supplies", "expense.car_truck.fuel", "personal.living", "equity.owner_draw", "cogs.purchases", "expense.utilities.phone"}
	type asked struct {
		amount int64
		words  string
		want   map[string]int64
	}
	var all []asked
	var rows []M
	for i := range 20 {
		a := asked{amount: 100 + random.Int64N(5_000_00), want: map[string]int64{}}
		chosen := random.Perm(len(paths))[:2+random.IntN(4)]
		left, points := a.amount, int64(100_00)
		var said []string
		weights := map[string]int64{}
		var order []string
		for k, at := range chosen {
			path := paths[at]
			switch {
			case k == len(chosen)-1:
				said = append(said, "rest "+path)
				weights[path], order = points, append(order, path)
			case random.IntN(2) == 0 && left > 200:
				cents := 1 + random.Int64N(left/2)
				said = append(said, fmt.Sprintf("%d.%02d %s", cents/100, cents%100, path))
				a.want[path], left = cents, left-cents
			default:
				share := 1 + random.Int64N(points/2)
				said = append(said, fmt.Sprintf("%d.%02d%% %s", share/100, share%100, path))
				weights[path], points, order = share, points-share, append(order, path)
			}
		}
		cents := left
		for _, path := range order {
			a.want[path] = left * weights[path] / 100_00
			cents -= a.want[path]
		}
		slices.SortStableFunc(order, func(x, y string) int {
			return int(left*weights[y]%100_00 - left*weights[x]%100_00)
		})
		for _, path := range order[:cents] {
			a.want[path]++
		}
		a.words = strings.Join(said, []string{", ", "; ", "\n"}[i%3])
		all = append(all, a)
		rows = append(rows, transaction(fmt.Sprint("o-", i), fmt.Sprintf("-%d.%02d", a.amount/100, a.amount%100), fmt.Sprintf("2026-%02d-11", 1+i%12), blantvik))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	sums := map[string]int64{}
	for i, a := range all {
		id := ids[fmt.Sprint("o-", i)]
		o.answerIssue("t:"+id, a.words, nil).want(200)
		got := map[string]int64{}
		for _, part := range o.partsOf(id)[1:] {
			path, amount, _ := strings.Cut(part, " ")
			cents, err := money.Parse(amount)
			o.must(err)
			got[path] = -int64(cents)
		}
		maps.DeleteFunc(a.want, func(_ string, cents int64) bool { return cents == 0 })
		if !maps.Equal(got, a.want) {
			t.Errorf("%q of %d is %v, want %v", a.words, a.amount, got, a.want)
		}
		for path, cents := range a.want {
			sums[path] += cents
		}
	}
	o.process(0)
	report := o.sums("2026-01-01", "2026-12-31")
	for path, cents := range sums {
		if !strings.HasPrefix(report[path], fmt.Sprint("-", money.Amount(cents), " x")) {
			t.Errorf("%s comes to %s in the report, want %v", path, report[path], money.Amount(cents))
		}
	}
	for month := range 12 {
		o.sums(fmt.Sprintf("2026-%02d-01", month+1), fmt.Sprintf("2026-%02d-28", month+1))
	}
}

func TestASplitFollowsWhoeverTheRowsAreWith(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("b", 2, "-100.00", blantvik), bills("q", 2, "-50.00", quorvane)...)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "60% supplies, rest personal", nil).want(200)
	o.answerIssue(o.questionAbout("Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	o.process(0)
	o.wantParts(ids["q-0"], "memory", "expense.supplies -30.00", "personal.living -20.00")
	later := o.upload(account, transaction("later", "-10.00", "2026-04-01", quorvane))
	o.process(0)
	o.wantParts(later["later"], "memory", "expense.supplies -6.00", "personal.living -4.00")
	o.sums("2026-01-01", "2026-12-31")
}

func TestPartsInOtherCurrenciesAndPendingOnesStandBesideReports(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	euro, waiting := transaction("euro", "-10.00", "2026-03-01", blantvik), transaction("waiting", "-20.00", "2026-03-02", blantvik)
	euro["currency"], waiting["pending"] = "EUR", true
	ids := o.upload(account, euro, waiting)
	o.process(0)
	for _, id := range ids {
		o.answerIssue("t:"+id, "60% meals, 10% car, rest personal", nil).want(200)
	}
	for filter, want := range map[string][2]string{`[["expense","meals"]]`: {"6.00", "12.00"}, `[["expense"]]`: {"7.00", "14.00"}, `[["personal"]]`: {"3.00", "6.00"}, `[["cogs"]]`: {}} {
		got := o.get(o.path + "/reports/cashflow" + query("startDate", "2026-01-01", "endDate", "2026-12-31", "categoryPaths", filter)).want(200)
		if want[0] == "" {
			got.wantAt(json.Number("0"), "basis", "pendingExcluded", "transactionCount")
			continue
		}
		got.wantAt(json.Number(want[0]), "basis", "otherCurrencies", 0, "outflow")
		got.wantAt(json.Number("1"), "basis", "otherCurrencies", 0, "transactionCount")
		got.wantAt(json.Number(want[1]), "basis", "pendingExcluded", "outflow")
		got.wantAt(json.Number("1"), "basis", "pendingExcluded", "transactionCount")
	}
}
