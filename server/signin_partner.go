package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/internal/partnertoken"
	"bizfin/server/agentclient"
	"bizfin/server/limit"
	"bizfin/server/validate"
	"bizfin/store"
)

// holdPartner finds out which partner asks and for whom, and counts the request for it.
func (s *Server) holdPartner(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error { return s.byPartner(c, anyRequest, next) }
}

// holdSigningIn is holdPartner with a token that was signed for the sign-in of the path, and for nothing else.
func (s *Server) holdSigningIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Param("id") == "" {
			return errNoSignIn
		}
		return s.byPartner(c, tokenUse{connects: true, agentRequest: c.Param("id")}, next)
	}
}

func (s *Server) byPartner(c echo.Context, use tokenUse, next echo.HandlerFunc) error {
	r := c.Request()
	raw, ok := bearer(r)
	partners := r.Header.Values(headerPartner)
	if !ok || len(partners) != 1 || partners[0] == "" {
		return because(errNoCredential, "not a partner's token with X-Service-Partner")
	}
	found, err := s.partnerCredential(r.Context(), partners[0], raw, use)
	if err != nil {
		return err
	}
	return s.asPartner(c, found, next)
}

// acceptAhead is how far ahead the exp of a token may lie that says who signs in: five minutes, by clocks that differ.
const acceptAhead = 5*time.Minute + partnertoken.Leeway

var (
	errNoSignIn = &failure{status: http.StatusNotFound, message: "There is no such sign-in with this partner, or it " +
		"was accepted or refused already, or its ten minutes are over."}
	errNoBusiness = &failure{status: http.StatusForbidden, message: "The token lists no business: its revocations " +
		"are applied, and nobody signs in. Refuse the sign-in to send the person back."}
	errLongAcceptance = &failure{status: http.StatusUnauthorized,
		message:   "The token must expire within 5 minutes. Sign one for this sign-in alone.",
		challenge: `Bearer realm="bizfin", error="invalid_token", error_description="exp too far ahead"`}
	errNoGrant = &failure{status: http.StatusNotFound, message: "There is no such grant of this person in force."}
)

// asPartner goes on in the name of a partner, as far as its limits let it.
func (s *Server) asPartner(c echo.Context, found credential, next echo.HandlerFunc) error {
	partner := found.partner.PartnerID
	ctx := context.WithValue(by(c, found, uuid.Nil), credentialKey{}, found)
	c.SetRequest(c.Request().WithContext(ctx))
	subject := limit.Subject{Kind: limit.Partner, ID: partner, Rule: s.rules.find(partner).Partner}
	return s.count(c, []limit.Subject{subject}, func(c echo.Context) error {
		leave, err := s.atWorkOfPartner.take(ctx, partner)
		if err != nil {
			return err
		}
		defer leave()
		return next(c)
	})
}

// acceptSignIn takes a partner's word about who signs in, from server to server. The browser gets a secret by the
// address that is answered: without it, whoever began the sign-in and sent somebody else to the partner would decide in
// their name.
func (s *Server) acceptSignIn(c echo.Context) error {
	ctx := c.Request().Context()
	found := credentialOf(ctx)
	if found.partner.ExpiresAt.After(s.Now().Add(acceptAhead)) {
		return because(errLongAcceptance, "exp is too far ahead")
	}
	secret := newSecret()
	_, err := s.Store.AcceptAgentRequest(ctx, s.Now(), c.Param("id"), secret,
		connectionOf(*found.partner, found.payload))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errNoSignIn
	case errors.Is(err, store.ErrNoAccess):
		return errNoBusiness
	case err != nil:
		return err
	}
	return s.sendToReturn(c, secret)
}

// refuseSignIn takes a partner's word that nobody signs in.
func (s *Server) refuseSignIn(c echo.Context) error {
	ctx, secret := c.Request().Context(), newSecret()
	err := s.Store.RefuseAgentRequest(ctx, s.Now(), c.Param("id"), secret, credentialOf(ctx).partner.PartnerID)
	if errors.Is(err, store.ErrNotFound) {
		return errNoSignIn
	}
	if err != nil {
		return err
	}
	return s.sendToReturn(c, secret)
}

// sendToReturn tells a partner where it is to send the browser.
func (s *Server) sendToReturn(c echo.Context, secret string) error {
	to := s.PublicURL + continuePath + "?" + url.Values{"agent_request": {c.Param("id")}, "secret": {secret}}.Encode()
	return c.JSON(http.StatusOK, map[string]string{"redirect_to": to})
}

// grantsAtOnce are the most that a page lists of one person, and as many as it does unless it is told.
const grantsAtOnce = 1000

// grantAnswer is a grant as its partner sees it.
type grantAnswer struct {
	ID            uuid.UUID   `json:"grant_id"`
	Kind          string      `json:"kind"` // consent, or exchange by the partner itself
	ClientID      *string     `json:"client_id"`
	ClientName    *string     `json:"client_name"`
	RedirectHost  *string     `json:"redirect_host"`
	Scopes        []string    `json:"scopes"`
	Organizations []uuid.UUID `json:"organization_ids"`
	CreatedAt     time.Time   `json:"created_at"`
	LastUsedAt    time.Time   `json:"last_used_at"` // to within an hour
	ExpiresAt     time.Time   `json:"expires_at"`   // unless the program comes for a new token before
}

// grantsPage is one page of them.
type grantsPage struct {
	Grants     []grantAnswer `json:"grants"`
	NextCursor *string       `json:"next_cursor"` // null on the last page
}

// listGrants lists what the person of a partner's token lets programs do on this partner's word.
func (s *Server) listGrants(c echo.Context) error {
	ctx := c.Request().Context()
	if problems := validate.Names(c.QueryString(), "cursor", "limit"); len(problems) > 0 {
		return unprocessable(problems...)
	}
	page, problems := pageAsked(c.QueryParams(), grantsAtOnce)
	if len(problems) > 0 {
		return unprocessable(problems...)
	}
	list, err := s.Store.Grants(ctx, s.Now(), grantsOf(ctx), page)
	if errors.Is(err, store.ErrCursor) {
		return unprocessable(queryProblem("cursor", validate.CodeFormat,
			"must be the next_cursor of a page of this person's grants"))
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, grantsPage{convert(list.Rows, toGrantAnswer), optional(list.NextCursor)})
}

// pageAsked is the page of a list that is asked for, of at most so many rows.
func pageAsked(asked url.Values, most int) (store.Page, []validate.Problem) {
	page := store.Page{Limit: most, Cursor: asked.Get("cursor")}
	if !asked.Has("limit") {
		return page, nil
	}
	var code string
	limit, err := strconv.Atoi(asked.Get("limit"))
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		code = validate.CodeType
	case limit < 1:
		code = validate.CodeMinimum
	case limit > most:
		code = validate.CodeMaximum
	default:
		page.Limit = limit
		return page, nil
	}
	return page, []validate.Problem{queryProblem("limit", code,
		fmt.Sprintf("must be a whole number from 1 to %d", most))}
}

func toGrantAnswer(g store.Grant) grantAnswer {
	answer := grantAnswer{ID: g.ID, Kind: g.Kind, ClientID: g.ClientID, ClientName: g.ClientName, Scopes: g.Scopes,
		Organizations: g.Organizations, CreatedAt: g.CreatedAt.UTC(), LastUsedAt: g.UsedAt.UTC(),
		ExpiresAt: g.ExpiresAt.UTC()}
	if g.RedirectURI != nil {
		where := agentclient.Where(*g.RedirectURI)
		answer.RedirectHost = &where
	}
	return answer
}

// grantsOf are those of the person of a partner's token.
func grantsOf(ctx context.Context) store.GrantFilter {
	partner := credentialOf(ctx).partner
	return store.GrantFilter{PartnerID: partner.PartnerID, Subject: partner.Subject}
}

// endGrants ends them all, at once.
func (s *Server) endGrants(c echo.Context) error {
	if problems := validate.Names(c.QueryString()); len(problems) > 0 {
		return unprocessable(problems...)
	}
	ctx := c.Request().Context()
	ended, err := s.Store.EndGrants(ctx, s.Now(), grantsOf(ctx))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]int{"ended": ended})
}

// endGrant ends one of them.
func (s *Server) endGrant(c echo.Context) error {
	if problems := validate.Names(c.QueryString()); len(problems) > 0 {
		return unprocessable(problems...)
	}
	ctx, which := c.Request().Context(), grantsOf(c.Request().Context())
	id, err := uuid.Parse(c.Param("id"))
	if err != nil || id == uuid.Nil {
		return errNoGrant
	}
	which.ID = id
	ended, err := s.Store.EndGrants(ctx, s.Now(), which)
	if err != nil {
		return err
	}
	if ended == 0 {
		return errNoGrant
	}
	return c.JSON(http.StatusOK, map[string]int{"ended": ended})
}
