package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// inTxAlone is inTxLocking alone with the business: nobody else writes its rows, but for uploads of new ones.
func (o *Organization) inTxAlone(ctx context.Context, fn func(tx *sqlx.Tx, locked []uuid.UUID) error) error {
	return o.inTxFirst(ctx, o.aloneWithBusiness, fn)
}

// inTxLocking runs fn in a transaction, and again with that locked first, in order, that fn found out it needs: fn
// learns which accounts these are, and returns an *unlockedError where others are needed too.
func (o *Organization) inTxLocking(ctx context.Context, fn func(tx *sqlx.Tx, locked []uuid.UUID) error) error {
	return o.inTxFirst(ctx, func(context.Context, *sqlx.Tx) error { return nil }, fn)
}

// inTxFirst is inTxLocking with what comes before all these locks.
func (o *Organization) inTxFirst(ctx context.Context, first func(context.Context, *sqlx.Tx) error,
	fn func(tx *sqlx.Tx, locked []uuid.UUID) error) error {
	var known unlockedError
	for {
		err := o.db.inTx(ctx, func(tx *sqlx.Tx) error {
			if err := first(ctx, tx); err != nil {
				return err
			}
			if err := o.lockKnown(ctx, tx, known); err != nil {
				return err
			}
			return fn(tx, known.accounts)
		})
		var needs *unlockedError
		if !errors.As(err, &needs) {
			return err
		}
		known.shares = known.shares || needs.shares
		known.accounts = inOrder(append(known.accounts, needs.accounts...))
		known.rows = inOrder(append(known.rows, needs.rows...))
	}
}

func (o *Organization) lockKnown(ctx context.Context, tx *sqlx.Tx, known unlockedError) error {
	if known.shares {
		if err := o.shareBusiness(ctx, tx); err != nil {
			return err
		}
	}
	if len(known.accounts) > 0 {
		if err := o.lockAccounts(ctx, tx, known.accounts); err != nil {
			return err
		}
	}
	_, err := o.lockRows(ctx, tx, known.rows)
	return err
}

// businessLock is the lock of a business, $1, by which those who are alone with it and those who share it keep each
// other out. It is fair: who comes to share it waits behind who waits to be alone.
const businessLock = `hashtextextended('business ' || $1::uuid, 0)`

// aloneWithBusiness waits until no worker stores a batch of the business and nobody shares it, and keeps all of them
// from it until the end of the transaction. It comes before any other lock. The turn is first: who comes to share the
// business waits behind who waits for them, and must not wait for a worker. Uploads of new rows do without.
func (o *Organization) aloneWithBusiness(ctx context.Context, tx *sqlx.Tx) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO turns AS t (organization_id)
		VALUES ($1)
		ON CONFLICT ON CONSTRAINT turns_pkey DO UPDATE
		SET number = t.number`,
		o.ID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(`+businessLock+`), `+keptByProgram, o.ID)
	o.openLedger(tx).alone = true
	return err
}

// shareBusiness keeps whoever would be alone with the business from it, until the end of the transaction. It comes
// before the locks of accounts. Workers neither wait for it nor are waited for.
func (o *Organization) shareBusiness(ctx context.Context, tx *sqlx.Tx) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock_shared(`+businessLock+`)`, o.ID)
	return err
}

// shareBusinessLate is shareBusiness for who has locks already, and so must not wait: an *unlockedError where somebody
// is alone, or is about to be.
func (o *Organization) shareBusinessLate(ctx context.Context, tx *sqlx.Tx) error {
	var shares bool
	err := tx.GetContext(ctx, &shares, `SELECT pg_try_advisory_xact_lock_shared(`+businessLock+`)`, o.ID)
	if err == nil && !shares {
		return &unlockedError{shares: true}
	}
	return err
}

// mustHave is an *unlockedError where accounts are not among the locked ones.
func mustHave(locked, accounts []uuid.UUID) error {
	for _, a := range accounts {
		if !slices.Contains(locked, a) {
			return &unlockedError{accounts: accounts}
		}
	}
	return nil
}

// having is err with an account that is locked already: where others are needed first, it is, too.
func having(account uuid.UUID, err error) error {
	var needs *unlockedError
	if errors.As(err, &needs) {
		needs.accounts = append(needs.accounts, account)
	}
	return err
}

// lockAccounts locks accounts in the order of their ids. All must exist.
func (o *Organization) lockAccounts(ctx context.Context, tx *sqlx.Tx, accounts []uuid.UUID) error {
	accounts = inOrder(accounts)
	var found []uuid.UUID
	err := tx.SelectContext(ctx, &found, `
		SELECT id
		FROM accounts
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, uuids(accounts))
	if err == nil && len(found) < len(accounts) {
		return sql.ErrNoRows
	}
	return err
}

// waitBriefly bounds what a batch waits for rows that somebody else holds: an API that stands still in the middle of an
// upload must hold up its own business alone.
func waitBriefly(ctx context.Context, tx *sqlx.Tx) error {
	_, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '1s'`)
	return err
}
