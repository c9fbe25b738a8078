package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/internal/partnertoken"
	"bizfin/server/oauth"
	"bizfin/server/validate"
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

// authenticate finds out who is calling. X-Service-Partner alone decides which credential is expected; there is no
// fallback from one to the other.
func (op *operation) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		raw, ok := bearer(r)
		if !ok {
			return because(errNoCredential, "not one Authorization header with a bearer token")
		}
		partners := r.Header.Values(headerPartner)
		var found credential
		var err error
		switch {
		case len(partners) == 1 && partners[0] != "":
			found, err = op.partnerCredential(r.Context(), partners[0], raw, tokenUse{connects: op.connects})
		case len(partners) == 0:
			found, err = op.oauthCredential(r.Context(), raw)
		default:
			return because(errNoCredential, "not one X-Service-Partner with a partner's id")
		}
		if err != nil {
			return err
		}
		ctx := by(c, found, uuid.Nil)
		c.SetRequest(r.WithContext(context.WithValue(ctx, credentialKey{}, found)))
		return next(c)
	}
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

// partnerCredential verifies a partner token. To whoever signed it with the partner's secret, it is said what is wrong
// with it; before that, nothing is.
func (s *Server) partnerCredential(ctx context.Context, partnerID, raw string, use tokenUse) (credential, error) {
	if len(raw) > partnertoken.MaxLength && use.connects {
		return credential{}, errLongToken
	}
	secrets, err := s.partnerSecrets(ctx, partnerID, store.PurposeToken)
	if errors.Is(err, store.ErrInvalidCredential) {
		return credential{}, because(err, "the partner is unknown or disabled, or has no secret")
	}
	if err != nil {
		return credential{}, err
	}
	var refusal *partnertoken.Invalid
	verified, err := partnertoken.Verify(raw, partnertoken.Expect{PartnerID: partnerID, Audience: s.Audience,
		Secrets: secrets, Now: s.Now(), AgentRequest: use.agentRequest})
	switch {
	case errors.Is(err, partnertoken.ErrExpired):
		return credential{}, because(errExpiredCredential, "exp has passed")
	case errors.As(err, &refusal) && refusal.Signed:
		return credential{}, because(invalidClaim(refusal.Reason), refusal.Reason)
	case errors.As(err, &refusal):
		return credential{}, because(errInvalidCredential, refusal.Reason)
	case errors.Is(err, partnertoken.ErrInvalid):
		return credential{}, errInvalidCredential
	case err != nil:
		return credential{}, err
	}
	if s.TokenLifetime > 0 && verified.ExpiresAt.After(s.Now().Add(s.TokenLifetime)) {
		return credential{}, because(errLongCredential, "exp is too far ahead")
	}
	payload, problems := partnertoken.ParsePayload(verified.Payload)
	if len(problems) > 0 && use.connects {
		return credential{}, unprocessable(payloadProblems(problems)...)
	}
	if len(problems) > 0 {
		return credential{}, because(invalidPayload(payloadProblems(problems)), "payload breaks its rules")
	}
	return credential{partner: &verified, payload: payload}, nil
}

// partnerSecrets opens a partner's valid secrets. store.ErrInvalidCredential for a partner that is unknown or disabled.
func (s *Server) partnerSecrets(ctx context.Context, partnerID, purpose string) ([][]byte, error) {
	if !storable(partnerID) {
		return nil, store.ErrInvalidCredential
	}
	sealed, err := s.Store.PartnerSecrets(ctx, partnerID, purpose)
	if err != nil {
		return nil, err
	}
	secrets := make([][]byte, len(sealed))
	for i, text := range sealed {
		if secrets[i], err = s.Keys.Open(text, SecretContext(partnerID, purpose)); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// storable keeps text that PostgreSQL cannot store away from it.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// SecretContext is what a sealed secret is bound to, so that it cannot stand in for another one.
func SecretContext(partnerID, purpose string) string { return "partner/" + purpose + "/" + partnerID }

// oauthCredential is an OAuth token where one may be used.
func (op *operation) oauthCredential(ctx context.Context, raw string) (credential, error) {
	found, err := op.oauthToken(ctx, raw)
	if err != nil {
		return credential{}, err
	}
	if op.connects {
		return credential{}, errOAuthCannotConnect
	}
	return credential{oauth: &found, token: nameOfToken(raw)}, nil
}

// oauthToken finds out what a token stands for: an opaque one by its hash, and any other as the JWT of an issuer, whose
// subject has been linked to a person. An issuer that cannot be asked affects its own tokens alone.
func (s *Server) oauthToken(ctx context.Context, raw string) (store.OAuthToken, error) {
	if s.SignIn != nil && strings.HasPrefix(raw, AgentTokenPrefix) {
		found, err := s.Store.AgentToken(ctx, s.Now(), raw)
		if errors.Is(err, store.ErrInvalidCredential) {
			err = because(err, "the agent's token is unknown, expired or revoked")
		}
		return found, err
	}
	if strings.HasPrefix(raw, OAuthTokenPrefix) {
		found, err := s.Store.OAuthToken(ctx, s.Now(), raw)
		if errors.Is(err, store.ErrInvalidCredential) {
			err = because(err, "the opaque token is unknown, expired or revoked")
		}
		return found, err
	}
	if s.AccessTokens == nil {
		return store.OAuthToken{}, because(errInvalidCredential, "no opaque token, and no issuer is configured")
	}
	verified, err := s.AccessTokens.Verify(ctx, s.Now(), raw)
	switch {
	case errors.Is(err, oauth.ErrExpired):
		return store.OAuthToken{}, because(errExpiredCredential, "exp has passed")
	case errors.Is(err, oauth.ErrInvalid):
		return store.OAuthToken{}, because(errInvalidCredential, oauth.Reason(err))
	case err != nil:
		return store.OAuthToken{}, err
	}
	person, err := s.Store.OAuthIdentity(ctx, verified.Issuer, verified.Subject)
	if errors.Is(err, store.ErrInvalidCredential) {
		err = because(err, "the issuer's subject is linked to nobody")
	}
	if err != nil {
		return store.OAuthToken{}, err
	}
	return store.OAuthToken{PersonID: person, Scopes: verified.Scopes, ExpiresAt: verified.ExpiresAt}, nil
}

// OAuthTokenPrefix begins every opaque token of the command line.
const OAuthTokenPrefix = "mcp_"

func payloadProblems(broken []partnertoken.Problem) []validate.Problem {
	problems := make([]validate.Problem, len(broken))
	for i, p := range broken {
		problems[i] = validate.Problem{In: "token", Path: p.Path, Code: p.Code, Message: p.Message}
	}
	return problems
}

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

// authorize finds out whether the caller may do this in the organization of the path.
func (op *operation) authorize(next echo.HandlerFunc) echo.HandlerFunc {
	if op.connects {
		return next
	}
	return func(c echo.Context) error {
		params, err := pathParams(c)
		if err != nil {
			return err
		}
		if !op.uuid.MatchString(params["organization_id"]) {
			problems, err := op.judge.Parameters(c.Request(), params)
			if err != nil {
				return err
			}
			return op.withReach(c.Request().Context(), unprocessable(problems...))
		}
		organization := op.Store.Organization(uuid.MustParse(params["organization_id"]))
		ctx := c.Request().Context()
		found := credentialOf(ctx)
		callerOf(ctx).organization = organization.ID
		access, err := op.access(ctx, found, organization.ID)
		if errors.Is(err, store.ErrNoAccess) {
			return because(op.withReach(ctx, errNoAccess), whyNoAccess(found))
		}
		if err != nil {
			return err
		}
		ctx = by(c, found, access.ID)
		switch {
		case found.oauth != nil && !slices.Contains(found.oauth.Scopes, op.scope):
			return because(insufficientScope(op.scope), "the token lacks "+op.scope)
		case op.ownerOnly && access.Role != store.RoleOwner:
			return errOwnerOnly
		case !op.forDemo && access.Demo:
			return errDemo
		}
		ctx = context.WithValue(ctx, principalKey{}, principal{Access: access, organization: organization,
			credential: found})
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// whyNoAccess is the rule that a credential broke.
func whyNoAccess(found credential) string {
	if found.oauth != nil {
		return "the person has no current membership of the organization, or did not grant it"
	}
	if _, ok := signedBusiness(found.payload); !ok {
		return "the token selects no business"
	}
	return "the signed business is not the organization's, or the person has no current membership of it"
}

// access is the current membership behind a credential. A partner token counts that partner's membership alone, and
// the lower of its signed role and the membership's: an old token grants nothing new, a new role needs a connection. A
// grant counts those of the partner that vouched, in the businesses that the person chose.
func (op *operation) access(ctx context.Context, found credential, organization uuid.UUID) (store.Access, error) {
	if found.oauth != nil && found.oauth.GrantID != uuid.Nil {
		return op.Store.GrantAccess(ctx, found.oauth.GrantID, organization)
	}
	if found.oauth != nil {
		return op.Store.PersonAccess(ctx, found.oauth.PersonID, organization)
	}
	signed, ok := signedBusiness(found.payload)
	if !ok {
		return store.Access{}, store.ErrNoAccess
	}
	access, err := op.Store.PartnerAccess(ctx, found.partner.PartnerID, found.partner.Subject, signed.ID, organization)
	if err == nil && signed.Role == store.RoleMember {
		access.Role = store.RoleMember
	}
	return access, err
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
