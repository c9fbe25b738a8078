package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Grant is what a person lets a program do, on the word of one partner.
type Grant struct {
	ID            uuid.UUID   `db:"id"`
	Kind          string      `db:"kind"` // consent or exchange
	PersonID      uuid.UUID   `db:"person_id"`
	PartnerID     string      `db:"partner_id"`
	ClientID      *string     `db:"client_id"` // nil for an exchange, as are the two below
	ClientName    *string     `db:"client_name"`
	RedirectURI   *string     `db:"redirect_uri"`
	CreatedAt     time.Time   `db:"created_at"`
	UsedAt        time.Time   `db:"used_at"` // to within an hour
	ExpiresAt     time.Time   `db:"expires_at"`
	RevokedAt     *time.Time  `db:"revoked_at"`
	Scopes        []string    `db:"-"`
	Organizations []uuid.UUID `db:"-"` // in their order
}

// GrantFilter narrows which grants are meant; what is zero does not.
type GrantFilter struct {
	ID        uuid.UUID
	PartnerID string
	Subject   string // of the partner, whose id must be given too
	PersonID  uuid.UUID
	ClientID  string
	Kind      string // consent or exchange
}

// lockedGrant is a grant whose code or refresh token is shown.
type lockedGrant struct {
	ID          uuid.UUID  `db:"id"`
	PersonID    uuid.UUID  `db:"person_id"`
	PartnerID   string     `db:"partner_id"`
	ClientID    string     `db:"client_id"`
	RedirectURI string     `db:"redirect_uri"`
	Resource    string     `db:"resource"`
	Challenge   string     `db:"challenge"`
	CreatedAt   time.Time  `db:"created_at"`
	RedeemedAt  *time.Time `db:"redeemed_at"`
	Generation  int        `db:"generation"`
	Scopes      pq.StringArray
}

// fits is the condition of a filter on agent_grants, by six parameters that begin with $2.
const fits = `
	($2 = '00000000-0000-0000-0000-000000000000'::uuid OR id = $2)
	AND ($3 = '' OR partner_id = $3)
	AND ($4 = '' OR person_id = (SELECT i.person_id FROM identities i WHERE i.partner_id = $3 AND i.subject = $4))
	AND ($5 = '00000000-0000-0000-0000-000000000000'::uuid OR person_id = $5)
	AND ($6 = '' OR client_id = $6)
	AND ($7 = '' OR kind = $7)`

func (f GrantFilter) parameters() []any {
	return []any{f.ID, f.PartnerID, f.Subject, f.PersonID, f.ClientID, f.Kind}
}

// Grants lists those that are in force at a time, the newest first. One whose code was not redeemed is none yet.
// ErrCursor.
func (d *DB) Grants(ctx context.Context, now time.Time, f GrantFilter, p Page) (List[Grant], error) {
	after, err := p.after(f)
	if err != nil {
		return List[Grant]{}, err
	}
	var last *uuid.UUID
	if after != nil {
		last = &after.id
	}
	var rows []struct {
		Grant
		Scopes        pq.StringArray `db:"scopes"`
		Organizations pq.StringArray `db:"organizations"`
	}
	err = d.db.SelectContext(ctx, &rows, `
		SELECT id, kind, person_id, partner_id, client_id, client_name, redirect_uri, created_at, used_at, expires_at,
		       revoked_at, scopes, ARRAY (
		         SELECT organization_id::text
		         FROM agent_grant_organizations
		         WHERE grant_id = agent_grants.id
		         ORDER BY organization_id) AS organizations
		FROM agent_grants
		WHERE `+fits+`
		  AND revoked_at IS NULL
		  AND expires_at > $1
		  AND (kind = 'exchange' OR redeemed_at IS NOT NULL)
		  AND ($8::uuid IS NULL OR id < $8)
		ORDER BY id DESC
		LIMIT $9`,
		append(append([]any{now}, f.parameters()...), last, p.Limit+1)...)
	grants := make([]Grant, len(rows))
	for i, row := range rows {
		grants[i] = row.Grant
		grants[i].Scopes, grants[i].Organizations = row.Scopes, []uuid.UUID{}
		for _, id := range row.Organizations {
			grants[i].Organizations = append(grants[i].Organizations, uuid.MustParse(id))
		}
	}
	place := func(g Grant) cursor { return cursor{id: g.ID, at: time.Unix(0, 0)} }
	return listOf(grants, p, f, place), translate(ctx, err)
}

// EndGrants ends grants at once, with all their tokens, and returns how many were in force.
func (d *DB) EndGrants(ctx context.Context, now time.Time, f GrantFilter) (ended int, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) (err error) {
		ended, err = d.countEnded(ctx, tx, now, fits, f.parameters()...)
		return err
	})
	return ended, err
}

// endGrants ends the grants in force that a condition finds; its parameters begin with $2.
func (d *DB) endGrants(ctx context.Context, tx *sqlx.Tx, now time.Time, condition string, parameters ...any) error {
	_, err := d.countEnded(ctx, tx, now, condition, parameters...)
	return err
}

func (d *DB) countEnded(ctx context.Context, tx *sqlx.Tx, now time.Time, condition string,
	parameters ...any) (int, error) {
	var ended []lockedGrant
	err := tx.SelectContext(ctx, &ended, `
		UPDATE agent_grants
		SET revoked_at = $1
		WHERE revoked_at IS NULL
		  AND expires_at > $1
		  AND `+condition+`
		RETURNING id, person_id, partner_id`,
		append([]any{now}, parameters...)...)
	for _, g := range ended {
		if err != nil {
			return 0, err
		}
		err = d.record(ctx, tx, now, act{action: ActEndGrant, objectType: "grant", objectID: g.ID.String(),
			partner: g.PartnerID, person: g.PersonID, counts: quantities{"grants": 1}})
	}
	return len(ended), err
}

// endOneGrant ends a grant that is held, and records why.
func (d *DB) endOneGrant(ctx context.Context, tx *sqlx.Tx, now time.Time, g lockedGrant, action string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE agent_grants
		SET revoked_at = $2
		WHERE id = $1`,
		g.ID, now)
	if err != nil {
		return err
	}
	return d.record(ctx, tx, now, act{action: action, objectType: "grant", objectID: g.ID.String(),
		partner: g.PartnerID, person: g.PersonID, counts: quantities{"grants": 1}})
}

// endGrantsOf takes businesses, which a partner took from a person, out of what that person granted on its word. What
// is left without any ends, and does not come back with a later list.
func (d *DB) endGrantsOf(ctx context.Context, tx *sqlx.Tx, now time.Time, person uuid.UUID, partnerID string,
	organizations []uuid.UUID) error {
	if len(organizations) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		DELETE FROM agent_grant_organizations go
		USING agent_grants g
		WHERE g.id = go.grant_id
		  AND g.person_id = $1
		  AND g.partner_id = $2
		  AND go.organization_id = ANY ($3::uuid[])`,
		person, partnerID, uuids(organizations))
	if err != nil {
		return err
	}
	return d.endGrants(ctx, tx, now, `
		person_id = $2
		AND partner_id = $3
		AND NOT EXISTS (
		  SELECT
		  FROM agent_grant_organizations go
		  WHERE go.grant_id = agent_grants.id)`, person, partnerID)
}

// RevokeAgentToken ends, for a program that shows one of them, a grant by its refresh token, or an access token alone
// (RFC 7009). What is unknown or another program's is left as it is, and no error.
func (d *DB) RevokeAgentToken(ctx context.Context, now time.Time, token, clientID string) error {
	hash := tokenHash(token)
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		ended, err := d.countEnded(ctx, tx, now, `
			id = (SELECT grant_id FROM agent_refresh_tokens WHERE hash = $2)
			AND ($3 = '' OR client_id = $3)`, hash, clientID)
		if err != nil || ended > 0 {
			return err
		}
		var g lockedGrant
		err = tx.GetContext(ctx, &g, `
			UPDATE agent_tokens t
			SET revoked_at = $2
			FROM agent_grants g
			WHERE t.hash = $1
			  AND t.revoked_at IS NULL
			  AND g.id = t.grant_id
			  AND ($3 = '' OR g.client_id = $3)
			RETURNING g.id, g.person_id, g.partner_id`,
			hash, now, clientID)
		if errors.Is(translate(ctx, err), ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActRevokeToken, objectType: "token", objectID: TokenID(token),
			partner: g.PartnerID, person: g.PersonID, counts: quantities{"tokens": 1}})
	})
}

// EndGrantOf ends the grant of an access or refresh token, and returns whether it was in force.
func (d *DB) EndGrantOf(ctx context.Context, now time.Time, token string) (ended bool, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		count, err := d.countEnded(ctx, tx, now, `
			id IN (
			  SELECT grant_id
			  FROM agent_tokens
			  WHERE hash = $2
			  UNION ALL
			  SELECT grant_id
			  FROM agent_refresh_tokens
			  WHERE hash = $2)`, tokenHash(token))
		ended = count > 0
		return err
	})
	return ended, err
}
