package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

// The purposes of a partner's secrets.
const (
	PurposeToken   = "token"   // signs embed tokens
	PurposeWebhook = "webhook" // signs legacy snapshots
)

// A partner may have this many valid secrets of a purpose, so that it can rotate without an interruption.
const validSecrets = 2

// Partner is a platform that connects its users.
type Partner struct {
	ID         string     `db:"id"`
	Name       string     `db:"name"`
	CreatedAt  time.Time  `db:"created_at"`
	DisabledAt *time.Time `db:"disabled_at"` // its tokens and webhooks are refused from then on
	SignInURL  *string    `db:"sign_in_url"` // where people sign in that come from an agent; nil for nowhere
}

// SealedSecret is a secret as it is stored: encrypted, bound to its partner and purpose.
type SealedSecret struct {
	Purpose string
	Sealed  []byte
}

// CreatePartner adds a partner with its first secrets. ErrPartnerExists where the id is taken.
func (d *DB) CreatePartner(ctx context.Context, now time.Time, id, name string, secrets []SealedSecret) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO partners (id, name, created_at)
			VALUES ($1, $2, $3)`,
			id, name, now)
		if err != nil {
			return err
		}
		for _, secret := range secrets {
			if err := d.addSecret(ctx, tx, now, id, secret); err != nil {
				return err
			}
		}
		return d.record(ctx, tx, now, act{action: ActCreatePartner, objectType: "partner", objectID: id, partner: id})
	})
}

// RotateSecret adds a secret beside the newest valid one, which stays valid so that the partner can change over;
// older ones are retired. ErrNotFound for an unknown partner.
func (d *DB) RotateSecret(ctx context.Context, now time.Time, id string, secret SealedSecret) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockPartner(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE partner_secrets
			SET retired_at = $3
			WHERE partner_id = $1
			  AND purpose = $2
			  AND retired_at IS NULL
			  AND id NOT IN (
			    SELECT id
			    FROM partner_secrets
			    WHERE partner_id = $1
			      AND purpose = $2
			      AND retired_at IS NULL
			    ORDER BY created_at DESC, id DESC
			    LIMIT $4)`,
			id, secret.Purpose, now, validSecrets-1)
		if err != nil {
			return err
		}
		return d.addSecret(ctx, tx, now, id, secret)
	})
}

// RetireOldSecrets ends a rotation: only the newest secret of the purpose stays valid. It returns how many were
// retired. ErrNotFound for an unknown partner.
func (d *DB) RetireOldSecrets(ctx context.Context, now time.Time, id, purpose string) (retired int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockPartner(ctx, tx, id); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE partner_secrets
			SET retired_at = $3
			WHERE partner_id = $1
			  AND purpose = $2
			  AND retired_at IS NULL
			  AND id <> (
			    SELECT id
			    FROM partner_secrets
			    WHERE partner_id = $1
			      AND purpose = $2
			      AND retired_at IS NULL
			    ORDER BY created_at DESC, id DESC
			    LIMIT 1)`,
			id, purpose, now)
		if err != nil {
			return err
		}
		if retired, err = result.RowsAffected(); err != nil || retired == 0 {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActRetireSecret, objectType: "partner", objectID: id, partner: id,
			counts: quantities{purpose: retired}})
	})
	return retired, err
}

// DisablePartner refuses a partner's tokens and webhooks from now on. Its data stays. ErrNotFound for an unknown one.
func (d *DB) DisablePartner(ctx context.Context, now time.Time, id string) error {
	return d.changePartner(ctx, now, id, ActDisable, `
		UPDATE partners
		SET disabled_at = $2
		WHERE id = $1
		  AND disabled_at IS NULL`,
		id, now)
}

// changePartner runs an update that finds the partner where it changes something, and records the act then.
// ErrNotFound for an unknown one.
func (d *DB) changePartner(ctx context.Context, now time.Time, id, action, update string, args ...any) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockPartner(ctx, tx, id); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, update, args...)
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		return d.record(ctx, tx, now, act{action: action, objectType: "partner", objectID: id, partner: id})
	})
}

// SetSignIn says where a partner signs people in that come from an agent; empty for nowhere. ErrNotFound for an unknown
// one.
func (d *DB) SetSignIn(ctx context.Context, now time.Time, id, address string) error {
	return d.changePartner(ctx, now, id, ActSignInAddress, `
		UPDATE partners
		SET sign_in_url = nullif($2, '')
		WHERE id = $1
		  AND sign_in_url IS DISTINCT FROM nullif($2, '')`,
		id, address)
}

// PartnerName is what a partner is called. ErrNotFound.
func (d *DB) PartnerName(ctx context.Context, id string) (name string, err error) {
	err = d.db.GetContext(ctx, &name, `SELECT name FROM partners WHERE id = $1`, id)
	return name, translate(ctx, err)
}

// ListPartners lists all partners by id.
func (d *DB) ListPartners(ctx context.Context) ([]Partner, error) {
	var partners []Partner
	err := d.db.SelectContext(ctx, &partners, `
		SELECT id, name, created_at, disabled_at, sign_in_url
		FROM partners
		ORDER BY id`)
	return partners, translate(ctx, err)
}

// PartnerSecrets returns the valid sealed secrets of a partner, newest first. ErrInvalidCredential for a partner that
// is unknown or disabled.
func (d *DB) PartnerSecrets(ctx context.Context, id, purpose string) ([][]byte, error) {
	var sealed [][]byte
	statement, err := d.prepared(ctx, `
		SELECT s.sealed
		FROM partners p
		JOIN partner_secrets s ON s.partner_id = p.id
		WHERE p.id = $1
		  AND p.disabled_at IS NULL
		  AND s.purpose = $2
		  AND s.retired_at IS NULL
		ORDER BY s.created_at DESC, s.id DESC`)
	if err != nil {
		return nil, translate(ctx, err)
	}
	if err := statement.SelectContext(ctx, &sealed, id, purpose); err != nil {
		return nil, translate(ctx, err)
	}
	if len(sealed) == 0 {
		return nil, ErrInvalidCredential
	}
	return sealed, nil
}

func (d *DB) addSecret(ctx context.Context, tx *sqlx.Tx, now time.Time, partnerID string, secret SealedSecret) error {
	id := newID()
	_, err := tx.ExecContext(ctx, `
		INSERT INTO partner_secrets (partner_id, id, purpose, sealed, created_at)
		VALUES ($1, $2, $3, $4, $5)`,
		partnerID, id, secret.Purpose, secret.Sealed, now)
	if err != nil {
		return err
	}
	return d.record(ctx, tx, now, act{action: ActSecret, objectType: "secret", objectID: id.String(),
		partner: partnerID, counts: quantities{secret.Purpose: 1}})
}

func lockPartner(ctx context.Context, tx *sqlx.Tx, id string) error {
	var found string
	return tx.GetContext(ctx, &found, `
		SELECT id
		FROM partners
		WHERE id = $1
		FOR NO KEY UPDATE`,
		id)
}
