package server

import (
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"bizfin/server/agentclient"
	"bizfin/store"
)

// oauthFailure is a failure of the endpoints that programs call (RFC 6749, section 5.2).
type oauthFailure struct {
	*failure
	code string
}

func (f *oauthFailure) Unwrap() error { return f.failure }

func oauthError(status int, code, description string) error {
	return &oauthFailure{&failure{status: status, message: description}, code}
}

var (
	errInvalidGrant = &oauthFailure{&failure{status: http.StatusBadRequest, message: "The code or token is not " +
		"valid, or not of this client, or over. Begin the sign-in again."}, "invalid_grant"}
	errInvalidClient = &oauthFailure{&failure{status: http.StatusUnauthorized, message: "The client is not known. " +
		"Register again.", challenge: `Basic realm="bizfin"`}, "invalid_client"}
	errInvalidTarget = &oauthFailure{&failure{status: http.StatusBadRequest, message: "resource is not this service."},
		"invalid_target"}
	errNotForm = &oauthFailure{&failure{status: http.StatusBadRequest, message: "Send the parameters once each, as " +
		"application/x-www-form-urlencoded."}, "invalid_request"}
)

// asOAuth answers failures as programs expect them of an authorization server.
func asOAuth(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err == nil || c.Response().Committed {
			return err
		}
		f, code := failureOf(err), "invalid_request"
		var known *oauthFailure
		switch {
		case errors.As(err, &known):
			code = known.code
		case f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable:
			code = "temporarily_unavailable"
		case f.status >= http.StatusInternalServerError:
			code = "server_error"
		}
		tellFailure(c, f)
		return errors.Join(err, c.JSON(f.status, map[string]string{"error": code, "error_description": f.message}))
	}
}

// parametersOf are those of a form; each is there once (RFC 6749, section 3.2).
func parametersOf(c echo.Context) (url.Values, error) {
	r := c.Request()
	media, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil || media != echo.MIMEApplicationForm {
		return nil, errNotForm
	}
	values, err := url.ParseQuery(string(r.Context().Value(bodyKey{}).([]byte)))
	if err != nil {
		return nil, errNotForm
	}
	for name, list := range values {
		if len(list) > 1 && name != "resource" {
			return nil, errNotForm
		}
	}
	return values, nil
}

// clientIDOf is the program that asks. Some send their name as that of HTTP's basic authentication first, with the
// empty secret that a public client has.
func clientIDOf(c echo.Context, values url.Values) (string, error) {
	header := c.Request().Header.Get(echo.HeaderAuthorization)
	if header == "" && storable(values.Get("client_id")) {
		return values.Get("client_id"), nil
	}
	scheme, text, _ := strings.Cut(header, " ")
	raw, err := base64.StdEncoding.DecodeString(text)
	name, secret, _ := strings.Cut(string(raw), ":")
	id, unescape := url.QueryUnescape(name)
	if !strings.EqualFold(scheme, "Basic") || err != nil || unescape != nil || secret != "" || !storable(id) ||
		values.Has("client_id") && values.Get("client_id") != id {
		return "", errInvalidClient
	}
	return id, nil
}

// tokenAnswer is what a program is given (RFC 6749, section 5.1).
type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
}

// giveToken gives tokens for what a program or a partner's backend shows.
func (s *Server) giveToken(c echo.Context) error {
	values, err := parametersOf(c)
	if err != nil {
		return err
	}
	if values.Get("grant_type") == grantJWT {
		return s.exchange(c, values)
	}
	return s.holdShown(values, func(c echo.Context) error { return s.giveProgram(c, values) })(c)
}

// giveProgram gives a program tokens for its code, or new ones for its refresh token.
func (s *Server) giveProgram(c echo.Context, values url.Values) error {
	ctx := store.By(c.Request().Context(), store.Actor{Kind: store.ActorService, RequestID: requestIDOf(c)})
	_, ours := s.resourceOf(values["resource"]) // by which of its names does not matter: a grant is for all of it
	client, err := clientIDOf(c, values)
	if err == nil && !ours {
		err = errInvalidTarget
	}
	if err == nil && !agentclient.IsAddress(client) {
		_, err = s.clientOf(c, client)
	}
	if errors.Is(err, store.ErrNotFound) {
		return because(errInvalidClient, "the client is not registered")
	}
	if err != nil {
		return err
	}
	// Processes that share a token come at once. The grant is held by one of them at a time; the others wait here, and
	// not each with a connection to the database that is somebody else's.
	leave, err := s.tokensShown.acquire(ctx, nameOfToken(shownIn(values)), 1)
	if err != nil {
		return err
	}
	defer leave()
	var got store.Renewed
	access := AgentTokenPrefix + newSecret()
	switch values.Get("grant_type") {
	case grantCode:
		got, err = s.Store.RedeemCode(ctx, s.Now(), store.Redemption{Code: values.Get("code"), ClientID: client,
			RedirectURI: values.Get("redirect_uri"), Verifier: values.Get("code_verifier")},
			store.Tokens{Access: access, Refresh: RefreshTokenPrefix + newSecret()})
	case grantRefresh:
		token := values.Get("refresh_token")
		got, err = s.Store.RefreshGrant(ctx, s.Now(), token, client, access, s.followers(token))
	default:
		return oauthError(http.StatusBadRequest, "unsupported_grant_type",
			"grant_type must be authorization_code, refresh_token or that of jwt-bearer.")
	}
	if errors.Is(err, store.ErrInvalidCredential) {
		return because(errInvalidGrant, "the code or refresh token is not in force")
	}
	if err != nil {
		return err
	}
	return s.answerTokens(c, got)
}

// followers are the refresh token that follows one, in each way it can have been made: by each key that seals secrets,
// the present one first. Whoever renews the same token gets the same one, and nothing but its hash is stored.
func (s *Server) followers(token string) []string {
	var list []string
	for _, mac := range s.Keys.MACs("refresh token after " + token) {
		list = append(list, RefreshTokenPrefix+base64.RawURLEncoding.EncodeToString(mac))
	}
	return list
}

func (s *Server) answerTokens(c echo.Context, got store.Renewed) error {
	return c.JSON(http.StatusOK, tokenAnswer{
		AccessToken:  got.Access,
		TokenType:    "Bearer",
		ExpiresIn:    int64(got.ExpiresAt.Sub(s.Now()).Seconds()),
		RefreshToken: got.Refresh,
		Scope:        strings.Join(got.Scopes, " "),
	})
}

// exchange gives a partner's backend an agent's token for the person and the business of a token it signed (RFC 7523).
// The partner is the one of the header: what the token says of itself is not believed before it is verified.
func (s *Server) exchange(c echo.Context, values url.Values) error {
	partners := c.Request().Header.Values(headerPartner)
	if len(partners) != 1 || partners[0] == "" {
		return oauthError(http.StatusBadRequest, "invalid_request", "Send X-Service-Partner with the partner's id.")
	}
	found, err := s.partnerCredential(c.Request().Context(), partners[0], values.Get("assertion"), anyRequest)
	if f := failureOf(err); err != nil && f.status == http.StatusUnauthorized {
		return because(oauthError(http.StatusBadRequest, "invalid_grant", f.message), reasonOf(err))
	}
	if err != nil {
		return err
	}
	signed, ok := signedBusiness(found.payload)
	_, ours := s.resourceOf(values["resource"])
	scopes := s.scopesOf(values.Get("scope"))
	switch {
	case !ours:
		return errInvalidTarget
	case !ok:
		return oauthError(http.StatusBadRequest, "invalid_grant", "The token selects no business.")
	case strings.TrimSpace(values.Get("scope")) == "":
		scopes = []string{readScope}
	case len(scopes) == 0:
		return oauthError(http.StatusBadRequest, "invalid_scope",
			"scope must hold some of "+strings.Join(s.agentScopes(), ", ")+".")
	}
	return s.asPartner(c, found, func(c echo.Context) error {
		got, err := s.Store.ExchangeToken(c.Request().Context(), s.Now(), store.Exchange{
			PartnerID: found.partner.PartnerID, Subject: found.partner.Subject, BusinessID: signed.ID,
			Role: signed.Role, Resource: s.PublicURL + mcpPath, Scopes: scopes}, AgentTokenPrefix+newSecret())
		if errors.Is(err, store.ErrNoAccess) {
			return oauthError(http.StatusBadRequest, "invalid_grant",
				"The person is in no such business. Connect it first.")
		}
		if err != nil {
			return err
		}
		return s.answerTokens(c, got)
	})
}

// revokeToken ends what a program does not need any more (RFC 7009). It says nothing of whether there was anything.
func (s *Server) revokeToken(c echo.Context) error {
	values, err := parametersOf(c)
	if err != nil {
		return err
	}
	return s.holdAddress("token", tokenRule)(func(c echo.Context) error {
		client, err := clientIDOf(c, values)
		if err != nil {
			return err
		}
		if values.Get("token") == "" {
			return oauthError(http.StatusBadRequest, "invalid_request", "token is missing.")
		}
		ctx := store.By(c.Request().Context(), store.Actor{Kind: store.ActorService, RequestID: requestIDOf(c)})
		if err := s.Store.RevokeAgentToken(ctx, s.Now(), values.Get("token"), client); err != nil {
			return err
		}
		return c.JSON(http.StatusOK, struct{}{})
	})(c)
}
