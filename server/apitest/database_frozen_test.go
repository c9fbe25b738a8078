package apitest

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// A connection to the database that hangs costs a request its time limit, a probe a second, and nobody more. Both are
// held against a request that may take six times as long, which a busy machine slows like them. It waits for five
// seconds at least: who watches the database takes the connection for dead then.
func TestAFrozenDatabaseIsNoticedInTime(t *testing.T) {
	t.Parallel()
	const limit, patience = 2 * time.Second, 12 * time.Second
	l, url := storetest.LineToDatabase(t)
	limited := func(limit time.Duration) *api {
		db, err := store.Open(url, store.Options{StatementTimeout: limit * 5 / 6})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return start(t, func(c *server.Config) { c.Store, c.RequestTimeout = db, limit })
	}
	a, patient := limited(limit).open(), limited(patience).open()
	account, waiting := a.uploadAccount("a"), patient.uploadAccount("a")
	timed := func(do func()) time.Duration {
		began := time.Now()
		do()
		return time.Since(began)
	}
	ready := func(of *office) int {
		response, err := http.Get(of.url + "/readyz")
		if err != nil {
			t.Error(err)
			return 0
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode
	}
	if status := ready(a); status != 200 {
		t.Fatalf("readyz answers %d before anything is frozen", status)
	}
	one := transaction("t", "1", "2026-01-01", "ONE")

	l.Freeze()
	took := make(chan time.Duration, 5)
	var longest time.Duration
	var probes, longer sync.WaitGroup
	longer.Go(func() {
		longest = timed(func() {
			if got := patient.sendTransactions(waiting, one); got.status != 500 {
				t.Errorf("status %d", got.status)
			}
		})
	})
	for range cap(took) {
		probes.Go(func() {
			took <- timed(func() {
				if status := ready(patient); status != 503 {
					t.Errorf("readyz answers %d, want 503", status)
				}
			})
		})
	}
	upload := timed(func() { a.sendTransactions(account, one).want(500) })
	// The connections of before are gone: a new one is not waited for longer.
	again := timed(func() { a.sendTransactions(account, one).want(500) })
	probes.Wait()
	longer.Wait()
	for what, took := range map[string]time.Duration{"an upload": upload, "one that needs a new connection": again} {
		if took > longest/2 {
			t.Errorf("%s was answered after %v, and one that may take %v instead of %v after %v", what, took, patience,
				limit,
				longest)
		}
	}
	for range cap(took) {
		if took := <-took; took > longest/3 {
			t.Errorf("readyz answered after %v, and an upload after %v", took, longest)
		}
	}

	l.Thaw()
	until := time.Now().Add(20 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		if ready(a) == 200 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("it is not ready after the network is back")
		}
	}
	a.upload(account, one)
}

// A statement that takes longer than one may, as where the disk or a lock stands still, is the service's trouble and
// not a failure of its own: the same request is right a moment later. The log has its cause, and the answer has not.
func TestAStatementThatTakesTooLongIsAnsweredBusy(t *testing.T) {
	t.Parallel()
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{StatementTimeout: time.Second,
		LockTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	o := start(t, func(c *server.Config) { c.Store = db }).open()
	account := o.uploadAccount("a")
	holding, err := storetest.DB(t).SQL().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer holding.Rollback()
	if _, err := holding.Exec(`SELECT FROM accounts WHERE organization_id = $1 AND id = $2 FOR UPDATE`, o.organization,
		account); err != nil {
		t.Fatal(err)
	}
	got := o.sendTransactions(account, transaction("t", "1", "2026-01-01", "ONE")).want(503)
	if got.header.Get("Retry-After") == "" || strings.Contains(string(got.body), "statement") {
		t.Errorf("the answer is %v %s", got.header, got.body)
	}
	if log := o.log.String(); !strings.Contains(log, "statement timeout") {
		t.Errorf("the log has no cause: %s", log)
	}
	o.must(holding.Rollback())
	o.upload(account, transaction("t", "1", "2026-01-01", "ONE"))
}

// Whoever holds an account for long keeps an upload to it waiting for seconds, and nobody else.
func TestALockedAccountIsAnsweredBusy(t *testing.T) {
	t.Parallel()
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{LockTimeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	o := start(t, func(c *server.Config) { c.Store = db }).open()
	account := o.uploadAccount("a")
	holding, err := storetest.DB(t).SQL().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer holding.Rollback()
	if _, err := holding.Exec(`SELECT FROM accounts WHERE organization_id = $1 AND id = $2 FOR UPDATE`, o.organization,
		account); err != nil {
		t.Fatal(err)
	}
	got := o.sendTransactions(account, transaction("t", "1", "2026-01-01", "ONE")).want(503)
	if got.header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to try again")
	}
	o.must(holding.Rollback())
	o.upload(account, transaction("t", "1", "2026-01-01", "ONE"))
}
