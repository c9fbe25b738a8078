package store

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// The stages of a sign-in. Each is reached once, from the one before it.
const (
	StageBegun    = "begun"    // the browser was sent to the partner
	StageAccepted = "accepted" // the partner said who it is
	StageRefused  = "refused"  // or that nobody signs in
	StageReturned = "returned" // the browser that began it came back from the partner
	StageAnswered = "answered" // the person decided
)

// AgentRequest is a sign-in under way: what the program asked for, and who it is that decides. Without a program it is
// that of a person who wants to see what they let in.
type AgentRequest struct {
	Stage       string    `db:"stage"`
	PartnerID   *string   `db:"partner_id"` // nil until the person chose one
	PersonID    uuid.UUID `db:"person_id"`  // zero until the partner said
	ClientID    string    `db:"client_id"`  // empty without a program, as is what follows of it
	ClientName  string    `db:"client_name"`
	Registered  bool      `db:"registered"` // the name is the program's own word
	RedirectURI string    `db:"redirect_uri"`
	State       string    `db:"state"`
	Challenge   string    `db:"challenge"` // of PKCE, S256
	Resource    string    `db:"resource"`
	ExpiresAt   time.Time `db:"expires_at"`
	Scopes      []string  `db:"-"`

	browser []byte
}

// OfBrowser reports whether a browser with this secret began the request.
func (r AgentRequest) OfBrowser(secret string) bool {
	return subtle.ConstantTimeCompare(r.browser, tokenHash(secret)) == 1
}

// OfProgram reports whether a program asks. Otherwise there is nothing to agree to.
func (r AgentRequest) OfProgram() bool { return r.ClientID != "" }

// BeginAgentRequest keeps a sign-in that begins. Neither its id nor the secret of its browser is stored.
func (d *DB) BeginAgentRequest(ctx context.Context, now time.Time, id, browser string, r AgentRequest) error {
	_, err := d.db.ExecContext(ctx, `
		INSERT INTO agent_requests (hash, browser_hash, stage, partner_id, client_id, client_name, registered,
		  redirect_uri, state, challenge, scopes, resource, created_at, expires_at)
		VALUES ($1, $2, 'begun', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		tokenHash(id), tokenHash(browser), r.PartnerID, r.ClientID, r.ClientName, r.Registered, r.RedirectURI, r.State,
		r.Challenge, pq.Array(r.Scopes), r.Resource, now, r.ExpiresAt)
	return translate(ctx, err)
}

// AgentRequest finds a sign-in whose time is not over. ErrNotFound.
func (d *DB) AgentRequest(ctx context.Context, now time.Time, id string) (AgentRequest, error) {
	return agentRequest(ctx, d.db, now, tokenHash(id))
}

func agentRequest(ctx context.Context, q sqlx.QueryerContext, now time.Time, hash []byte) (AgentRequest, error) {
	var row struct {
		AgentRequest
		Browser []byte         `db:"browser_hash"`
		Scopes  pq.StringArray `db:"scopes"`
	}
	err := sqlx.GetContext(ctx, q, &row, `
		SELECT browser_hash, stage, partner_id,
		       coalesce(person_id, '00000000-0000-0000-0000-000000000000') AS person_id, client_id, client_name,
		       registered, redirect_uri, state, challenge, scopes, resource, expires_at
		FROM agent_requests
		WHERE hash = $1
		  AND expires_at > $2`,
		hash, now)
	row.AgentRequest.Scopes, row.AgentRequest.browser = row.Scopes, row.Browser
	return row.AgentRequest, translate(ctx, err)
}

// ChoosePartner sends a sign-in to a partner. ErrNotFound where it is past that, or the partner signs nobody in.
func (d *DB) ChoosePartner(ctx context.Context, now time.Time, id, partnerID string) (address string, err error) {
	err = d.db.GetContext(ctx, &address, `
		UPDATE agent_requests r
		SET partner_id = p.id
		FROM partners p
		WHERE r.hash = $1
		  AND r.expires_at > $2
		  AND r.stage = 'begun'
		  AND p.id = $3
		  AND p.disabled_at IS NULL
		  AND p.sign_in_url IS NOT NULL
		RETURNING p.sign_in_url`,
		tokenHash(id), now, partnerID)
	return address, translate(ctx, err)
}

// AcceptAgentRequest says, on the word of the partner that a sign-in was sent to, who it is, and makes their businesses
// agree with the partner's list, as Connect does. The browser that was at the partner is given secret to bring back. A
// list without businesses is applied, and signs nobody in: ErrNoAccess. ErrNotFound where the sign-in is not with this
// partner or past that.
func (d *DB) AcceptAgentRequest(ctx context.Context, now time.Time, id, secret string,
	c Connection) (Connected, error) {
	var connected Connected
	accept := func(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) error {
		if err := lockBegun(ctx, tx, now, id, c.PartnerID); err != nil {
			return err
		}
		var err error
		if connected, err = d.connect(ctx, tx, now, c, ids); err != nil || len(c.Businesses) == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE agent_requests
			SET stage = 'accepted',
			    person_id = $2,
			    return_hash = $3
			WHERE hash = $1`,
			tokenHash(id), connected.PersonID, tokenHash(secret))
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActSignIn, objectType: "person",
			objectID: connected.PersonID.String(), partner: c.PartnerID, person: connected.PersonID,
			counts: quantities{"businesses": int64(len(c.Businesses))}})
	}
	err := d.atBusinesses(ctx, c, func(ctx context.Context, ids []uuid.UUID) error {
		return d.inTx(ctx, func(tx *sqlx.Tx) error { return accept(ctx, tx, ids) })
	})
	if err == nil && len(c.Businesses) == 0 {
		err = ErrNoAccess
	}
	return connected, err
}

// RefuseAgentRequest says, on the word of the partner that a sign-in was sent to, that nobody signs in. The browser is
// given secret to bring back. ErrNotFound as for AcceptAgentRequest.
func (d *DB) RefuseAgentRequest(ctx context.Context, now time.Time, id, secret, partnerID string) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockBegun(ctx, tx, now, id, partnerID); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE agent_requests
			SET stage = 'refused',
			    return_hash = $2
			WHERE hash = $1`,
			tokenHash(id), tokenHash(secret))
		return err
	})
}

// lockBegun holds a sign-in that waits for a partner's word, so that one word alone counts.
func lockBegun(ctx context.Context, tx *sqlx.Tx, now time.Time, id, partnerID string) error {
	var found bool
	return tx.GetContext(ctx, &found, `
		SELECT true
		FROM agent_requests
		WHERE hash = $1
		  AND expires_at > $2
		  AND stage = 'begun'
		  AND partner_id = $3
		FOR UPDATE`,
		tokenHash(id), now, partnerID)
}

// ReturnAgentRequest takes what the browser brings back from the partner, once: its own secret, and the one that the
// partner was given for it. A right secret in a browser that did not begin the sign-in ends it, since somebody was sent
// here by another: ErrInvalidCredential. ErrNotFound for any other that does not fit.
func (d *DB) ReturnAgentRequest(ctx context.Context, now time.Time, id, browser, secret string) (AgentRequest, error) {
	var returned AgentRequest
	foreign := false
	err := d.inTx(ctx, func(tx *sqlx.Tx) error {
		hash := tokenHash(id)
		var waits struct {
			Return []byte `db:"return_hash"`
		}
		err := tx.GetContext(ctx, &waits, `
			SELECT return_hash
			FROM agent_requests
			WHERE hash = $1
			  AND expires_at > $2
			  AND stage IN ('accepted', 'refused')
			  AND return_hash IS NOT NULL
			FOR UPDATE`,
			hash, now)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare(waits.Return, tokenHash(secret)) != 1 {
			return ErrNotFound
		}
		if returned, err = agentRequest(ctx, tx, now, hash); err != nil {
			return err
		}
		if foreign = !returned.OfBrowser(browser); foreign {
			_, err := tx.ExecContext(ctx, `DELETE FROM agent_requests WHERE hash = $1`, hash)
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE agent_requests
			SET stage = CASE stage WHEN 'accepted' THEN 'returned' ELSE 'answered' END,
			    return_hash = NULL
			WHERE hash = $1`,
			hash)
		return err
	})
	if err == nil && foreign {
		err = ErrInvalidCredential
	}
	return returned, err
}

// AnswerAgentRequest ends a sign-in whose person refused, or leaves. ErrNotFound where it is not with the person any
// more.
func (d *DB) AnswerAgentRequest(ctx context.Context, now time.Time, id string) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error { return answerRequest(ctx, tx, now, tokenHash(id)) })
}

func answerRequest(ctx context.Context, tx *sqlx.Tx, now time.Time, hash []byte) error {
	var answered bool
	return tx.GetContext(ctx, &answered, `
		UPDATE agent_requests
		SET stage = 'answered'
		WHERE hash = $1
		  AND expires_at > $2
		  AND stage = 'returned'
		RETURNING true`,
		hash, now)
}

// SignInPartner is a partner that signs people in.
type SignInPartner struct {
	ID      string `db:"id"`
	Name    string `db:"name"`
	Address string `db:"sign_in_url"`
}

// SignInPartners lists the partners that sign people in, by name.
func (d *DB) SignInPartners(ctx context.Context) ([]SignInPartner, error) {
	var partners []SignInPartner
	err := d.db.SelectContext(ctx, &partners, `
		SELECT id, name, sign_in_url
		FROM partners
		WHERE sign_in_url IS NOT NULL
		  AND disabled_at IS NULL
		ORDER BY name, id`)
	return partners, translate(ctx, err)
}

// VouchedFor lists the businesses that a person is in on the word of one partner, by name and then id.
func (d *DB) VouchedFor(ctx context.Context, person uuid.UUID, partnerID string) ([]Reachable, error) {
	var list []Reachable
	err := d.db.SelectContext(ctx, &list, `
		SELECT o.id, o.name, m.role, count(*) OVER () AS count
		FROM memberships m
		JOIN organizations o ON o.id = m.organization_id
		WHERE m.person_id = $1
		  AND m.partner_id = $2
		  AND m.revoked_at IS NULL
		ORDER BY o.name, o.id`,
		person, partnerID)
	return list, translate(ctx, err)
}

// challengeFits reports whether a verifier is the one behind a challenge (RFC 7636, S256).
func challengeFits(challenge, verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(challenge), []byte(encodeSecret(sum[:]))) == 1
}

// encodeSecret writes random bytes as text for addresses and headers.
func encodeSecret(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
