package store_test

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"bizfin/store"
	"bizfin/store/storetest"
)

// hanging is a database of which one node can hang, and a business there.
type hanging struct {
	db   *store.DB
	home *store.Organization
	line *storetest.Line // to the node
}

func openHanging(t *testing.T, connections int) hanging {
	t.Helper()
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it takes one machine for a node")
	}
	address, err := url.Parse(storetest.DatabaseURL(t))
	must(t, err)
	network, target := "tcp", address.Host
	if folder := address.Query().Get("host"); folder != "" {
		network, target = "unix", filepath.Join(folder, ".s.PGSQL.5432")
	}
	line := storetest.NewLine(t, network, target)
	db, err := store.Open(address.String(), store.Options{MaxConnections: connections, NodeConnections: 1})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	business := connect(t)
	must(t, store.LiveAt(db, business.ID, line.Address, 1, 7, nil))
	return hanging{db, db.Organization(business.ID), line}
}

// waitFor does something that waits for the node, as the coordinator would, and says when it does.
func (h hanging) waitFor(ctx context.Context, waits chan<- bool) error {
	return store.InTx(ctx, h.db, func(tx *sqlx.Tx) error {
		waits <- true
		_, err := tx.ExecContext(ctx, `SELECT pg_sleep(600)`)
		return err
	})
}

// Whoever waits for a node that hangs is told long before any time limit, nobody else begins to wait, and when the node
// goes on, so does everything.
func TestWhatIsDoneOnANodeThatHangsEndsAndBeginsWhenItGoesOn(t *testing.T) {
	t.Parallel()
	h := openHanging(t, 4)
	visiting, leave, err := h.home.Visit(t.Context())
	must(t, err)
	defer leave()
	waits := make(chan bool, 1)
	h.line.Freeze()
	if err := h.waitFor(visiting, waits); !errors.Is(err, store.ErrAway) {
		t.Errorf("what waits for it ends with %v, want ErrAway: nothing was stored", err)
	}
	for range 3 {
		still, leave, err := h.home.Visit(t.Context())
		if !errors.Is(err, store.ErrAway) {
			t.Errorf("what comes then ends with %v, want ErrAway", err)
		}
		leave()
		if still == nil {
			t.Error("what comes then has no context to say so with")
		}
	}
	h.line.Thaw()
	until := time.Now().Add(time.Minute)
	for {
		_, leave, err := h.home.Visit(t.Context())
		if err == nil {
			leave()
			break
		}
		if time.Now().After(until) {
			t.Fatalf("when it goes on: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Whoever waits for a node leaves connections to those elsewhere.
func TestANodeThatHangsDoesNotTakeAllConnections(t *testing.T) {
	t.Parallel()
	h := openHanging(t, 2)
	const visits = 5
	waits, ended := make(chan bool, visits), make(chan error, visits)
	for range visits {
		visiting, leave, err := h.home.Visit(t.Context())
		must(t, err)
		defer leave()
		go func() { ended <- h.waitFor(visiting, waits) }()
	}
	<-waits
	if err := h.db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if len(waits) > 0 {
		t.Errorf("%d wait for the node with a connection, want 1", 1+len(waits))
	}
	h.line.Freeze()
	defer h.line.Thaw()
	for range visits {
		if err := <-ended; !errors.Is(err, store.ErrAway) {
			t.Errorf("what waits ends with %v, want ErrAway", err)
		}
	}
}

// What lasts on a node that answers is let be.
func TestWhatLastsOnANodeThatAnswersIsLetBe(t *testing.T) {
	t.Parallel()
	h := openHanging(t, 2)
	visiting, leave, err := h.home.Visit(t.Context())
	must(t, err)
	defer leave()
	must(t, store.InTx(visiting, h.db, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(visiting, `SELECT pg_sleep(3)`)
		return err
	}))
}
