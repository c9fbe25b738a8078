package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pressly/goose/v3"
)

// Up brings the schema to the newest step and returns how many steps it took.
func Up(ctx context.Context, db *sql.DB) (int, error) {
	return UpTo(ctx, db, goose.MaxVersion)
}

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
