package apitest

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// line is a network to the database that can be frozen: nothing passes, and nobody is told.
type line struct {
	listener net.Listener
	mu       sync.Mutex
	thawed   chan struct{} // closed while it is not frozen
}

func newLine(t *testing.T, network, target string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, thawed: make(chan struct{})}
	close(l.thawed)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial(network, target)
			if err != nil {
				from.Close()
				continue
			}
			go l.pass(from, to)
			go l.pass(to, from)
		}
	}()
	return l
}

func (l *line) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		l.mu.Lock()
		thawed := l.thawed
		l.mu.Unlock()
		<-thawed
		if _, broken := to.Write(chunk[:n]); err != nil || broken != nil {
			return
		}
	}
}

func (l *line) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.thawed = make(chan struct{})
}

func (l *line) thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.thawed)
}

// A connection to the database that hangs costs a request its time limit, a probe a second, and nobody more.
func TestAFrozenDatabaseIsNoticedInTime(t *testing.T) {
	t.Parallel()
	const limit = 4 * time.Second
	address, err := url.Parse(storetest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	network, target, query := "tcp", address.Host, address.Query()
	if folder := query.Get("host"); folder != "" { // the tests' own server listens on a socket
		network, target = "unix", filepath.Join(folder, ".s.PGSQL.5432")
		query.Del("host")
		query.Del("port")
	}
	l := newLine(t, network, target)
	address.Host = l.listener.Addr().String()
	// A new connection has a limit of its own, five seconds by default: longer than this test's requests have.
	query.Set("connect_timeout", "2")
	address.RawQuery = query.Encode()
	db, err := store.Open(address.String(), store.Options{StatementTimeout: limit * 5 / 6})
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

	l.freeze()
	var probes sync.WaitGroup
	for range 5 {
		probes.Go(func() {
			if status, took := ready(); status != 503 || took > 2*time.Second {
				t.Errorf("readyz answers %d after %v, want 503 within a second", status, took)
			}
		})
	}
	began := time.Now()
	o.sendTransactions(account, transaction("t", "1", "2026-01-01", "ONE")).want(500)
	if took := time.Since(began); took > limit+time.Second {
		t.Errorf("an upload was answered after %v, want %v", took, limit)
	}
	probes.Wait()

	l.thaw()
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
