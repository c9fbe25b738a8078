package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

// What an operator looks up. Lists are in the order of ids and go on after one of them; nothing of the books is in
// them.

// ListedOrganization is a business in a list.
type ListedOrganization struct {
	ID         uuid.UUID `db:"id" json:"organization_id"`
	PartnerID  *string   `db:"partner_id" json:"partner_id"`   // nil for a native one
	BusinessID *string   `db:"business_id" json:"business_id"` // the partner's own
	Name       string    `db:"name" json:"name"`
	Tier       *string   `db:"tier" json:"tier"`
	Members    int64     `db:"members" json:"members"` // of now
	CreatedAt  time.Time `db:"created_at" json:"created_at"`
}

// OrganizationFilter narrows a list; what is empty does not.
type OrganizationFilter struct {
	PartnerID  string
	BusinessID string
	After      uuid.UUID
	Limit      int
}

const listedOrganization = `
	SELECT o.id, o.partner_id, o.business_id, o.name, o.tier, o.created_at, (
	         SELECT count(DISTINCT m.person_id)
	         FROM memberships m
	         WHERE m.organization_id = o.id
	           AND m.revoked_at IS NULL) AS members
	FROM organizations o`

// ListOrganizations lists businesses.
func (d *DB) ListOrganizations(ctx context.Context, f OrganizationFilter) ([]ListedOrganization, error) {
	list := []ListedOrganization{}
	err := d.db.SelectContext(ctx, &list, listedOrganization+`
		WHERE o.id > $1
		  AND ($2 = '' OR o.partner_id = $2)
		  AND ($3 = '' OR o.business_id = $3)
		ORDER BY o.id
		LIMIT $4`,
		f.After, f.PartnerID, f.BusinessID, f.Limit)
	return list, translate(ctx, err)
}

// Member is a person's membership of a business, or one business of a person.
type Member struct {
	OrganizationID uuid.UUID  `db:"organization_id" json:"organization_id"`
	PersonID       uuid.UUID  `db:"person_id" json:"user_id"`
	PartnerID      *string    `db:"partner_id" json:"partner_id"` // whose word it is
	Role           string     `db:"role" json:"role"`
	CreatedAt      time.Time  `db:"created_at" json:"created_at"`
	RevokedAt      *time.Time `db:"revoked_at" json:"revoked_at"`
}

// ShownSource is where a business's accounts come from.
type ShownSource struct {
	ID        uuid.UUID `db:"id" json:"source_id"`
	Kind      string    `db:"kind" json:"kind"`
	PartnerID *string   `db:"partner_id" json:"partner_id"`
	State     string    `db:"state" json:"state"`
	Accounts  int64     `db:"accounts" json:"accounts"`
	Active    int64     `db:"active" json:"active"`
}

// ShownOrganization is a business with what it holds, in numbers.
type ShownOrganization struct {
	ListedOrganization
	People       []Member      `db:"-" json:"people"` // at most mostShown
	Sources      []ShownSource `db:"-" json:"sources"`
	Transactions int64         `db:"transactions" json:"transactions"` // undeleted
	Questions    int64         `db:"questions" json:"questions"`       // open
	LastUploadAt *time.Time    `db:"last_upload_at" json:"last_upload_at"`
}

// mostShown bounds the lists within what is shown of one thing.
const mostShown = 1000

// ShowOrganization finds a business. ErrNotFound.
func (d *DB) ShowOrganization(ctx context.Context, id uuid.UUID) (ShownOrganization, error) {
	shown := ShownOrganization{People: []Member{}, Sources: []ShownSource{}}
	err := d.db.GetContext(ctx, &shown.ListedOrganization, listedOrganization+`
		WHERE o.id = $1`,
		id)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.QueryRowxContext(ctx, `
		SELECT coalesce((
		         SELECT sum(transactions)::bigint
		         FROM (
		           SELECT transactions FROM transaction_counts WHERE organization_id = $1
		           UNION ALL
		           SELECT transactions FROM transaction_counts_added WHERE organization_id = $1) c), 0), (
		         SELECT count(*)
		         FROM outstanding_issues
		         WHERE organization_id = $1
		           AND status = 'open'), (
		         SELECT max(last_upload_at)
		         FROM accounts
		         WHERE organization_id = $1)`,
		id).Scan(&shown.Transactions, &shown.Questions, &shown.LastUploadAt)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &shown.Sources, `
		SELECT s.id, s.kind, s.partner_id, s.state, count(a.id) AS accounts,
		       count(a.id) FILTER (WHERE a.status = 'active') AS active
		FROM sources s
		LEFT JOIN accounts a ON a.organization_id = s.organization_id AND a.source_id = s.id
		WHERE s.organization_id = $1
		GROUP BY s.id, s.kind, s.partner_id, s.state
		ORDER BY s.id`,
		id)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &shown.People, `
		SELECT organization_id, person_id, partner_id, role, created_at, revoked_at
		FROM memberships
		WHERE organization_id = $1
		ORDER BY revoked_at IS NOT NULL, person_id
		LIMIT $2`,
		id, mostShown)
	return shown, translate(ctx, err)
}

// ListedPerson is a person in a list.
type ListedPerson struct {
	ID            uuid.UUID `db:"id" json:"user_id"`
	Email         *string   `db:"email" json:"email"`
	Name          *string   `db:"name" json:"name"`
	Demo          bool      `db:"demo" json:"demo"`
	Organizations int64     `db:"organizations" json:"organizations"` // of now
	CreatedAt     time.Time `db:"created_at" json:"created_at"`
}

// PersonFilter narrows a list; what is empty does not.
type PersonFilter struct {
	PartnerID string
	Subject   string // with the partner
	Email     string // in any case
	After     uuid.UUID
	Limit     int
}

const listedPerson = `
	SELECT p.id, p.email, p.name, p.demo, p.created_at, (
	         SELECT count(DISTINCT m.organization_id)
	         FROM memberships m
	         WHERE m.person_id = p.id
	           AND m.revoked_at IS NULL) AS organizations
	FROM persons p`

// ListPersons lists people.
func (d *DB) ListPersons(ctx context.Context, f PersonFilter) ([]ListedPerson, error) {
	list := []ListedPerson{}
	err := d.db.SelectContext(ctx, &list, listedPerson+`
		WHERE p.id > $1
		  AND ($2 = '' OR lower(p.email) = lower($2))
		  AND ($3 = '' OR EXISTS (
		    SELECT
		    FROM identities i
		    WHERE i.person_id = p.id
		      AND i.partner_id = $3
		      AND ($4 = '' OR i.subject = $4)))
		ORDER BY p.id
		LIMIT $5`,
		f.After, f.Email, f.PartnerID, f.Subject, f.Limit)
	return list, translate(ctx, err)
}

// Identity is who a person is to a partner or an OAuth issuer.
type Identity struct {
	PartnerID string    `db:"partner_id" json:"partner_id,omitempty"`
	Issuer    string    `db:"issuer" json:"issuer,omitempty"`
	Subject   string    `db:"subject" json:"sub"`
	CreatedAt time.Time `db:"created_at" json:"created_at"`
}

// ShownPerson is a person with all that they are here.
type ShownPerson struct {
	ListedPerson
	Identities  []Identity    `json:"identities"`
	Memberships []Member      `json:"memberships"` // at most mostShown
	Tokens      []ListedToken `json:"tokens"`      // at most mostShown, the newest first
}

// ShowPerson finds a person. ErrNotFound.
func (d *DB) ShowPerson(ctx context.Context, id uuid.UUID) (ShownPerson, error) {
	shown := ShownPerson{Identities: []Identity{}, Memberships: []Member{}}
	err := d.db.GetContext(ctx, &shown.ListedPerson, listedPerson+`
		WHERE p.id = $1`,
		id)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &shown.Identities, `
		SELECT partner_id, '' AS issuer, subject, created_at
		FROM identities
		WHERE person_id = $1
		UNION ALL
		SELECT '', issuer, subject, created_at
		FROM oauth_identities
		WHERE person_id = $1
		ORDER BY created_at, subject`,
		id)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &shown.Memberships, `
		SELECT organization_id, person_id, partner_id, role, created_at, revoked_at
		FROM memberships
		WHERE person_id = $1
		ORDER BY revoked_at IS NOT NULL, organization_id
		LIMIT $2`,
		id, mostShown)
	if err != nil {
		return shown, translate(ctx, err)
	}
	shown.Tokens, err = d.ListOAuthTokens(ctx, id, "", mostShown)
	return shown, err
}

// ListedToken is an opaque token by its id, which is of its hash: it opens nothing.
type ListedToken struct {
	ID        string         `db:"id" json:"token_id"`
	PersonID  uuid.UUID      `db:"person_id" json:"user_id"`
	Scopes    pq.StringArray `db:"scopes" json:"scopes"`
	CreatedAt time.Time      `db:"created_at" json:"created_at"`
	ExpiresAt time.Time      `db:"expires_at" json:"expires_at"`
	RevokedAt *time.Time     `db:"revoked_at" json:"revoked_at"`
}

// ListOAuthTokens lists the tokens of a person, or of everybody for the zero id, the newest first: those behind a
// token, or from the first one. ErrNotFound for a token that is not there.
func (d *DB) ListOAuthTokens(ctx context.Context, person uuid.UUID, after string, limit int) ([]ListedToken, error) {
	list := []ListedToken{}
	place := struct {
		CreatedAt time.Time `db:"created_at"`
		Hash      []byte    `db:"hash"`
	}{farAhead, []byte{}}
	if after != "" {
		from, to, ok := hashesOf(after)
		if !ok {
			return nil, ErrNotFound
		}
		err := d.db.GetContext(ctx, &place, `SELECT created_at, hash FROM oauth_tokens WHERE hash BETWEEN $1 AND $2`,
			from, to)
		if err != nil {
			return nil, translate(ctx, err)
		}
	}
	err := d.db.SelectContext(ctx, &list, `
		SELECT encode(substring(hash FOR 12), 'hex') AS id, person_id, scopes, created_at, expires_at, revoked_at
		FROM oauth_tokens
		WHERE ($1 = '00000000-0000-0000-0000-000000000000'::uuid OR person_id = $1)
		  AND (created_at < $2 OR created_at = $2 AND hash > $3)
		ORDER BY created_at DESC, hash
		LIMIT $4`,
		person, place.CreatedAt, place.Hash, limit)
	return list, translate(ctx, err)
}

// farAhead is later than anything that was made.
var farAhead = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// ShowOAuthToken finds a token by its id. ErrNotFound.
func (d *DB) ShowOAuthToken(ctx context.Context, id string) (ListedToken, error) {
	var t ListedToken
	from, to, ok := hashesOf(id)
	if !ok {
		return t, ErrNotFound
	}
	err := d.db.GetContext(ctx, &t, `
		SELECT encode(substring(hash FOR 12), 'hex') AS id, person_id, scopes, created_at, expires_at, revoked_at
		FROM oauth_tokens
		WHERE hash BETWEEN $1 AND $2`,
		from, to)
	return t, translate(ctx, err)
}

// ShownSecret is a secret of a partner; nothing of what it is.
type ShownSecret struct {
	ID        uuid.UUID  `db:"id" json:"secret_id"`
	Purpose   string     `db:"purpose" json:"purpose"`
	CreatedAt time.Time  `db:"created_at" json:"created_at"`
	RetiredAt *time.Time `db:"retired_at" json:"retired_at"`
}

// ShownPartner is a partner with what it has, in numbers.
type ShownPartner struct {
	Partner
	Secrets       []ShownSecret // the newest first
	Organizations int64
	People        int64
}

// ShowPartner finds a partner. ErrNotFound.
func (d *DB) ShowPartner(ctx context.Context, id string) (ShownPartner, error) {
	shown := ShownPartner{Secrets: []ShownSecret{}}
	err := d.db.GetContext(ctx, &shown.Partner, `
		SELECT id, name, created_at, disabled_at, sign_in_url
		FROM partners
		WHERE id = $1`,
		id)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.QueryRowxContext(ctx, `
		SELECT (SELECT count(*) FROM organizations WHERE partner_id = $1),
		       (SELECT count(DISTINCT person_id) FROM identities WHERE partner_id = $1)`,
		id).Scan(&shown.Organizations, &shown.People)
	if err != nil {
		return shown, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &shown.Secrets, `
		SELECT id, purpose, created_at, retired_at
		FROM partner_secrets
		WHERE partner_id = $1
		ORDER BY created_at DESC, id DESC`,
		id)
	return shown, translate(ctx, err)
}
