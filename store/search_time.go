package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// inSearchTime runs a search. PostgreSQL is told to cancel a statement whose time is over. ErrSearchTime.
func (d *DB) inSearchTime(ctx context.Context, search func(ctx context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, d.searchTime)
	defer cancel()
	err := search(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return ErrSearchTime
	}
	return err
}

// inBudget is false where a statement did not end within its time.
//
// The time is over for the commit. PostgreSQL notices a time that runs out while it commits only at the next thing that
// it is asked on the connection, and fails that, whosever it is.
func (o *Organization) inBudget(ctx context.Context, budget time.Duration,
	ask func(tx *sqlx.Tx, on func(query string) string) error) (bool, error) {
	err := o.read(ctx, func(db *DB, on func(string) string) error {
		return db.once(ctx, func(tx *sqlx.Tx) error {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d",
				budget.Milliseconds())); err != nil {
				return err
			}
			if err := ask(tx, on); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout TO DEFAULT")
			return err
		})
	})
	if ctx.Err() == nil && canceled(err) {
		return false, nil
	}
	return err == nil, translate(ctx, err)
}
