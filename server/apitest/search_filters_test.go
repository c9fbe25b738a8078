package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/store"
)

// search asks for transactions; params are names and values in turn.
func (o *office) search(params ...string) answer {
	o.t.Helper()
	return o.get(o.path + "/transactions" + query(params...))
}

// query encodes names and values in turn.
func query(params ...string) string {
	values := url.Values{}
	for i := 0; i < len(params); i += 2 {
		values.Add(params[i], params[i+1])
	}
	return "?" + values.Encode()
}

// found are the external ids of the transactions of a page, in order.
func (r answer) found() []string {
	r.t.Helper()
	list := []string{}
	for i := range r.want(200).size("transactions") {
		list = append(list, r.text("transactions", i, "externalId"))
	}
	return list
}

// wantFound fails the test where a search finds other rows, or the same in another order, or counts other ones.
func (o *office) wantFound(want []string, params ...string) {
	o.t.Helper()
	got := o.search(params...)
	if diff := cmp.Diff(want, got.found()); diff != "" {
		o.t.Errorf("search %q: %s", params, diff)
	}
	if got.get("nextCursor") == nil && (got.text("totalMatched") != fmt.Sprint(len(want)) ||
		got.get("totalMatchedIsExact") != true) {
		o.t.Errorf("search %q matched %s, exact %v, want %d", params, got.text("totalMatched"),
			got.get("totalMatchedIsExact"), len(want))
	}
}

func list(items ...string) string {
	raw, _ := json.Marshal(items)
	return string(raw)
}

// book is a business with a few rows of every kind.
type book struct {
	*office
	checking, card string
	ids            map[string]string
	counterparty   string
}

func (a *api) book() book {
	a.t.Helper()
	b := book{office: a.open(), ids: map[string]string{}}
	ctx, now, rows := context.Background(), a.clock.Now(), b.rows()
	b.checking, b.card = b.uploadAccount("checking"), b.uploadAccount("card")
	euro := transaction("euro", "-50.00", "2026-01-05", "Boulangerie ÉCLAIR")
	euro["currency"] = "EUR"
	for _, upload := range []struct {
		account string
		batch   []M
	}{
		{b.checking, []M{
			transaction("sale", "1200.00", "2026-01-01", "STRIPE PAYOUT"),
			transaction("ads", "-80.00", "2026-01-02", "META PLATFORMS 100%_OFF"),
			transaction("print", "-20.00", "2026-01-03", `Flyers c:\print`),
			euro,
		}},
		{b.card, []M{
			transaction("zero", "0", "2026-01-04", "VERIFICATION"),
			transaction("coffee", "-4.50", "2026-01-06", "Blue Bottle COFFEE"),
		}},
	} {
		for externalID, id := range b.upload(upload.account, upload.batch...) {
			b.ids[externalID] = id
		}
	}
	counterparty := store.Counterparty{ID: uuid.New(), Name: "Meta", Type: "company", Relationship: "supplier",
		LastDate: now}
	b.counterparty = counterparty.ID.String()
	b.must(rows.SaveCounterparty(ctx, now, counterparty))
	b.must(rows.SetCounterparty(ctx, now, b.id("ads"), counterparty.ID))
	for externalID, path := range map[string]string{
		"sale": "revenue.sales.processor_payouts", "ads": "expense.advertising.digital",
		"print": "expense.advertising.print_signage", "zero": "uncategorized",
	} {
		b.must(rows.SetCategory(ctx, now, b.id(externalID), store.CategoryChoice{CategoryID: categoryID(path),
			Source: "rule"}))
	}
	b.must(rows.SetContext(ctx, now, b.id("coffee"), "Meeting with Renée"))
	b.exec(`UPDATE transactions SET merchant = 'Facebook', needs_attention = true WHERE organization_id = $1 AND id = $2`, b.organization, b.ids["ads"])
	return b
}

func (b book) id(externalID string) uuid.UUID { return uuid.MustParse(b.ids[externalID]) }

func TestEachSearchFilterFindsItsRowsNewestFirst(t *testing.T) {
	t.Parallel()
	b := shared(t).book()
	b.upload(b.checking, transaction("gone", "-80.00", "2026-01-02", "META PLATFORMS COFFEE STRIPE"))
	b.exec(`UPDATE transactions SET deleted_at = now(), needs_attention = true, counterparty_id = $2 WHERE organization_id = $1 AND external_id = 'gone'`, b.organization, b.counterparty)
	for _, tc := range []struct {
		want   []string
		params []string
	}{
		{[]string{"coffee", "euro", "zero", "print", "ads", "sale"}, nil},
		{[]string{"euro", "print", "ads", "sale"}, []string{"accountIds", list(b.checking)}},
		{[]string{"coffee", "zero"}, []string{"accountIds", list(b.card, uuid.NewString())}},
		{[]string{"coffee", "euro", "zero", "print", "ads", "sale"}, []string{"accountIds", list(b.card, b.checking)}},
		{[]string{"coffee", "euro", "zero", "print", "ads", "sale"}, []string{"accountIds",
			list(b.card, b.checking, b.card, strings.ToUpper(b.checking))}},
		{[]string{"coffee", "euro", "zero", "print", "ads", "sale"}, []string{"accountIds", "[]"}},
		{[]string{}, []string{"accountIds", list(uuid.NewString())}},
		{[]string{}, []string{"accountIds", list("no id")}},
		{[]string{"ads"}, []string{"counterpartyId", b.counterparty}},
		{[]string{}, []string{"counterpartyId", uuid.NewString()}},
		{[]string{}, []string{"counterpartyId", "no id"}},
		{[]string{"print", "ads"}, []string{"categoryPath", "expense.advertising"}},
		{[]string{"print", "ads"}, []string{"categoryPath", "expense"}},
		{[]string{"ads"}, []string{"categoryPath", "expense.advertising.digital"}},
		{[]string{"sale"}, []string{"categoryPath", "revenue"}},
		{[]string{}, []string{"categoryPath", "expense.meals"}},
		{[]string{"coffee", "euro", "zero"}, []string{"categoryPath", "uncategorized"}},
		{[]string{"ads"}, []string{"needsAttention", "true"}},
		{[]string{"coffee", "euro", "zero", "print", "sale"}, []string{"needsAttention", "false"}},
		{[]string{"ads"}, []string{"categoryPath", "expense", "needsAttention", "true", "query", "meta", "accountIds",
			list(b.checking), "counterpartyId", b.counterparty,
			"dateFrom", "2026-01-02", "dateTo", "2026-01-02", "dateField", "processed", "amountFrom", "-80", "amountTo",
			"-80", "limit", "1"}},
		{[]string{}, []string{"categoryPath", "expense", "accountIds", list(b.card)}},
	} {
		b.wantFound(tc.want, tc.params...)
	}
}

func TestSearchFindsAllWordsInAnyCaseAnywhere(t *testing.T) {
	t.Parallel()
	b := shared(t).book()
	check := func() {
		t.Helper()
		for query, want := range map[string][]string{
			"stripe":               {"sale"},
			"PAYOUT stripe":        {"sale"},
			"payouts":              {"sale"},   // the category's name
			"Flyers ADVERTISING":   {"print"},  // description and category
			"facebook platforms":   {"ads"},    // merchant and description
			"online facebook meta": {"ads"},    // all three
			"bottle renée":         {"coffee"}, // description and context
			"RENÉE":                {"coffee"}, // é and É
			"éclair":               {"euro"},   // É and é
			"eclair":               {},         // another letter
			"stripe coffee":        {},         // in no one row
			"100%":                 {"ads"},    // literal %
			"%":                    {"ads"},
			"0%_o":                 {"ads"},
			"100_":                 {},
			`\`:                    {"print"},
			`c:\p`:                 {"print"},
			`\%`:                   {},
			"  stripe \t stripe ":  {"sale"},
			"e":                    {"coffee", "euro", "zero", "print", "ads", "sale"},
			`"stripe"`:             {}, // quotes are ordinary characters
			"'; DROP TABLE x; --":  {},
		} {
			b.wantFound(want, "query", query)
		}
	}
	check()
	b.exec(`UPDATE transactions SET processing = 'processed' WHERE organization_id = $1`, b.organization)
	check()
	b.exec(`UPDATE transactions SET processing = 'queued' WHERE organization_id = $1`, b.organization)
	check()
	b.exec(`UPDATE transactions SET processing = CASE WHEN external_id < 'f' THEN 'limited' ELSE 'processed' END WHERE organization_id = $1`, b.organization)
	check()
}

func TestAmountBoundsCompareUSDAndSayWhatTheyExclude(t *testing.T) {
	t.Parallel()
	b := shared(t).book()
	for _, tc := range []struct {
		want     []string
		excluded any
		params   []string
	}{
		{[]string{"print", "ads"}, json.Number("1"), []string{"amountTo", "-10"}},
		{[]string{"zero", "sale"}, json.Number("1"), []string{"amountFrom", "0"}},
		{[]string{"coffee", "zero", "print", "ads"}, json.Number("1"), []string{"amountTo", "0"}},
		{[]string{"zero"}, json.Number("1"), []string{"amountFrom", "0", "amountTo", "0"}},
		{[]string{"coffee"}, json.Number("1"), []string{"amountFrom", "-4.50", "amountTo", "-4.5"}},
		{[]string{"sale"}, json.Number("1"), []string{"amountFrom", "1.2e3"}},
		{[]string{"print", "ads"}, json.Number("0"), []string{"amountTo", "-10", "categoryPath", "expense"}},
		{[]string{}, json.Number("1"), []string{"amountTo", "-10", "query", "éclair"}},
		{[]string{"coffee", "euro", "zero", "print", "ads", "sale"}, nil, nil},
	} {
		b.wantFound(tc.want, tc.params...)
		got := b.search(tc.params...).get("excludedOtherCurrencies")
		for got == nil && tc.excluded != nil { // a busy machine counts none in time
			got = b.search(tc.params...).get("excludedOtherCurrencies")
		}
		if got != tc.excluded {
			t.Errorf("%q excludes %v, want %v", tc.params, got, tc.excluded)
		}
	}
}

func TestRangesThatEndBeforeTheyStartAreRefused(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for _, tc := range []struct{ want, from, to string }{
		{"query /dateTo minimum", "2026-01-02", "2026-01-01"},
		{"query /dateTo minimum", "2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"},
		{"query /dateTo minimum", "2026-01-02", "2026-01-01T23:59:59.999999999Z"},
		{"query /dateTo minimum", "2026-01-01T23:30:00-01:00", "2026-01-01"},
	} {
		got := o.search("dateFrom", tc.from, "dateTo", tc.to).want(422).issues()
		if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
			t.Errorf("%s to %s: %s", tc.from, tc.to, diff)
		}
	}
	if got := o.search("amountFrom", "1", "amountTo", "0.99").want(422).issues(); !slices.Equal(got,
		[]string{"query /amountTo minimum"}) {
		t.Errorf("issues %v", got)
	}
	both := o.search("amountFrom", "1", "amountTo", "0", "dateFrom", "2026-01-02", "dateTo", "2026-01-01",
		"categoryPath", "expense.adverts").want(422)
	if got := both.issues(); len(got) != 3 {
		t.Errorf("issues %v, want all three", got)
	}
	if !strings.Contains(string(both.body), "expense.advertising") {
		t.Errorf("the nearest category is not named: %s", both.body)
	}
}

func TestEveryDateFieldKeepsEveryRow(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	for externalID, dates := range map[string][2]any{
		"same":    {"2026-01-10", "2026-01-10"},
		"early":   {"2026-01-08", "2026-01-12"},
		"unknown": {nil, "2026-01-11"},
	} {
		id := o.upload(a, transaction(externalID, "1", "2026-01-01", externalID))[externalID]
		o.exec(`UPDATE transactions SET authorized_date = $3::date, processed_date = $4::date WHERE organization_id = $1 AND id = $2`, o.organization, id, dates[0], dates[1])
	}
	for _, tc := range []struct {
		field string
		want  []string
	}{
		{"", []string{"unknown", "same", "early"}},
		{"primary", []string{"unknown", "same", "early"}},
		{"authorized", []string{"unknown", "same", "early"}},
		{"processed", []string{"early", "unknown", "same"}},
	} {
		params := []string{"dateFrom", "2026-01-01", "dateTo", "2026-01-31"}
		if tc.field != "" {
			params = append(params, "dateField", tc.field)
		}
		o.wantFound(tc.want, params...)
	}
	o.wantFound([]string{"early"}, "dateTo", "2026-01-09")
	o.wantFound([]string{}, "dateTo", "2026-01-09", "dateField", "processed")
	o.wantFound([]string{"unknown"}, "dateFrom", "2026-01-11", "dateField", "authorized")
	o.wantFound([]string{"early"}, "dateFrom", "2026-01-12", "dateField", "processed")
	if got := o.row(o.search("query", "unknown").text("transactions", 0, "id")); got["authorizedAt"] != nil ||
		got["primaryDate"] != "2026-01-11" {
		t.Errorf("authorized at %v, primary %v", got["authorizedAt"], got["primaryDate"])
	}
}

func TestDatetimeBoundsAreInstants(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.upload(o.uploadAccount("a"), transaction("t", "1", "2026-03-31", "ROW"))
	row, none := []string{"t"}, []string{}
	for _, tc := range []struct {
		name, bound string
		want        []string
	}{
		{"dateFrom", "2026-03-31", row},
		{"dateFrom", "2026-03-31T00:00:00Z", row},
		{"dateFrom", "2026-03-31T00:00:01Z", none},
		{"dateFrom", "2026-03-31T00:00:00.000000001Z", none},
		{"dateFrom", "2026-03-31T02:00:00+02:00", row},
		{"dateFrom", "2026-03-30T19:00:01-05:00", none},
		{"dateFrom", "2026-03-31T00:00", row},
		{"dateFrom", "2026-04-01", none},
		{"dateTo", "2026-03-31", row},
		{"dateTo", "2026-03-31T00:00:00Z", row},
		{"dateTo", "2026-03-30T23:59:59Z", none},
		{"dateTo", "2026-03-31T01:59:59+02:00", none},
		{"dateTo", "2026-03-30T19:00:00-05:00", row},
		{"dateTo", "2026-03-30", none},
		{"dateFrom", "0001-01-01", row},
		{"dateTo", "9999-12-31", row},
		{"dateFrom", "9999-12-31T23:59:59Z", none},
		{"dateTo", "0001-01-01T00:00:00Z", none},
	} {
		for _, field := range []string{"primary", "authorized", "processed"} {
			o.wantFound(tc.want, tc.name, tc.bound, "dateField", field)
		}
	}
	o.wantFound(none, "dateFrom", "2026-03-31T12:00:00Z", "dateTo", "2026-03-31")
	o.wantFound(row, "dateFrom", "2026-03-31T00:00:00Z", "dateTo", "2026-03-31T00:00:00Z")
}

func TestRowsOfADayAreOrderedByID(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	for i := range 5 { // one upload each, so that later ones have later ids
		o.upload(a, transaction(fmt.Sprintf("t%d", i), "1", "2026-01-01", "ROW"))
	}
	o.wantFound([]string{"t4", "t3", "t2", "t1", "t0"})
	o.wantFound([]string{"t4", "t3", "t2", "t1", "t0"}, "query", "row")
}

func TestLimitsAreOneToFiftyAndTwentyUnlessSaid(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	var rows []M
	for i := range 60 {
		rows = append(rows, transaction(fmt.Sprintf("t%02d", i), "1", "2026-01-01", "ROW"))
	}
	o.upload(o.uploadAccount("a"), rows...)
	for limit, want := range map[string]int{"": 20, "1": 1, "50": 50} {
		var params []string
		if limit != "" {
			params = []string{"limit", limit}
		}
		if got := len(o.search(params...).found()); got != want {
			t.Errorf("limit %q returns %d rows, want %d", limit, got, want)
		}
	}
	for _, limit := range []string{"0", "51", "-1", "1.0", "1e1", `"5"`, "", "99999999999999999999"} {
		o.search("limit", limit).want(422)
	}
}

func TestSearchCountsExactlyUpToAThousand(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.insertRows(o.uploadAccount("a"), 1000)
	// Counting may also stop at its time budget, so a busy machine is asked again.
	counted := func(done func(answer) bool) (got answer) {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
			if got = o.search("limit", "1").want(200); done(got) {
				break
			}
		}
		return got
	}
	got := counted(func(r answer) bool { return r.get("totalMatchedIsExact") == true })
	if got.text("totalMatched") != "1000" || got.get("totalMatchedIsExact") != true {
		t.Errorf("matched %s, exact %v, want exactly 1000", got.text("totalMatched"), got.get("totalMatchedIsExact"))
	}
	o.insertRows(o.source1(), 1)
	got = counted(func(r answer) bool { return r.text("totalMatched") == "1000" })
	if got.text("totalMatched") != "1000" || got.get("totalMatchedIsExact") != false {
		t.Errorf("matched %s, exact %v, want at least 1000", got.text("totalMatched"), got.get("totalMatchedIsExact"))
	}
}

// source1 is an account of a source of its own, so that rows inserted there have external ids of their own.
func (o *office) source1() string {
	o.t.Helper()
	return o.insertAccount(o.otherSource("csv"), name("a"))
}

// insertRows makes n rows of the largest outgoing amount in an account, on days from 2026-01-01.
func (o *office) insertRows(account string, n int) {
	o.t.Helper()
	o.exec(`INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at, authorized_date, processed_date, external_id, currency, description)
		SELECT a.organization_id, gen_random_uuid(), a.source_id, a.id, -999999999999999, now(), now(), d.day, d.day,
		  'row-' || i, 'USD', 'ROW ' || i
		FROM accounts a, generate_series(1, $3::integer) i, LATERAL (SELECT '2026-01-01'::date + i % 90 AS day) d
		WHERE a.organization_id = $1 AND a.id = $2`, o.organization, account, n)
}

// A final sigma is another letter than what capitals become: who writes as the bank did finds its rows, as the document
// says.
func TestAGreekWordInCapitalsIsFoundInCapitals(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, transaction("greek", "-5.00", "2026-03-01", "ΦΟΥΡΝΟΣ ΟΔΟΣ ΕΡΜΟΥ"))
	o.process(0)
	for word, want := range map[string]int{"ΟΔΟΣ": 1, "οδοσ": 1, "οδος": 0, "ερμου": 1} {
		if n := o.search("query", word).want(200).size("transactions"); n != want {
			t.Errorf("%d rows with %s, want %d", n, word, want)
		}
		if n := len(o.counterparties("query", word).names()); n != want {
			t.Errorf("%d counterparties with %s, want %d", n, word, want)
		}
	}
}
