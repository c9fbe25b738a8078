package server

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/store"
)

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
