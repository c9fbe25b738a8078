package migrations

import (
	"context"
	"database/sql"
)

// State returns the newest step that was taken, 0 where none was, and the newest one of this program. Unlike the
// provider's own ways to ask, it changes nothing and waits for no lock.
func State(ctx context.Context, db *sql.DB) (taken, newest int64, err error) {
	provider, err := Provider(db)
	if err != nil {
		return 0, 0, err
	}
	sources := provider.ListSources()
	newest = sources[len(sources)-1].Version
	var exists bool
	err = db.QueryRowContext(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL`).Scan(&exists)
	if err != nil || !exists {
		return 0, newest, err
	}
	err = db.QueryRowContext(ctx,
		`SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&taken)
	return taken, newest, err
}
