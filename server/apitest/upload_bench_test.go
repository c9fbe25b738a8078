package apitest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store/storetest"
	"bizfin/worker"
)

const batchSize = 500

// batch makes the body of an upload: the same rows for the same first.
func batch(first int) []M {
	rows := make([]M, batchSize)
	for i := range rows {
		n := first + i
		rows[i] = transaction(fmt.Sprintf("txn-%09d", n), fmt.Sprintf("%d.%02d", n%5000-2500, n%100), day(n),
			description(n))
	}
	return rows
}

func day(n int) string {
	return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n%730).Format(time.DateOnly)
}

func description(n int) string {
	return fmt.Sprintf("POS PURCHASE MERCHANT %d STORE %04d SPRINGFIELD IL CARD 1234", n%997, n%10000)
}

// The reference of the upload: a table with a primary key, a unique key and a list index, filled by COPY.
const referenceTable = `
	CREATE TABLE IF NOT EXISTS copy_reference (
	  organization_id uuid NOT NULL,
	  id uuid NOT NULL,
	  source_id uuid NOT NULL,
	  account_id uuid NOT NULL,
	  external_id text NOT NULL,
	  amount bigint NOT NULL,
	  currency text NOT NULL,
	  primary_date date NOT NULL,
	  description text NOT NULL,
	  pending boolean NOT NULL,
	  created_at timestamptz NOT NULL,
	  updated_at timestamptz NOT NULL,
	  PRIMARY KEY (organization_id, id),
	  UNIQUE (organization_id, source_id, external_id));
	CREATE INDEX IF NOT EXISTS copy_reference_list ON copy_reference (organization_id, primary_date DESC, id DESC)`

// copyBatch fills a table by COPY, in a transaction of its own.
func copyBatch(b *testing.B, db *sql.DB, table string, columns string, row func(i int) []any) time.Duration {
	start := time.Now()
	tx, err := db.Begin()
	if err != nil {
		b.Error(err)
		return 0
	}
	defer tx.Rollback()
	copying, err := tx.Prepare("COPY " + table + " (" + columns + ") FROM STDIN")
	if err != nil {
		b.Error(err)
		return 0
	}
	for i := range batchSize {
		if _, err := copying.Exec(row(i)...); err != nil {
			b.Error(err)
			return 0
		}
	}
	if _, err := copying.Exec(); err != nil {
		b.Error(err)
		return 0
	}
	if err := copying.Close(); err != nil {
		b.Error(err)
		return 0
	}
	if err := tx.Commit(); err != nil {
		b.Error(err)
		return 0
	}
	return time.Since(start)
}

// took gathers durations from any number of clients.
type took struct {
	mu    sync.Mutex
	each  []time.Duration
	total time.Duration // wall
}

func (t *took) add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.each = append(t.each, d)
}

func (t *took) p99() time.Duration {
	slices.Sort(t.each)
	return t.each[len(t.each)*99/100]
}

func (t *took) rowsPerSecond() float64 {
	return float64(len(t.each)*batchSize) / t.total.Seconds()
}

// together runs one call a client and adds its wall time.
func (t *took) together(clients int, call func(client int) time.Duration) {
	start := time.Now()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() { t.add(call(client)) })
	}
	wg.Wait()
	t.total += time.Since(start)
}

// send200 posts and reads the answer as a client would, without judging it.
func (o *office) send200(b *testing.B, path string, body []byte) time.Duration {
	start := time.Now()
	r, err := http.NewRequest(http.MethodPost, o.url+server.BasePath+o.path+path, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return 0
	}
	r.Header = o.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		b.Errorf("status %d, %v", response.StatusCode, err)
	}
	return time.Since(start)
}

// BenchmarkUpload uploads new batches of 500 over HTTP, each followed by the same rows through COPY into the reference
// table and into our own, so that all three see the same machine: alone, and with a worker that processes what is
// uploaded to the same accounts. Both tables have BIZFIN_BENCH_OTHER_ROWS rows of another business (default none).
func BenchmarkUpload(b *testing.B) {
	if rows := number("BIZFIN_BENCH_OTHER_ROWS", 0); rows > 0 {
		fillBoth(b, rows)
	}
	for _, beside := range []string{"alone", "beside-worker"} {
		for _, clients := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/clients=%d", beside, clients), func(b *testing.B) {
				benchmarkUpload(b, clients,
					beside != "alone")
			})
		}
	}
}

// fillBoth puts processed rows of a business into our table, and the same into the reference.
func fillBoth(b *testing.B, rows int) {
	b.Helper()
	a := start(b)
	exec(b, a, referenceTable)
	o := a.open()
	o.fill(b, o.uploadAccount("busy"), o.uploadAccount("rare"), o.rareCounterparty(b), rows)
	exec(b, a, `
		INSERT INTO copy_reference
		SELECT organization_id, id, source_id, account_id, external_id, amount, currency, primary_date, description,
		       pending, created_at, updated_at
		FROM transactions
		WHERE organization_id = $1`, o.organization)
	exec(b, a, `VACUUM ANALYZE transactions, transaction_words, copy_reference`)
}

// working runs a worker on the uploads of a server until the benchmark ends.
func working(b *testing.B) func(*server.Config) {
	queue, err := worker.ParseRedis(storetest.RedisURL(b))
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	signal, quiet := worker.NewSignal(queue, slog.New(slog.DiscardHandler)), slog.New(slog.DiscardHandler)
	var running sync.WaitGroup
	running.Go(func() { signal.Run(ctx) })
	running.Go(func() {
		w := worker.New(worker.Config{Store: storetest.DB(b), Redis: queue, Concurrency: runtime.NumCPU(),
			FreeMonthly: 1 << 40, Now: time.Now, Log: quiet})
		if err := w.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(func() {
		stop()
		running.Wait()
	})
	return func(c *server.Config) { c.Accepted = signal.Accepted }
}

func benchmarkUpload(b *testing.B, clients int, beside bool) {
	var configure []func(*server.Config)
	if beside {
		configure = append(configure, working(b))
	}
	a := start(b, configure...)
	db := a.db.SQL()
	if _, err := db.Exec(referenceTable); err != nil {
		b.Fatal(err)
	}
	offices := make([]*office, clients)
	accounts, others := make([]string, clients), make([]string, clients) // nothing of the others is processed
	for i := range offices {
		offices[i] = a.open()
		accounts[i], others[i] = offices[i].uploadAccount("a"), offices[i].uploadAccount("b")
	}
	var upload, reference, own took
	for n := range b.N {
		first := n * batchSize
		body, err := json.Marshal(M{"transactions": batch(first)})
		if err != nil {
			b.Fatal(err)
		}
		upload.together(clients, func(c int) time.Duration {
			return offices[c].send200(b, "/accounts/"+accounts[c]+"/transactions", body)
		})
		now := time.Now()
		reference.together(clients, func(c int) time.Duration {
			o := offices[c]
			return copyBatch(b, db, "copy_reference",
				"organization_id, id, source_id, account_id, external_id, amount, currency, primary_date, "+
					"description, pending, created_at, updated_at", func(i int) []any {
					k := first + i
					return []any{o.organization, uuid.Must(uuid.NewV7()).String(), o.source, accounts[c],
						fmt.Sprintf("txn-%09d", k), int64(k%5000-2500)*100 + int64(k%100), "USD", day(k),
						description(k), false, now, now}
				})
		})
		own.together(clients, func(c int) time.Duration {
			o := offices[c]
			return copyBatch(b, db, "transactions",
				"organization_id, id, source_id, account_id, external_id, amount, currency, authorized_date, "+
					"processed_date, description, pending, created_at, updated_at", func(i int) []any {
					k := first + i
					return []any{o.organization, uuid.Must(uuid.NewV7()).String(), o.source, others[c],
						fmt.Sprintf("own-%09d", k), int64(k%5000-2500)*100 + int64(k%100), "USD", day(k), day(k),
						description(k), false, now, now}
				})
		})
	}
	b.ReportMetric(upload.rowsPerSecond(), "upload-rows/s")
	b.ReportMetric(reference.rowsPerSecond(), "copy-rows/s")
	b.ReportMetric(upload.rowsPerSecond()/reference.rowsPerSecond(), "of-copy")
	b.ReportMetric(own.rowsPerSecond()/reference.rowsPerSecond(), "own-of-copy")
	b.ReportMetric(float64(upload.p99())/float64(own.p99()), "p99-of-own-copy")
	b.ReportMetric(float64(upload.p99().Microseconds())/1000, "upload-p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReupload uploads a batch, and then the same batch again.
func BenchmarkReupload(b *testing.B) {
	a := start(b)
	o := a.open()
	account := o.uploadAccount("a")
	path := "/accounts/" + account + "/transactions"
	var fresh, again took
	for n := range b.N {
		body, err := json.Marshal(M{"transactions": batch(n * batchSize)})
		if err != nil {
			b.Fatal(err)
		}
		once := func(int) time.Duration { return o.send200(b, path, body) }
		fresh.together(1, once)
		again.together(1, once)
	}
	b.ReportMetric(fresh.rowsPerSecond(), "fresh-rows/s")
	b.ReportMetric(again.rowsPerSecond(), "again-rows/s")
	b.ReportMetric(again.rowsPerSecond()/fresh.rowsPerSecond(), "times-faster")
	b.ReportMetric(0, "ns/op")
}
