package store_test

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"bizfin/store"
	"bizfin/store/storetest"
)

// A connection that is lost without a word ends, and the next statement takes another.
func TestALostConnectionIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	if storetest.OnCitus() {
		t.Skip("it gets between itself and a socket in a folder")
	}
	var lost atomic.Bool
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	u, err := url.Parse(storetest.DatabaseURL(t))
	must(t, err)
	query := u.Query()
	socket := filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port"))
	query.Del("host")
	query.Del("port")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				from.Close()
				continue
			}
			go func() { _, _ = io.Copy(from, to) }()
			go func() {
				defer to.Close()
				piece, first := make([]byte, 4096), lost.Load() // a later connection is not lost
				for {
					n, err := from.Read(piece)
					if err != nil {
						return
					}
					if first || !lost.Load() {
						_, _ = to.Write(piece[:n])
					}
				}
			}()
		}
	}()
	db, err := store.Open(u.String(), store.Options{MaxConnections: 1, StatementTimeout: 2 * time.Second})
	must(t, err)
	defer db.Close()
	must(t, db.RelayAll(t.Context()))
	lost.Store(true)
	began := time.Now()
	if err := db.RelayAll(t.Context()); err == nil {
		t.Error("a statement that nobody heard is answered")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it was waited for for %v", took)
	}
	must(t, db.RelayAll(t.Context()))
}

// A database that freezes is noticed within seconds by whoever waits for an answer, however long a statement may take;
// a statement that takes longer than that in a database that lives is let be.
func TestAFrozenDatabaseIsHungUpOn(t *testing.T) {
	t.Parallel()
	line, url := storetest.LineToDatabase(t)
	db, err := store.Open(url, store.Options{})
	must(t, err)
	defer db.Close()
	go db.Watch(t.Context())
	_, err = db.SQL().ExecContext(t.Context(), `SELECT pg_sleep(8)`)
	must(t, err)

	began, waiting := time.Now(), make(chan error, 4)
	for range cap(waiting) {
		go func() {
			_, err := db.SQL().ExecContext(t.Context(), `SELECT pg_sleep(1)`)
			waiting <- err
		}()
	}
	for db.SQL().Stats().InUse < cap(waiting) {
		time.Sleep(time.Millisecond)
	}
	line.Freeze()
	for range cap(waiting) {
		if err := <-waiting; err == nil {
			t.Error("a statement is answered by a database that is frozen")
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it was noticed after %v", took)
	}
	line.Thaw()
	_, err = db.SQL().ExecContext(t.Context(), `SELECT 1`)
	must(t, err)
}
