package apitest

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// A connection to the database that hangs costs a request its time limit, a probe a second, and nobody more.
func TestAFrozenDatabaseIsNoticedInTime(t *testing.T) {
	t.Parallel()
	const limit = 4 * time.Second
	l, url := storetest.LineToDatabase(t)
	db, err := store.Open(url, store.Options{StatementTimeout: limit * 5 / 6})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a := start(t, func(c *server.Config) { c.Store, c.RequestTimeout = db, limit })
	o := a.open()
	account := o.uploadAccount("a")
	ready := func() (status int, took time.Duration) {
		began := time.Now()
		response, err := http.Get(a.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode, time.Since(began)
	}
	if status, _ := ready(); status != 200 {
		t.Fatalf("readyz answers %d before anything is frozen", status)
	}

	l.Freeze()
	var probes sync.WaitGroup
	for range 5 {
		probes.Go(func() {
			if status, took := ready(); status != 503 || took > 4*time.Second { // a second, on a machine of its own
				t.Errorf("readyz answers %d after %v, want 503 within a second", status, took)
			}
		})
	}
	began := time.Now()
	o.sendTransactions(account, transaction("t", "1", "2026-01-01", "ONE")).want(500)
	if took := time.Since(began); took > limit+3*time.Second {
		t.Errorf("an upload was answered after %v, want %v", took, limit)
	}
	probes.Wait()
	// The connections of before are gone: a new one is not waited for longer.
	began = time.Now()
	o.sendTransactions(account, transaction("t", "1", "2026-01-01", "ONE")).want(500)
	if took := time.Since(began); took > limit+3*time.Second {
		t.Errorf("an upload that needs a new connection was answered after %v, want %v", took, limit)
	}

	l.Thaw()
	until := time.Now().Add(20 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		if status, _ := ready(); status == 200 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("it is not ready after the network is back")
		}
	}
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
	if _, err := holding.Exec(`SELECT FROM accounts WHERE organization_id = $1 AND id = $2 FOR UPDATE`, o.organization, account); err != nil {
		t.Fatal(err)
	}
	got := o.sendTransactions(account, transaction("t", "1", "2026-01-01", "ONE")).want(503)
	if got.header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to try again")
	}
	o.must(holding.Rollback())
	o.upload(account, transaction("t", "1", "2026-01-01", "ONE"))
}
