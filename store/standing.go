package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
)

// restandRows are how many rows are queued at once.
const restandRows = 500

// Restand has rows decided anew that were decided before it was told apart what is established, or before it was known
// whose money an account holds: the next of one business, and false where there is none. What the user chose, what an
// answer decided and filed rows stay, and so do both legs of a transfer, unless one is in an account that holds the
// money of others and one is not. A row is queued once, however often this is done. Businesses take turns: after each
// batch one waits behind all others, and so does one that is to be gone through from the beginning again.
func (d *DB) Restand(ctx context.Context, now time.Time) (more bool, err error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, since
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
			ORDER BY since, organization_id
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
		Guessed bool    `db:"guessed"`
		To      *string `db:"to_name"` // the account that its other leg is in, of a pair that nobody chose
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.revision, t.account_id, a.name AS account_name,
		       coalesce(t.category_source NOT IN ('user', 'memory'), t.category_id IS NULL)
		         AND t.transfer_id IS NULL
		         AND t.deleted_at IS NULL
		         AND t.filing_state = 'unfiled'
		         AND t.processing = 'processed' AS guessed,
		       other_account.name AS to_name
		FROM transactions t
		JOIN accounts a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.account_id
		LEFT JOIN transactions other ON other.organization_id = (SELECT $1::uuid)
		  AND other.id = t.transfer_id
		  AND t.amount < 0
		  AND t.category_source <> 'user'
		  AND other.category_source <> 'user'
		LEFT JOIN accounts other_account ON other_account.organization_id = (SELECT $1::uuid)
		  AND other_account.id = other.account_id
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id > $2
		ORDER BY t.id
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
	var accounts, ids, pairs []uuid.UUID
	for _, r := range rows {
		if r.Guessed {
			guessed, accounts, ids = append(guessed, r.Row), append(accounts, r.AccountID), append(ids, r.ID)
		}
		if r.To != nil && categorize.HeldForOthers(r.AccountName) != categorize.HeldForOthers(*r.To) {
			pairs, accounts, ids = append(pairs, r.ID), append(accounts, r.AccountID), append(ids, r.ID)
		}
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	if _, err := o.lockRows(ctx, tx, ids); err != nil {
		return err
	}
	if err := o.dissolveAmong(ctx, tx, now, locked, pairs, anyCategory); err != nil {
		return err
	}
	if err := o.decideAnew(ctx, tx, now, guessed, uuid.Nil); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE standing_due
		SET after = $2,
		    since = $3
		WHERE organization_id = $1`,
		o.ID, rows[len(rows)-1].ID, now)
	return err
}
