package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Person is someone who acts through the service.
type Person struct {
	ID    uuid.UUID `db:"id"`
	Email *string   `db:"email"` // of the first connection; it is never changed
	Name  *string   `db:"name"`
	Demo  bool      `db:"demo"` // may read but not upload or delete
}

// Person finds a person. ErrNotFound.
func (d *DB) Person(ctx context.Context, id uuid.UUID) (Person, error) {
	var p Person
	err := d.db.GetContext(ctx, &p, `
		SELECT id, email, name, demo
		FROM persons
		WHERE id = $1`,
		id)
	return p, translate(ctx, err)
}

// SetDemo makes a person a demo person, or an ordinary one again. ErrNotFound.
func (d *DB) SetDemo(ctx context.Context, id uuid.UUID, demo bool) error {
	var found uuid.UUID
	err := d.db.GetContext(ctx, &found, `
		UPDATE persons
		SET demo = $2
		WHERE id = $1
		RETURNING id`,
		id, demo)
	return translate(ctx, err)
}

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

// SaveSubscription stores what the payment processor says of a person's subscription. ErrNotFound for an unknown
// person.
func (d *DB) SaveSubscription(ctx context.Context, person uuid.UUID, s Subscription) error {
	_, err := d.db.ExecContext(ctx, `
		INSERT INTO subscriptions (person_id, status, plan, "interval", current_period_end, cancel_at_period_end, provider, synced_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (person_id) DO UPDATE
		SET status = excluded.status,
		    plan = excluded.plan,
		    "interval" = excluded."interval",
		    current_period_end = excluded.current_period_end,
		    cancel_at_period_end = excluded.cancel_at_period_end,
		    provider = excluded.provider,
		    synced_at = excluded.synced_at`,
		person, s.Status, s.Plan, s.Interval, s.CurrentPeriodEnd, s.CancelAtPeriodEnd, s.Provider, s.SyncedAt)
	return translate(ctx, err)
}
