package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/migrations"
	"bizfin/store"
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
