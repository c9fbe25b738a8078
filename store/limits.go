package store

import (
	"cmp"
	"context"
	"errors"
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

// releasedAtOnce are so many businesses at most that a look on a node releases.
const releasedAtOnce = 500

// ReleaseLimited sends the events of accounts whose rows the business may have processed now, those of some businesses
// at a time, and returns how many. monthlyLimit is what a business may have in a month without the paid tier.
func (d *DB) ReleaseLimited(ctx context.Context, now time.Time, monthlyLimit int64) (int64, error) {
	type limited struct {
		OrganizationID uuid.UUID `db:"organization_id"`
		Allowed        bool      `db:"allowed"`
	}
	found, err := ask[limited](ctx, d, `
		SELECT DISTINCT l.organization_id, coalesce(m.processed, 0) < $2 AS allowed
		FROM limited_accounts l
		LEFT JOIN processing_months m ON m.organization_id = l.organization_id AND m.month = $1`,
		monthOf(now), monthlyLimit)
	failures := []error{err}
	var released int64
	for _, businesses := range found {
		var allowed, others []uuid.UUID
		for _, b := range businesses {
			if b.Allowed {
				allowed = append(allowed, b.OrganizationID)
			} else {
				others = append(others, b.OrganizationID)
			}
		}
		paid, err := d.paid(ctx, others)
		allowed = append(allowed, paid...)
		n, failure := d.releaseOn(ctx, allowed[:min(len(allowed), releasedAtOnce)])
		released += n
		failures = append(failures, err, failure)
	}
	return released, errors.Join(failures...)
}

// paid are those of some businesses whose tier is paid.
func (d *DB) paid(ctx context.Context, organizations []uuid.UUID) (paid []uuid.UUID, err error) {
	if len(organizations) == 0 {
		return nil, nil
	}
	err = d.db.SelectContext(ctx, &paid, `
		SELECT id
		FROM organizations
		WHERE id = ANY ($1::uuid[])
		  AND tier = 'paid'`,
		uuids(organizations))
	return paid, translate(ctx, err)
}

// ReleaseMonth does it for the accounts that were limited in an earlier month. It is cheap where there are none.
func (d *DB) ReleaseMonth(ctx context.Context, now time.Time) (released int64, err error) {
	found, err := ask[uuid.UUID](ctx, d, `
		SELECT DISTINCT organization_id
		FROM limited_accounts
		WHERE month < $1
		LIMIT $2`,
		monthOf(now), releasedAtOnce)
	failures := []error{err}
	for _, businesses := range found {
		n, err := d.releaseOn(ctx, businesses)
		released += n
		failures = append(failures, err)
	}
	return released, errors.Join(failures...)
}

// releaseOn does it for businesses of one node.
func (d *DB) releaseOn(ctx context.Context, organizations []uuid.UUID) (released int64, err error) {
	if len(organizations) == 0 {
		return 0, nil
	}
	err = d.inTx(ctx, func(tx *sqlx.Tx) (err error) {
		released, err = release(ctx, tx, organizations)
		return err
	})
	return released, err
}

// releasePaid does it for businesses whose tier rose.
func releasePaid(ctx context.Context, tx *sqlx.Tx, organizations []uuid.UUID) error {
	_, err := release(ctx, tx, organizations)
	return err
}

// release sends the events of all limited accounts of businesses, but for those that somebody else holds.
func release(ctx context.Context, tx *sqlx.Tx, organizations []uuid.UUID) (n int64, err error) {
	for _, organization := range inOrder(organizations) {
		var released []uuid.UUID
		err := tx.SelectContext(ctx, &released, `
			WITH released AS (
			  DELETE FROM limited_accounts
			  WHERE organization_id = $1
			    AND ctid = ANY (ARRAY (
			      SELECT ctid
			      FROM limited_accounts
			      WHERE organization_id = $1
			      FOR UPDATE SKIP LOCKED))
			  RETURNING account_id)
			INSERT INTO pending_work (organization_id, account_id, next_at)
			SELECT $1, account_id, now()
			FROM released
			ORDER BY account_id
			ON CONFLICT ON CONSTRAINT pending_work_pkey DO NOTHING
			RETURNING account_id`,
			organization)
		if err != nil {
			return n, err
		}
		n += int64(len(released))
	}
	return n, nil
}
