package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Connection is what a partner says of one person: who they are, and the complete list of their businesses.
type Connection struct {
	PartnerID  string
	Subject    string
	Email      string // kept only from the first connection
	Name       string
	Businesses []Business
	Tier       string // free, paid, or empty for none; replaces the earlier one of each business
}

// Business is one entry of the list.
type Business struct {
	ID, Name, Role string
}

// Connected names the rows behind a connection.
type Connected struct {
	PersonID      uuid.UUID
	Organizations []ConnectedOrganization // in the order of the connection's businesses
}

// ConnectedOrganization names the rows behind one business.
type ConnectedOrganization struct {
	BusinessID     string
	OrganizationID uuid.UUID
	SourceID       uuid.UUID
	Role           string
}

// Connect makes the database agree with the list, whole or not at all: it creates what is missing, gives the listed
// memberships their role, revokes this partner's others, and connects revoked API sources again. Calls for one person
// take effect one after the other; any number of first calls at once make one person, one organization and one source.
func (d *DB) Connect(ctx context.Context, now time.Time, c Connection) (Connected, error) {
	var connected Connected
	err := d.atBusinesses(ctx, c, func(ctx context.Context, ids []uuid.UUID) error {
		return d.inTx(ctx, func(tx *sqlx.Tx) (err error) {
			connected, err = d.connect(ctx, tx, now, c, ids)
			return err
		})
	})
	return connected, err
}

// atBusinesses does something where the businesses of a connection are. Each that is new gets an id of ids.
func (d *DB) atBusinesses(ctx context.Context, c Connection,
	do func(ctx context.Context, ids []uuid.UUID) error) error {
	ids, spread, err := d.newIDs(ctx, len(c.Businesses))
	if err != nil {
		return err
	}
	if !spread {
		return do(ctx, ids)
	}
	var businessIDs pq.StringArray
	for _, b := range c.Businesses {
		businessIDs = append(businessIDs, b.ID)
	}
	var there []uuid.UUID
	err = d.db.SelectContext(ctx, &there, `
		SELECT id
		FROM organizations
		WHERE partner_id = $1
		  AND business_id = ANY ($2::text[])`,
		c.PartnerID, businessIDs)
	if err != nil {
		return translate(ctx, err)
	}
	if len(there) < len(ids) {
		there = append(there, ids...)
	}
	visiting, leave, err := d.visitAll(ctx, there)
	if err != nil {
		return translate(ctx, err)
	}
	defer leave()
	return do(visiting, ids)
}

func (d *DB) connect(ctx context.Context, tx *sqlx.Tx, now time.Time, c Connection,
	ids []uuid.UUID) (Connected, error) {
	if err := lockSubject(ctx, tx, c.PartnerID, c.Subject); err != nil {
		return Connected{}, err
	}
	person, err := findOrCreatePerson(ctx, tx, now, c)
	if err != nil {
		return Connected{}, err
	}
	organizations, err := d.saveBusinesses(ctx, tx, now, c, ids)
	if err != nil {
		return Connected{}, err
	}
	sources, err := connectSources(ctx, tx, now, c.PartnerID, organizations)
	if err != nil {
		return Connected{}, err
	}
	if err := d.saveMemberships(ctx, tx, now, c, person, organizations); err != nil {
		return Connected{}, err
	}
	connected := Connected{PersonID: person}
	for _, b := range c.Businesses {
		id := organizations[b.ID]
		connected.Organizations = append(connected.Organizations, ConnectedOrganization{
			BusinessID: b.ID, OrganizationID: id, SourceID: sources[id], Role: b.Role,
		})
	}
	return connected, nil
}

// lockSubject holds a partner's person until the end of the transaction, also one who does not exist yet.
func lockSubject(ctx context.Context, tx *sqlx.Tx, partnerID, subject string) error {
	_, err := tx.ExecContext(ctx,
		`SELECT pg_advisory_xact_lock(hashtextextended($1::text || E'\n' || $2::text, 0))`, partnerID, subject)
	return err
}

func findOrCreatePerson(ctx context.Context, tx *sqlx.Tx, now time.Time, c Connection) (uuid.UUID, error) {
	id, err := personOf(ctx, tx, c.PartnerID, c.Subject)
	if err == nil {
		_, err := tx.ExecContext(ctx, `
			UPDATE persons
			SET name = $2
			WHERE id = $1
			  AND $2 <> ''
			  AND name IS DISTINCT FROM $2`,
			id, c.Name)
		return id, err
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return uuid.Nil, err
	}
	id = newID()
	_, err = tx.ExecContext(ctx, `
		INSERT INTO persons (id, email, name, created_at)
		VALUES ($1, nullif($2, ''), nullif($3, ''), $4)`,
		id, c.Email, c.Name, now)
	if err != nil {
		return uuid.Nil, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO identities (partner_id, subject, person_id, created_at)
		VALUES ($1, $2, $3, $4)`,
		c.PartnerID, c.Subject, id, now)
	return id, err
}

// saveBusinesses writes in the order of the ids, so that people who share businesses never wait for each other in a
// circle.
func (d *DB) saveBusinesses(ctx context.Context, tx *sqlx.Tx, now time.Time, c Connection,
	newIDs []uuid.UUID) (map[string]uuid.UUID, error) {
	sorted := slices.Clone(c.Businesses)
	slices.SortFunc(sorted, func(a, b Business) int { return strings.Compare(a.ID, b.ID) })
	var ids, businessIDs, names pq.StringArray
	for i, b := range sorted {
		ids = append(ids, newIDs[i].String())
		businessIDs = append(businessIDs, b.ID)
		names = append(names, b.Name)
	}
	var rows []struct {
		ID         uuid.UUID `db:"id"`
		BusinessID string    `db:"business_id"`
	}
	err := tx.SelectContext(ctx, &rows, `
		INSERT INTO organizations (id, partner_id, business_id, name, tier, created_at)
		SELECT b.id, $1, b.business_id, b.name, nullif($5, ''), $6
		FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS b (id, business_id, name, place)
		ORDER BY b.place
		ON CONFLICT ON CONSTRAINT organizations_business_key DO UPDATE
		SET name = excluded.name,
		    tier = excluded.tier
		RETURNING id, business_id`,
		c.PartnerID, ids, businessIDs, names, c.Tier, now)
	if err != nil {
		return nil, err
	}
	organizations := make(map[string]uuid.UUID, len(rows))
	var all []uuid.UUID
	for _, row := range rows {
		organizations[row.BusinessID] = row.ID
		all = append(all, row.ID)
	}
	if c.Tier == "paid" {
		err = d.releasePaid(ctx, tx, all)
	}
	return organizations, err
}

func (d *DB) saveMemberships(ctx context.Context, tx *sqlx.Tx, now time.Time, c Connection, person uuid.UUID,
	organizations map[string]uuid.UUID) error {
	var ids []uuid.UUID
	var roles pq.StringArray
	for _, b := range c.Businesses {
		ids = append(ids, organizations[b.ID])
		roles = append(roles, b.Role)
	}
	var revoked, granted []uuid.UUID
	err := tx.SelectContext(ctx, &revoked, `
		UPDATE memberships
		SET revoked_at = $3
		WHERE person_id = $1
		  AND partner_id = $2
		  AND revoked_at IS NULL
		  AND organization_id <> ALL ($4::uuid[])
		RETURNING organization_id`,
		person, c.PartnerID, now, uuids(ids))
	if err != nil {
		return err
	}
	// Connections of one person follow each other, so this is what the statement below finds.
	err = tx.SelectContext(ctx, &granted, `
		SELECT w.organization_id
		FROM unnest($3::uuid[], $4::text[]) AS w (organization_id, role)
		WHERE NOT EXISTS (
		  SELECT
		  FROM memberships m
		  WHERE m.organization_id = w.organization_id
		    AND m.person_id = $1
		    AND m.partner_id = $2
		    AND m.role = w.role
		    AND m.revoked_at IS NULL)`,
		person, c.PartnerID, uuids(ids), roles)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO memberships (organization_id, person_id, partner_id, role, created_at)
		SELECT m.organization_id, $1, $2, m.role, $5
		FROM unnest($3::uuid[], $4::text[]) AS m (organization_id, role)
		ON CONFLICT (organization_id, person_id, partner_id) WHERE partner_id IS NOT NULL DO UPDATE
		SET role = excluded.role,
		    revoked_at = NULL`,
		person, c.PartnerID, uuids(ids), roles, now)
	if err != nil {
		return err
	}
	if err := d.endGrantsOf(ctx, tx, now, person, c.PartnerID, revoked); err != nil {
		return err
	}
	return d.recordConnection(ctx, tx, now, c, person, granted, revoked)
}

// recordConnection records that a person was connected, and apart in which businesses that changed what they may.
func (d *DB) recordConnection(ctx context.Context, tx *sqlx.Tx, now time.Time, c Connection, person uuid.UUID,
	granted, revoked []uuid.UUID) error {
	entry := func(action string, organization uuid.UUID, changed quantities) error {
		return d.record(ctx, tx, now, act{action: action, organization: organization, objectType: "person",
			objectID: person.String(), partner: c.PartnerID, person: person, counts: changed})
	}
	err := entry(ActConnect, uuid.Nil, quantities{"businesses": int64(len(c.Businesses)),
		"granted": int64(len(granted)), "revoked": int64(len(revoked))})
	for _, id := range granted {
		if err == nil {
			err = entry(ActConnect, id, quantities{"memberships": 1})
		}
	}
	for _, id := range revoked {
		if err == nil {
			err = entry(ActRevoke, id, quantities{"memberships": 1})
		}
	}
	return err
}
