package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"bizfin/internal/partnertoken"
	"bizfin/store"
)

const headerPartner = "X-Service-Partner"

// credential is what a request proved: a partner's word about a person, or an OAuth token of a person.
type credential struct {
	partner *partnertoken.Partner // with it, payload
	payload partnertoken.Payload
	oauth   *store.OAuthToken
	token   string // with it: what stands for the token
	webhook string // the partner whose secret signed the body
}

// bearer takes the token out of the one Authorization header (RFC 6750, section 2.1).
func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values(echo.HeaderAuthorization)
	if len(values) != 1 {
		return "", false
	}
	scheme, raw, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || raw == "" {
		return "", false
	}
	return raw, true
}

// tokenUse is what a partner token is shown for.
type tokenUse struct {
	connects     bool   // its list is applied, so that what is wrong with it is said as of a body
	agentRequest string // the sign-in that it must have been signed for
}

// anyRequest is a request in the name of a person.
var anyRequest = tokenUse{}

// OAuthTokenPrefix begins every opaque token of the command line.
const OAuthTokenPrefix = "mcp_"

// What the tokens of grants begin with, so that whoever finds one knows what it is.
const (
	AgentTokenPrefix   = "mcpa_"
	RefreshTokenPrefix = "mcpr_"
)

type credentialKey struct{}

func credentialOf(ctx context.Context) credential {
	found, _ := ctx.Value(credentialKey{}).(credential)
	return found
}

// principal is a caller who may act on an organization.
type principal struct {
	store.Access // the person; Role is the role of this credential
	organization *store.Organization
	credential   credential
}

type principalKey struct{}

// principalOf returns the caller; authorize has put it there for every operation on an organization.
func principalOf(ctx context.Context) principal {
	return ctx.Value(principalKey{}).(principal)
}

// signedBusiness is the selected business of a token; there is none after a revocation.
func signedBusiness(p partnertoken.Payload) (partnertoken.Business, bool) {
	if p.BusinessID == nil {
		return partnertoken.Business{}, false
	}
	i := slices.IndexFunc(p.Businesses, func(b partnertoken.Business) bool { return b.ID == *p.BusinessID })
	if i < 0 {
		return partnertoken.Business{}, false
	}
	return p.Businesses[i], true
}

// Scopes are what an OAuth token may be allowed: to read, to answer questions, to upload and delete.
var Scopes = []string{"org:read", "org:answer", "org:write"}

// readScope is what most tools need; a client without a token asks for it first, and for more when a tool needs it.
const readScope = "org:read"

// holder is who answers for the memory of a body.
type holder struct{ partner, credential string }

// holderOf is nil for those who have shown no credential. An agent's person answers for itself.
func holderOf(ctx context.Context) *holder {
	switch found := credentialOf(ctx); {
	case found.partner != nil:
		partner := "partner " + found.partner.PartnerID
		return &holder{partner, partner + " " + found.partner.Subject}
	case found.oauth != nil:
		person := "person " + found.oauth.PersonID.String()
		return &holder{person, person}
	case found.webhook != "":
		webhook := "webhook " + found.webhook
		return &holder{webhook, webhook}
	default:
		return nil
	}
}

// nameOfToken stands for a token where it must not be seen itself.
func nameOfToken(raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// storable keeps text that PostgreSQL cannot store away from it.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// SecretContext is what a sealed secret is bound to, so that it cannot stand in for another one.
func SecretContext(partnerID, purpose string) string { return "partner/" + purpose + "/" + partnerID }
