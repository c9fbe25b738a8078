package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Subscription is the payment processor's subscription of a person, as last synced.
type Subscription struct {
	Status            string     `db:"status"`
	Plan              *string    `db:"plan"`
	Interval          *string    `db:"interval"`
	CurrentPeriodEnd  *time.Time `db:"current_period_end"`
	CancelAtPeriodEnd bool       `db:"cancel_at_period_end"`
	Provider          string     `db:"provider"`
	SyncedAt          time.Time  `db:"synced_at"`
}

// Subscription finds a person's own subscription. ErrNotFound where there is none.
func (d *DB) Subscription(ctx context.Context, person uuid.UUID) (Subscription, error) {
	var s Subscription
	err := d.db.GetContext(ctx, &s, `
		SELECT status, plan, "interval", current_period_end, cancel_at_period_end, provider, synced_at
		FROM subscriptions
		WHERE person_id = $1`,
		person)
	return s, translate(ctx, err)
}
