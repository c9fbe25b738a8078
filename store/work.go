package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

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

// Work names what is to be processed: everything an account was given up to a generation.
type Work struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	AccountID      uuid.UUID `db:"account_id"`
	Generation     int64     `db:"generation"`
	Attempts       int       `db:"attempts"`
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
