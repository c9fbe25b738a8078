package apitest

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store/storetest"
)

// fill puts processed rows straight into the database: 1 row in 1,000 has a rare counterparty and category, 1 in 2,000
// needs attention, and the words of the benchmarks occur in a known share of them.
const fill = `
	INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at,
	  authorized_date, processed_date,
	  external_id, currency, description, processing, category_id, category_source, category_confidence,
	  counterparty_id, merchant, needs_attention)
	SELECT $1, gen_random_uuid(), $2, CASE WHEN n % 50 = 0 THEN $4::uuid ELSE $3::uuid END,
	  (n::bigint * 7919 % 200000) - 100000, now(), now(), date '2023-01-01' + abs(hashint4(n) % 1000),
	  date '2023-01-01' + abs(hashint4(n) % 1000),
	  'fill-' || n, 'USD',
	  CASE WHEN n % 5000 = 0 THEN 'ZYZZYVA ' ELSE '' END || CASE WHEN n % 20 = 0 THEN 'COFFEE '
	  ELSE '' END || 'POS PURCHASE STORE ' || n % 9973 || ' SPRINGFIELD IL CARD 1234',
	  'processed', CASE WHEN n % 1000 = 0 THEN 3250 ELSE 31801 END, 'merchant', 9500, CASE
	  WHEN n % 1000 = 0 THEN $5::uuid END, 'Merchant ' || n % 997, n % 2000 = 0
	FROM generate_series($6::int, $7) AS n`

// lists puts the texts of the rows beside them, as the worker's statements do.
const lists = `
	INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
	SELECT $1, false, array_agg(id), array_agg(text)
	FROM (
	  SELECT id, lower(merchant || E'\n' || description || E'\n') AS text, row_number() OVER () - 1 AS place
	  FROM transactions
	  WHERE organization_id = $1) r
	GROUP BY place / 1000` // as a batch of processing lists them

// BenchmarkSearch measures the newest 20 rows over HTTP in an organization of BIZFIN_BENCH_ROWS rows (default 100,000)
// beside BIZFIN_BENCH_OTHER_ROWS rows of others (default none), and reports the 99th percentile.
func BenchmarkSearch(b *testing.B) {
	a := start(b)
	o := a.open()
	account, rare := o.uploadAccount("busy"), o.uploadAccount("rare")
	counterparty := o.rareCounterparty(b)
	o.fill(b, account, rare, counterparty, number("BIZFIN_BENCH_ROWS", 100_000))
	if others := number("BIZFIN_BENCH_OTHER_ROWS", 0); others > 0 {
		for range 12 {
			other := a.open()
			first, second := other.uploadAccount("busy"), other.uploadAccount("rare")
			other.fill(b, first, second, other.rareCounterparty(b), others/12)
		}
	}
	exec(b, a, `VACUUM ANALYZE transactions, transaction_words`)
	for _, search := range []struct{ name, query string }{
		{"no_filter", ""},
		{"common_word", "query=coffee"},
		{"rare_word", "query=zyzzyva"},
		{"absent_word", "query=qqqqqqq"},
		{"two_words", "query=coffee+springfield"},
		{"two_rare_words", "query=zyzzyva+coffee"},
		{"short_word", "query=il"},
		{"category_word", "query=meals"},
		{"account", "accountIds=" + url.QueryEscape(`["`+rare+`"]`)},
		{"two_accounts", "accountIds=" + url.QueryEscape(`["`+rare+`","`+account+`"]`)},
		{"counterparty", "counterpartyId=" + counterparty},
		{"category", "categoryPath=expense.meals"},
		{"category_branch", "categoryPath=expense"},
		{"uncategorized", "categoryPath=uncategorized"},
		{"dates_primary", "dateFrom=2023-06-01&dateTo=2023-06-30"},
		{"dates_processed", "dateFrom=2023-06-01&dateTo=2023-06-30&dateField=processed"},
		{"needs_attention", "needsAttention=true"},
		{"amounts", "amountFrom=999.90&amountTo=999.99"},
		{"no_filter_summary", "detail=summary"}, // all rows match: no sums
		{"common_word_summary", "query=coffee&detail=summary"},
		{"rare_word_summary", "query=zyzzyva&detail=summary"},
		{"category_summary", "categoryPath=revenue.returns&detail=summary"},
		{"dates_summary", "dateFrom=2023-06-01&dateTo=2023-06-30&detail=summary"},
	} {
		b.Run(search.name, func(b *testing.B) {
			var each took
			for b.Loop() {
				start := time.Now()
				o.get200(b, "/transactions?"+search.query)
				each.add(time.Since(start))
			}
			slices.Sort(each.each)
			b.ReportMetric(float64(each.each[len(each.each)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(each.p99().Microseconds())/1000, "p99-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func (o *office) get200(b *testing.B, path string) {
	r, err := http.NewRequest(http.MethodGet, o.url+server.BasePath+o.path+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header = o.header.Clone()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s: status %d, %v", path, response.StatusCode, err)
	}
}

// rareCounterparty is the counterparty of the rows that fill gives one.
func (o *office) rareCounterparty(b *testing.B) (id string) {
	b.Helper()
	id = uuid.NewString()
	exec(b, o.api, `
		INSERT INTO counterparties (organization_id, id, name, type, relationship, confidence, last_date, created_at,
		  updated_at)
		VALUES ($1, $2, 'Rare', 'company', 'supplier', 9000, '2026-01-01', now(), now())`, o.organization, id)
	return id
}

// fill puts rows into a business in steps, each well within a statement's time.
func (o *office) fill(b *testing.B, busy, rare, counterparty string, rows int) {
	b.Helper()
	const step = 100_000
	triggers(b, o.api, "DISABLE", "words", "report") // no report is read, and a row each would mark its month
	for from := 1; from <= rows; from += step {
		put(b, o.api, fill, o.organization, o.source, busy, rare, counterparty, from, min(rows, from+step-1))
	}
	triggers(b, o.api, "ENABLE", "words", "report")
	o.keep(b)
	exec(b, o.api, `DELETE FROM transaction_words WHERE organization_id = $1`, o.organization) // one list of all
	exec(b, o.api, lists, o.organization)
	began := time.Now()
	for more := true; more; {
		var err error
		if more, err = o.api.db.IndexWords(b.Context(), time.Now().Add(time.Hour)); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%.0f texts a second were indexed", float64(rows)/time.Since(began).Seconds())
}

// put writes rows as they are: what is kept beside those of a business is made by keep, once, where exec would make it
// anew, and list all texts again, with every step.
func put(b *testing.B, a *api, statement string, args ...any) {
	b.Helper()
	if _, err := a.db.SQL().ExecContext(b.Context(), statement, args...); err != nil {
		b.Fatal(err)
	}
}

func (o *office) keep(b *testing.B) {
	b.Helper()
	if err := storetest.Keep(b.Context(), o.api.db.SQL(), uuid.MustParse(o.organization)); err != nil {
		b.Fatal(err)
	}
}

func exec(b *testing.B, a *api, statement string, args ...any) {
	b.Helper()
	if err := storetest.Exec(b.Context(), a.db.SQL(), statement, args...); err != nil {
		b.Fatal(err)
	}
}

// triggers has triggers of new rows not act while many are made, or act again.
func triggers(b *testing.B, a *api, do string, of ...string) {
	b.Helper()
	for _, trigger := range of {
		if !storetest.OnCitus() { // which has none
			exec(b, a, `ALTER TABLE transactions `+do+` TRIGGER transactions_`+trigger+`_inserted`)
		}
	}
}

func number(variable string, fallback int) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return fallback
	}
	return n
}
