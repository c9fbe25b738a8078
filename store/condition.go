package store

import (
	"context"
	"time"

	"github.com/lib/pq"
)

// Condition is how a PostgreSQL server and its database are, as an operator wants to know it.
type Condition struct {
	Version        int            `db:"version_number"` // 150018 is 15.18
	VersionName    string         `db:"version_name"`
	Database       string         `db:"database"`
	Encoding       string         `db:"encoding"` // of the database
	ReadOnly       bool           `db:"read_only"`
	Role           string         `db:"role"`
	Superuser      bool           `db:"superuser"` // the role is
	MaxConnections int            `db:"max_connections"`
	Clock          time.Time      `db:"clock"`     // the server's, when it answered
	Installed      pq.StringArray `db:"installed"` // those of Extensions that the database has
	Available      pq.StringArray `db:"available"` // those of Extensions that it has or could have
}

// Extensions are what the schema needs of PostgreSQL beside its core.
var Extensions = []string{"btree_gin", "pg_trgm"}

// Condition asks the server about itself; it changes nothing and needs no schema.
func (d *DB) Condition(ctx context.Context) (Condition, error) {
	var c Condition
	err := d.db.GetContext(ctx, &c, `
		SELECT current_setting('server_version_num')::int AS version_number,
		       current_setting('server_version') AS version_name,
		       current_database() AS database,
		       pg_encoding_to_char(encoding) AS encoding,
		       current_user AS role,
		       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
		       pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS read_only,
		       current_setting('max_connections')::int AS max_connections,
		       clock_timestamp() AS clock,
		       ARRAY(
		         SELECT extname::text
		         FROM pg_extension
		         WHERE extname = ANY ($1::text[])
		         ORDER BY extname) AS installed,
		       ARRAY(
		         SELECT name::text
		         FROM pg_available_extensions
		         WHERE name = ANY ($1::text[])
		         ORDER BY name) AS available
		FROM pg_database
		WHERE datname = current_database()`,
		pq.StringArray(Extensions))
	return c, translate(ctx, err)
}

// StoredSecret is a valid secret of a partner.
type StoredSecret struct {
	PartnerID string `db:"partner_id"`
	Purpose   string `db:"purpose"`
	Sealed    []byte `db:"sealed"`
}

// StoredSecrets lists the valid sealed secrets of all partners, by partner and purpose.
func (d *DB) StoredSecrets(ctx context.Context) ([]StoredSecret, error) {
	var secrets []StoredSecret
	err := d.db.SelectContext(ctx, &secrets, `
		SELECT partner_id, purpose, sealed
		FROM partner_secrets
		WHERE retired_at IS NULL
		ORDER BY partner_id, purpose, created_at`)
	return secrets, translate(ctx, err)
}
