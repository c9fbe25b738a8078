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

// GrantAgain gives what later steps brought to the roles that Grant gave something before as the present role:
// functions and rights that default privileges do not say.
func GrantAgain(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `
		SELECT DISTINCT r.rolname
		FROM pg_default_acl d
		CROSS JOIN LATERAL aclexplode(d.defaclacl) a
		JOIN pg_roles r ON r.oid = a.grantee
		WHERE d.defaclrole = to_regrole(quote_ident(current_user))
		  AND d.defaclnamespace = to_regnamespace(quote_ident(current_schema()))
		  AND d.defaclobjtype = 'r'
		  AND a.privilege_type = 'INSERT'
		  AND a.grantee <> d.defaclrole
		ORDER BY 1`)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer rows.Close()
	var roles []string
	for rows.Next() {
		var role string
		if err := rows.Scan(&role); err != nil {
			return fmt.Errorf("migrations: %w", err)
		}
		roles = append(roles, role)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	for _, role := range roles {
		if err := Grant(ctx, db, role); err != nil {
			return err
		}
	}
	return nil
}

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
