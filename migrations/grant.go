package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lib/pq"
)

// ErrNoRole: the server has no role of that name.
var ErrNoRole = errors.New("migrations: no such role")

// Grant lets a role use the schema, and not change it: it may read and write rows of all tables, and of those that
// later steps make as the present role; the record of acts it may only read and add to. ErrNoRole.
func Grant(ctx context.Context, db *sql.DB, role string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer tx.Rollback() // after a commit it does nothing
	var schema string
	if err := tx.QueryRowContext(ctx, `SELECT quote_ident(current_schema())`).Scan(&schema); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	to := pq.QuoteIdentifier(role)
	for _, statement := range []string{
		`GRANT USAGE ON SCHEMA ` + schema + ` TO ` + to,
		`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ` + schema + ` TO ` + to,
		`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ` + schema + ` TO ` + to,
		`ALTER DEFAULT PRIVILEGES IN SCHEMA ` + schema + ` GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ` + to,
		`ALTER DEFAULT PRIVILEGES IN SCHEMA ` + schema + ` GRANT USAGE, SELECT ON SEQUENCES TO ` + to,
		// What is in the record of acts stays as it is; what is old goes through a function that takes no more.
		`REVOKE UPDATE, DELETE ON audit FROM ` + to,
		`GRANT EXECUTE ON FUNCTION remove_audit(timestamptz, integer) TO ` + to,
		// Which steps were taken is not the program's to say.
		`REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM ` + to,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			var failed *pq.Error
			if errors.As(err, &failed) && failed.Code == "42704" { // undefined_object
				return ErrNoRole
			}
			return fmt.Errorf("migrations: %w", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}
