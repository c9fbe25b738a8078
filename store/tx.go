package store

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// inTx runs fn in a transaction and commits it, or rolls it back on an error or panic. A serialization failure or
// deadlock, which PostgreSQL resolves by giving one side up, is tried again.
func (d *DB) inTx(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	const tries = 3
	for try := 1; ; try++ {
		err := d.once(ctx, fn)
		if try == tries || !givenUp(err) {
			return translate(ctx, err)
		}
	}
}

// inTxRelaxed is inTx for what may be lost with the server and is then done again: its commit does not wait for the
// disk, so the locks of it last for a moment.
func (d *DB) inTxRelaxed(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		return fn(tx)
	})
}

func (d *DB) once(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	leave, err := takeSeat(ctx)
	if err != nil {
		return nothingStored(ctx, err)
	}
	defer leave()
	tx, err := d.db.BeginTxx(ctx, nil)
	if err != nil {
		return nothingStored(ctx, err)
	}
	defer tx.Rollback() // after a commit it does nothing
	defer d.ledgers.close(tx)
	if err := fn(tx); err != nil {
		return nothingStored(ctx, err)
	}
	if err := d.keep(ctx, tx); err != nil {
		return nothingStored(ctx, err)
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// The driver cancels what runs when ctx ends. A commit that waits for a synchronous standby then counts as done,
	// and is perhaps on this one server alone.
	return ctx.Err()
}
