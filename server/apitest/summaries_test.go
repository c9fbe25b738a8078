package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/ontology"
)

// centsOf reads an amount of an answer.
func centsOf(t testing.TB, amount any) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.Replace(amount.(json.Number).String(), ".", "", 1), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// decoded is the answer's body, numbers as they are written.
func (r answer) decoded() (body M) {
	r.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		r.t.Fatal(err)
	}
	return body
}

// expectSummary holds a report in summary to the full one: the same totals, and lines that add up to them.
func (o *office) expectSummary(t *testing.T, kind string, params url.Values, full answer) {
	t.Helper()
	asked := maps.Clone(params)
	asked.Set("detail", "summary")
	got, want := o.report(kind, asked).want(200).decoded(), full.decoded()
	summary := got["summary"].(M)
	for _, body := range []M{got, want} {
		delete(body["basis"].(M), "openQuestions") // with other tests'
		delete(body, "summary")
	}
	for _, omitted := range summary["omitted"].([]any) {
		if list := got[omitted.(string)].([]any); len(list) > 0 {
			t.Errorf("%s is omitted, and has %d", omitted, len(list))
		}
		delete(got, omitted.(string))
		delete(want, omitted.(string))
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s in summary differs (-full +summary): %s", kind, cmp.Diff(want, got))
	}
	sums, counts := map[string]int64{}, int64(0)
	add := func(list any, branch, amount string) {
		for _, item := range list.([]any) {
			line := item.(M)
			path := "counterparty"
			if branch != "" {
				path, _, _ = strings.Cut(line[branch].(string), ".")
				count, _ := line["transactionCount"].(json.Number).Int64()
				counts += count
			}
			sums[path] += centsOf(t, line[amount])
		}
	}
	if kind == "pnl" {
		add(summary["categories"], "categoryPath", "amount")
		add(summary["otherCategories"], "branch", "amount")
		totals := got["totals"].(M)
		of := func(name string) int64 { return centsOf(t, totals[name]) }
		wanted := map[string]int64{"revenue": of("netReceipts") + of("otherIncome"), "cogs": of("costOfGoodsSold"),
			"expense": of("operatingExpenses")}
		for branch, amount := range wanted {
			if sums[branch] != amount {
				t.Errorf("the lines of %s are %d cents, its total is %d", branch, sums[branch], amount)
			}
		}
		return
	}
	add(summary["categories"], "categoryPath", "net")
	add(summary["otherCategories"], "branch", "net")
	add(summary["counterparties"], "", "net")
	if others := summary["otherCounterparties"]; others != nil {
		add([]any{others}, "", "net")
	}
	byCategory := int64(0)
	for path, cents := range sums {
		if path != "counterparty" {
			byCategory += cents
		}
	}
	totals := got["totals"].(M)
	net := centsOf(t, totals["net"])
	inTree := int64(0) // a row of several parts is one in each of their lines
	for _, node := range full.decoded()["categories"].([]any) {
		count, _ := node.(M)["transactionCount"].(json.Number).Int64()
		inTree += count
	}
	if byCategory != net || sums["counterparty"] != net || counts != inTree {
		t.Errorf("of %d cents net, the categories are %d and the counterparties %d; their rows are %d, want %d", net,
			byCategory, sums["counterparty"], counts, inTree)
	}
}

func TestASummaryListsTheLargestAndSumsTheRest(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("a")
	n := 0
	for _, c := range ontology.ScheduleC().All() {
		if !c.Assignable || strings.Count(c.Path, ".") != 1 || c.Is("transfer") {
			continue
		}
		n++
		id := o.upload(account, transaction(c.Path, fmt.Sprint(-n), "2026-03-01", "ROW"))[c.Path]
		o.categorize(id, c.Path)
		o.counterparty("A name of rather more than forty characters "+fmt.Sprint(n), id)
	}
	params := asked("startDate", "2026-01-01", "endDate", "2026-12-31", "periodGrouping", "month")
	for kind, lines := range map[string]int{"cashflow": 20, "pnl": 12} {
		full := o.report(kind, params).want(200)
		o.expectSummary(t, kind, params, full)
		params := maps.Clone(params)
		params.Set("detail", "summary")
		params.Del("periodGrouping") // which leaves room for fewer
		short := o.report(kind, params).want(200)
		if short.size("summary", "categories") != lines || short.size("summary", "otherCategories") == 0 {
			t.Errorf("%s has %d lines", kind, short.size("summary", "categories"))
		}
		if kind == "cashflow" && (short.size("summary", "counterparties") != 12 ||
			short.get("summary", "otherCounterparties") == nil ||
			short.text("summary", "counterparties", 0, "net") != fmt.Sprintf("-%d.00", n)) {
			t.Errorf("the counterparties: %s", short.body)
		}
		if kind == "cashflow" && short.text("summary", "counterparties", 0,
			"name") != "A name of rather more than forty charac…" {
			t.Errorf("the name of the first: %s", short.text("summary", "counterparties", 0, "name"))
		}
	}
}

func TestPeriodsAreBrokenDownInASummaryWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.upload(o.uploadAccount("a"), transaction("t", "10.00", "2024-03-01", "ROW"))
	for _, kind := range []string{"cashflow", "pnl"} {
		for name, c := range map[string]struct {
			asked   url.Values
			periods int
			omitted bool
		}{
			"nothing":  {asked(), 0, true},
			"grouping": {asked("periodGrouping", "quarter"), 5, false},
			"limit":    {asked("periodLimit", "2"), 2, false},
		} {
			c.asked.Set("startDate", "2024-01-01")
			c.asked.Set("endDate", "2025-02-01")
			c.asked.Set("detail", "summary")
			got := o.report(kind, c.asked).want(200)
			omitted := slices.Contains(got.get("summary", "omitted").([]any), any("periods"))
			if got.size("periods") != c.periods || got.size("series") != c.periods || omitted != c.omitted {
				t.Errorf("%s with %s: %d periods, %d in the series, omitted %v", kind, name, got.size("periods"),
					got.size("series"), omitted)
			}
			if truncated := got.get("basis", "truncated"); truncated != (name != "grouping") {
				t.Errorf("%s with %s: truncated is %v", kind, name, truncated)
			}
		}
	}
}

func TestARowOfASearchInSummaryIsTheRowInAtMost250Characters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 20261122))
	o := randomBusiness(t, random, 100)
	account := o.uploadAccount("long")
	for i, description := range []string{strings.Repeat("long ", 800), strings.Repeat("<&>\u2028\"", 60),
		strings.Repeat("\U0001f600", 300), "short"} {
		id := o.upload(account, M{"external_id": fmt.Sprint("x", i), "amount": json.Number("-9999999999999.99"),
			"date":        "2025-03-0" + fmt.Sprint(i+1),
			"description": description, "pending": true})[fmt.Sprint("x", i)]
		o.sql(`UPDATE transactions SET suggested_id = $3, suggested_confidence = 1, suggested_reason = 'r', processing = 'processed', needs_attention = true,
			merchant = repeat('Merchant "&" ', 40) WHERE organization_id = $1 AND id = $2`, id, 31003)
	}
	for _, filter := range []string{"", "&dateField=processed", "&amountTo=-1", "&needsAttention=true",
		"&categoryPath=uncategorized"} {
		full := o.get(o.path + "/transactions?limit=50" + filter).want(200).decoded()
		short := o.get(o.path + "/transactions?limit=50&detail=summary" + filter).want(200).decoded()
		summary := short["summary"].(M)
		if len(short["transactions"].([]any)) != 0 || !reflect.DeepEqual(summary["omitted"], []any{"transactions"}) {
			t.Errorf("%s: %v is omitted", filter, summary["omitted"])
		}
		rows := summary["rows"].([]any)
		for i, of := range full["transactions"].([]any) {
			row, t1 := rows[i].(M), of.(M)
			raw, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			if n := utf8.RuneCount(raw); n > 250 {
				t.Errorf("%d characters: %s", n, raw)
			}
			date := t1["primaryDate"]
			if filter == "&dateField=processed" {
				date = t1["processedAt"].(string)[:10]
			}
			want := M{"id": t1["id"], "amount": t1["amount"], "currency": t1["currency"], "date": date}
			set := func(name string, value any) {
				if value != nil && value != false {
					want[name] = value
				}
			}
			if category, is := t1["category"].(M); is {
				set("categoryPath", category["categoryPath"])
			}
			if suggestion, is := t1["suggestion"].(M); is {
				set("suggestedPath", suggestion["categoryPath"])
			}
			if parts := t1["parts"].([]any); len(parts) > 0 {
				set("partCount", json.Number(fmt.Sprint(len(parts))))
			}
			set("pending", t1["pending"])
			set("needsAttention", t1["needsAttention"])
			name := t1["merchant"]
			if party, is := t1["counterparty"].(M); is {
				name = party["name"]
			}
			for member, whole := range map[string]any{"description": t1["description"], "counterparty": name} {
				text, is := row[member].(string)
				if whole == nil {
					if is {
						t.Errorf("%s is %q", member, text)
					}
					continue
				}
				beginning, cut := strings.CutSuffix(text, "…")
				if !cut && text != whole || cut && !strings.HasPrefix(whole.(string), beginning) {
					t.Errorf("%s is %q of %q", member, text, whole)
				}
				delete(row, member)
			}
			if diff := cmp.Diff(want, row); diff != "" {
				t.Errorf("%s: %s", filter, diff)
			}
		}
		if len(rows) != len(full["transactions"].([]any)) || short["nextCursor"] == nil && full["nextCursor"] != nil {
			t.Errorf("%s: %d rows in summary, %d in full", filter, len(rows), len(full["transactions"].([]any)))
		}
	}
}

func TestTheSumsOfASearchAreOfAllRowsThatMatch(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 20261122))
	o := randomBusiness(t, random, 150)
	rows := o.everyRow()
	for filter, matches := range map[string]func(bookRow) bool{
		"":                            func(bookRow) bool { return true },
		"&categoryPath=expense":       func(r bookRow) bool { return underPath(r.path, "expense") },
		"&categoryPath=Uncategorized": func(r bookRow) bool { return underPath(r.path, "uncategorized") },
		"&amountTo=-1":                func(r bookRow) bool { return r.currency == "USD" && r.whole <= -100 },
		"&counterpartyId=nobody":      func(bookRow) bool { return false },
		"&dateFrom=2024-06-01&dateTo=2024-09-01": func(r bookRow) bool {
			day := r.primary.Format("2006-01-02")
			return day >= "2024-06-01" && day <= "2024-09-01"
		},
	} {
		want := map[string]bookFlow{}
		for _, r := range rows {
			of := flowOf(piecesOf(rows), func(p bookRow) bool { return p.currency == r.currency && matches(p) })
			if of.n > 0 {
				want[r.currency] = of
			}
		}
		cursor := ""
		for pages := 0; pages < 3; pages++ { // the sums do not depend on the page
			page := o.get(o.path + "/transactions?detail=summary&limit=7" + filter + cursor).want(200)
			if page.get("summary", "sums") == nil {
				t.Fatalf("%s: no sums: %s", filter, page.body)
			}
			got, count := map[string]bookFlow{}, int64(0)
			for i := range page.size("summary", "sums") {
				sum := page.get("summary", "sums", i).(M)
				n, _ := sum["transactionCount"].(json.Number).Int64()
				f := bookFlow{centsOf(t, sum["inflow"]), centsOf(t, sum["outflow"]), n}
				got[sum["currency"].(string)], count = f, count+n
				if centsOf(t, sum["net"]) != f.in-f.out {
					t.Errorf("%s: net is %v of %+v", filter, sum["net"], f)
				}
			}
			if !maps.Equal(want, got) || page.text("totalMatched") != fmt.Sprint(count) ||
				page.get("totalMatchedIsExact") != true ||
				page.text("summary", "currencyCount") != fmt.Sprint(len(want)) {
				t.Errorf("%s: the sums are %+v, want %+v; totalMatched %s", filter, got, want,
					page.text("totalMatched"))
			}
			next, more := page.get("nextCursor").(string)
			if !more {
				break
			}
			cursor = "&cursor=" + url.QueryEscape(next)
		}
	}
}

func TestSumsOfMoreThan10000RowsAreNotKnown(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("a")
	n := 0
	batch := func(size int) {
		var rows []M
		for range size {
			n++
			rows = append(rows, transaction(fmt.Sprint("t", n), "-1.00", "2026-01-01", "ROW"))
		}
		o.upload(account, rows...)
	}
	for range 20 {
		batch(500)
	}
	page := o.get(o.path + "/transactions?detail=summary&limit=1").want(200)
	if sums := page.get("summary", "sums"); sums != nil { // nil: not in time
		if out := page.text("summary", "sums", 0, "outflow"); out != "10000.00" ||
			page.text("totalMatched") != "10000" {
			t.Errorf("10,000 rows: %s", page.body)
		}
	}
	batch(1)
	page = o.get(o.path + "/transactions?detail=summary&limit=1").want(200)
	if page.get("summary", "sums") != nil || page.get("summary", "currencyCount") != nil ||
		page.get("totalMatchedIsExact") != false {
		t.Errorf("10,001 rows: %s", page.body)
	}
}

func TestACounterpartyInSummarySaysWhatCameIn(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("in", "250.00", "2026-03-02", blantvik))
	o.process(0)
	o.get(o.path+"/counterparties?detail=summary").want(200).wantAt(json.Number("250.00"), "summary", "rows", 0,
		"inflow")
}

func TestListsInSummaryAreTheirFullLists(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.furnish()
	full, short := o.get(o.path+"/counterparties").want(200), o.get(o.path+"/counterparties?detail=summary").want(200)
	row, stats := short.get("summary", "rows", 0).(M), full.get("counterparties", 0, "stats", 0).(M)
	want := M{"id": full.get("counterparties", 0, "id"), "name": "Flour Mill", "relationship": "supplier"}
	for _, name := range []string{"currency", "transactionCount", "inflow", "outflow", "lastDate"} {
		want[name] = stats[name]
	}
	if diff := cmp.Diff(want, row); diff != "" || short.size("counterparties") != 0 {
		t.Error(diff)
	}

	full, short = o.get(o.path+"/outstanding-issues").want(200), o.get(o.path+
		"/outstanding-issues?detail=summary").want(200)
	issue := full.get("issues", 0).(M)
	impact, options := issue["impact"].(M), []any{}
	for _, option := range issue["options"].([]any) {
		options = append(options, option.(M)["value"])
	}
	want = M{"id": issue["id"], "question": issue["question"], "amount": impact["amount"],
		"currency":         impact["currency"],
		"transactionCount": impact["transactionCount"], "options": options}
	if diff := cmp.Diff(want, short.get("summary", "rows", 0)); diff != "" || short.size("issues") != 0 ||
		full.text("totalOpen") != short.text("totalOpen") {
		t.Error(diff)
	}

	var paths, headings []any
	for _, c := range ontology.ScheduleC().All() {
		paths = append(paths, c.Path)
		if !c.Assignable {
			headings = append(headings, c.Path)
		}
	}
	short = o.get(o.path + "/categories?detail=summary").want(200)
	if diff := cmp.Diff([]any{paths, headings, []any{}}, []any{short.get("summary", "categoryPaths"),
		short.get("summary", "headings"), short.get("categories")}); diff != "" {
		t.Error(diff)
	}
}

func TestACategoryIsNamedByNameOrPathWhereverOneIsTaken(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	id := o.upload(o.uploadAccount("a"), transaction("t", "-10.00", "2026-03-01", "ROW"))["t"]
	for _, named := range []string{"expense.other.software", "Software and online services",
		" EXPENSE.other.Software "} {
		o.post(o.path+"/outstanding-issues/t:"+id+"/answers", M{"answer": "undo"}).want(200)
		o.post(o.path+"/outstanding-issues/t:"+id+"/answers", M{"answer": "this", "selectedOption": named}).want(200)
		if path := o.get(o.path+"/transactions/"+id).want(200).text("transaction", "category",
			"categoryPath"); path != "expense.other.software" {
			t.Errorf("answered by %q: %s", named, path)
		}
		if chosen := o.get(o.path+"/transactions/"+id).text("transaction", "answers", 0,
			"selectedOption"); chosen != "expense.other.software" {
			t.Errorf("answered by %q: the history has %s", named, chosen)
		}
		found := o.get(o.path + "/transactions?categoryPath=" + url.QueryEscape(named)).want(200)
		if found.text("totalMatched") != "1" {
			t.Errorf("searched by %q: %s", named, found.body)
		}
		for parameter, value := range map[string]any{"categoryNames": []string{named},
			"categoryPaths": [][]string{{named}}} {
			raw, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			got := o.report("pnl", asked("startDate", "2026-01-01", "endDate", "2026-12-31", parameter,
				string(raw))).want(200)
			if count := got.text("basis", "transactionCount"); count != "1" {
				t.Errorf("%s %s: %s rows", parameter, raw, count)
			}
		}
	}
}

func TestWhatARefusalSuggestsIsTaken(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	id := o.upload(o.uploadAccount("a"), transaction("t", "-10.00", "2026-03-01", "ROW"))["t"]
	ranged := asked("startDate", "2026-01-01", "endDate", "2026-12-31")
	with := func(name, value string) url.Values {
		params := maps.Clone(ranged)
		params.Set(name, value)
		return params
	}
	for what, ask := range map[string]func(string) answer{
		"categoryPath": func(text string) answer {
			return o.get(o.path + "/transactions?categoryPath=" + url.QueryEscape(text))
		},
		"categoryNames": func(text string) answer { return o.report("pnl", with("categoryNames", `["`+text+`"]`)) },
		"categoryPaths": func(text string) answer {
			if !strings.HasPrefix(text, "[") {
				text = `["Expenses","` + text + `"]`
			}
			return o.report("cashflow", with("categoryPaths", "["+text+"]"))
		},
		"selectedOption": func(text string) answer {
			return o.post(o.path+"/outstanding-issues/t:"+id+"/answers", M{"answer": "this", "selectedOption": text})
		},
	} {
		for _, misspelled := range []string{"sofware", "Expenses", "advertisng"} {
			refused := ask(misspelled)
			if refused.status == 200 {
				continue
			}
			_, list, said := strings.Cut(refused.want(422).text("issues", 0, "message"), "nearest: ")
			if !said {
				t.Errorf("%s %s: %s", what, misspelled, refused.body)
			}
			separator := ", "
			if strings.HasPrefix(list, "[") {
				list, separator = strings.ReplaceAll(list, "], [", "];["), ";"
			}
			for suggestion := range strings.SplitSeq(list, separator) {
				ask(suggestion).want(200)
			}
		}
	}
}
