package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// Work names what is to be processed: everything an account was given up to a generation.
type Work struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	AccountID      uuid.UUID `db:"account_id"`
	Generation     int64     `db:"generation"`
	Attempts       int       `db:"attempts"`
	AcceptedAt     time.Time `db:"accepted_at"` // of an upload or a claim; zero where it was not read
}

// Signaled work is enqueued by the process that accepted it; a relay takes what is still there after this time, and
// again after growing ones.
const (
	relayAfter = 5 * time.Second
	relayMost  = 5 * time.Minute
)

// cameAt is when an event came, as SQL over a row of pending_work: it follows from when the event is due and how often it
// was put off. Where relays were late themselves, or it came without an upload, it is off by that.
func cameAt(after, most string) string {
	const doublings = "6" // from relayAfter to relayMost
	return "next_at - (" + after + " * power(2, least(attempts, " + doublings + ")) + " + most + " * greatest(attempts - " + doublings + ", 0)) * interval '1 second'"
}

// queueWork stores an event of an account without an upload: something it holds changed.
func (o *Organization) queueWork(ctx context.Context, tx *sqlx.Tx, now time.Time, account uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO pending_work AS w (organization_id, account_id, next_at)
		VALUES ($1, $2, $3)
		ON CONFLICT ON CONSTRAINT pending_work_pkey DO UPDATE
		SET generation = w.generation + 1,
		    attempts = 0,
		    next_at = excluded.next_at`,
		o.ID, account, now)
	return err
}

// PendingWork lists the events of the business that are not processed yet.
func (o *Organization) PendingWork(ctx context.Context) ([]Work, error) {
	var work []Work
	err := o.db.db.SelectContext(ctx, &work, `
		SELECT organization_id, account_id, generation, attempts
		FROM pending_work
		WHERE organization_id = $1
		ORDER BY account_id`,
		o.ID)
	return work, translate(ctx, err)
}

// ClaimDueWork takes up to limit events that are late, oldest first, and puts each off, longer with every attempt, so
// that it is taken again if nobody finishes it. Relays in any number of processes never take the same one at once.
func (d *DB) ClaimDueWork(ctx context.Context, now time.Time, limit int) ([]Work, error) {
	var work []Work
	err := d.db.SelectContext(ctx, &work, `
		UPDATE pending_work w
		SET attempts = w.attempts + 1,
		    next_at = $1 + least($3 * power(2, least(w.attempts, 10)), $4) * interval '1 second'
		FROM (
		  SELECT organization_id, account_id, `+cameAt("$3", "$4")+` AS accepted_at
		  FROM pending_work
		  WHERE next_at <= $1
		  ORDER BY next_at
		  LIMIT $2
		  FOR UPDATE SKIP LOCKED) due
		WHERE w.organization_id = due.organization_id
		  AND w.account_id = due.account_id
		RETURNING w.organization_id, w.account_id, w.generation, w.attempts, due.accepted_at`,
		now, limit, relayAfter.Seconds(), relayMost.Seconds())
	return work, translate(ctx, err)
}
