package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

func TestARefundOfASplitPurchaseFollowsItInProportion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 2, "-100.00", blantvik)...)
	o.process(0)
	hook := o.hookOf(ids["r-0"])
	o.answerIssue(hook, "60% supplies, rest personal", nil).want(200)
	back := o.upload(account, transaction("back", "33.33", "2026-03-20", blantvik),
		transaction("whole", "100.00", "2026-03-21", blantvik))
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

// What a filed payment would bear of a year's amounts is what the others do not bear already: the books and the
// adjustments together are what the lender says.
func TestAFiledPaymentIsBelievedToBearWhatIsLeftOfTheYear(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("l", "2025", "-1000.00", loan, 4)...)
	o.process(0)
	o.must(o.rows().SetFilingState(t.Context(), o.clock.Now(), uuid.MustParse(ids["l-0"]), "filed"))
	o.answerIssue(o.hookOf(ids["l-0"]), "interest 2,000.00 in 2025", nil).want(200).wantAt("partly", "status")
	want := func(books, effect string) {
		t.Helper()
		o.process(0)
		o.sums("2025-01-01", "2025-12-31")
		pnl := o.get(o.path + "/reports/pnl?startDate=2025-01-01&endDate=2025-12-31").want(200)
		pnl.wantAt(json.Number(books), "totals", "operatingExpenses")
		pnl.wantAt(json.Number("1"), "adjustmentCount")
		pnl.wantAt(json.Number(effect), "adjustments", 0, "netProfitEffect")
	}
	want("2000.00", "0.00") // the three others bear all of it
	o.delete(o.path + "/transactions/" + ids["l-3"]).want(200)
	want("2000.00", "0.00")
	o.delete(o.path + "/transactions/" + ids["l-2"]).want(200)
	want("1000.00", "-1000.00")
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
		{"categoryPath", "expense.meals", 3}, {"query", "truck", 1}, {"query", "blantvik meals", 2},
		{"query", "meals", 3},
		{"categoryPath", "uncategorized", 0},
	} {
		got := o.search(c.name, c.value).want(200)
		if got.size("transactions") != c.want || got.text("totalMatched") != fmt.Sprint(c.want) {
			t.Errorf("%s %s finds %d of %s, want %d", c.name, c.value, got.size("transactions"),
				got.text("totalMatched"), c.want)
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
		top = append(top, detail.text("counterparty", "topCategories", i, "categoryPath")+" "+
			detail.text("counterparty", "topCategories", i, "transactionCount"))
	}
	slices.Sort(top)
	if want := []string{"expense.car_truck 1", "expense.meals 2", "personal.living 2"}; !slices.Equal(top, want) {
		t.Errorf("categories of the counterparty are %q, want %q", top, want)
	}
}

// Under a filter by category, rows that are one thing and parts of rows are one sum of what a report leaves out.
func TestWhatAFilteredReportLeavesOutIsRowsAndParts(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := bills("p", 6, "-100.00", blantvik)
	for i, currency := range []string{"USD", "USD", "EUR", "EUR", "USD", "EUR"} {
		rows[i]["currency"], rows[i]["pending"] = currency, currency == "USD" || i == 2
	}
	last := transaction("e", "-7.00", "2026-03-09", blantvik)
	last["currency"], last["pending"] = "EUR", true
	ids := o.upload(account, append(rows, last)...)
	o.process(0)
	for row, answer := range map[string]string{"p-0": "60% meals, rest personal", "p-1": "Meals",
		"p-2": "30% meals, rest personal",
		"p-3": "20% meals, rest personal", "p-4": "Meals", "p-5": "Meals", "e": "Meals"} {
		o.answerIssue("t:"+ids[row], answer, nil).want(200).wantAt("accepted", "status")
	}
	o.process(0)
	for _, report := range []string{"cashflow", "pnl"} {
		got := o.get(o.path + "/reports/" + report + query("startDate", "2026-01-01", "endDate", "2026-12-31",
			"categoryNames", `["Expenses"]`)).want(200)
		got.wantAt(json.Number("3"), "basis", "pendingExcluded", "transactionCount")
		got.wantAt(json.Number("260.00"), "basis", "pendingExcluded", "outflow")
		pending, posted := got.size("basis", "pendingExcluded", "otherCurrencies"), got.size("basis", "otherCurrencies")
		if pending != 1 || posted != 1 {
			t.Errorf("%s has %d sums of pending and %d of posted rows in EUR, want one of each", report, pending,
				posted)
		}
		got.wantAt(json.Number("37.00"), "basis", "pendingExcluded", "otherCurrencies", 0, "outflow")
		got.wantAt(json.Number("2"), "basis", "pendingExcluded", "otherCurrencies", 0, "transactionCount")
		got.wantAt(json.Number("120.00"), "basis", "otherCurrencies", 0, "outflow")
		got.wantAt(json.Number("2"), "basis", "otherCurrencies", 0, "transactionCount")
	}
}

// Random splits of random rows are what an oracle makes of their words, through HTTP and in the reports.
func TestRandomSplitsAreThoseOfAnOracle(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	random := rand.New(rand.NewPCG(7, 20))
	paths := []string{"expense.meals", "expense.supplies", "expense.car_truck.fuel", "personal.living",
		"equity.owner_draw", "cogs.purchases", "expense.utilities.phone"}
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
		rows = append(rows, transaction(fmt.Sprint("o-", i), fmt.Sprintf("-%d.%02d", a.amount/100, a.amount%100),
			fmt.Sprintf("2026-%02d-11", 1+i%12), blantvik))
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
	euro, waiting := transaction("euro", "-10.00", "2026-03-01", blantvik),
		transaction("waiting", "-20.00", "2026-03-02", blantvik)
	euro["currency"], waiting["pending"] = "EUR", true
	ids := o.upload(account, euro, waiting)
	o.process(0)
	for _, id := range ids {
		o.answerIssue("t:"+id, "60% meals, 10% car, rest personal", nil).want(200)
	}
	for filter, want := range map[string][2]string{`[["expense","meals"]]`: {"6.00", "12.00"},
		`[["expense"]]`: {"7.00", "14.00"}, `[["personal"]]`: {"3.00", "6.00"}, `[["cogs"]]`: {}} {
		got := o.get(o.path + "/reports/cashflow" + query("startDate", "2026-01-01", "endDate", "2026-12-31",
			"categoryPaths", filter)).want(200)
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

// A row that was filed without a category has none after an answer that divides its like: it is suggested the largest
// part.
func TestAFiledRowIsSuggestedTheLargestPartOfASplit(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 3, "-100.00", blantvik)...)
	o.process(0)
	o.must(o.rows().SetFilingState(t.Context(), o.clock.Now(), uuid.MustParse(ids["r-2"]), "filed"))
	o.answerIssue(o.hookOf(ids["r-0"]), "60% car, rest personal", nil).want(200)
	o.process(0)
	o.upload(account, transaction("r-2", "-100.00", "2026-03-09", "ACH DEBIT "+blantvik))
	o.process(0)
	row := o.get(o.path + "/transactions/" + ids["r-2"]).want(200)
	row.wantAt(nil, "transaction", "category")
	row.wantAt("expense.car_truck", "transaction", "suggestion", "categoryPath")
	o.get(o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200)
	var parts int
	o.must(o.db.SQL().QueryRowContext(t.Context(),
		`SELECT count(*) FROM transaction_parts WHERE organization_id = $1 AND transaction_id = $2`,
		o.organization, ids["r-2"]).Scan(&parts))
	if parts != 0 {
		t.Errorf("it has %d parts", parts)
	}
	o.sums("2026-01-01", "2026-12-31")
}

// What is emptied of a row that was deleted long ago are its parts, too.
func TestDeletedRowsLoseTheirPartsWhenTheyAreEmptied(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("r", 1, "-100.00", blantvik)...)
	o.process(0)
	o.answerIssue("t:"+ids["r-0"], "60% meals, rest personal", nil).want(200)
	o.delete(o.path + "/transactions/" + ids["r-0"]).want(200)
	// no other test's rows
	o.exec(`UPDATE transactions SET deleted_at = '1990-01-01' WHERE organization_id = $1`, o.organization)
	for done := false; !done; {
		var err error
		_, done, err = o.db.EmptyDeleted(t.Context(), time.Date(1991, 1, 1, 0, 0, 0, 0, time.UTC))
		o.must(err)
	}
	var left int
	o.must(o.db.SQL().QueryRowContext(t.Context(), `SELECT count(*) FROM transaction_parts WHERE organization_id = $1`,
		o.organization).Scan(&left))
	if left != 0 {
		t.Errorf("%d parts are left", left)
	}
}

// A filed row that the answer names by itself is one thing, whatever the answer makes of the others.
func TestAnAdjustmentOfARowThatAnExceptionNamesIsOneCategory(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := bills("lease", 4, "-480.00", blantvik)
	ids := o.upload(account, rows...)
	o.process(0)
	o.exec(`UPDATE transactions SET filing_state = 'filed' WHERE organization_id = $1 AND id IN ($2, $3)`,
		o.organization, ids["lease-0"], ids["lease-1"])
	q := o.questionAbout("Blantvik")
	number := o.lineOf(ids["lease-0"])
	for _, c := range []struct{ is, category, effect string }{
		{"expense.meals", "expense.meals", "0 -480.00"},
		{"25% expense.meals, rest personal.living", "<nil>", "2 -120.00"}, // in its own way
	} {
		o.answerIssue(q.id, "50% expense.rent.property, rest personal.living; "+number+": "+c.is, nil).want(200)
		o.process(0)
		report := o.report("pnl", url.Values{"startDate": {"2026-01-01"}, "endDate": {"2026-12-31"}}).want(200)
		effects := map[string]string{}
		for i := range report.size("adjustments") {
			effects[report.text("adjustments", i, "transactionId")] = fmt.Sprintf("%v %d %s",
				report.get("adjustments", i, "nowBelieved"),
				report.size("adjustments", i, "nowBelievedParts"), report.text("adjustments", i, "netProfitEffect"))
		}
		named, other := effects[ids["lease-0"]], effects[ids["lease-1"]]
		if !strings.Contains(named, c.category) || !strings.HasSuffix(named, c.effect) ||
			!strings.HasSuffix(other, "2 -240.00") {
			t.Errorf("adjustments: %v", effects)
		}
	}
}

// lineOf is the number of a row among the lines of its question.
func (o *office) lineOf(id string) string {
	o.t.Helper()
	page := o.get(o.path + "/outstanding-issues?limit=50").want(200)
	for i := range page.size("issues") {
		for l := range page.size("issues", i, "lines") {
			if page.text("issues", i, "lines", l, "transactionId") == id {
				return fmt.Sprint(page.get("issues", i, "lines", l, "n"))
			}
		}
	}
	o.t.Fatalf("no question shows %s", id)
	return ""
}

// What was filed is not moved by what becomes of others: its purchase, its other leg.
func TestAFiledRowStaysWhatItIsWhenItsPurchaseOrItsOtherLegChanges(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	const shop = "ADOBE *CREATIVE CLOUD 408-536-6000 CA"
	ids := o.upload(account, transaction("bought", "-54.99", "2026-03-01", shop),
		transaction("refund", "54.99", "2026-03-05", shop),
		transaction("bought more", "-99.99", "2026-03-02", shop), transaction("later refund", "99.99", "2026-03-06",
			shop),
		transaction("out", "-500.00", "2026-03-10", "ONLINE TRANSFER TO SAVINGS XXXXXX4471"))
	o.process(0)
	row := func(name string) answer { return o.get(o.path + "/transactions/" + ids[name]).want(200) }
	software := row("refund").text("transaction", "category", "categoryPath")
	o.exec(`UPDATE transactions SET filing_state = 'filed' WHERE organization_id = $1 AND id IN ($2, $3)`,
		o.organization, ids["refund"], ids["out"])
	for _, name := range []string{"bought", "bought more"} {
		o.answerIssue("t:"+ids[name], "personal.living", nil).want(200)
	}
	other := o.uploadAccount("savings")
	ids["in"] = o.upload(other, transaction("in", "500.00", "2026-03-10",
		"ONLINE TRANSFER FROM CHECKING XXXXXX1234"))["in"]
	o.process(0)
	row("refund").wantAt(software, "transaction", "category", "categoryPath")
	row("later refund").wantAt("personal.living", "transaction", "category", "categoryPath")
	row("in").wantAt("transfer.internal", "transaction", "category", "categoryPath")
	row("out").wantAt(nil, "transaction", "category")
	o.delete(o.path + "/transactions/" + ids["in"]).want(200)
	o.process(0)
	row("out").wantAt(nil, "transaction", "category")
}

// A figure of a year is in the currency that most of the money is in: payments in another take no part, and stay open.
func TestAFigureOfAYearIsSpreadOverPaymentsInItsCurrencyAlone(t *testing.T) {
	t.Parallel()
	euro := func(row M) M {
		row["currency"] = "EUR"
		return row
	}
	for name, before := range map[string]bool{"it was there before": true, "it comes later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			rows, other := eachMonth("l", "2025", "-1234.56", loan, 3),
				euro(transaction("other", "-1234.56", "2025-06-05", loan))
			if before {
				rows = append(rows, other)
			}
			ids := o.upload(account, rows...)
			o.process(0)
			o.answerIssue(o.hookOf(ids["l-0"]), "interest 410.33 in 2025", nil).want(200)
			o.process(0)
			wantOpen := func(row string) {
				t.Helper()
				if sums := o.sums("2025-01-01", "2025-12-31"); sums["line 16b"] != "410.33" {
					t.Errorf("interest is %s", sums["line 16b"])
				}
				if got := o.partsOf(o.all()[row]["id"].(string)); len(got) > 0 && got[0] != "suggested" ||
					o.all()[row]["needsAttention"] != true {
					t.Errorf("the payment in EUR is %q: %v", got, o.all()[row])
				}
			}
			o.upload(account, other)
			o.process(0)
			wantOpen("other")
			o.upload(account, euro(transaction("l-1", "-1234.56", "2025-02-05", loan)))
			o.process(0)
			wantOpen("l-1")
			o.wantParts(ids["l-0"], "user", "expense.interest.other -205.17", "liability.loan_principal -1029.39")
		})
	}
}

// A figure of a year says nothing of a payment of another year or in another currency: it stays open, which is said.
func TestAFigureOfAYearThatLeavesPaymentsOpenIsPartly(t *testing.T) {
	t.Parallel()
	for day, currency := range map[string]string{"2025-06-05": "EUR", "2024-06-05": "USD"} {
		o, account := openPaid(t)
		other := transaction("other", "-1234.56", day, loan)
		other["currency"] = currency
		ids := o.upload(account, append(eachMonth("l", "2025", "-1234.56", loan, 3), other)...)
		o.process(0)
		o.answerIssue(o.hookOf(ids["l-0"]), "interest 410.33 in 2025", nil).want(200).wantAt("partly", "status")
	}
}

// What was bought once and came back in many pieces: each piece is divided as the purchase is, into as many parts.
func TestEachOfManyRefundsHasThePartsOfItsPurchaseOnce(t *testing.T) {
	t.Parallel()
	const shop = "HOME DEPOT #1234"
	o, account := openPaid(t)
	rows := []M{transaction("bought", "-200.00", "2026-03-02", shop)}
	for i := range 25 {
		day := fmt.Sprintf("2026-03-%02d", 4+i)
		rows = append(rows, transaction(fmt.Sprint("back ", i), "1.03", day, shop+" REFUND"))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	o.answerIssue("t:"+ids["bought"], "60% supplies, rest personal", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	later := o.upload(account, transaction("later", "1.03", "2026-03-30", shop+" REFUND"),
		transaction("last", "1.03", "2026-03-31", shop+" REFUND"))
	o.process(0)
	for name, id := range ids {
		if name != "bought" {
			o.wantParts(id, "rule", "expense.supplies 0.62", "personal.living 0.41")
		}
	}
	for _, id := range later {
		o.wantParts(id, "rule", "expense.supplies 0.62", "personal.living 0.41")
	}
}

// What is said of one payment of a year changes the parts of the others, and when they last changed.
func TestAPaymentWhosePartsChangeSaysThatItChanged(t *testing.T) {
	t.Parallel()
	o := start(t).openTier("paid")
	account := o.uploadAccount("a")
	var rows []M
	for i := range 3 {
		rows = append(rows, transaction(fmt.Sprint("r", i), "-300.00", fmt.Sprintf("2025-0%d-05", i+1), loan))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("Term Loan").id, "interest 100.10 a year", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	other := o.path + "/transactions/" + ids["r1"]
	was := o.get(other).want(200)
	o.clock.Add(time.Second)
	o.answerIssue("t:"+ids["r0"], "expense.meals", nil).want(200).wantAt("accepted", "status")
	is := o.get(other).want(200)
	if reflect.DeepEqual(is.get("transaction", "parts"), was.get("transaction", "parts")) {
		t.Fatalf("its parts stay %v", is.get("transaction", "parts"))
	}
	is.wantAt(o.clock.Now(), "transaction", "updatedAt")
}
