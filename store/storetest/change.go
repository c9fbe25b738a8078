package storetest

import (
	"context"
	"database/sql"
	"errors"
	"regexp"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// Waits is whether anybody waits for what a session holds. A Citus looks on all machines for it.
func Waits(ctx context.Context, db *sql.DB, holder int) (waits bool, err error) {
	query := `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))`
	if OnCitus() {
		query = `SELECT EXISTS (SELECT FROM citus_lock_waits WHERE citus_pid_for_gpid(blocking_gpid) = $1)`
	}
	err = db.QueryRowContext(ctx, query, holder).Scan(&waits)
	return waits, err
}

// Activity is the view of all sessions of the database: of a Citus, on all machines.
func Activity() string {
	if OnCitus() {
		return "citus_stat_activity"
	}
	return "pg_stat_activity"
}

// Exec runs a statement of a test's own. What is kept beside the transactions of a business is made anew after one that
// writes some of them: the program would have kept it.
func Exec(ctx context.Context, db *sql.DB, statement string, args ...any) error {
	if !writesTransactions.MatchString(statement) {
		_, err := db.ExecContext(ctx, statement, args...)
		return err
	}
	const tries = 5
	for try := 1; ; try++ {
		err := change(ctx, db, statement, args)
		var failed *pq.Error
		if deadlock := errors.As(err, &failed) && failed.Code == "40P01"; !deadlock || try == tries {
			return err
		}
	}
}

// Keep makes anew what is kept beside the transactions of a business, once for all that was written past Exec.
func Keep(ctx context.Context, db *sql.DB, organization uuid.UUID) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := keep(ctx, tx, organization); err != nil {
		return err
	}
	return tx.Commit()
}

// change runs a statement that writes transactions. It locks tables for what is kept, in another order than those who
// write rows beside it, so that PostgreSQL may end it as one side of a deadlock.
func change(ctx context.Context, db *sql.DB, statement string, args []any) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit it does nothing
	changed, err := changedBy(ctx, tx, statement, args)
	if err != nil {
		return err
	}
	for organization := range changed {
		if err := keep(ctx, tx, organization); err != nil {
			return err
		}
	}
	return tx.Commit()
}

var writesTransactions = regexp.MustCompile(
	`^(\s*(?:UPDATE|INSERT INTO|DELETE FROM) transactions\b)(?:\s+AS)?(?:\s+t\b)?`)

// changedBy are the businesses of the rows that a statement writes.
func changedBy(ctx context.Context, tx *sql.Tx, statement string, args []any) (map[uuid.UUID]bool, error) {
	statement = writesTransactions.ReplaceAllString(statement, "$1 AS t") + "\nRETURNING t.organization_id"
	rows, err := tx.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	changed := map[uuid.UUID]bool{}
	for rows.Next() {
		var organization uuid.UUID
		if err := rows.Scan(&organization); err != nil {
			return nil, err
		}
		changed[organization] = true
	}
	return changed, errors.Join(rows.Err(), rows.Close())
}

// keep makes anew what is kept of a business, from all of its rows.
func keep(ctx context.Context, tx *sql.Tx, organization uuid.UUID) error {
	uncategorized, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
	// Whoever changes rows meanwhile would be counted here and by what they add.
	_, err := tx.ExecContext(ctx, `
		LOCK TABLE transaction_counts_added, counterparty_counts_added IN SHARE ROW EXCLUSIVE MODE`)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		statement string
		args      []any
	}{
		// First what is added: whoever adds it up at this moment has put it into the counts then.
		{`DELETE FROM transaction_counts_added WHERE organization_id = $1`, nil},
		{`DELETE FROM transaction_counts WHERE organization_id = $1`, nil},
		{`
			INSERT INTO transaction_counts_added (organization_id, account_id, transactions, pending, categorized,
			  needs_attention, limited, queued)
			SELECT $1, account_id, count(*), count(*) FILTER (WHERE pending),
			       count(*) FILTER (WHERE category_id <> ALL ($2::integer[])), count(*) FILTER (WHERE needs_attention),
			       count(*) FILTER (WHERE processing = 'limited'), count(*) FILTER (WHERE processing = 'queued')
			FROM transactions
			WHERE organization_id = $1
			  AND deleted_at IS NULL
			GROUP BY account_id`, []any{pq.Array(uncategorized.Descendants())}},
		{`DELETE FROM counterparty_counts_added WHERE organization_id = $1`, nil},
		{`DELETE FROM counterparty_counts WHERE organization_id = $1`, nil},
		{`
			INSERT INTO counterparty_counts_added (organization_id, counterparty_id, currency, category_id,
			  transactions, inflow, outflow)
			SELECT $1, counterparty_id, currency, coalesce(category_id, 0), count(*),
			       coalesce(sum(amount) FILTER (WHERE amount > 0), 0),
			       coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)
			FROM transactions
			WHERE organization_id = $1
			  AND deleted_at IS NULL
			  AND counterparty_id IS NOT NULL
			GROUP BY counterparty_id, currency, coalesce(category_id, 0)`, nil},
		{`
			INSERT INTO report_dirty (organization_id, month)
			SELECT $1, date_trunc('month', processed_date::timestamp)::date
			FROM transactions
			WHERE organization_id = $1
			UNION
			SELECT $1, month
			FROM report_months
			WHERE organization_id = $1`, nil},
		{`
			INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
			SELECT $1, false, array_agg(id), array_agg(searched_text(merchant, description, context))
			FROM transactions
			WHERE organization_id = $1
			  AND processing = 'processed'
			  AND deleted_at IS NULL
			HAVING count(*) > 0`, nil},
		{`INSERT INTO words_added (organization_id) VALUES ($1)`, nil},
		{`
			DELETE FROM transaction_parts p
			WHERE p.organization_id = $1
			  AND NOT EXISTS (
			    SELECT
			    FROM transactions t
			    WHERE t.organization_id = $1
			      AND t.id = p.transaction_id
			      AND t.category_id = $2)`, []any{split.Category}},
	} {
		if _, err := tx.ExecContext(ctx, s.statement, append([]any{organization}, s.args...)...); err != nil {
			return err
		}
	}
	return nil
}
