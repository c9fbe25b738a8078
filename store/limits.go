package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
)

// allowance is how many new rows the business may still have processed this month; limited is false where it may have
// all. Only who has the turn spends it.
func (o *Organization) allowance(ctx context.Context, now time.Time, monthlyLimit int64) (left int64,
	limited bool, err error) {
	var month struct {
		Paid bool  `db:"paid"`
		Used int64 `db:"used"`
	}
	err = o.db.db.GetContext(ctx, &month, `
		SELECT o.tier IS NOT DISTINCT FROM 'paid' AS paid, coalesce(m.processed, 0) AS used
		FROM organizations o
		LEFT JOIN processing_months m ON m.organization_id = o.id AND m.month = $2
		WHERE o.id = $1`,
		o.ID, monthOf(now))
	return monthlyLimit - month.Used, !month.Paid, err
}

// allowed are those of an account's rows, newest first, that are among the newest open ones of the business, whichever
// account they are in. Of each account and state no more rows are read than the month has left.
func (o *Organization) allowed(ctx context.Context, rows []decide.Row, left int64) ([]decide.Row, error) {
	var last []struct {
		Day time.Time `db:"primary_date"`
		ID  uuid.UUID `db:"id"`
	}
	err := o.db.db.SelectContext(ctx, &last, `
		SELECT t.primary_date, t.id
		FROM accounts a
		CROSS JOIN LATERAL (
		  (SELECT primary_date, id
		   FROM transactions
		   WHERE organization_id = (SELECT $1::uuid)
		     AND account_id = a.id
		     AND deleted_at IS NULL
		     AND `+newlyQueued+`
		   ORDER BY primary_date DESC, id DESC
		   LIMIT $2)
		  UNION ALL
		  (SELECT primary_date, id
		   FROM transactions
		   WHERE organization_id = (SELECT $1::uuid)
		     AND account_id = a.id
		     AND deleted_at IS NULL
		     AND `+heldBack+`
		   ORDER BY primary_date DESC, id DESC
		   LIMIT $2)) t
		WHERE a.organization_id = $1
		ORDER BY t.primary_date DESC, t.id DESC
		OFFSET $2 - 1
		LIMIT 1`,
		o.ID, left)
	if err != nil || len(last) == 0 {
		return rows, err
	}
	older := func(t decide.Row) bool {
		return cmp.Or(t.PrimaryDate.Compare(last[0].Day), CompareUUIDs(t.ID, last[0].ID)) < 0
	}
	if i := slices.IndexFunc(rows, older); i >= 0 {
		return rows[:i], nil
	}
	return rows, nil
}

// spend counts rows that were processed in a month.
func (o *Organization) spend(ctx context.Context, tx *sqlx.Tx, now time.Time, rows int) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO processing_months AS m (organization_id, month, processed)
		VALUES ($1, $2, $3)
		ON CONFLICT ON CONSTRAINT processing_months_pkey DO UPDATE
		SET processed = m.processed + excluded.processed`,
		o.ID, monthOf(now), rows)
	return err
}

func monthOf(now time.Time) string {
	return now.UTC().Format("2006-01") + "-01"
}

// limitRows marks rows of an account that the month does not allow, some at a time, and remembers that the account has
// such. It returns how many. Nothing waits for it but an upload that changes one of these rows. They are found in the
// order of their index, so that none reads all that wait, and locked in the order of ids, as everywhere.
func (o *Organization) limitRows(ctx context.Context, now time.Time, account uuid.UUID, limit int) (n int, err error) {
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := waitBriefly(ctx, tx); err != nil {
			return err
		}
		var newest []uuid.UUID
		err := tx.SelectContext(ctx, &newest, `
			SELECT id
			FROM transactions
			WHERE organization_id = (SELECT $1::uuid)
			  AND account_id = $2
			  AND deleted_at IS NULL
			  AND `+newlyQueued+`
			ORDER BY primary_date DESC, id DESC
			LIMIT $3`,
			o.ID, account, limit)
		if err != nil {
			return err
		}
		rows, err := o.lockRows(ctx, tx, newest)
		if err != nil {
			return err
		}
		waiting := slices.DeleteFunc(newest, func(id uuid.UUID) bool { return !rows[id].New || rows[id].Deleted })
		marked, err := o.writeRows(ctx, tx, waiting, `
			UPDATE transactions t
			SET processing = 'limited'
			FROM unnest($2::uuid[]) AS u (id)
			WHERE t.organization_id = (SELECT $1::uuid)
			  AND t.id = u.id`,
			o.ID, uuids(waiting))
		if err != nil {
			return err
		}
		n = int(marked)
		_, err = tx.ExecContext(ctx, `
			INSERT INTO limited_accounts (organization_id, account_id, month)
			SELECT $1, $2, $3
			WHERE EXISTS (
			  SELECT
			  FROM transactions
			  WHERE organization_id = $1
			    AND account_id = $2
			    AND deleted_at IS NULL
			    AND processing = 'limited')
			ON CONFLICT ON CONSTRAINT limited_accounts_pkey DO UPDATE
			SET month = excluded.month`,
			o.ID, account, monthOf(now))
		return err
	})
	return n, err
}

// ReleaseLimited sends the events of accounts whose rows the business may have processed now, some at a time, and
// returns how many. monthlyLimit is what a business may have in a month without the paid tier.
func (d *DB) ReleaseLimited(ctx context.Context, now time.Time, monthlyLimit int64) (int64, error) {
	return d.release(ctx, everyMonth, `
		JOIN organizations o ON o.id = l.organization_id
		LEFT JOIN processing_months m ON m.organization_id = l.organization_id AND m.month = $2
		WHERE l.month < $1
		  AND (o.tier = 'paid' OR coalesce(m.processed, 0) < $3)`,
		monthOf(now), monthlyLimit)
}

// ReleaseMonth does it for the accounts that were limited in an earlier month. It is cheap where there are none.
func (d *DB) ReleaseMonth(ctx context.Context, now time.Time) (int64, error) {
	return d.release(ctx, monthOf(now), `
		WHERE l.month < $1`)
}

func (d *DB) release(ctx context.Context, before, which string, args ...any) (n int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		n, err = release(ctx, tx, before, which, args...)
		return err
	})
	return n, err
}

// releasePaid does it for businesses whose tier rose.
func releasePaid(ctx context.Context, tx *sqlx.Tx, organizations []uuid.UUID) error {
	_, err := release(ctx, tx, everyMonth, `
		WHERE l.month < $1
		  AND l.organization_id = ANY ($2::uuid[])`,
		uuids(organizations))
	return err
}

// everyMonth is one after all months.
const everyMonth = "infinity"

// release looks which businesses have accounts that were limited before a month, some at a time, and releases those of
// one after the other. The month is the first argument of the condition.
func release(ctx context.Context, tx *sqlx.Tx, before, which string, args ...any) (n int64, err error) {
	const atOnce = 500
	var found []uuid.UUID
	err = tx.SelectContext(ctx, &found, fmt.Sprintf(`
		SELECT l.organization_id
		FROM limited_accounts l%s
		LIMIT %d`, which, atOnce),
		append([]any{before}, args...)...)
	for _, organization := range inOrder(found) {
		var released []uuid.UUID
		err = tx.SelectContext(ctx, &released, `
			WITH released AS (
			  DELETE FROM limited_accounts
			  WHERE organization_id = $1
			    AND ctid = ANY (ARRAY (
			      SELECT ctid
			      FROM limited_accounts
			      WHERE organization_id = $1
			        AND month < $2
			      FOR UPDATE SKIP LOCKED))
			  RETURNING account_id)
			INSERT INTO pending_work AS w (organization_id, account_id, next_at)
			SELECT $1, account_id, now()
			FROM released
			ORDER BY account_id
			ON CONFLICT ON CONSTRAINT pending_work_pkey DO UPDATE
			SET generation = excluded.generation,
			    next_at = least(w.next_at, excluded.next_at)
			RETURNING account_id`,
			organization, before)
		if err != nil {
			return n, err
		}
		n += int64(len(released))
	}
	return n, err
}
