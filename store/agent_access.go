package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// usedAtOnce is how exact a grant's used_at is: requests write it no more often.
const usedAtOnce = time.Hour

// AgentToken finds the access token of a grant that is in force. ErrInvalidCredential.
func (d *DB) AgentToken(ctx context.Context, now time.Time, token string) (OAuthToken, error) {
	statement, err := d.prepared(ctx, `
		SELECT t.grant_id, t.expires_at, g.person_id, g.scopes, g.used_at
		FROM agent_tokens t
		JOIN agent_grants g ON g.id = t.grant_id
		JOIN partners p ON p.id = g.partner_id
		WHERE t.hash = $1
		  AND t.expires_at > $2
		  AND t.revoked_at IS NULL
		  AND g.expires_at > $2
		  AND g.revoked_at IS NULL
		  AND p.disabled_at IS NULL`)
	if err != nil {
		return OAuthToken{}, translate(ctx, err)
	}
	var row struct {
		GrantID   uuid.UUID      `db:"grant_id"`
		PersonID  uuid.UUID      `db:"person_id"`
		Scopes    pq.StringArray `db:"scopes"`
		ExpiresAt time.Time      `db:"expires_at"`
		UsedAt    time.Time      `db:"used_at"`
	}
	err = statement.GetContext(ctx, &row, tokenHash(token), now)
	if err := translate(ctx, err); errors.Is(err, ErrNotFound) {
		return OAuthToken{}, ErrInvalidCredential
	} else if err != nil {
		return OAuthToken{}, err
	}
	if now.Sub(row.UsedAt) > usedAtOnce {
		_, err = d.db.ExecContext(ctx, `
			UPDATE agent_grants
			SET used_at = greatest(used_at, $2)
			WHERE id = $1`,
			row.GrantID, now)
	}
	return OAuthToken{ID: TokenID(token), PersonID: row.PersonID, Scopes: row.Scopes, ExpiresAt: row.ExpiresAt,
		GrantID: row.GrantID}, translate(ctx, err)
}

// GrantShown finds the grant of a code or a refresh token, whether that is in force or not. ErrNotFound.
func (d *DB) GrantShown(ctx context.Context, token string) (grant uuid.UUID, err error) {
	statement, err := d.prepared(ctx, `
		SELECT id
		FROM agent_grants
		WHERE code_hash = $1
		UNION ALL
		SELECT grant_id
		FROM agent_refresh_tokens
		WHERE hash = $1`)
	if err != nil {
		return grant, translate(ctx, err)
	}
	err = statement.GetContext(ctx, &grant, tokenHash(token))
	return grant, translate(ctx, err)
}

// GrantAccess finds what a grant allows in organization: it must be one of its businesses, and its person a current
// member of it on the word of its partner alone. ErrNoAccess.
func (d *DB) GrantAccess(ctx context.Context, grant, organization uuid.UUID) (Access, error) {
	statement, err := d.prepared(ctx, `
		SELECT p.id, p.email, p.name, p.demo, least(g.role, m.role) AS role, o.partner_id
		FROM agent_grants g
		JOIN agent_grant_organizations go ON go.grant_id = g.id AND go.organization_id = $2
		JOIN organizations o ON o.id = go.organization_id
		JOIN persons p ON p.id = g.person_id
		JOIN memberships m ON m.organization_id = o.id AND m.person_id = g.person_id AND m.partner_id = g.partner_id
		WHERE g.id = $1
		  AND m.revoked_at IS NULL`) // member comes before owner
	if err != nil {
		return Access{}, translate(ctx, err)
	}
	var a Access
	err = statement.GetContext(ctx, &a, grant, organization)
	return a, noAccess(translate(ctx, err))
}

// ReachableByGrant is Reachable of what a grant is about, as GrantAccess finds it.
func (d *DB) ReachableByGrant(ctx context.Context, grant uuid.UUID, most int) (list []Reachable, count int64,
	err error) {
	err = d.db.SelectContext(ctx, &list, `
		SELECT o.id, o.name, least(g.role, m.role) AS role, count(*) OVER () AS count
		FROM agent_grants g
		JOIN agent_grant_organizations go ON go.grant_id = g.id
		JOIN organizations o ON o.id = go.organization_id
		JOIN memberships m ON m.organization_id = o.id AND m.person_id = g.person_id AND m.partner_id = g.partner_id
		WHERE g.id = $1
		  AND m.revoked_at IS NULL
		ORDER BY o.name, o.id
		LIMIT $2`,
		grant, most)
	if len(list) > 0 {
		count = list[0].Count
	}
	return list, count, translate(ctx, err)
}

// Exchange is what a partner's backend takes for one of its persons: an access token for one business.
type Exchange struct {
	PartnerID, Subject string
	BusinessID         string // that the partner signed
	Role               string // likewise: the highest the token acts with
	Resource           string
	Scopes             []string
}

// ExchangeToken gives a partner's backend an access token of a person it connected. ErrNoAccess where the person is not
// known, or in no such business on the partner's word.
func (d *DB) ExchangeToken(ctx context.Context, now time.Time, e Exchange, access string) (Renewed, error) {
	got := Renewed{Access: access, Scopes: e.Scopes, ExpiresAt: now.Add(ExchangeLifetime)}
	return got, d.inTx(ctx, func(tx *sqlx.Tx) error {
		var of struct {
			Person       uuid.UUID `db:"person_id"`
			Organization uuid.UUID `db:"organization_id"`
		}
		err := tx.GetContext(ctx, &of, `
			SELECT i.person_id, o.id AS organization_id
			FROM identities i
			JOIN organizations o ON o.partner_id = i.partner_id
			WHERE i.partner_id = $1
			  AND i.subject = $2
			  AND o.business_id = $3`,
			e.PartnerID, e.Subject, e.BusinessID)
		if err != nil {
			return noAccess(translate(ctx, err))
		}
		grant := newID()
		_, err = tx.ExecContext(ctx, `
			INSERT INTO agent_grants (id, kind, person_id, partner_id, resource, scopes, role, created_at, used_at,
			  expires_at)
			VALUES ($1, 'exchange', $2, $3, $4, $5, $6, $7, $7, $8)`,
			grant, of.Person, e.PartnerID, e.Resource, pq.Array(e.Scopes), e.Role, now, got.ExpiresAt)
		if err != nil {
			return err
		}
		err = d.grantOrganizations(ctx, tx, now, grant, ActExchange, []uuid.UUID{of.Organization})
		if err != nil {
			return err
		}
		return saveAgentToken(ctx, tx, now, grant, access, got.ExpiresAt)
	})
}
