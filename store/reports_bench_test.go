package store_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
	"bizfin/store/storetest"
)

var live = flag.Bool("live", false, "measure reports of months that no worker has rolled up")

var million = flag.Bool("million", false, "measure reports of 1,000,000 rows too")

// BenchmarkReports measures reports over the whole range of businesses of different sizes: 33 months, all assignable
// categories, 2,000 counterparties, a twentieth of the rows only suggested.
func BenchmarkReports(b *testing.B) {
	sizes := []int{1_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			business := grown(b, size)
			first, last := date(2024, 1, 1), date(2026, 9, 30)
			party := largestParty(b, business)
			for _, asked := range []struct {
				name   string
				filter store.ReportFilter
			}{
				{"33 months", filterOf(b, first, last, report.Month, report.MaxPeriods)},
				{"144 weeks", filterOf(b, first, last, report.Week, report.MaxPeriods)},
				{"1004 days", filterOf(b, first, last, report.Day, report.MaxPeriods)},
				{"1 quarter", filterOf(b, date(2026, 4, 1), date(2026, 6, 30), report.Month, report.MaxPeriods)},
				{"1 year of days", filterOf(b, date(2025, 4, 10), date(2026, 4, 9), report.Day, report.MaxPeriods)},
				{"category", ofCategory(filterOf(b, first, last, report.Month, report.MaxPeriods))},
				{"counterparty", ofCounterparty(filterOf(b, first, last, report.Month, report.MaxPeriods), party)},
			} {
				for _, field := range []store.DateField{store.Processed, store.Primary} {
					f := asked.filter
					f.DateField = field
					b.Run(fmt.Sprintf("pnl/%s/%s", asked.name, field), func(b *testing.B) {
						for b.Loop() {
							_, err := business.PnlSums(b.Context(), f)
							must(b, err)
						}
					})
					b.Run(fmt.Sprintf("cashflow/%s/%s", asked.name, field), func(b *testing.B) {
						for b.Loop() {
							_, err := business.CashflowSums(b.Context(), f, transferCategories(), 50)
							must(b, err)
						}
					})
				}
			}
		})
	}
}

// ofCategory is the filter of the branch of expenses.
func ofCategory(f store.ReportFilter) store.ReportFilter {
	expenses, _ := ontology.ScheduleC().ByPath("expense")
	f.FilterByCategory, f.CategoryIDs = true, expenses.Descendants()
	return f
}

func ofCounterparty(f store.ReportFilter, id uuid.UUID) store.ReportFilter {
	f.FilterByCounterparty, f.CounterpartyIDs = true, []uuid.UUID{id}
	return f
}

// largestParty is the counterparty with the most rows.
func largestParty(b *testing.B, business tenant) (id uuid.UUID) {
	b.Helper()
	must(b, storetest.DB(b).SQL().QueryRowContext(b.Context(), `
		SELECT counterparty_id
		FROM transactions
		WHERE organization_id = $1
		GROUP BY counterparty_id
		ORDER BY count(*) DESC
		LIMIT 1`, business.ID).Scan(&id))
	return id
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// filterOf is a filter of whole days by the processed date.
func filterOf(t testing.TB, first, last time.Time, grouping report.Grouping, limit int64) store.ReportFilter {
	t.Helper()
	periods, _, err := report.Periods(report.Range{Start: first, End: last}, grouping, limit)
	must(t, err)
	f := store.ReportFilter{DateField: store.Processed, From: first, To: last}
	for _, p := range periods {
		f.PeriodStarts = append(f.PeriodStarts, p.Start)
	}
	return f
}

// grown is a business with so many processed rows.
func grown(b *testing.B, rows int) tenant {
	b.Helper()
	business := connect(b)
	business.account = business.uploadAccount(b, "a")
	db, err := storetest.DB(b).SQL().Conn(b.Context())
	must(b, err)
	defer db.Close()
	_, err = db.ExecContext(b.Context(), "SET statement_timeout = 0")
	must(b, err)
	defer db.ExecContext(b.Context(), "RESET statement_timeout")
	var assignable []int64
	for _, c := range ontology.ScheduleC().All() {
		if c.Assignable {
			assignable = append(assignable, int64(c.ID))
		}
	}
	for _, statement := range []string{
		`INSERT INTO counterparties (organization_id, id, name, type, relationship, confidence, last_date, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'Party ' || n, 'company', 'unknown', 9000, '2026-01-01', now(), now()
		FROM generate_series(1, 2000) n`,
		// The triggers would look each counterparty up, mark a month and make a list of texts at every row.
		`ALTER TABLE transactions DISABLE TRIGGER transactions_references, DISABLE TRIGGER transactions_report_inserted, DISABLE TRIGGER transactions_words_inserted`,
		`INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency, authorized_date, processed_date, description, merchant, created_at, updated_at,
		  category_id, category_source, category_confidence, suggested_id, suggested_confidence, counterparty_id,
		  processing)
		SELECT $1, gen_random_uuid(), $2, $3, 't' || n, (random() * 200000)::bigint - 100000, 'USD', d, d,
		  'CARD PURCHASE ' || n, 'MERCHANT', now(), now(),
		  c, CASE WHEN c IS NULL THEN NULL ELSE 'rule' END, CASE WHEN c IS NULL THEN NULL ELSE 9000 END,
		  CASE WHEN c IS NULL THEN 3000 END, CASE WHEN c IS NULL THEN 7000 END,
		  p[1 + (random() * random() * 1999)::int], 'processed'
		FROM (
		  SELECT n, date '2024-01-01' + (n * 1003 / $4)::int AS d, CASE WHEN n % 20 = 0 THEN NULL
		  ELSE k[1 + (n * 7919) % array_length(k, 1)] END AS c
		  FROM generate_series(1, $4::bigint) n, (SELECT $5::integer[] AS k) k) n,
		  (SELECT array_agg(id) AS p FROM counterparties WHERE organization_id = $1) p`,
		`ALTER TABLE transactions ENABLE TRIGGER transactions_references, ENABLE TRIGGER transactions_report_inserted, ENABLE TRIGGER transactions_words_inserted`,
		`INSERT INTO report_dirty (organization_id, month)
		SELECT DISTINCT organization_id, date_trunc('month', processed_date::timestamp)::date FROM transactions WHERE organization_id = $1`,
		`VACUUM ANALYZE transactions`,
	} {
		args := []any{business.ID, business.source, business.account, rows, pq.Array(assignable)}
		switch {
		case statement[:5] == "ALTER", statement[:6] == "VACUUM":
			args = nil
		case strings.HasPrefix(statement, "INSERT INTO counterparties"),
			strings.HasPrefix(statement, "INSERT INTO report_dirty"):
			args = args[:1]
		}
		_, err := db.ExecContext(b.Context(), statement, args...)
		must(b, err)
	}
	if !*live {
		rollUpAll(b)
	}
	return business
}

// rollUpAll sums all dirty months anew.
func rollUpAll(b *testing.B) {
	b.Helper()
	start := time.Now()
	for months := 0; ; months++ {
		more, err := storetest.DB(b).RollUp(b.Context(), time.Now().Add(time.Minute), transferCategories())
		must(b, err)
		if !more {
			_, err := storetest.DB(b).SQL().ExecContext(b.Context(),
				"VACUUM ANALYZE report_months, report_month_categories, report_month_counterparties, "+
					"report_month_suggestions, report_year_categories, report_year_counterparties, report_dirty")
			must(b, err)
			b.Logf("%d months in %s", months, time.Since(start))
			return
		}
	}
}
