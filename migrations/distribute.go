package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/lib/pq"
)

// ErrNotUp: not all steps are taken, or some that this program does not know.
var ErrNotUp = errors.New("migrations: the schema is of another version")

// Distribute spreads the tables of Distributed that are not spread yet, with the rows in them, over the nodes that the
// coordinator knows. It is one transaction: a kill leaves everything as it was, and what was done before is left alone.
// Nobody else should use the database meanwhile. It returns the tables that it spread. Errors: ErrNoCitus, ErrNotUp.
//
// References between tables of one business stay. Those to a table on the coordinator go, and so do those from there:
// Citus has none between what is spread and what is not.
func Distribute(ctx context.Context, db *sql.DB) (spread []string, err error) {
	places, err := Places(ctx, db)
	if err != nil {
		return nil, err
	}
	taken, newest, err := State(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	if taken != newest {
		return nil, ErrNotUp
	}
	for _, table := range Distributed {
		if slices.ContainsFunc(places, func(p Place) bool { return p.Table == table && !p.Distributed }) {
			spread = append(spread, table)
		}
	}
	if len(spread) == 0 {
		return nil, nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := distribute(ctx, tx, spread); err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return spread, nil
}

func distribute(ctx context.Context, tx *sql.Tx, tables []string) error {
	for _, setting := range []string{
		`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`, // for one table after the other in a transaction
		`SET LOCAL client_min_messages = 'error'`,                // of what Citus says about rows that it copied
	} {
		if _, err := tx.ExecContext(ctx, setting); err != nil {
			return err
		}
	}
	references, err := takeReferences(ctx, tx, tables)
	if err != nil {
		return err
	}
	if err := takeTriggers(ctx, tx, tables); err != nil {
		return err
	}
	if err := identify(ctx, tx, tables); err != nil {
		return err
	}
	first := Distributed[0]
	for _, table := range tables {
		with := first
		if table == first {
			with = "none"
		}
		if _, err := tx.ExecContext(ctx, `
			SELECT create_distributed_table($1::text::regclass, 'organization_id', colocate_with => $2)`,
			table, with); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	for _, r := range references {
		_, err := tx.ExecContext(ctx, `ALTER TABLE `+r.table+` ADD CONSTRAINT `+r.name+` `+r.definition)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// identify has the rows of tables without a key be known by all they hold: only then are they moved to another node
// while they are written.
func identify(ctx context.Context, tx *sql.Tx, tables []string) error {
	var keyless pq.StringArray
	err := tx.QueryRowContext(ctx, `
		SELECT array_agg(c.relname::text)
		FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace
		  AND c.relname = ANY ($1)
		  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
		pq.Array(tables)).Scan(&keyless)
	if err != nil {
		return err
	}
	for _, table := range keyless {
		_, err := tx.ExecContext(ctx, `ALTER TABLE `+pq.QuoteIdentifier(table)+` REPLICA IDENTITY FULL`)
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	return nil
}

// takeTriggers drops the triggers of tables that are to be spread: Citus has none there, the program does what they do,
// and no program of before is used with a database that is spread.
func takeTriggers(ctx context.Context, tx *sql.Tx, tables []string) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
		FROM pg_trigger t
		JOIN pg_class c ON c.oid = t.tgrelid
		WHERE NOT t.tgisinternal
		  AND c.relnamespace = current_schema()::regnamespace
		  AND c.relname = ANY ($1)
		ORDER BY t.tgname`, pq.Array(tables))
	if err != nil {
		return err
	}
	defer rows.Close()
	var drop []string
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return err
		}
		drop = append(drop, statement)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, statement := range drop {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// reference is a foreign key, with its names quoted.
type reference struct{ table, name, definition string }

// takeReferences drops the foreign keys from and to tables that are to be spread, and returns those that come back:
// both sides are spread.
func takeReferences(ctx context.Context, tx *sql.Tx, tables []string) (back []reference, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(c.oid),
		       f.relname = ANY ($2) AND t.relname = ANY ($2)
		FROM pg_constraint c
		JOIN pg_class f ON f.oid = c.conrelid
		JOIN pg_class t ON t.oid = c.confrelid
		WHERE c.contype = 'f'
		  AND c.connamespace = current_schema()::regnamespace
		  AND (f.relname = ANY ($1) OR t.relname = ANY ($1))
		ORDER BY conname`, pq.Array(tables), pq.Array(Distributed))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var gone []reference
	for rows.Next() {
		var r reference
		var comesBack bool
		if err := rows.Scan(&r.table, &r.name, &r.definition, &comesBack); err != nil {
			return nil, err
		}
		gone = append(gone, r)
		if comesBack {
			back = append(back, r)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for _, r := range gone {
		if _, err := tx.ExecContext(ctx, `ALTER TABLE `+r.table+` DROP CONSTRAINT `+r.name); err != nil {
			return nil, err
		}
	}
	return back, nil
}
