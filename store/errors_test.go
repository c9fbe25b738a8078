package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"bizfin/migrations"
	"bizfin/store"
	"bizfin/store/storetest"
)

// A step of the schema may want two tables in another order than a list does. PostgreSQL ends one of them, and the list
// can be asked for again.
func TestAListThatADeadlockEndsIsBusy(t *testing.T) {
	t.Parallel()
	db := emptyDatabase(t)
	_, err := migrations.Up(t.Context(), db.SQL())
	must(t, err)

	step, err := db.SQL().BeginTx(t.Context(), nil)
	must(t, err)
	defer step.Rollback()
	// The one that looks for a deadlock first is given up: let it be the list.
	_, err = step.ExecContext(t.Context(), `SET LOCAL deadlock_timeout = '1min'`)
	must(t, err)
	_, err = step.ExecContext(t.Context(), `SET LOCAL lock_timeout = '1min'`)
	must(t, err)
	_, err = step.ExecContext(t.Context(), `LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE`)
	must(t, err)

	listed := make(chan error, 1)
	go func() {
		_, err := db.Organization(uuid.New()).Issues(t.Context(), store.IssueFilter{}, store.Page{Limit: 20})
		listed <- err
	}()
	var held string
	for deadline := time.Now().Add(time.Minute); held == ""; {
		err := step.QueryRowContext(t.Context(), `
			SELECT coalesce(min(held.relation::regclass::text), '')
			FROM pg_locks AS waits
			JOIN pg_locks AS held ON held.pid = waits.pid
			JOIN pg_class AS c ON c.oid = held.relation AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
			WHERE waits.relation = 'transactions'::regclass
			  AND NOT waits.granted
			  AND held.granted`).Scan(&held)
		must(t, err)
		if time.Now().After(deadline) {
			t.Fatal("the list waits for no table while it holds another")
		}
	}
	_, err = step.ExecContext(t.Context(), `LOCK TABLE `+held+` IN ACCESS EXCLUSIVE MODE`)
	must(t, err)
	if err := <-listed; !errors.Is(err, store.ErrBusy) {
		t.Errorf("the list: %v, want ErrBusy", err)
	}
}

// A node that is being stopped or started is out of reach; a coordinator that says so of itself is the database.
func TestWhatACoordinatorPassesOnOfANodeIsOutOfReach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failed pq.Error
		away   bool
	}{
		{pq.Error{Code: "57P01", Routine: "ReportResultError"}, true},
		{pq.Error{Code: "57P03", Routine: "ReportResultError"}, true},
		{pq.Error{Code: "08006", Routine: "ReportConnectionError"}, true},
		{pq.Error{Code: "57P01", Routine: "ProcessInterrupts"}, false},
		{pq.Error{Code: "57014", Routine: "ReportResultError"}, false},
		{pq.Error{Code: "XX000", Routine: "ReportResultError"}, false},
	} {
		if err := store.NothingStored(t.Context(), &c.failed); errors.Is(err, store.ErrAway) != c.away {
			t.Errorf("%s by %s is %v", c.failed.Code, c.failed.Routine, err)
		}
	}
}

// A statement whose time ends while it compiles its pattern is told by PostgreSQL that the pattern is invalid.
func TestAStatementWhoseTimeEndsInAPatternIsSlow(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"57014", "2201B"} {
		failed := pq.Error{Code: pqerror.Code(code)}
		if err := store.NothingStored(t.Context(), &failed); !errors.Is(err, store.ErrSlow) {
			t.Errorf("%s is %v, want that it took too long", code, err)
		}
	}
}

func TestANodeThatEndsASessionIsOutOfReach(t *testing.T) {
	t.Parallel()
	if !storetest.OnCitus() {
		t.Skip("NOT TRIED: it takes a coordinator. Set " + storetest.Citus)
	}
	b, db := furnished(t), storetest.DB(t)
	ended := make(chan error, 1)
	go func() {
		ended <- store.InTx(t.Context(), db, func(tx *sqlx.Tx) error {
			_, err := tx.ExecContext(t.Context(), `
				SELECT pg_sleep(612.25)
				FROM sources
				WHERE organization_id = $1`, b.ID)
			return err
		})
	}()
	for {
		_, err := db.SQL().Exec(`
			SELECT run_command_on_workers('
			  SELECT count(pg_terminate_backend(pid))
			  FROM pg_stat_activity
			  WHERE query LIKE ''%612.25%''
			    AND pid <> pg_backend_pid()')`)
		must(t, err)
		select {
		case err := <-ended:
			if !errors.Is(err, store.ErrAway) {
				t.Errorf("its transaction: %v, want ErrAway", err)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}
