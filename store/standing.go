package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
)

// restandRows are how many rows are queued at once.
const restandRows = 500

// Restand has rows decided anew that were decided before it was told apart what is established, or before it was known
// whose money an account holds: the next of one business, and false where there is none. What the user chose, what an
// answer decided, both legs of a transfer and filed rows stay. A row is queued once, however often this is done.
func (d *DB) Restand(ctx context.Context, now time.Time) (more bool, err error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, organization_id AS since
		FROM standing_due`)
	err = d.inPieces(ctx, "rows to be decided anew", waiting, func(ctx context.Context, p piece) error {
		var due struct {
			OrganizationID uuid.UUID `db:"organization_id"`
			After          uuid.UUID `db:"after"`
		}
		err := d.db.GetContext(ctx, &due, `
			SELECT organization_id, after
			FROM standing_due
			WHERE true`+p.of("organization_id")+`
			ORDER BY organization_id
			LIMIT 1`)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		o := d.Organization(due.OrganizationID)
		err = o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
			return o.restand(ctx, tx, now, locked, due.After)
		})
		more = more || err == nil
		return err
	})
	return more, err
}

func (o *Organization) restand(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	after uuid.UUID) error {
	var rows []struct {
		decide.Row
		Guessed bool `db:"guessed"`
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT id, revision, account_id,
		       coalesce(category_source NOT IN ('user', 'memory'), category_id IS NULL)
		         AND transfer_id IS NULL
		         AND deleted_at IS NULL
		         AND filing_state = 'unfiled'
		         AND processing = 'processed' AS guessed
		FROM transactions
		WHERE organization_id = $1
		  AND id > $2
		ORDER BY id
		LIMIT $3`,
		o.ID, after, restandRows)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		_, err := tx.ExecContext(ctx, `DELETE FROM standing_due WHERE organization_id = $1`, o.ID)
		return err
	}
	var guessed []decide.Row
	var accounts, ids []uuid.UUID
	for _, r := range rows {
		if r.Guessed {
			guessed, accounts, ids = append(guessed, r.Row), append(accounts, r.AccountID), append(ids, r.ID)
		}
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	if _, err := o.lockRows(ctx, tx, ids); err != nil {
		return err
	}
	if err := o.decideAnew(ctx, tx, now, guessed, uuid.Nil); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE standing_due
		SET after = $2
		WHERE organization_id = $1`,
		o.ID, rows[len(rows)-1].ID)
	return err
}
