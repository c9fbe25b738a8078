package store

import (
	"context"

	"github.com/google/uuid"
)

// The roles of a membership.
const (
	RoleOwner  = "owner"
	RoleMember = "member"
)

// Access is what a person may do in one business.
type Access struct {
	Person
	Role    string  `db:"role"`
	Partner *string `db:"partner_id"` // whose business it is; nil for a native one
}

// PartnerAccess finds the access of a partner's person to organization through that partner's own membership alone.
// businessID is the one the token signed; it must be that organization's. ErrNoAccess.
func (d *DB) PartnerAccess(ctx context.Context, partnerID, subject, businessID string,
	organization uuid.UUID) (Access, error) {
	statement, err := d.prepared(ctx, `
		SELECT p.id, p.email, p.name, p.demo, m.role, o.partner_id
		FROM identities i
		JOIN persons p ON p.id = i.person_id
		JOIN organizations o ON o.id = $4
		JOIN memberships m ON m.organization_id = o.id AND m.person_id = p.id AND m.partner_id = i.partner_id
		WHERE i.partner_id = $1
		  AND i.subject = $2
		  AND o.partner_id = $1
		  AND o.business_id = $3
		  AND m.revoked_at IS NULL`)
	if err != nil {
		return Access{}, translate(ctx, err)
	}
	var a Access
	err = statement.GetContext(ctx, &a, partnerID, subject, businessID, organization)
	return a, noAccess(translate(ctx, err))
}

// PersonAccess finds a person's access to organization: the highest of their current roles in it. The membership of a
// partner that is disabled is none. ErrNoAccess.
func (d *DB) PersonAccess(ctx context.Context, person, organization uuid.UUID) (Access, error) {
	statement, err := d.prepared(ctx, `
		SELECT p.id, p.email, p.name, p.demo, m.role, o.partner_id
		FROM persons p
		JOIN memberships m ON m.person_id = p.id
		JOIN organizations o ON o.id = m.organization_id
		LEFT JOIN partners vouching ON vouching.id = m.partner_id
		WHERE p.id = $1
		  AND m.organization_id = $2
		  AND m.revoked_at IS NULL
		  AND vouching.disabled_at IS NULL
		ORDER BY m.role = 'owner' DESC
		LIMIT 1`)
	if err != nil {
		return Access{}, translate(ctx, err)
	}
	var a Access
	err = statement.GetContext(ctx, &a, person, organization)
	return a, noAccess(translate(ctx, err))
}

// Reachable is an organization a person has access to.
type Reachable struct {
	ID   uuid.UUID `db:"id"`
	Name string    `db:"name"`
	Role string    `db:"role"` // the highest current one

	Count int64 `db:"count"` // of all
}

// Reachable lists the organizations a person has access to, by name and then id, as PersonAccess finds it: at most so
// many, and how many there are.
func (d *DB) Reachable(ctx context.Context, person uuid.UUID, most int) (list []Reachable, count int64, err error) {
	err = d.db.SelectContext(ctx, &list, `
		SELECT o.id, o.name, CASE WHEN bool_or(m.role = 'owner') THEN 'owner' ELSE 'member' END AS role,
		       count(*) OVER () AS count
		FROM memberships m
		JOIN organizations o ON o.id = m.organization_id
		LEFT JOIN partners vouching ON vouching.id = m.partner_id
		WHERE m.person_id = $1
		  AND m.revoked_at IS NULL
		  AND vouching.disabled_at IS NULL
		GROUP BY o.id, o.name
		ORDER BY o.name, o.id
		LIMIT $2`,
		person, most)
	if len(list) > 0 {
		count = list[0].Count
	}
	return list, count, translate(ctx, err)
}

func noAccess(err error) error {
	if err == ErrNotFound {
		return ErrNoAccess
	}
	return err
}
