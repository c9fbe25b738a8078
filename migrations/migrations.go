// Package migrations holds the database schema as a numbered series of steps, each with its way back.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"slices"
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

// Up brings the schema to the newest step and returns how many steps it took.
func Up(ctx context.Context, db *sql.DB) (int, error) {
	return UpTo(ctx, db, goose.MaxVersion)
}

// UpTelling is Up for somebody who waits: before each step it tells which one it is, of how many.
func UpTelling(ctx context.Context, db *sql.DB, tell func(step, of int)) error {
	taken, _, err := State(ctx, db)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := Provider(db)
	if err != nil {
		return err
	}
	due := slices.DeleteFunc(provider.ListSources(), func(s *goose.Source) bool { return s.Version <= taken })
	for i, source := range due {
		tell(i+1, len(due))
		if _, err := UpTo(ctx, db, source.Version); err != nil {
			return err
		}
	}
	return nil
}

// patience is for how long a step is tried that others keep from its locks.
const patience = 5 * time.Minute

// UpTo is Up to a step. A step needs locks that the programs of before, which run meanwhile, hold in another order and
// for a while: where PostgreSQL gives the step up for their sake, it left nothing, and is taken again. It takes none,
// and the error is ErrProgramsBehind, where programs are connected that may be too old for one.
func UpTo(ctx context.Context, db *sql.DB, version int64) (taken int, err error) {
	provider, err := Provider(db)
	if err != nil {
		return 0, err
	}
	before, newest, err := State(ctx, db)
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	if err := noneBehind(ctx, db, before, min(version, newest)); err != nil {
		return 0, err
	}
	const pause = 100 * time.Millisecond
	for began := time.Now(); ; {
		results, err := provider.UpTo(ctx, version)
		taken += len(results)
		if err == nil {
			return taken, nil
		}
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			taken += len(partial.Applied)
		}
		if !givenUpForOthers(err) || time.Since(began) > patience || ctx.Err() != nil {
			return taken, fmt.Errorf("migrations: %w", err)
		}
		time.Sleep(pause)
	}
}

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
