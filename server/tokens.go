package server

import (
	"context"
	"errors"
	"strings"

	"bizfin/internal/partnertoken"
	"bizfin/server/oauth"
	"bizfin/server/validate"
	"bizfin/store"
)

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

func payloadProblems(broken []partnertoken.Problem) []validate.Problem {
	problems := make([]validate.Problem, len(broken))
	for i, p := range broken {
		problems[i] = validate.Problem{In: "token", Path: p.Path, Code: p.Code, Message: p.Message}
	}
	return problems
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
