package apitest

import (
	"testing"

	"github.com/lib/pq"

	"bizfin/internal/ontology"
)

// BenchmarkReports measures reports over HTTP, over the whole range of a business of BIZFIN_BENCH_ROWS processed rows
// (default 1,000): 33 months, all assignable categories, 2,000 counterparties.
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
	exec(b, a, `INSERT INTO counterparties (organization_id, id, name, type, relationship, confidence, last_date, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'Party ' || n, 'company', 'unknown', 9000, '2026-01-01', now(), now()
		FROM generate_series(1, 2000) n`, o.organization)
	exec(b, a, `INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency, authorized_date, processed_date, description,
		  created_at, updated_at, category_id, category_source, category_confidence, counterparty_id, processing)
		SELECT $1, gen_random_uuid(), $2, $3, 't' || n, (random() * 200000)::bigint - 100000, 'USD', d, d, 'CARD PURCHASE ' || n,
		  now(), now(), k[1 + (n * 7919) % array_length(k, 1)], 'rule', 9000, p[1 + (random() * random() * 1999)::int], 'processed'
		FROM (
		  SELECT n, date '2024-01-01' + (n * 1003 / $4)::int AS d
		  FROM generate_series(1, $4::bigint) n) n,
		  (SELECT $5::integer[] AS k) k,
		  (SELECT array_agg(id) AS p FROM counterparties WHERE organization_id = $1) p`,
		o.organization, o.source, account, number("BIZFIN_BENCH_ROWS", 1000), pq.Array(assignable))
	exec(b, a, `VACUUM ANALYZE transactions`)
	for _, report := range []string{"pnl", "cashflow"} {
		for _, shape := range []struct{ name, query string }{
			{"33 months, 12 of them broken down", ""},
			{"33 months broken down", "&periodLimit=4000"},
			{"1004 days, 60 of them broken down", "&periodLimit=60&periodGrouping=day"},
		} {
			b.Run(report+"/"+shape.name, func(b *testing.B) {
				for b.Loop() {
					o.get200(b, "/reports/"+report+"?startDate=2024-01-01&endDate=2026-09-30"+shape.query)
				}
			})
		}
		b.Run(report+"/nothing", func(b *testing.B) {
			for b.Loop() {
				o.get200(b, "/reports/"+report+"?startDate=2020-01-01&endDate=2020-01-31")
			}
		})
	}
}
