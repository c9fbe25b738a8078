package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/store/reportsql"
)

// rollUpFrom is how many rows a month must have for its sums to be read faster than they are, in reports of years at
// least, whose sums are made of them.
const rollUpFrom = 250

// RollUp sums a month of one business anew, one that has been dirty since before, and returns false where there is
// none. Rows of the transfer categories count for no counterparty. With the last dirty month of its year it sums the
// year, whatever waits of others. While no month is dirty that long, it sums a year that has a month which is not in
// the sums of the year yet.
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
	more, err = takeOne(ctx, d, "months", waiting,
		func(tx *sqlx.Tx, p piece) (dirtyMonth, error) { return takeDirty(ctx, tx, p, before) },
		func(tx *sqlx.Tx, m dirtyMonth) error {
			if err := m.sum(ctx, tx, transfers, from); err != nil {
				return err
			}
			return m.endYear(ctx, tx)
		})
	if more || err != nil {
		return more, err
	}
	return takeOne(ctx, d, "years", d.longest(ctx, yearsToSum),
		func(tx *sqlx.Tx, p piece) (dirtyMonth, error) { return takeYear(ctx, tx, p) },
		func(tx *sqlx.Tx, m dirtyMonth) error { return m.sumYear(ctx, tx) })
}

// toSum are the months that are not in the sums of their year: a report does not read these then. While a month of the
// year is dirty, they wait, so that the sums are made once and not after each month.
const (
	toSum = `m.in_sums IS NULL
		  AND NOT EXISTS (
		    SELECT
		    FROM report_dirty d
		    WHERE d.organization_id = m.organization_id
		      AND d.month >= date_trunc('year', m.month)::date
		      AND d.month < (date_trunc('year', m.month) + interval '1 year')::date)`
	yearsToSum = `
		SELECT m.organization_id, min(m.month) AS since
		FROM report_months m
		WHERE ` + toSum + `
		GROUP BY m.organization_id`
)

// takeYear takes a month whose year is to be summed. It locks nothing: who rolls a month up has the turn first, and
// then its row.
func takeYear(ctx context.Context, tx *sqlx.Tx, p piece) (m dirtyMonth, err error) {
	err = tx.GetContext(ctx, &m, `
		SELECT m.organization_id, m.month
		FROM report_months m
		WHERE `+toSum+p.of("m.organization_id")+`
		LIMIT 1`)
	return m, err
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

// ofYear are the months of the year, in whichever table.
const ofYear = `organization_id = $1
	  AND month >= date_trunc('year', $2::date)::date
	  AND month < (date_trunc('year', $2::date) + interval '1 year')::date`

// monthsOfYear are those of report_months, but for those that an erasure holds: who erases does not wait for a roll-up
// that waits for it.
const monthsOfYear = ofYear + `
	  AND month = ANY (ARRAY (
	    SELECT month
	    FROM report_months
	    WHERE ` + ofYear + `
	    FOR UPDATE SKIP LOCKED))`

// inTurn has two workers on one business take turns, so that the sums of the later one stay.
const inTurn = `SELECT pg_advisory_xact_lock(hashtextextended('report_months ' || $1::uuid, 0)), $2::date`

// sum stores the sums of the month, without the rows that are several things, or removes them where it has few rows.
func (m dirtyMonth) sum(ctx context.Context, tx *sqlx.Tx, transfers []int, from int) error {
	var enough bool
	for _, statement := range []string{
		inTurn,
		`DELETE FROM report_months WHERE organization_id = $1 AND month = $2::date`,
		`UPDATE report_months SET in_year = NULL, in_sums = NULL WHERE ` + monthsOfYear,
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

// endYear sums the year of a month that was the last dirty one of it.
func (m dirtyMonth) endYear(ctx context.Context, tx *sqlx.Tx) error {
	var dirty bool
	err := tx.GetContext(ctx, &dirty, `SELECT EXISTS (SELECT FROM report_dirty WHERE `+ofYear+`)`, m.args()...)
	if err != nil || dirty {
		return err
	}
	return m.sumYear(ctx, tx)
}

// sumYear stores the sums of the months of the year, unless another worker has done so meanwhile.
func (m dirtyMonth) sumYear(ctx context.Context, tx *sqlx.Tx) error {
	if _, err := tx.ExecContext(ctx, inTurn, m.args()...); err != nil {
		return err
	}
	var due bool
	err := tx.GetContext(ctx, &due, `
		SELECT EXISTS (SELECT FROM report_months WHERE `+ofYear+` AND in_sums IS NULL)`, m.args()...)
	if err != nil || !due {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM report_year_categories
		 WHERE organization_id = $1
		   AND year = date_trunc('year', $2::date)::date`,
		`DELETE FROM report_year_counterparties
		 WHERE organization_id = $1
		   AND year = date_trunc('year', $2::date)::date`,
		yearOfCategories,
		yearOfCounterparties,
		monthsInSums,
	} {
		if _, err := tx.ExecContext(ctx, statement, m.args()...); err != nil {
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

// What is kept of a year: the sums of its months by category and by counterparty.
var (
	yearOfCategories = `
		INSERT INTO report_year_categories (organization_id, year, category_id, alone, days, counts, inflows, outflows)
		SELECT $1, date_trunc('year', $2::date)::date, category_id, alone, ` + reportsql.Lists + `
		FROM (
		  SELECT category_id, alone, month AS day, transaction_count, inflow, outflow
		  FROM report_month_categories
		  WHERE ` + ofYear + `
		  ORDER BY month) m
		GROUP BY category_id, alone`
	yearOfCounterparties = `
		INSERT INTO report_year_counterparties (organization_id, year, counterparty_id, net, nets, days, counts,
		  inflows, outflows)
		SELECT $1, date_trunc('year', $2::date)::date, counterparty_id,
		       CASE WHEN abs(sum(inflow - outflow)) < 9223372036854775808 THEN sum(inflow - outflow)::bigint END,
		       ` + netsOfYear() + `, ` + reportsql.Lists + `
		FROM (
		  SELECT counterparty_id, month AS day, extract(month FROM month)::integer AS n, transaction_count, inflow,
		         outflow
		  FROM report_month_counterparties
		  WHERE ` + ofYear + `
		  ORDER BY month) m
		GROUP BY counterparty_id`
	netTooLarge = `EXISTS (
		  SELECT
		  FROM report_year_counterparties
		  WHERE organization_id = $1
		    AND year = date_trunc('year', $2::date)::date
		    AND net IS NULL)`
	monthsInSums = `
		UPDATE report_months
		SET in_year = (SELECT count(*) FROM report_months WHERE ` + ofYear + `), -- for a program of before
		    in_sums = CASE WHEN ` + netTooLarge + ` THEN 0
		                   ELSE (SELECT count(*) FROM report_months WHERE ` + ofYear + `) END
		WHERE ` + monthsOfYear
)

// netsOfYear are the nets of months n from the beginning of a year to that of each month, and to its end.
func netsOfYear() string {
	nets := []string{"0"}
	for month := 1; month <= 12; month++ {
		nets = append(nets, fmt.Sprintf("coalesce(sum(inflow - outflow) FILTER (WHERE n <= %d), 0)", month))
	}
	return "ARRAY[" + strings.Join(nets, ", ") + "]"
}
