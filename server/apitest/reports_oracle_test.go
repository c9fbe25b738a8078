package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// bookRow is a row as search returns it, or a part of one. Days are their midnight.
type bookRow struct {
	id                 string
	cents              int64
	whole              int64 // cents of the row that it is a part of
	currency           string
	primary, processed time.Time
	pending            bool
	path               string // of the category; uncategorized without one
	suggested          string // the path of the suggestion; empty without one
	counterparty, name string // empty without one
	leg                string // the other leg of a transfer
	parts              []bookRow
}

// piecesOf are rows with their parts in the place of those that have some.
func piecesOf(rows []bookRow) (pieces []bookRow) {
	for _, r := range rows {
		if len(r.parts) == 0 {
			pieces = append(pieces, r)
		}
		pieces = append(pieces, r.parts...)
	}
	return pieces
}

// everyRow pages through search to its end.
func (o *office) everyRow() []bookRow {
	o.t.Helper()
	var rows []bookRow
	params := asked("limit", "50")
	for {
		page := o.get(o.path + "/transactions?" + params.Encode()).want(200)
		rows = append(rows, page.bookRows()...)
		if page.get("nextCursor") == nil {
			return rows
		}
		params.Set("cursor", page.text("nextCursor"))
	}
}

// bookRows are the rows of a page of a search.
func (r answer) bookRows() (rows []bookRow) {
	r.t.Helper()
	var page struct {
		Transactions []struct {
			ID                    string
			Amount                money.Amount
			Currency, PrimaryDate string
			ProcessedAt           time.Time
			Pending               bool
			Category, Suggestion  *struct{ CategoryPath string }
			Parts                 []struct {
				CategoryPath string
				Amount       money.Amount
			}
			Counterparty          *struct{ ID, Name string }
			TransferTransactionID string
		}
	}
	if err := json.Unmarshal(r.body, &page); err != nil {
		r.t.Fatal(err)
	}
	for _, t := range page.Transactions {
		primary, err := time.Parse(time.DateOnly, t.PrimaryDate)
		if err != nil {
			r.t.Fatal(err)
		}
		row := bookRow{id: t.ID, cents: int64(t.Amount), whole: int64(t.Amount), currency: t.Currency,
			primary: primary, processed: t.ProcessedAt,
			pending: t.Pending, path: "uncategorized", leg: t.TransferTransactionID}
		if t.Category != nil {
			row.path = t.Category.CategoryPath
		}
		if t.Suggestion != nil {
			row.suggested = t.Suggestion.CategoryPath
		}
		if t.Counterparty != nil {
			row.counterparty, row.name = t.Counterparty.ID, t.Counterparty.Name
		}
		whole := row
		for _, p := range t.Parts {
			part := whole
			part.path, part.cents = p.CategoryPath, int64(p.Amount)
			row.parts = append(row.parts, part)
		}
		rows = append(rows, row)
	}
	return rows
}

// bookFlow is what some rows add up to, in cents.
type bookFlow struct{ in, out, n int64 }

// flowOf counts a row of several parts once, and flowOfParts each of its parts, as the trees do.
func flowOf(rows []bookRow, included func(bookRow) bool) bookFlow {
	f, ids := flowOfParts(rows, included), map[string]bool{}
	for _, r := range rows {
		if included(r) {
			ids[r.id] = true
		}
	}
	f.n = int64(len(ids))
	return f
}

func flowOfParts(rows []bookRow, included func(bookRow) bool) (f bookFlow) {
	for _, r := range rows {
		if included(r) {
			f.in, f.out, f.n = f.in+max(r.cents, 0), f.out-min(r.cents, 0), f.n+1
		}
	}
	return f
}

func jsonMoney(n int64) json.Number {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return json.Number(fmt.Sprintf("%s%d.%02d", sign, n/100, n%100))
}

func jsonCount(n int64) json.Number { return json.Number(fmt.Sprint(n)) }

func (f bookFlow) count() M {
	return M{"inflow": jsonMoney(f.in), "outflow": jsonMoney(f.out), "transactionCount": jsonCount(f.n)}
}

func (f bookFlow) net() M {
	m := f.count()
	m["net"] = jsonMoney(f.in - f.out)
	return m
}

// reportOracle computes a report row by row and day by day.
type reportOracle struct {
	rows    []bookRow // of the report
	keys    []string  // of the periods broken down
	keyOf   map[time.Time]string
	date    func(bookRow) time.Time
	leftOut []bookRow
	hidden  []bookRow         // without a category, which a filter by category leaves out
	chosen  func(string) bool // whether the filter chooses a path; nil without one that hides rows
}

// under is whether a path is the one above it or lies under it.
func underPath(path, above string) bool { return path == above || strings.HasPrefix(path, above+".") }

// filterPaths are the categories that the tests' filters choose.
var filterPaths = map[string]string{
	"Expenses": "expense", "Income": "revenue", "Uncategorized": "uncategorized", "advertising": "expense.advertising",
	"Transfers between own accounts": "transfer",
	"Expenses Advertising":           "expense.advertising", "revenue": "revenue", "uncategorized": "uncategorized",
	"expense travel":   "expense.travel",
	"uncategorized.in": "uncategorized.in", "revenue returns": "revenue.returns", "EXPENSE.Travel": "expense.travel",
	" Income ": "revenue", "expense.travel": "expense.travel",
}

func newReportOracle(t *testing.T, params url.Values, rows []bookRow) (*reportOracle, []M) {
	instant := func(name string, end time.Duration) time.Time {
		text := params.Get(name)
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			return day.Add(end)
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.UTC()
	}
	start, end := instant("startDate", 0), instant("endDate", 24*time.Hour-1)
	o := &reportOracle{keyOf: map[time.Time]string{}, date: func(r bookRow) time.Time { return r.processed }}
	if params.Get("dateField") == "authorized_at" {
		o.date = func(r bookRow) time.Time { return r.primary }
	}
	var above []string
	for _, name := range jsonParam[[]string](t, params.Get("categoryNames")) {
		above = append(above, filterPaths[name])
	}
	for _, path := range jsonParam[[][]string](t, params.Get("categoryPaths")) {
		above = append(above, filterPaths[strings.Join(path, " ")])
	}
	parties := jsonParam[[]string](t, params.Get("counterpartyIds"))
	within := func(path string) bool {
		return slices.ContainsFunc(above, func(a string) bool { return underPath(path, a) })
	}
	if len(above) > 0 && !within("uncategorized") {
		o.chosen = within
	}
	for _, r := range piecesOf(rows) {
		day := o.date(r)
		switch {
		case day.Before(start), day.After(end):
		case len(parties) > 0 && (r.counterparty == "" || !slices.Contains(parties, r.counterparty)):
		case len(above) > 0 && !within(r.path):
			if underPath(r.path, "uncategorized") && !r.pending && r.currency == "USD" {
				o.hidden = append(o.hidden, r)
			}
		case r.pending, r.currency != "USD":
			o.leftOut = append(o.leftOut, r)
		default:
			o.rows = append(o.rows, r)
		}
	}
	key := func(day time.Time) string {
		switch year, week := day.ISOWeek(); params.Get("periodGrouping") {
		case "quarter":
			return fmt.Sprintf("%d-Q%d", day.Year(), (int(day.Month())-1)/3+1)
		case "week":
			return fmt.Sprintf("%d-W%02d", year, week)
		case "day":
			return day.Format("2006-01-02")
		default:
			return day.Format("2006-01")
		}
	}
	// Walk over some days more on either side, so that first and last periods are seen whole.
	var periods []M
	for day := start.Truncate(24*time.Hour).AddDate(0, 0, -100); day.Before(end.AddDate(0, 0,
		100)); day = day.AddDate(0, 0, 1) {
		k := key(day)
		o.keyOf[day] = k
		if len(periods) == 0 || periods[len(periods)-1]["key"] != k {
			periods = append(periods, M{"key": k, "startDate": day.Format(time.DateOnly), "partial": false})
		}
		period := periods[len(periods)-1]
		period["endDate"] = day.Format(time.DateOnly)
		if day.Before(start) || day.Add(24*time.Hour-time.Second).After(end) {
			period["partial"] = true
		}
	}
	from := slices.IndexFunc(periods, func(p M) bool { return p["key"] == key(start) })
	to := slices.IndexFunc(periods, func(p M) bool { return p["key"] == key(end) })
	periods = periods[from : to+1]
	var limit int64
	if _, err := fmt.Sscan(params.Get("periodLimit"), &limit); err != nil {
		t.Fatal(err)
	}
	all := len(periods)
	if int64(all) > limit {
		periods = periods[int64(all)-limit:]
	}
	for _, p := range periods {
		o.keys = append(o.keys, p["key"].(string))
	}
	return o, append(periods, M{"count": all})
}

func jsonParam[T any](t *testing.T, text string) (v T) {
	if text != "" {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// flows are those of all rows that are included, and of each period's.
func (o *reportOracle) flows(included func(bookRow) bool,
	flowOf func([]bookRow, func(bookRow) bool) bookFlow) (total bookFlow, byPeriod []bookFlow) {
	ofPeriod := map[string][]bookRow{}
	for _, r := range o.rows {
		if included(r) {
			key := o.keyOf[o.date(r)]
			ofPeriod[key] = append(ofPeriod[key], r)
		}
	}
	byPeriod = make([]bookFlow, len(o.keys))
	for i, key := range o.keys {
		byPeriod[i] = flowOf(ofPeriod[key], included)
	}
	return flowOf(o.rows, included), byPeriod
}

func jsonList[T any](items []T, one func(T) any) []any {
	out := []any{}
	for _, item := range items {
		out = append(out, one(item))
	}
	return out
}

// tree is what the tree of a report must be under some categories; describe adds what a node says of its rows.
func (o *reportOracle) tree(categories []*ontology.Category, describe func(M, *ontology.Category, bookFlow,
	[]bookFlow)) []any {
	nodes := []any{}
	node := func(c *ontology.Category, included func(bookRow) bool, children []any) M {
		total, byPeriod := o.flows(included, flowOfParts)
		n := M{"categoryPath": c.Path, "name": c.Name, "kind": strings.Split(c.Path, ".")[0],
			"transactionCount": jsonCount(total.n), "children": children}
		describe(n, c, total, byPeriod)
		return n
	}
	for _, c := range categories {
		own := func(r bookRow) bool { return r.path == c.Path }
		branch := func(r bookRow) bool { return underPath(r.path, c.Path) }
		if flowOf(o.rows, branch).n == 0 {
			continue
		}
		children := o.tree(c.Children, describe)
		if len(children) > 0 && flowOf(o.rows, own).n > 0 {
			children = append([]any{node(c, own, []any{})}, children...)
		}
		nodes = append(nodes, node(c, branch, children))
	}
	return nodes
}

// expect compares a report with the rows, to the cent.
func expectReport(t *testing.T, got answer, kind string, params url.Values, rows []bookRow) {
	t.Helper()
	o, periods := newReportOracle(t, params, rows)
	periodCount := periods[len(periods)-1]["count"].(int)
	periods = periods[:len(periods)-1]
	everything := func(bookRow) bool { return true }
	within := func(path string) func(bookRow) bool { return func(r bookRow) bool { return underPath(r.path, path) } }

	inOthers := func(pending bool) []any {
		others := []any{}
		for _, currency := range []string{"EUR", "JPY"} {
			if f := flowOf(o.leftOut, func(r bookRow) bool {
				return r.currency == currency &&
					r.pending == pending
			}); f.n > 0 {
				sum := f.count()
				sum["currency"] = currency
				others = append(others, sum)
			}
		}
		return others
	}
	uncategorized := flowOf(o.rows, within("uncategorized")).count()
	uncategorized["suggested"] = flowOf(o.rows, func(r bookRow) bool { return r.suggested != "" }).count()
	excluded := flowOf(o.leftOut, func(r bookRow) bool { return r.currency == "USD" }).count()
	excluded["otherCurrencies"] = inOthers(true)
	others := inOthers(false)
	var outside any
	if o.chosen != nil {
		sums := flowOf(o.hidden, everything).count()
		sums["suggestedWithin"] = flowOf(o.hidden, func(r bookRow) bool {
			return r.suggested != "" &&
				o.chosen(r.suggested)
		}).count()
		outside = sums
	}
	want := M{
		"basis": M{
			"transactionCount":   jsonCount(flowOf(o.rows, everything).n),
			"uncategorized":      uncategorized,
			"outsideFilter":      outside,
			"pendingExcluded":    excluded,
			"otherCurrencies":    others,
			"otherCurrencyCount": jsonCount(int64(len(others))),
			"periodCount":        jsonCount(int64(periodCount)),
			"truncated":          periodCount > len(periods),
		},
		"periods": jsonList(periods, func(p M) any { return p }),
	}
	if kind == "pnl" {
		o.pnl(want)
	} else {
		o.cashflow(want, rows)
	}

	decoder := json.NewDecoder(bytes.NewReader(got.body))
	decoder.UseNumber()
	var have M
	if err := decoder.Decode(&have); err != nil {
		t.Fatal(err)
	}
	basis := have["basis"].(M)
	for name := range basis {
		if _, compared := want["basis"].(M)[name]; !compared {
			delete(basis, name)
		}
	}
	if kind == "pnl" {
		o.wantRange(t, have["range"], params)
		delete(have, "range")
	}
	if kind == "cashflow" {
		sortParties(t, have["counterparties"].([]any))
	}
	if !reflect.DeepEqual(want, have) { // cmp takes seconds for what is mostly equal
		t.Errorf("%s differs from the rows (-rows +report):\n%s", kind, cmp.Diff(want, have))
	}
}

// sortParties puts counterparties in the order of their ids, after it has checked that they are in that of their nets.
func sortParties(t *testing.T, parties []any) {
	size := func(p any) int64 {
		amount, err := strconv.ParseInt(strings.Replace(p.(M)["net"].(json.Number).String(), ".", "", 1), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return max(amount, -amount)
	}
	if !slices.IsSortedFunc(parties, func(a, b any) int { return int(min(1, max(-1, size(b)-size(a)))) }) {
		t.Errorf("counterparties are not in the order of their nets: %v", parties)
	}
	slices.SortFunc(parties, func(a, b any) int {
		return strings.Compare(fmt.Sprint(a.(M)["id"]),
			fmt.Sprint(b.(M)["id"]))
	})
}
