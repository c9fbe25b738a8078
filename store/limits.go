package store

import (
	"context"
	"errors"
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
// account they are in; of the last day that the month reaches, as many as it has left. No more rows of an account and
// state are read than that.
func (o *Organization) allowed(ctx context.Context, rows []decide.Row, left int64) ([]decide.Row, error) {
	var last []struct {
		Day  time.Time `db:"primary_date"`
		Rows int       `db:"rows"`
	}
	err := o.reader().SelectContext(ctx, &last, `
		SELECT n.primary_date, count(*) AS rows
		FROM (
		  SELECT t.primary_date
		  FROM accounts a
		  CROSS JOIN LATERAL (
		    (SELECT primary_date
		     FROM transactions
		     WHERE organization_id = (SELECT $1::uuid)
		       AND account_id = a.id
		       AND deleted_at IS NULL
		       AND `+newlyQueued+`
		     ORDER BY primary_date DESC
		     LIMIT $2)
		    UNION ALL
		    (SELECT primary_date
		     FROM transactions
		     WHERE organization_id = (SELECT $1::uuid)
		       AND account_id = a.id
		       AND deleted_at IS NULL
		       AND `+heldBack+`
		     ORDER BY primary_date DESC
		     LIMIT $2)) t
		  WHERE a.organization_id = $1
		  ORDER BY t.primary_date DESC
		  LIMIT $2) n
		GROUP BY n.primary_date
		ORDER BY n.primary_date
		LIMIT 1`,
		o.ID, left)
	if err != nil || len(last) == 0 {
		return rows, err
	}
	ofDay := 0
	for i, row := range rows {
		if row.PrimaryDate.Equal(last[0].Day) {
			ofDay++
		}
		if row.PrimaryDate.Before(last[0].Day) || ofDay > last[0].Rows {
			return rows[:i], nil
		}
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
func (o *Organization) limitRows(ctx context.Context, now time.Time, turn Turn, account uuid.UUID, limit int) (n int,
	err error) {
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := waitBriefly(ctx, tx); err != nil {
			return err
		}
		if _, err := o.holdTurn(ctx, tx, turn); err != nil {
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
			ORDER BY primary_date DESC
			LIMIT $3`,
			o.ID, account, limit)
		if err != nil {
			return err
		}
		rows, err := o.lockRows(ctx, tx, newest)
		if err != nil {
			return err
		}
		waiting := slices.DeleteFunc(newest, func(id uuid.UUID) bool { return !rows[id].isNew() || rows[id].Deleted })
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
// returns how many, also where others fail. monthlyLimit is what a business may have in a month without the paid tier.
func (d *DB) ReleaseLimited(ctx context.Context, now time.Time, monthlyLimit int64) (int64, error) {
	allowed := func(but []uuid.UUID) ([][]uuid.UUID, error) { return d.allowedNow(ctx, now, monthlyLimit, but) }
	return d.releaseInPieces(ctx, "limited rows", allowed, `
		    JOIN organizations o ON o.id = l.organization_id
		    LEFT JOIN processing_months m ON m.organization_id = o.id AND m.month = $1
		    WHERE (o.tier = 'paid'
		       OR coalesce(m.processed, 0) < $2)`,
		monthOf(now), monthlyLimit)
}

// allowedNow are businesses whose rows may be processed, of each node. Tiers are not on the nodes.
func (d *DB) allowedNow(ctx context.Context, now time.Time, monthlyLimit int64,
	but []uuid.UUID) (businesses [][]uuid.UUID, err error) {
	type limited struct {
		OrganizationID uuid.UUID `db:"organization_id"`
		Allowed        bool      `db:"allowed"`
	}
	found, err := ask[limited](ctx, d, `
		SELECT DISTINCT l.organization_id, coalesce(m.processed, 0) < $2 AS allowed
		FROM limited_accounts l
		LEFT JOIN processing_months m ON m.organization_id = l.organization_id AND m.month = $1
		WHERE l.organization_id <> ALL ($3::uuid[])`,
		monthOf(now), monthlyLimit, uuids(but))
	failures := []error{err}
	for _, some := range found {
		var allowed, others, paid []uuid.UUID
		for _, b := range some {
			if b.Allowed {
				allowed = append(allowed, b.OrganizationID)
			} else {
				others = append(others, b.OrganizationID)
			}
		}
		err := d.db.SelectContext(ctx, &paid, `
			SELECT id
			FROM organizations
			WHERE id = ANY ($1::uuid[])
			  AND tier = 'paid'`,
			uuids(others))
		failures = append(failures, translate(ctx, err))
		allowed = append(allowed, paid...)
		businesses = append(businesses, allowed[:min(len(allowed), piecesAtOnce)])
	}
	return businesses, errors.Join(failures...)
}

// ReleaseMonth does it for the accounts that were limited in an earlier month. It is cheap where there are none.
func (d *DB) ReleaseMonth(ctx context.Context, now time.Time) (int64, error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, min(month) AS since
		FROM limited_accounts
		WHERE month < $1
		GROUP BY organization_id`,
		monthOf(now))
	return d.releaseInPieces(ctx, "rows of an earlier month", waiting, `
		    WHERE l.month < $1`,
		monthOf(now))
}

// releaseInPieces releases which accounts it says, or all of a business that is taken by itself.
func (d *DB) releaseInPieces(ctx context.Context, what string, waiting finder, which string,
	args ...any) (released int64, err error) {
	err = d.inPieces(ctx, what, waiting, func(ctx context.Context, p piece) (err error) {
		var n int64
		if p.whole() {
			n, err = releaseRows(ctx, d.db, which+p.of("l.organization_id"), args...)
		} else {
			n, err = releaseOf(ctx, d.db, p.only)
		}
		released += n
		return err
	})
	return released, err
}

// releasePaid does it for businesses whose tier rose: for all at once, or one after the other where a database is
// spread.
func (d *DB) releasePaid(ctx context.Context, tx *sqlx.Tx, organizations []uuid.UUID) error {
	if !d.connections.isSpread() {
		_, err := releaseRows(ctx, tx, `
		    WHERE l.organization_id = ANY ($1::uuid[])`,
			uuids(organizations))
		return err
	}
	for _, organization := range inOrder(organizations) {
		if _, err := releaseOf(ctx, tx, organization); err != nil {
			return err
		}
	}
	return nil
}

func releaseOf(ctx context.Context, q sqlx.QueryerContext, organization uuid.UUID) (int64, error) {
	return releaseRows(ctx, q, `
		    WHERE l.organization_id = $1`,
		organization)
}

func releaseRows(ctx context.Context, q sqlx.QueryerContext, which string, args ...any) (int64, error) {
	const atOnce = 500
	var released []uuid.UUID
	err := sqlx.SelectContext(ctx, q, &released, fmt.Sprintf(`
		WITH released AS (
		  DELETE FROM limited_accounts
		  WHERE ctid = ANY (ARRAY (
		    SELECT l.ctid
		    FROM limited_accounts l%s
		    LIMIT %d
		    FOR UPDATE OF l SKIP LOCKED))
		  /*spread: AND organization_id = $1 */
		  RETURNING organization_id, account_id)
		INSERT INTO pending_work AS w (organization_id, account_id, next_at)
		SELECT organization_id, account_id, now()
		FROM released
		ORDER BY organization_id, account_id
		ON CONFLICT ON CONSTRAINT pending_work_pkey DO UPDATE
		SET generation = excluded.generation,
		    next_at = least(w.next_at, excluded.next_at)
		RETURNING account_id`, which, atOnce),
		args...)
	return int64(len(released)), translate(ctx, err)
}
