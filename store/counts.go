package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/store/statement"
)

// TransactionCoverage counts undeleted transactions. Those whose category is of the branch uncategorized are not
// categorized.
type TransactionCoverage struct {
	Transactions   int64      `db:"transactions"`
	Pending        int64      `db:"pending"`
	Categorized    int64      `db:"categorized"`
	NeedsAttention int64      `db:"needs_attention"`
	Limited        int64      `db:"limited"`
	Queued         int64      `db:"queued"` // at least 1 while rows are gone through for a change that concerns them
	FirstDate      *time.Time `db:"first_date"`
	LastDate       *time.Time `db:"last_date"`
}

// transactionCoverage reads no row but the first and the last one, and of those that wait, one of each account. What it
// counts is kept beside the rows: all of it is read by one statement, which sees what was added up in one of the two
// tables and never in both.
func (o *Organization) transactionCoverage(ctx context.Context) (TransactionCoverage, error) {
	var c TransactionCoverage
	err := o.prepared().GetContext(ctx, &c, `
		SELECT coalesce(sum(transactions), 0) AS transactions,
		       coalesce(sum(pending), 0) AS pending,
		       coalesce(sum(categorized), 0) AS categorized,
		       coalesce(sum(needs_attention), 0) AS needs_attention,
		       coalesce(sum(limited), 0) AS limited,
		       greatest(coalesce(sum(queued), 0), EXISTS (
		         SELECT
		         FROM standing_due
		         WHERE organization_id = $1)::integer) AS queued,
		       least((
		         SELECT primary_date
		         FROM transactions
		         WHERE organization_id = (SELECT $1::uuid)
		           AND deleted_at IS NULL
		           AND processing = 'processed'
		         ORDER BY primary_date, id
		         LIMIT 1), (
		         SELECT min(primary_date)
		         FROM (`+statement.Waiting("(SELECT $1::uuid)", statement.Oldest)+`) w)) AS first_date,
		       greatest((
		         SELECT primary_date
		         FROM transactions
		         WHERE organization_id = (SELECT $1::uuid)
		           AND deleted_at IS NULL
		           AND processing = 'processed'
		         ORDER BY primary_date DESC, id DESC
		         LIMIT 1), (
		         SELECT max(primary_date)
		         FROM (`+statement.Waiting("(SELECT $1::uuid)", statement.Newest)+`) w)) AS last_date
		FROM (
		  SELECT transactions, pending, categorized, needs_attention, limited, queued
		  FROM transaction_counts
		  WHERE organization_id = $1
		  UNION ALL
		  SELECT transactions, pending, categorized, needs_attention, limited, queued
		  FROM transaction_counts_added
		  WHERE organization_id = $1) c`,
		o.ID)
	return c, err
}

// keptCounts are numbers kept beside the rows: a table of them, and one of what was added since. Where they are read,
// both are read by one statement.
type keptCounts struct {
	table   string // that of what was added is table_added
	keys    string // behind the organization
	numbers []string
	left    string // whose newest row may be another one
}

var allCounts = []keptCounts{
	{"transaction_counts", "account_id",
		[]string{"transactions", "pending", "categorized", "needs_attention", "limited", "queued"}, "NULL::uuid"},
	{"counterparty_counts", "counterparty_id, currency, category_id", []string{"transactions", "inflow", "outflow"},
		"CASE WHEN transactions = 0 THEN counterparty_id END"},
}

// AddUpCounts adds up what changes before a time added to the counts of one business, so that reads have less to add
// up, and returns false where there is nothing to do. Nobody waits for it, and counts are the same before and after.
func (d *DB) AddUpCounts(ctx context.Context, before time.Time) (more bool, err error) {
	for _, c := range allCounts {
		waiting := d.longest(ctx, `
			SELECT organization_id, min(at) AS since
			FROM `+c.table+`_added
			WHERE at <= $1
			GROUP BY organization_id`,
			before)
		found, failure := takeOne(ctx, d, c.table, waiting,
			func(tx *sqlx.Tx, p piece) (uuid.UUID, error) { return c.take(ctx, tx, p, before) },
			func(tx *sqlx.Tx, organization uuid.UUID) error { return c.addUp(ctx, tx, organization) })
		more, err = more || found, errors.Join(err, failure)
	}
	return more, err
}

// take finds the business that has waited longest.
func (c keptCounts) take(ctx context.Context, tx *sqlx.Tx, p piece, before time.Time) (organization uuid.UUID,
	err error) {
	err = tx.GetContext(ctx, &organization, `
		SELECT organization_id
		FROM `+c.table+`_added
		WHERE at <= $1`+p.of("organization_id")+`
		ORDER BY at
		LIMIT 1
		FOR UPDATE SKIP LOCKED`,
		before)
	return organization, err
}

// addUp takes some thousand changes at a time, in the order of their keys: two workers at one business do not wait for
// each other in a circle. Counterparties whose newest row may be another are put where they belong in their list.
func (c keptCounts) addUp(ctx context.Context, tx *sqlx.Tx, organization uuid.UUID) error {
	const atOnce = 5000
	var sums, sets []string
	for _, n := range c.numbers {
		sums = append(sums, fmt.Sprintf("sum(%[1]s) AS %[1]s", n))
		sets = append(sets, fmt.Sprintf("%[1]s = c.%[1]s + excluded.%[1]s", n))
	}
	var taken struct {
		Added string // a JSON list of what is added to each key
		Left  string // an array of counterparties
	}
	err := tx.GetContext(ctx, &taken, fmt.Sprintf(`
		WITH taken AS (
		  DELETE FROM %[1]s_added
		  WHERE ctid = ANY (ARRAY (
		    SELECT ctid
		    FROM %[1]s_added
		    WHERE organization_id = $1
		    LIMIT $2
		    FOR UPDATE SKIP LOCKED))
		  /*spread: AND organization_id = $1 */
		  RETURNING *)
		SELECT (
		  SELECT coalesce(json_agg(a), '[]')
		  FROM (
		    SELECT %[2]s, %[3]s
		    FROM taken
		    GROUP BY %[2]s) a) AS added, ARRAY (
		  SELECT DISTINCT %[4]s
		  FROM taken
		  WHERE %[4]s IS NOT NULL)::text AS left`, c.table, c.keys, strings.Join(sums, ", "), c.left),
		organization, atOnce)
	if err != nil || taken.Added == "[]" {
		return err
	}
	// A statement of its own: what a WITH has for an INSERT, a Citus sends to all nodes, one that hangs included.
	_, err = tx.ExecContext(ctx, fmt.Sprintf(`
		INSERT INTO %[1]s AS c (organization_id, %[2]s, %[3]s)
		SELECT $1, %[2]s, %[3]s
		FROM json_populate_recordset(NULL::%[1]s, $2::text::json)
		ORDER BY %[2]s
		ON CONFLICT ON CONSTRAINT %[1]s_pkey DO UPDATE
		SET %[4]s`, c.table, c.keys, strings.Join(c.numbers, ", "), strings.Join(sets, ", ")),
		organization, taken.Added)
	if err != nil || taken.Left == "{}" {
		return err
	}
	free, err := freeCounterparties(ctx, tx, organization, taken.Left)
	if err != nil {
		return err
	}
	return setNewest(ctx, tx, organization, uuids(free))
}

// freeCounterparties locks those of an array that nobody holds. The others come with the next changes: nobody who works
// on a business waits for its counts, so they wait for nobody.
func freeCounterparties(ctx context.Context, tx *sqlx.Tx, organization uuid.UUID,
	counterparties string) (free []uuid.UUID, err error) {
	err = tx.SelectContext(ctx, &free, `
		SELECT id
		FROM counterparties
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		FOR NO KEY UPDATE SKIP LOCKED`,
		organization, counterparties)
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO counterparty_counts_added (organization_id, counterparty_id, currency, category_id, transactions,
		  inflow, outflow)
		SELECT DISTINCT ON (c.id) $1::uuid, c.id, n.currency, n.category_id, 0, 0, 0
		FROM counterparties c
		JOIN counterparty_counts n ON n.organization_id = c.organization_id AND n.counterparty_id = c.id
		WHERE c.organization_id = $1
		  AND c.id = ANY ($2::uuid[])
		  AND c.id <> ALL ($3::uuid[])`,
		organization, counterparties, uuids(free))
	return free, err
}

// setNewest sets the day of the newest row of counterparties, an array. They are locked before their rows are read:
// whoever adds a newer one has locked them, too, or says once more that it may be another. The year 1 is that of those
// without rows, which are listed last.
func setNewest(ctx context.Context, tx *sqlx.Tx, organization uuid.UUID, counterparties string) error {
	_, err := tx.ExecContext(ctx, `
		SELECT
		FROM counterparties
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		ORDER BY key, id
		FOR NO KEY UPDATE`,
		organization, counterparties)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE counterparties c
		SET last_date = n.day
		FROM (
		  SELECT u.id, coalesce((
		    SELECT primary_date
		    FROM transactions
		    WHERE organization_id = $1
		      AND counterparty_id = u.id
		      AND deleted_at IS NULL
		    ORDER BY primary_date DESC, id DESC
		    LIMIT 1), date '0001-01-01') AS day
		  FROM unnest($2::uuid[]) AS u (id)) n
		WHERE c.organization_id = $1
		  AND c.id = n.id
		  AND c.last_date <> n.day`,
		organization, counterparties)
	return err
}
