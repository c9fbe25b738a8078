package apitest

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lib/pq"

	"bizfin/internal/ontology"
)

// A twentieth of the rows is only suggested, and twelve questions are about it.
const (
	fillReported = `
		INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency,
		  authorized_date,
		  processed_date, description, created_at, updated_at, category_id, category_source, category_confidence,
		  suggested_id, suggested_confidence, counterparty_id, processing)
		SELECT $1, gen_random_uuid(), $2, $3, 't' || n, n::bigint * 7919 % 200000 - 100000, 'USD', d, d,
		       'CARD PURCHASE ' || n, now(), now(), c, CASE WHEN c IS NOT NULL THEN 'rule' END, CASE
		       WHEN c IS NOT NULL THEN 9000 END,
		       CASE WHEN c IS NULL THEN 3000 END, CASE WHEN c IS NULL THEN 7000 END,
		       p[1 + n::bigint * 104729 % 200], 'processed'
		FROM (
		  SELECT n, date '2024-01-01' + (n * 1003 / $4)::int AS d,
		         CASE WHEN n % 20 > 0 THEN k[1 + (n * 7919) % array_length(k, 1)] END AS c
		  FROM generate_series(1, $4::bigint) n, (SELECT $5::integer[] AS k) k) n,
		  (SELECT array_agg(id) AS p FROM counterparties WHERE organization_id = $1) p`
	fillReportedParties = `
		INSERT INTO counterparties (organization_id, id, name, type, relationship, confidence, last_date, created_at,
		  updated_at)
		SELECT $1, gen_random_uuid(), 'Party ' || n, 'company', 'unknown', 9000, '2026-01-01', now(), now()
		FROM generate_series(1, 200) n`
	fillReportedQuestions = `
		INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why, impact_amount,
		  impact_currency, transaction_count, options, allows_free_text, created_at, group_key, incoming)
		SELECT $1, gen_random_uuid(), 'counterparty', n::text, 'category', 'What is it?', '', 100000, 'USD', 1,
		       '[{"value": "expense.meals", "label": "Meals", "description": "Meals."}]', true, now(), 'group ' || n,
		       false
		FROM generate_series(1, 12) n`
	fillReportedAsked = `
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, amount)
		SELECT $1, t.id, i[1 + t.n % 12], 100
		FROM (
		  SELECT id, row_number() OVER () AS n
		  FROM transactions
		  WHERE organization_id = $1
		    AND category_id IS NULL) t,
		  (SELECT array_agg(id) AS i FROM outstanding_issues WHERE organization_id = $1) i`
)

// BenchmarkReports measures reports over HTTP of a business of BIZFIN_BENCH_ROWS processed rows (default 1,000) in 33
// months: all assignable categories, 200 counterparties. Beside the time it reports the CPU time of PostgreSQL's
// processes, which other work on the machine changes less, and of this process, client and all.
func BenchmarkReports(b *testing.B) {
	a := start(b)
	o := a.open()
	account := o.uploadAccount("a")
	var assignable []int64
	for _, c := range ontology.ScheduleC().All() {
		if c.Assignable {
			assignable = append(assignable, int64(c.ID))
		}
	}
	exec(b, a, fillReportedParties, o.organization)
	exec(b, a, fillReported, o.organization, o.source, account, number("BIZFIN_BENCH_ROWS", 1000), pq.Array(assignable))
	exec(b, a, fillReportedQuestions, o.organization)
	exec(b, a, fillReportedAsked, o.organization)
	exec(b, a, `VACUUM ANALYZE`)
	for _, report := range []string{"pnl", "cashflow"} {
		for _, shape := range []struct{ name, query string }{
			{"33 months, 12 of them broken down", "startDate=2024-01-01&endDate=2026-09-30"},
			{"33 months broken down", "startDate=2024-01-01&endDate=2026-09-30&periodLimit=4000"},
			{"1004 days, 60 of them broken down",
				"startDate=2024-01-01&endDate=2026-09-30&periodLimit=60&periodGrouping=day"},
			{"a year", "startDate=2025-07-01&endDate=2026-06-30"},
			{"a quarter", "startDate=2026-04-01&endDate=2026-06-30"},
			{"nothing", "startDate=2020-01-01&endDate=2020-01-31"},
		} {
			b.Run(report+"/"+shape.name, func(b *testing.B) {
				// each of the server's connections plans a statement anew until it has seen it five times
				for range 12 {
					o.get200(b, "/reports/"+report+"?"+shape.query)
				}
				database, process := cpuOfDatabase(b, a), cpuOfProcess(b)
				for b.Loop() {
					o.get200(b, "/reports/"+report+"?"+shape.query)
				}
				each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
				b.ReportMetric(each(cpuOfDatabase(b, a)-database), "database-ms/op")
				b.ReportMetric(each(cpuOfProcess(b)-process), "process-ms/op")
			})
		}
	}
}

// cpuOfDatabase is what the server's connections have taken of a core so far.
func cpuOfDatabase(b *testing.B, a *api) (sum time.Duration) {
	b.Helper()
	rows, err := a.db.SQL().Query(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			b.Fatal(err)
		}
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat")
		if err != nil {
			b.Skip("no figures of processes: ", err)
		}
		nanoseconds, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(nanoseconds)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return sum
}

func cpuOfProcess(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
