// Package migrations holds the database schema as a numbered series of steps, each with its way back.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql
var files embed.FS

// Provider runs the steps against db. It takes an advisory session lock, so that any number of processes may start
// at once; a kill in mid-step leaves the database at the step before.
func Provider(db *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return provider, nil
}

// Up brings the schema to the newest step and returns how many steps it took.
func Up(ctx context.Context, db *sql.DB) (int, error) {
	provider, err := Provider(db)
	if err != nil {
		return 0, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	return len(results), nil
}

// Pending reports whether the schema is older than this program.
func Pending(ctx context.Context, db *sql.DB) (bool, error) {
	provider, err := Provider(db)
	if err != nil {
		return false, err
	}
	return provider.HasPending(ctx)
}
