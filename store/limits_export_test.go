package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// LimitRows marks some rows of an account as limited.
func LimitRows(ctx context.Context, o *Organization, now time.Time, account uuid.UUID, size int) (int, error) {
	turn, err := o.TakeTurn(ctx, AnyTurn)
	if err != nil {
		return 0, err
	}
	return o.limitRows(ctx, now, turn, account, size)
}
