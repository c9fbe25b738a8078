package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// LegacyLogin is a person who opens a partner's older embedded flow.
type LegacyLogin struct {
	PartnerID string
	Subject   string // the partner's stable id of the person, as in their token and snapshots
	Email     string // kept only where none is known
	Name      string // may be empty
}

// LegacyMapping names the rows that hold a person's legacy accounts.
type LegacyMapping struct {
	PersonID       uuid.UUID `db:"person_id"`
	OrganizationID uuid.UUID `db:"organization_id"` // a native business of which the person is owner
	SourceID       uuid.UUID `db:"source_id"`
}

// LegacyLogin finds or makes the person, their native business with its legacy source, and the mapping that snapshots
// of the person are applied by (contract, Events). Any number of logins, also at once, make one of each.
// ErrInvalidCredential for a partner that is unknown or disabled.
func (d *DB) LegacyLogin(ctx context.Context, now time.Time, l LegacyLogin) (LegacyMapping, error) {
	var mapping LegacyMapping
	err := d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := requirePartner(ctx, tx, l.PartnerID); err != nil {
			return err
		}
		if err := lockSubject(ctx, tx, l.PartnerID, l.Subject); err != nil {
			return err
		}
		person, err := findOrCreatePerson(ctx, tx, now, Connection{PartnerID: l.PartnerID, Subject: l.Subject,
			Email: l.Email, Name: l.Name})
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE persons
			SET email = nullif($2, '')
			WHERE id = $1
			  AND email IS NULL`,
			person, l.Email)
		if err != nil {
			return err
		}
		mapping, err = legacyMapping(ctx, tx, l.PartnerID, l.Subject)
		if errors.Is(err, sql.ErrNoRows) {
			mapping, err = d.createLegacyMapping(ctx, tx, now, l, person)
		}
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActLogin, organization: mapping.OrganizationID, objectType: "person",
			objectID: person.String(), partner: l.PartnerID, person: person})
	})
	return mapping, err
}

func requirePartner(ctx context.Context, tx *sqlx.Tx, id string) error {
	var found bool
	err := tx.GetContext(ctx, &found, `
		SELECT true
		FROM partners
		WHERE id = $1
		  AND disabled_at IS NULL`,
		id)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrInvalidCredential
	}
	return err
}

// legacyMapping finds what snapshots of a person are applied by.
func legacyMapping(ctx context.Context, tx *sqlx.Tx, partnerID, subject string) (LegacyMapping, error) {
	var mapping LegacyMapping
	err := tx.GetContext(ctx, &mapping, `
		SELECT i.person_id, m.organization_id, m.source_id
		FROM legacy_mappings m
		JOIN identities i ON i.partner_id = m.partner_id AND i.subject = m.subject
		WHERE m.partner_id = $1
		  AND m.subject = $2`,
		partnerID, subject)
	return mapping, err
}

// createLegacyMapping makes the business, which is called after the person; the partner has not named it.
func (d *DB) createLegacyMapping(ctx context.Context, tx *sqlx.Tx, now time.Time, l LegacyLogin,
	person uuid.UUID) (LegacyMapping, error) {
	mapping := LegacyMapping{PersonID: person, OrganizationID: newID(), SourceID: newID()}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO organizations (id, name, created_at)
		VALUES ($1, coalesce(nullif($2, ''), nullif($3, ''), $4), $5)`,
		mapping.OrganizationID, l.Name, l.Email, l.Subject, now)
	if err != nil {
		return mapping, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO memberships (organization_id, person_id, role, created_at)
		VALUES ($1, $2, 'owner', $3)`,
		mapping.OrganizationID, person, now)
	if err != nil {
		return mapping, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO sources (organization_id, id, kind, partner_id, state, created_at)
		VALUES ($1, $2, 'legacy', $3, 'connected', $4)`,
		mapping.OrganizationID, mapping.SourceID, l.PartnerID, now)
	if err != nil {
		return mapping, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO legacy_mappings (partner_id, subject, organization_id, source_id, created_at)
		VALUES ($1, $2, $3, $4, $5)`,
		l.PartnerID, l.Subject, mapping.OrganizationID, mapping.SourceID, now)
	if err != nil {
		return mapping, err
	}
	return mapping, d.refreshNativeTiers(ctx, tx, person)
}
