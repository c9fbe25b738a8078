package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// How long what a person agreed to lasts.
const (
	CodeLifetime     = time.Minute         // of a code, which a program redeems once
	AgentLifetime    = 8 * time.Hour       // of an access token
	IdleLifetime     = 30 * 24 * time.Hour // of a grant that no program renews
	GrantLifetime    = 180 * 24 * time.Hour
	ExchangeLifetime = 15 * time.Minute // of what a partner's backend takes for a person
	// RefreshGrace is how long the refresh token before the newest is answered like it: processes that share one
	// renew it at the same time.
	RefreshGrace = 30 * time.Minute
)

// Consent is what a person decided.
type Consent struct {
	Organizations []uuid.UUID // some of those the partner vouched for
	Scopes        []string    // some of those that were asked for
}

// GrantAgentRequest ends a sign-in whose person agreed. The program gets code, to redeem it. ErrNotFound where the
// sign-in is not with the person any more; ErrNoAccess where a business is not theirs on the partner's word, or no
// program asks.
func (d *DB) GrantAgentRequest(ctx context.Context, now time.Time, id, code string, c Consent) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		hash := tokenHash(id)
		if err := answerRequest(ctx, tx, now, hash); err != nil {
			return err
		}
		grant := newID()
		_, err := tx.ExecContext(ctx, `
			INSERT INTO agent_grants (id, kind, person_id, partner_id, client_id, client_name, redirect_uri, resource,
			  scopes, role, created_at, used_at, expires_at, code_hash, challenge)
			SELECT $2, 'consent', person_id, partner_id, client_id, client_name, redirect_uri, resource,
			       $3, 'owner', $4, $4, $5, $6, challenge
			FROM agent_requests
			WHERE hash = $1
			  AND client_id <> ''`,
			hash, grant, pq.Array(c.Scopes), now, now.Add(CodeLifetime), tokenHash(code))
		if err != nil {
			return err
		}
		return d.grantOrganizations(ctx, tx, now, grant, ActGrant, c.Organizations)
	})
}

// grantOrganizations gives a grant its businesses: those that its person is in on the word of its partner. The
// memberships are held, so that one which is revoked meanwhile is seen by whoever revokes it.
func (d *DB) grantOrganizations(ctx context.Context, tx *sqlx.Tx, now time.Time, grant uuid.UUID, action string,
	organizations []uuid.UUID) error {
	var held []struct {
		OrganizationID uuid.UUID `db:"organization_id"`
		PersonID       uuid.UUID `db:"person_id"`
		PartnerID      string    `db:"partner_id"`
	}
	err := tx.SelectContext(ctx, &held, `
		SELECT m.organization_id, m.person_id, m.partner_id
		FROM agent_grants g
		JOIN memberships m ON m.person_id = g.person_id AND m.partner_id = g.partner_id
		WHERE g.id = $1
		  AND m.organization_id = ANY ($2::uuid[])
		  AND m.revoked_at IS NULL
		ORDER BY m.organization_id
		FOR SHARE OF m`,
		grant, uuids(organizations))
	if err != nil {
		return err
	}
	if len(held) == 0 || len(held) != len(organizations) {
		return ErrNoAccess
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO agent_grant_organizations (organization_id, grant_id)
		SELECT organization_id, $1
		FROM unnest($2::uuid[]) AS u (organization_id)`,
		grant, uuids(organizations))
	for _, m := range held {
		if err != nil {
			return err
		}
		err = d.record(ctx, tx, now, act{action: action, organization: m.OrganizationID, objectType: "grant",
			objectID: grant.String(), partner: m.PartnerID, person: m.PersonID, counts: quantities{"organizations": 1}})
	}
	return err
}

// CodeWaits reports whether a code was not redeemed yet and can be.
func (d *DB) CodeWaits(ctx context.Context, now time.Time, code string) (waits bool, err error) {
	err = d.db.GetContext(ctx, &waits, `
		SELECT EXISTS (
		  SELECT
		  FROM agent_grants
		  WHERE code_hash = $1
		    AND redeemed_at IS NULL
		    AND revoked_at IS NULL
		    AND expires_at > $2)`,
		tokenHash(code), now)
	return waits, translate(ctx, err)
}

// Redemption is a code and what a program says beside it.
type Redemption struct {
	Code, ClientID, RedirectURI, Verifier string
}

// Renewed is what a program has in the end.
type Renewed struct {
	Access    string
	Refresh   string // empty where there is none
	Scopes    []string
	ExpiresAt time.Time // of Access
}

// Tokens makes the secrets of a grant: each of a length that nobody guesses.
type Tokens struct {
	Access  string
	Refresh string // the first; those that follow are made of the one before
}

// RedeemCode gives a program the first tokens of a grant, once. ErrInvalidCredential for a code that is unknown or past
// its time, or whose client, address or challenge differ: the code stays. One that was redeemed before ends
// its grant: somebody else has it too.
func (d *DB) RedeemCode(ctx context.Context, now time.Time, r Redemption, tokens Tokens) (Renewed, error) {
	var got Renewed
	err := d.onGrant(ctx, now, `g.code_hash = $1`, tokenHash(r.Code), func(tx *sqlx.Tx, g lockedGrant) error {
		switch {
		case g.RedeemedAt != nil:
			return errReused
		case g.ClientID != r.ClientID || g.RedirectURI != r.RedirectURI,
			!challengeFits(g.Challenge, r.Verifier):
			return ErrInvalidCredential
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE agent_grants
			SET redeemed_at = $2
			WHERE id = $1`,
			g.ID, now)
		if err != nil {
			return err
		}
		if err := d.replaceGrants(ctx, tx, now, g); err != nil {
			return err
		}
		got, err = g.renew(ctx, tx, now, tokens)
		return err
	})
	return got, err
}

// replaceGrants ends what the same registered program had of the person before, and notes that somebody uses it.
// Programs with a metadata document share their id among all who use them.
func (d *DB) replaceGrants(ctx context.Context, tx *sqlx.Tx, now time.Time, g lockedGrant) error {
	result, err := tx.ExecContext(ctx, `
		UPDATE agent_clients
		SET used_at = $2
		WHERE id = $1`,
		g.ClientID, now)
	if err != nil {
		return err
	}
	if registered, err := result.RowsAffected(); err != nil || registered == 0 {
		return err
	}
	return d.endGrants(ctx, tx, now, `
		person_id = $2
		AND partner_id = $3
		AND client_id = $4
		AND id <> $5`, g.PersonID, g.PartnerID, g.ClientID, g.ID)
}

// errReused: a code or refresh token came back that was used before. The grant ends, and that is kept.
var errReused = errors.New("store: used before")

// onGrant does something to the grant that a condition on its one parameter finds, and holds it meanwhile.
// ErrInvalidCredential where there is none that is in force.
func (d *DB) onGrant(ctx context.Context, now time.Time, condition string, parameter any,
	do func(tx *sqlx.Tx, g lockedGrant) error) error {
	reused := false
	err := d.inTx(ctx, func(tx *sqlx.Tx) error {
		var g lockedGrant
		err := tx.GetContext(ctx, &g, `
			SELECT g.id, g.person_id, g.partner_id, g.client_id, g.redirect_uri, g.resource, g.challenge, g.created_at,
			       g.redeemed_at, g.generation, g.scopes
			FROM agent_grants g
			JOIN partners p ON p.id = g.partner_id
			WHERE `+condition+`
			  AND g.kind = 'consent'
			  AND g.revoked_at IS NULL
			  AND g.expires_at > $2
			  AND p.disabled_at IS NULL
			FOR UPDATE OF g`,
			parameter, now)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrInvalidCredential
		}
		if err != nil {
			return err
		}
		err = do(tx, g)
		if reused = errors.Is(err, errReused); !reused {
			return err
		}
		return d.endOneGrant(ctx, tx, now, g, ActReuse)
	})
	if err == nil && reused {
		err = ErrInvalidCredential
	}
	return err
}

// renew gives out an access token, and the refresh token that is next. The grant lasts on from now, to its end at most.
func (g lockedGrant) renew(ctx context.Context, tx *sqlx.Tx, now time.Time, tokens Tokens) (Renewed, error) {
	end := earliest(g.CreatedAt.Add(GrantLifetime), now.Add(IdleLifetime))
	_, err := tx.ExecContext(ctx, `
		UPDATE agent_grants
		SET generation = $2,
		    used_at = $3,
		    expires_at = $4
		WHERE id = $1`,
		g.ID, g.Generation+1, now, end)
	if err != nil {
		return Renewed{}, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO agent_refresh_tokens (hash, grant_id, generation)
		VALUES ($1, $2, $3)`,
		tokenHash(tokens.Refresh), g.ID, g.Generation)
	if err != nil {
		return Renewed{}, err
	}
	got := Renewed{Access: tokens.Access, Refresh: tokens.Refresh, Scopes: g.Scopes,
		ExpiresAt: earliest(end, now.Add(AgentLifetime))}
	return got, saveAgentToken(ctx, tx, now, g.ID, tokens.Access, got.ExpiresAt)
}

func saveAgentToken(ctx context.Context, tx *sqlx.Tx, now time.Time, grant uuid.UUID, token string,
	end time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO agent_tokens (hash, grant_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4)`,
		tokenHash(token), grant, now, end)
	return err
}

// RefreshGrant gives a program new tokens for a refresh token. next makes the refresh token that follows, in each of
// the ways in which it can have been made, the present one first: always the same ones of the same token.
//
// The token before the newest is answered with the newest again for RefreshGrace after that one was made. Whatever else
// comes back ends the grant. ErrInvalidCredential, also where the token is another program's.
func (d *DB) RefreshGrant(ctx context.Context, now time.Time, token, clientID, access string,
	next []string) (Renewed, error) {
	var got Renewed
	hash := tokenHash(token)
	condition := `g.id = (SELECT grant_id FROM agent_refresh_tokens WHERE hash = $1)`
	err := d.onGrant(ctx, now, condition, hash, func(tx *sqlx.Tx, g lockedGrant) error {
		if g.ClientID != clientID {
			return ErrInvalidCredential
		}
		var shown struct {
			Generation int        `db:"generation"`
			ReplacedAt *time.Time `db:"replaced_at"`
		}
		err := tx.GetContext(ctx, &shown, `
			SELECT generation, replaced_at
			FROM agent_refresh_tokens
			WHERE hash = $1`,
			hash)
		if err != nil {
			return err
		}
		if shown.ReplacedAt != nil {
			if shown.Generation != g.Generation-2 || now.After(shown.ReplacedAt.Add(RefreshGrace)) {
				return errReused
			}
			got, err = g.repeat(ctx, tx, now, access, next)
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE agent_refresh_tokens
			SET replaced_at = $2
			WHERE hash = $1`,
			hash, now)
		if err != nil {
			return err
		}
		got, err = g.renew(ctx, tx, now, Tokens{Access: access, Refresh: next[0]})
		return err
	})
	return got, err
}

// repeat gives out another access token, and the newest refresh token once more.
func (g lockedGrant) repeat(ctx context.Context, tx *sqlx.Tx, now time.Time, access string,
	next []string) (Renewed, error) {
	var newest []byte
	err := tx.GetContext(ctx, &newest, `
		SELECT hash
		FROM agent_refresh_tokens
		WHERE grant_id = $1
		  AND generation = $2`,
		g.ID, g.Generation-1)
	if err != nil {
		return Renewed{}, err
	}
	for _, refresh := range next {
		if subtle.ConstantTimeCompare(newest, tokenHash(refresh)) != 1 {
			continue
		}
		got := Renewed{Access: access, Refresh: refresh, Scopes: g.Scopes,
			ExpiresAt: earliest(g.CreatedAt.Add(GrantLifetime), now.Add(AgentLifetime))}
		return got, saveAgentToken(ctx, tx, now, g.ID, access, got.ExpiresAt)
	}
	return Renewed{}, ErrInvalidCredential // the key it was made by is gone
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
