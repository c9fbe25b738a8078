package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

// InBudget runs statements as a count or sum of a search.
func InBudget(ctx context.Context, o *Organization, budget time.Duration, statements ...string) (bool, error) {
	return o.inBudget(ctx, budget, func(tx *sqlx.Tx, on func(string) string) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}
