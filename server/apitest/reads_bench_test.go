package apitest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"bizfin/internal/ontology"
	"bizfin/internal/report"
)

// A business of $3 processed rows in 33 months and 20 accounts, of up to 2,000 counterparties. One row in eight is
// asked about, by one of up to 200 questions, and one in fifty has no category.
const (
	fillAccounts = `
		INSERT INTO accounts (organization_id, source_id, id, external_id, name, type, currency, current_balance,
		  status,
		  created_at, updated_at, last_upload_at)
		SELECT $1, $2, gen_random_uuid(), 'account-' || n, 'Account ' || n, 'depository', 'USD', n, 'active', now(),
		  now(), now()
		FROM generate_series(1, 20) n`
	fillCounterparties = `
		INSERT INTO counterparties (organization_id, id, key, name, type, relationship, confidence, last_date,
		  created_at,
		  updated_at)
		SELECT $1, gen_random_uuid(), 'party ' || n, 'Party ' || n, 'company', 'supplier', 9000,
		       date '2026-01-01' - n % 300, now(), now()
		FROM generate_series(1, least(2000, $2::int / 10)) n`
	fillQuestions = `
		INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why, impact_amount,
		  impact_currency, transaction_count, options, allows_free_text, created_at, group_key, incoming)
		SELECT $1, gen_random_uuid(), 'counterparty', id, 'category', 'What is it?', '', 100000, 'USD',
		       greatest($2::int / 8 / least(200, $2 / 20), 1),
		       '[{"value": "expense.meals", "label": "Meals", "description": "Meals."}]', true,
		       now() - n * interval '1 hour',
		       'group ' || n, false
		FROM (
		  SELECT id, row_number() OVER (ORDER BY id) AS n
		  FROM counterparties
		  WHERE organization_id = $1
		  LIMIT least(200, $2 / 20)) c`
	fillRows = `
		INSERT INTO transactions (organization_id, source_id, id, account_id, external_id, amount, currency,
		  authorized_date, processed_date, description, created_at, updated_at, category_id, category_source,
		  category_confidence, alternatives, counterparty_id, merchant, needs_attention, processing)
		SELECT $1, $2, gen_random_uuid(), a[1 + n % array_length(a, 1)], 't' || n, n::bigint * 7919 % 200000 - 100000,
		       'USD', d, d, 'CARD PURCHASE ' || n % 9973, now(), now(),
		       CASE WHEN n % 50 > 0 THEN k[1 + n * 7919 % array_length(k, 1)] END,
		       CASE WHEN n % 50 > 0 THEN 'rule' END, CASE WHEN n % 50 > 0 THEN 9000 END, '[]',
		       p[1 + n::bigint * 104729 % array_length(p, 1)], 'Merchant ' || n % 997, n % 8 = 0, 'processed'
		FROM (
		  SELECT n, date '2024-01-01' + (n * 1003 / $3::bigint)::int AS d
		  FROM generate_series($4::bigint, $5) n) n,
		  (SELECT $6::integer[] AS k) k,
		  (SELECT array_agg(id) AS a FROM accounts WHERE organization_id = $1) a,
		  (SELECT array_agg(id) AS p FROM counterparties WHERE organization_id = $1) p`
	fillAsked = `
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, amount)
		SELECT $1, t.id, i[1 + t.n % array_length(i, 1)], 100
		FROM (
		  SELECT id, row_number() OVER () AS n
		  FROM transactions
		  WHERE organization_id = $1
		    AND needs_attention) t,
		  (SELECT array_agg(id) AS i FROM outstanding_issues WHERE organization_id = $1) i`
)

// BenchmarkReads measures every read over HTTP, in businesses of the numbers of rows in BIZFIN_BENCH_READS (default
// 1000,100000), all in one database: months are rolled up and counts added up, as a worker leaves them. It reports the
// median, the 99th percentile, and how many times the median of the first business that is.
func BenchmarkReads(b *testing.B) {
	a := start(b)
	sizes := []int{1_000, 100_000}
	if text := os.Getenv("BIZFIN_BENCH_READS"); text != "" {
		sizes = nil
		for _, size := range strings.Split(text, ",") {
			n, err := strconv.Atoi(size)
			if err != nil {
				b.Fatal(err)
			}
			sizes = append(sizes, n)
		}
	}
	var offices []*office
	for _, size := range sizes {
		o := a.open()
		o.fillBooks(b, size)
		offices = append(offices, o)
	}
	exec(b, a, `VACUUM ANALYZE`)
	medians := map[string]time.Duration{}
	for i, o := range offices {
		id := o.get(o.path+"/transactions?limit=1").want(200).text("transactions", 0, "id")
		party := o.get(o.path+"/counterparties?limit=1").want(200).text("counterparties", 0, "id")
		for _, read := range []struct{ name, path string }{
			{"profile", "/profile"},
			{"accounts", "/accounts"},
			{"categories", "/categories"},
			{"transactions", "/transactions"},
			{"transaction", "/transactions/" + id},
			{"counterparties", "/counterparties"},
			{"counterparty", "/counterparties/" + party},
			{"questions", "/outstanding-issues"},
			{"cash flow of three years", "/reports/cashflow?startDate=2024-01-01&endDate=2026-12-31"},
			{"P&L of three years", "/reports/pnl?startDate=2024-01-01&endDate=2026-12-31"},
			{"cash flow of a quarter", "/reports/cashflow?startDate=2026-04-01&endDate=2026-06-30"},
			{"P&L of a quarter", "/reports/pnl?startDate=2026-04-01&endDate=2026-06-30"},
		} {
			b.Run(fmt.Sprintf("%s/%d", read.name, sizes[i]), func(b *testing.B) {
				// each of the server's connections plans a statement anew until it has seen it five times
				for range 10 {
					o.get200(b, read.path)
				}
				var each took
				for b.Loop() {
					began := time.Now()
					o.get200(b, read.path)
					each.add(time.Since(began))
				}
				p99 := each.p99()
				median := each.each[len(each.each)/2]
				if i == 0 {
					medians[read.name] = median
				}
				b.ReportMetric(float64(median.Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(median)/float64(medians[read.name]), "of-first")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// fillBooks puts rows straight into the database, in steps each well within a statement's time.
func (o *office) fillBooks(b *testing.B, rows int) {
	b.Helper()
	var categories []int64
	for _, c := range ontology.ScheduleC().All() {
		if c.Assignable {
			categories = append(categories, int64(c.ID))
		}
	}
	began := time.Now()
	exec(b, o.api, fillAccounts, o.organization, o.source)
	exec(b, o.api, fillCounterparties, o.organization, rows)
	exec(b, o.api, fillQuestions, o.organization, rows)
	triggers(b, o.api, "DISABLE", "words", "report")
	const step = 100_000
	for from := 1; from <= rows; from += step {
		put(b, o.api, fillRows, o.organization, o.source, rows, from, min(rows, from+step-1), pq.Array(categories))
	}
	triggers(b, o.api, "ENABLE", "words", "report")
	o.keep(b)
	exec(b, o.api, fillAsked, o.organization)
	transfers, _ := ontology.ScheduleC().ByPath(report.Transfer)
	for _, settle := range []func() (bool, error){
		func() (bool, error) {
			return o.api.db.RollUp(b.Context(), time.Now().Add(time.Hour), transfers.Descendants())
		},
		func() (bool, error) { return o.api.db.AddUpCounts(b.Context(), time.Now().Add(time.Hour)) },
	} {
		for more := true; more; {
			var err error
			if more, err = settle(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Logf("%d rows after %v", rows, time.Since(began).Round(time.Second))
}
