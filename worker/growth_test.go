package worker_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// BenchmarkGrowth uploads and processes rows of four businesses, and says what they cost: rates, space on disk, the log
// for recovery, dead rows and vacuum, and how many updates were HOT. Two variables say how many rows, and which
// statement comes first, such as an ALTER TABLE that is to be compared.
//
//	BIZFIN_TEST_DURABLE=1 BIZFIN_TEST_GROWTH=300000 go test -run '^$' -bench Growth -benchtime 1x -v ./worker
func BenchmarkGrowth(b *testing.B) {
	const businesses, perUpload = 4, 500
	rows := 100_000
	if text := os.Getenv("BIZFIN_TEST_GROWTH"); text != "" {
		var err error
		rows, err = strconv.Atoi(text)
		must(b, err)
	}
	if first := os.Getenv("BIZFIN_TEST_GROWTH_FIRST"); first != "" {
		execute(b, first)
	}
	db, w := storetest.DB(b).SQL(), worker.New(config(b, nil))
	var position string
	must(b, db.QueryRow(`SELECT pg_current_wal_lsn()`).Scan(&position))
	var uploading, processing time.Duration
	for b.Loop() {
		for part := range 10 {
			shops := make([]shop, businesses)
			batches := make([][]store.TransactionUpload, businesses)
			for i := range shops {
				shops[i] = connected(b)
				batches[i] = statement(rows / 10 / businesses)
				for j := range batches[i] {
					batches[i][j].ExternalID = fmt.Sprintf("%d-%d", part, j)
				}
			}
			all := func(do func(i int)) time.Duration {
				began := time.Now()
				var doing sync.WaitGroup
				for i := range shops {
					doing.Go(func() { do(i) })
				}
				doing.Wait()
				return time.Since(began)
			}
			uploading += all(func(i int) {
				for piece := range slices.Chunk(batches[i], perUpload) {
					shops[i].upload(piece...)
				}
			})
			processing += all(func(i int) {
				if err := w.Process(b.Context(), shops[i].ID); err != nil {
					b.Error(err)
				}
			})
			for more := true; more; {
				var err error
				more, err = storetest.DB(b).IndexWords(b.Context(), time.Now().Add(time.Hour))
				must(b, err)
			}
		}
	}
	b.ReportMetric(float64(rows)/uploading.Seconds(), "uploaded/s")
	b.ReportMetric(float64(rows)/processing.Seconds(), "processed/s")
	began := time.Now()
	execute(b, `VACUUM transactions`)
	b.ReportMetric(time.Since(began).Seconds(), "vacuum-s")
	var log, heap int64
	must(b, db.QueryRow(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::bigint, pg_relation_size('transactions')`,
		position).Scan(&log, &heap))
	b.ReportMetric(float64(log)/float64(rows), "log-bytes/row")
	b.ReportMetric(float64(heap)/float64(rows), "heap-bytes/row")
	execute(b, `SELECT pg_stat_force_next_flush()`)
	found, err := db.Query(`
		SELECT relname, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd, n_dead_tup, autovacuum_count, autoanalyze_count,
		       pg_relation_size(relid), pg_indexes_size(relid)
		FROM pg_stat_user_tables
		WHERE n_tup_ins + n_tup_upd + n_tup_del >= 100
		ORDER BY pg_total_relation_size(relid) DESC`)
	must(b, err)
	defer found.Close()
	b.Logf("%-28s %9s %9s %9s %6s %8s %6s %8s %8s %8s", "table", "inserted", "updated", "deleted", "HOT %", "dead",
		"vacuum", "analyze", "heap MB", "index MB")
	for found.Next() {
		var name string
		var inserted, updated, deleted, hot, dead, vacuums, analyzes, size, indexes int64
		must(b, found.Scan(&name, &inserted, &updated, &deleted, &hot, &dead, &vacuums, &analyzes, &size, &indexes))
		b.Logf("%-28s %9d %9d %9d %6.1f %8d %6d %8d %8.1f %8.1f", name, inserted, updated, deleted,
			100*float64(hot)/float64(max(updated, 1)), dead, vacuums, analyzes, float64(size)/1e6, float64(indexes)/1e6)
	}
	must(b, found.Err())
}
