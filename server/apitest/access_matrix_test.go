package apitest

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store"
)

// What a request's credential is, beside the role that it or the membership gives.
const (
	noCredential      = "no credential"
	forgedToken       = "a forged partner token"
	expiredToken      = "an expired partner token"
	signedByAnother   = "another partner's token"
	disabledPartner   = "a disabled partner's token"
	partnerToken      = "a partner token"
	neverConnected    = "a partner token of somebody who never connected"
	unknownOpaque     = "an unknown OAuth token"
	expiredOpaque     = "an expired OAuth token"
	revokedOpaque     = "a revoked OAuth token"
	opaqueToRead      = "an OAuth token to read"
	opaqueToAnswer    = "an OAuth token to answer"
	opaqueToWrite     = "an OAuth token to write"
	opaqueForAll      = "an OAuth token for all"
	opaqueAndPartner  = "an OAuth token with a partner's name"
	partnerWithoutOne = "a partner token without its partner's name"
	tokenOfGrant      = "an agent's token of a grant"
)

// scopesOf are those of the OAuth tokens that are valid.
var scopesOf = map[string][]string{
	opaqueToRead: {"org:read"}, opaqueToAnswer: {"org:answer"}, opaqueToWrite: {"org:write"},
	opaqueForAll: {"org:read", "org:answer", "org:write"},
	tokenOfGrant: {"org:read", "org:answer"},
}

// cell is one of the matrix: who asks, what they are in the business that they ask about, and how they name it.
type cell struct {
	credential string
	signed     string // the role in the partner token
	stored     string // the role of the membership; empty where it was revoked
	names      string // the organization in the path
}

// opaque reports whether the credential is an OAuth token in force. A grant ends with the last membership that it is
// for.
func (c cell) opaque() bool {
	return scopesOf[c.credential] != nil && (c.credential != tokenOfGrant || c.stored != "")
}

// status is what the contract gives for an operation with the ids of nothing: 401, 422 and 403 in this order; 0 where
// the caller may ask, and the answer is any other.
func (c cell) status(op operation) int {
	scopes, opaque := scopesOf[c.credential], c.opaque()
	if !opaque && c.credential != partnerToken && c.credential != neverConnected {
		return 401
	}
	if c.names == "malformed" {
		return 422
	}
	role := c.stored
	if !opaque && c.signed == "member" && role != "" {
		role = "member"
	}
	switch {
	case c.credential == neverConnected || role == "" || c.names != "own":
		return 403
	case opaque && !slices.Contains(scopes, op.scope):
		return 403
	case op.ownerOnly && role != "owner":
		return 403
	}
	return 0
}

// TestEveryOperationAsksWhoWhatAndWhere tries each operation with each credential, role, membership and organization.
func TestEveryOperationAsksWhoWhatAndWhere(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.SignIn = &server.SignIn{} }) // where tokens of grants are taken
	stranger := a.open()
	cells := 0
	for _, signed := range []string{"owner", "member"} {
		for _, stored := range []string{"owner", "member", ""} {
			sub, id := uuid.NewString(), uuid.NewString()
			headers, organization := a.credentials(sub, id, signed, stored)
			organizations := map[string]string{
				"own": organization, "another's": stranger.organization, "unknown": uuid.NewString(),
				"malformed": organization[:35],
			}
			for credential, header := range headers {
				for names, named := range organizations {
					at := cell{credential, signed, stored, names}
					for _, op := range callsTo(named, unknownIDs()) {
						cells++
						want, got := at.status(op.operation), a.with(header).call(op).status
						if want != 0 && got != want || want == 0 && (got == 401 || got == 403 || got >= 500) {
							t.Errorf("%+v: %s is %d, want %d", at, op, got, want)
						}
					}
				}
			}
		}
	}
	if least := 6 * 17 * 4 * 17; cells < least {
		t.Errorf("%d cells, want at least %d", cells, least)
	}
}

// credentials are headers of each kind for one person of a business, whose membership has the stored role, or is
// revoked.
func (a *api) credentials(sub, id, signed, stored string) (headers map[string]http.Header, organization string) {
	a.t.Helper()
	joined := stored
	if joined == "" {
		joined = "owner"
	}
	o := a.join(sub, business(id, joined))
	token := a.sign(sub, business(id, signed))
	exchanged := server.AgentTokenPrefix + uuid.NewString()
	_, err := a.db.ExchangeToken(a.t.Context(), a.clock.Now(), store.Exchange{PartnerID: a.partner, Subject: sub,
		BusinessID: id,
		Role:       signed, Resource: publicURL + "/mcp", Scopes: scopesOf[tokenOfGrant]}, exchanged)
	a.must(err)
	if stored == "" {
		a.as(a.sign(sub)).post("/auth/partner", nil).want(200)
	}
	other, otherSecret := a.newPartner()
	disabled, disabledSecret := a.newPartner()
	a.must(a.db.DisablePartner(a.t.Context(), a.clock.Now(), disabled))
	byPartner := func(partner string, secret []byte, change func(*forged)) http.Header {
		f := a.forge(sub, business(id, signed))
		f.claims["iss"], f.secret = partner, secret
		if change != nil {
			change(f)
		}
		return http.Header{"Authorization": {"Bearer " + f.sign()}, "X-Service-Partner": {partner}}
	}
	headers = map[string]http.Header{
		noCredential: {},
		forgedToken:  byPartner(a.partner, otherSecret, nil),
		expiredToken: byPartner(a.partner, a.secret,
			func(f *forged) { f.claims["exp"] = a.clock.Now().Add(-time.Second).Unix() }),
		signedByAnother: a.as(token).with("X-Service-Partner", other).header,
		disabledPartner: byPartner(disabled, disabledSecret, nil),
		partnerToken:    a.as(token).header,
		neverConnected:  a.as(a.sign("never-"+sub, partnertoken.Business{ID: id, Name: "b", Role: signed})).header,
		unknownOpaque:   bearing("mcp_" + uuid.NewString()),
	}
	partnerWithout := a.as(token).header.Clone()
	partnerWithout.Del("X-Service-Partner")
	headers[partnerWithoutOne] = partnerWithout
	for credential, scopes := range scopesOf {
		headers[credential] = bearing(a.oauth(o.person, scopes...))
	}
	headers[tokenOfGrant] = bearing(exchanged)
	headers[opaqueAndPartner] = a.withOAuth(a.oauth(o.person)).with("X-Service-Partner", a.partner).header
	expired, revoked := a.oauth(o.person), a.oauth(o.person)
	a.endToken(expired)
	a.must(a.db.RevokeOAuthToken(a.t.Context(), a.clock.Now(), revoked))
	headers[expiredOpaque], headers[revokedOpaque] = bearing(expired), bearing(revoked)
	return headers, o.organization
}

// endToken lets a token end before its time.
func (a *api) endToken(token string) {
	a.t.Helper()
	hash := sha256.Sum256([]byte(token))
	a.exec(`UPDATE oauth_tokens SET expires_at = $2 WHERE hash = $1`, hash[:], a.clock.Now())
}
