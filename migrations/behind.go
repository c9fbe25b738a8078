package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// withdrawals are the steps that take away what programs need that are older than another step. One run takes both
// only where no such program can be at work: it would go on, and what it writes would be wrong for good.
var withdrawals = map[int64]int64{
	37: 35, // triggers count rows for programs that do not count them themselves
}

// ErrProgramsBehind means that programs are connected which may be older than what a step takes away.
var ErrProgramsBehind = errors.New("migrations: programs that are connected may be older than the schema allows")

// noneBehind refuses to go from a step to another over one that takes away what programs of the first need, while
// anybody else is connected. A program of the migration's own name is taken for a part of it.
func noneBehind(ctx context.Context, db *sql.DB, taken, version int64) error {
	harms := false
	for step, needs := range withdrawals {
		harms = harms || taken > 0 && taken < needs && step <= version
	}
	if !harms {
		return nil
	}
	var names string
	err := db.QueryRowContext(ctx, `
		SELECT coalesce(string_agg(DISTINCT quote_literal(application_name), ', '), '')
		FROM pg_stat_activity
		WHERE datname = current_database()
		  AND backend_type = 'client backend'
		  AND application_name <> current_setting('application_name')`).Scan(&names)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if names == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrProgramsBehind, names)
}
