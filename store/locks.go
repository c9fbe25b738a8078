package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// unlockedError: a transaction found out that it needs locks which it cannot take any more in their order.
type unlockedError struct{ accounts []uuid.UUID }

func (e *unlockedError) Error() string {
	return fmt.Sprintf("store: %d accounts were to be locked first", len(e.accounts))
}

// The order of locks, everywhere: the turn of the business, accounts by id, questions by id, counterparties by key,
// transactions by id, events by account. An upload takes no turn, and a worker no account, so neither waits for what
// the other holds for long.

// inTxAlone is inTxLocking alone with the business: no worker stores a batch meanwhile.
func (o *Organization) inTxAlone(ctx context.Context, fn func(tx *sqlx.Tx, locked []uuid.UUID) error) error {
	return o.inTxFirst(ctx, o.aloneWithBusiness, fn)
}

// inTxLocking runs fn in a transaction, and again with the accounts locked first, in order, that fn found out it needs:
// fn learns which are, and returns an *unlockedError where others are needed too.
func (o *Organization) inTxLocking(ctx context.Context, fn func(tx *sqlx.Tx, locked []uuid.UUID) error) error {
	return o.inTxFirst(ctx, func(context.Context, *sqlx.Tx) error { return nil }, fn)
}

func (o *Organization) inTxFirst(ctx context.Context, first func(context.Context, *sqlx.Tx) error,
	fn func(tx *sqlx.Tx, locked []uuid.UUID) error) error {
	var locked []uuid.UUID
	for {
		err := o.db.inTx(ctx, func(tx *sqlx.Tx) error {
			if err := first(ctx, tx); err != nil {
				return err
			}
			if len(locked) > 0 {
				if err := o.lockAccounts(ctx, tx, locked); err != nil {
					return err
				}
			}
			return fn(tx, locked)
		})
		var needs *unlockedError
		if !errors.As(err, &needs) {
			return err
		}
		locked = inOrder(append(locked, needs.accounts...))
	}
}

// mustHave is an *unlockedError where accounts are not among the locked ones.
func mustHave(locked, accounts []uuid.UUID) error {
	for _, a := range accounts {
		if !slices.Contains(locked, a) {
			return &unlockedError{accounts}
		}
	}
	return nil
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

// falseFirst orders what is not before what is.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// inOrder sorts ids and drops repeated ones.
func inOrder(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, CompareUUIDs)
	return slices.Compact(ids)
}
