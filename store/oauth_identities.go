package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// OAuthIdentity finds the person that an issuer's subject is linked to. ErrInvalidCredential.
func (d *DB) OAuthIdentity(ctx context.Context, issuer, subject string) (uuid.UUID, error) {
	var person uuid.UUID
	err := d.db.GetContext(ctx, &person, `
		SELECT person_id
		FROM oauth_identities
		WHERE issuer = $1
		  AND subject = $2`,
		issuer, subject)
	if err := translate(ctx, err); err == ErrNotFound {
		return uuid.Nil, ErrInvalidCredential
	} else if err != nil {
		return uuid.Nil, err
	}
	return person, nil
}

// LinkOAuthIdentity lets the tokens of an issuer's subject act as a person. Repeating it succeeds. ErrNotFound for an
// unknown person; ErrIdentityLinked for a subject that is linked to another one, which must be unlinked first.
func (d *DB) LinkOAuthIdentity(ctx context.Context, now time.Time, issuer, subject string, person uuid.UUID) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			INSERT INTO oauth_identities (issuer, subject, person_id, created_at)
			VALUES ($1, $2, $3, $4)
			ON CONFLICT (issuer, subject) DO NOTHING`,
			issuer, subject, person, now)
		if err != nil {
			return err
		}
		made, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if made == 0 {
			return linkedTo(ctx, tx, issuer, subject, person)
		}
		return d.record(ctx, tx, now, act{action: ActLink, objectType: "person", objectID: person.String(),
			person: person})
	})
}

// linkedTo fails with ErrIdentityLinked where a subject is linked to another person.
func linkedTo(ctx context.Context, tx *sqlx.Tx, issuer, subject string, person uuid.UUID) error {
	var linked uuid.UUID
	err := tx.GetContext(ctx, &linked, `
		SELECT person_id
		FROM oauth_identities
		WHERE issuer = $1
		  AND subject = $2`,
		issuer, subject)
	if err == nil && linked != person {
		return ErrIdentityLinked
	}
	return err
}

// UnlinkOAuthIdentity ends what an issuer's subject may do, at once. ErrNotFound where it was not linked to person.
func (d *DB) UnlinkOAuthIdentity(ctx context.Context, now time.Time, issuer, subject string, person uuid.UUID) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		var unlinked uuid.UUID
		err := tx.GetContext(ctx, &unlinked, `
			DELETE FROM oauth_identities
			WHERE issuer = $1
			  AND subject = $2
			  AND person_id = $3
			RETURNING person_id`,
			issuer, subject, person)
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActUnlink, objectType: "person", objectID: person.String(),
			person: person})
	})
}
