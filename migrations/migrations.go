// Package migrations holds the database schema as a numbered series of steps, each with its way back.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"
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

// patience is for how long a step is tried that others keep from its locks.
const patience = 5 * time.Minute

// givenUpForOthers: the step waited too long for a lock, or it and others for each other.
func givenUpForOthers(err error) bool {
	// SQLSTATEs of PostgreSQL, appendix A of its manual: lock_not_available and deadlock_detected.
	var failed *pq.Error
	return errors.As(err, &failed) &&
		(failed.Code == "55P03" || failed.Code == "40P01")
}

// Pending reports whether the schema is older than this program.
func Pending(ctx context.Context, db *sql.DB) (bool, error) {
	provider, err := Provider(db)
	if err != nil {
		return false, err
	}
	return provider.HasPending(ctx)
}
