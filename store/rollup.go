package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/store/reportsql"
)

// rollUpFrom is how many rows a month must have for its sums to be read faster than they are.
const rollUpFrom = 1000

// RollUp sums a month of one business anew, one that has been dirty since before, and returns false where there is
// none. Rows of the transfer categories count for no counterparty.
//
// The dirty rows of the month go first and the sums are made by later statements. A change that the sums miss was
// committed after them, and so after the dirty rows that go: its own one stays. A report sees the dirty rows gone and
// the sums made together, or neither. Whatever ends this in the middle leaves both as they were.
func (d *DB) RollUp(ctx context.Context, before time.Time, transfers []int) (more bool, err error) {
	return d.rollUp(ctx, before, transfers, rollUpFrom)
}

// dirtyMonth names a month of a business.
type dirtyMonth struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	Month          time.Time `db:"month"`
}

func (d *DB) rollUp(ctx context.Context, before time.Time, transfers []int, from int) (more bool, err error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, min(at) AS since
		FROM report_dirty
		WHERE at <= $1
		GROUP BY organization_id`,
		before)
	return takeOne(ctx, d, "months", waiting,
		func(tx *sqlx.Tx, p piece) (dirtyMonth, error) { return takeDirty(ctx, tx, p, before) },
		func(tx *sqlx.Tx, m dirtyMonth) error { return m.sum(ctx, tx, transfers, from) })
}

// takeDirty removes the dirty rows of the month that has waited longest, but for those another worker has taken.
func takeDirty(ctx context.Context, tx *sqlx.Tx, p piece, before time.Time) (dirtyMonth, error) {
	var m dirtyMonth
	err := tx.GetContext(ctx, &m, `
		SELECT organization_id, month
		FROM report_dirty
		WHERE at <= $1`+p.of("organization_id")+`
		ORDER BY at
		LIMIT 1
		FOR UPDATE SKIP LOCKED`,
		before)
	if err != nil {
		return m, err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM report_dirty
		WHERE ctid = ANY (ARRAY (
		  SELECT ctid
		  FROM report_dirty
		  WHERE organization_id = $1
		    AND month = $2::date
		  FOR UPDATE SKIP LOCKED))
		  /*spread: AND organization_id = $1 */`,
		m.args()...)
	return m, err
}

func (m dirtyMonth) args(more ...any) []any {
	return append([]any{m.OrganizationID, m.Month.Format(time.DateOnly)}, more...)
}

// rolledUp are the rows of the month that a roll-up sums.
const rolledUp = `t.organization_id = $1
	  AND t.processed_date >= $2::date
	  AND t.processed_date < ($2::date + interval '1 month')::date
	  AND t.primary_date - t.processed_date = 0
	  AND t.deleted_at IS NULL
	  AND t.processing = 'processed'
	  AND NOT t.pending
	  AND t.currency = 'USD'`

// A month is summed by its days, and these are kept beside its sums.
const (
	monthColumns = `transaction_count, inflow, outflow, days, counts, inflows, outflows`
	monthSums    = `sum(transaction_count), sum(inflow), sum(outflow), ` + reportsql.Lists
	daySums      = `t.processed_date AS day, ` + reportsql.Sums
)

// sum stores the sums of the month, without the rows that are several things, or removes them where it has few rows.
// Two workers on one business take turns, so that the sums of the later one stay.
func (m dirtyMonth) sum(ctx context.Context, tx *sqlx.Tx, transfers []int, from int) error {
	var enough bool
	for _, statement := range []string{
		`SELECT pg_advisory_xact_lock(hashtextextended('report_months ' || $1::uuid, 0)), $2::date`,
		`DELETE FROM report_months WHERE organization_id = $1 AND month = $2::date`,
		`DELETE FROM report_month_categories WHERE organization_id = $1 AND month = $2::date`,
		`DELETE FROM report_month_counterparties WHERE organization_id = $1 AND month = $2::date`,
		`DELETE FROM report_month_suggestions WHERE organization_id = $1 AND month = $2::date`,
	} {
		if _, err := tx.ExecContext(ctx, statement, m.args()...); err != nil {
			return err
		}
	}
	err := tx.GetContext(ctx, &enough, `
		SELECT count(*) >= $3::integer
		FROM (
		  SELECT
		  FROM transactions t
		  WHERE `+rolledUp+`
		  LIMIT $3::integer) t`,
		m.args(from)...)
	if err != nil || !enough {
		return err
	}
	without := pq.Array(transfers)
	for _, made := range []struct {
		statement string
		args      []any
	}{
		{monthMade, m.args(without)},
		{categoriesSummed, m.args()},
		{suggestionsSummed, m.args()},
		{counterpartiesSummed, m.args(without)},
	} {
		if _, err := tx.ExecContext(ctx, made.statement, made.args...); err != nil {
			return err
		}
	}
	return nil
}

// What is kept of a month: that it is there, and its sums by category, by suggestion and by counterparty.
const (
	monthMade = `
		INSERT INTO report_months (organization_id, month, last_day, transfers, suggestions)
		VALUES ($1, $2::date, ($2::date + interval '1 month')::date - 1, $3, true)`
	categoriesSummed = `
		INSERT INTO report_month_categories (organization_id, month, category_id, alone, ` + monthColumns + `)
		SELECT $1, $2::date, category_id, alone, ` + monthSums + `
		FROM (
		  SELECT coalesce(t.category_id, 0) AS category_id, t.transfer_id IS NULL AS alone, ` + daySums + `
		  FROM transactions t
		  WHERE ` + rolledUp + `
		    AND t.category_id IS DISTINCT FROM -1
		  GROUP BY 1, 2, 3
		  ORDER BY day) d
		GROUP BY category_id, alone`
	suggestionsSummed = `
		INSERT INTO report_month_suggestions (organization_id, month, suggested_id, ` + monthColumns + `)
		SELECT $1, $2::date, suggested_id, ` + monthSums + `
		FROM (
		  SELECT t.suggested_id, ` + daySums + `
		  FROM transactions t
		  WHERE ` + rolledUp + `
		    AND t.category_id IS NULL
		    AND t.suggested_id IS NOT NULL
		  GROUP BY 1, 2
		  ORDER BY day) d
		GROUP BY suggested_id`
	counterpartiesSummed = `
		INSERT INTO report_month_counterparties (organization_id, month, counterparty_id, ` + monthColumns + `)
		SELECT $1, $2::date, counterparty_id, ` + monthSums + `
		FROM (
		  SELECT coalesce(t.counterparty_id, '00000000-0000-0000-0000-000000000000') AS counterparty_id, ` + daySums + `
		  FROM transactions t
		  WHERE ` + rolledUp + `
		    AND (t.category_id IS NULL OR t.category_id <> ALL ($3::integer[]) AND t.category_id <> -1)
		  GROUP BY 1, 2
		  ORDER BY day) d
		GROUP BY counterparty_id`
)
