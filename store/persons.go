package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// Person is someone who acts through the service.
type Person struct {
	ID    uuid.UUID `db:"id"`
	Email *string   `db:"email"` // of the first connection; it is never changed
	Name  *string   `db:"name"`
	Demo  bool      `db:"demo"` // may read and answer, but not upload or delete
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
func (d *DB) SetDemo(ctx context.Context, now time.Time, id uuid.UUID, demo bool) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		var was bool
		err := tx.GetContext(ctx, &was, `
			SELECT demo
			FROM persons
			WHERE id = $1
			FOR UPDATE`,
			id)
		if err != nil || was == demo {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE persons
			SET demo = $2
			WHERE id = $1`,
			id, demo)
		if err != nil {
			return err
		}
		is := int64(0)
		if demo {
			is = 1
		}
		return d.record(ctx, tx, now, act{action: ActDemo, objectType: "person", objectID: id.String(), person: id,
			counts: quantities{"demo": is}})
	})
}

// personOf finds the person behind a partner's subject.
func personOf(ctx context.Context, q sqlx.QueryerContext, partnerID, subject string) (uuid.UUID, error) {
	var id uuid.UUID
	err := sqlx.GetContext(ctx, q, &id, `
		SELECT person_id
		FROM identities
		WHERE partner_id = $1
		  AND subject = $2`,
		partnerID, subject)
	return id, err
}
