package worker_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// BenchmarkLimits has a business of twenty accounts wait with BIZFIN_BENCH_LIMITED rows (default 150,000), of which a
// month allows a thousand. It measures each batch and each look for released rows: while the rows are marked as
// limited, at the turn of a month, and after the tier rose.
func BenchmarkLimits(b *testing.B) {
	const accounts, step = 20, 50_000
	rows, err := strconv.Atoi(os.Getenv("BIZFIN_BENCH_LIMITED"))
	if err != nil {
		rows = 150_000
	}
	s, db := open(b, "free"), storetest.DB(b)
	for i := range accounts - 1 {
		s.addAccount(fmt.Sprint("account-", i))
	}
	for from := 1; from <= rows; from += step {
		execute(b, `
			INSERT INTO transactions (organization_id, source_id, id, account_id, external_id, amount, currency,
			  authorized_date, processed_date, description, created_at, updated_at)
			SELECT $1, $2, gen_random_uuid(), a[1 + n % array_length(a, 1)], 't' || n,
			  n::bigint * 7919 % 200000 - 100000, 'USD',
			       d, d, 'CARD PURCHASE ' || n % 9973, now(), now()
			FROM (
			  SELECT n, date '2024-01-01' + (n::bigint * 800 / $3)::int AS d
			  FROM generate_series($4::int, $5) n) n,
			  (SELECT array_agg(id) AS a FROM accounts WHERE organization_id = $1) a`,
			s.ID, s.source, rows, from, min(rows, from+step-1))
	}
	execute(b, `INSERT INTO pending_work (organization_id, account_id, next_at) SELECT organization_id, id, now() FROM accounts WHERE organization_id = $1`, s.ID)
	execute(b, `ANALYZE transactions`) // as autovacuum does within a minute
	now := &clock{}
	w := worker.New(config(b, now.Now))
	phase := func(name string, most int) {
		var each []time.Duration
		decided, limited, began := 0, 0, time.Now()
		for range most {
			turn, err := s.TakeTurn(b.Context(), store.AnyTurn)
			must(b, err)
			event, err := s.NextEvent(b.Context(), turn)
			if errors.Is(err, store.ErrNotFound) {
				_, err = s.EndTurn(b.Context(), turn)
				must(b, err)
				break
			}
			must(b, err)
			start := time.Now()
			result, err := w.Batch(b.Context(), turn, event)
			must(b, err)
			each = append(each, time.Since(start))
			decided, limited = decided+len(result.Rows), limited+result.Limited
			_, err = s.EndTurn(b.Context(), turn)
			must(b, err)
		}
		slices.Sort(each)
		b.Logf("%s: %d batches in %v, %d rows decided, %d newly limited; a batch %v, 99th %v, longest %v", name,
			len(each),
			time.Since(began).Round(time.Millisecond), decided, limited, each[len(each)/2], each[len(each)*99/100],
			each[len(each)-1])
	}
	look := func(name string, release func() (int64, error)) {
		began := time.Now()
		n, err := release()
		took := time.Since(began)
		must(b, err)
		b.Logf("%s: %d accounts released in %v", name, n, took)
	}
	b.ResetTimer()
	phase("the month is used up", 1<<30)
	look("while nothing is allowed", func() (int64, error) { return db.ReleaseLimited(b.Context(), now.Now(), 1000) })
	now.Add(30 * 24 * time.Hour)
	look("at the turn of the month", func() (int64, error) { return db.ReleaseMonth(b.Context(), now.Now()) })
	phase("the new month", 1<<30)
	began := time.Now()
	_, err = db.Connect(b.Context(), now.Now(), store.Connection{PartnerID: s.partner, Subject: "ana", Tier: "paid",
		Businesses: []store.Business{{ID: "b", Name: "B", Role: store.RoleOwner}}})
	must(b, err)
	b.Logf("the tier rose in %v, %d accounts released", time.Since(began), s.events())
	phase("the first of the paid tier", 20)
	b.ReportMetric(0, "ns/op")
}
