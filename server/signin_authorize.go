package server

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"bizfin/server/agentclient"
	"bizfin/store"
)

// signInTime is what a person may take, from the program until they decide.
const signInTime = 10 * time.Minute

const maxState = 4096

var (
	errNoClient = &failure{status: http.StatusBadRequest, message: "The program that sent you here is not known to " +
		"this service, or does not say who it is. Remove the connection in that program and add it again."}
	errNoRedirect = &failure{status: http.StatusBadRequest, message: "The program wants you sent back to an address " +
		"that is not one of its own. Nothing was given to it."}
	errNoRequest = &failure{status: http.StatusBadRequest, message: "This sign-in is over or was never begun here. " +
		"Begin again where you came from, such as in the program that you want to connect."}
	errOtherBrowser = &failure{status: http.StatusForbidden, message: "This sign-in was begun in another browser. If " +
		"somebody sent you a link, close this page: they would have been given access to your businesses. Otherwise " +
		"begin again where you came from, such as in the program that you want to connect, with cookies allowed."}
	errNotYours = &failure{status: http.StatusForbidden, message: "This form was not sent from its own page."}
)

// beginSignIn takes a person who comes from a program, and sends them to the partner that knows them. Before the
// program and its address are known to be good nobody is sent anywhere; after that the program is told what is wrong.
func (s *Server) beginSignIn(c echo.Context) error {
	asked, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return errNoClient
	}
	client, err := s.clientOf(c, one(asked, "client_id"))
	if errors.Is(err, store.ErrNotFound) {
		return because(errNoClient, "the client is unknown")
	}
	if err != nil {
		return err
	}
	redirect := one(asked, "redirect_uri")
	if !client.RedirectFits(redirect) {
		return because(errNoRedirect, "the redirect address is not one of the client's")
	}
	state := one(asked, "state")
	back := func(code, description string) error { return s.sendBack(c, redirect, state, code, description) }
	if code, description := s.wrongWith(asked); code != "" {
		return back(code, description)
	}
	resource, _ := s.resourceOf(asked["resource"])
	partners, err := s.Store.SignInPartners(c.Request().Context())
	if err != nil {
		return err
	}
	if len(partners) == 0 {
		return back("temporarily_unavailable", "No partner of this service signs people in yet.")
	}
	scopes := s.scopesOf(one(asked, "scope"))
	if strings.TrimSpace(one(asked, "scope")) == "" {
		scopes = []string{readScope}
	}
	request := store.AgentRequest{ClientID: client.ID, ClientName: client.Name, Registered: client.Registered,
		RedirectURI: redirect, State: state, Challenge: one(asked, "code_challenge"), Scopes: scopes,
		Resource: resource}
	return s.sendToPartner(c, request, partners)
}

// sendToPartner begins a sign-in: at the one partner there is, or at the one that the person chooses.
func (s *Server) sendToPartner(c echo.Context, request store.AgentRequest, partners []store.SignInPartner) error {
	request.ExpiresAt = s.Now().Add(signInTime)
	if len(partners) == 1 {
		request.PartnerID = &partners[0].ID
	}
	id, browser := newSecret(), newSecret()
	if err := s.Store.BeginAgentRequest(c.Request().Context(), s.Now(), id, browser, request); err != nil {
		return err
	}
	s.setCookie(c, id, browser, signInTime)
	if len(partners) == 1 {
		return c.Redirect(http.StatusSeeOther, signInAt(partners[0].Address, id))
	}
	return s.page(c, http.StatusOK, "partner", partnerPage{Client: request.ClientName, Request: id,
		Token: ownedBy(browser, "partner", id), Partners: partners})
}

// one is the one value of a parameter; empty where it is missing or repeated.
func one(values url.Values, name string) string {
	if len(values[name]) != 1 {
		return ""
	}
	return values[name][0]
}

// challengeForm is what S256 gives: 32 bytes (RFC 7636, section 4.2).
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// wrongWith finds what is wrong with a request of a known program (RFC 6749, section 4.1.2.1; RFC 8707, section 2).
func (s *Server) wrongWith(asked url.Values) (code, description string) {
	for name, values := range asked {
		if len(values) > 1 && name != "resource" {
			return "invalid_request", "A parameter is there twice."
		}
	}
	mode, scope := one(asked, "response_mode"), strings.TrimSpace(one(asked, "scope"))
	_, ours := s.resourceOf(asked["resource"])
	switch {
	case asked.Has("request") || asked.Has("request_uri"):
		return "request_not_supported", "Send the parameters by themselves."
	case one(asked, "response_type") != "code":
		return "unsupported_response_type", "response_type must be code."
	case one(asked, "code_challenge_method") != "S256" || !challengeForm.MatchString(one(asked, "code_challenge")):
		return "invalid_request", "code_challenge with code_challenge_method S256 is required (PKCE)."
	case mode != "" && mode != "query":
		return "invalid_request", "response_mode must be query."
	case len(one(asked, "state")) > maxState || !storable(one(asked, "state")):
		return "invalid_request", "state is too long, or no text."
	case !ours:
		return "invalid_target", "resource must be " + s.PublicURL + mcpPath + "."
	case one(asked, "prompt") == "none":
		return "consent_required", "A person decides each time."
	case scope != "" && len(s.scopesOf(scope)) == 0:
		return "invalid_scope", "scope must hold some of " + strings.Join(s.agentScopes(), ", ") + "."
	default:
		return "", ""
	}
}

// signInAt is a partner's address for one sign-in.
func signInAt(address, request string) string {
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + "agent_request=" + request
}

// sendBack returns a person to the program with an error (RFC 6749, section 4.1.2.1; RFC 9207).
func (s *Server) sendBack(c echo.Context, redirect, state, code, description string) error {
	return s.redirect(c, redirect, state, url.Values{"error": {code}, "error_description": {description}})
}

func (s *Server) redirect(c echo.Context, redirect, state string, answer url.Values) error {
	answer.Set("iss", s.PublicURL)
	if state != "" {
		answer.Set("state", state)
	}
	separator := "?"
	if strings.Contains(redirect, "?") {
		separator = "&"
	}
	return c.Redirect(http.StatusSeeOther, redirect+separator+answer.Encode())
}

// form is a form that one of our own pages sent, from the browser that began its sign-in.
func (s *Server) form(c echo.Context, purpose string) (values url.Values, browser string, err error) {
	r := c.Request()
	values, err = url.ParseQuery(string(r.Context().Value(bodyKey{}).([]byte)))
	if err != nil {
		return nil, "", errNotYours
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return nil, "", because(errNotYours, "sent from another site")
	}
	id := one(values, "agent_request")
	if browser = s.browserOf(c, id); browser == "" {
		return nil, "", because(errOtherBrowser, "no cookie of the sign-in")
	}
	if !hmacEqual(one(values, "token"), ownedBy(browser, purpose, id)) {
		return nil, "", because(errNotYours, "the form's token is not of this browser")
	}
	return values, browser, nil
}

// choosePartner sends a person to the partner they chose.
func (s *Server) choosePartner(c echo.Context) error {
	values, browser, err := s.form(c, "partner")
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), one(values, "agent_request")
	request, err := s.requestOf(c, id, browser)
	if err != nil {
		return err
	}
	if request.Stage != store.StageBegun || !storable(one(values, "partner")) {
		return errNoRequest
	}
	address, err := s.Store.ChoosePartner(ctx, s.Now(), id, one(values, "partner"))
	if errors.Is(err, store.ErrNotFound) {
		return errNoRequest
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, signInAt(address, id))
}

// requestOf is a sign-in under way, for the browser that began it.
func (s *Server) requestOf(c echo.Context, id, browser string) (store.AgentRequest, error) {
	request, err := s.Store.AgentRequest(c.Request().Context(), s.Now(), id)
	if errors.Is(err, store.ErrNotFound) {
		return request, errNoRequest
	}
	if err == nil && !request.OfBrowser(browser) {
		err = because(errOtherBrowser, "the cookie is of another browser")
	}
	return request, err
}

// registerClient keeps a program that has no metadata document (RFC 7591). It gets a name to come back by, and nothing
// else.
func (s *Server) registerClient(c echo.Context) error {
	ctx := c.Request().Context()
	client, err := agentclient.Register(ctx.Value(bodyKey{}).([]byte), s.SignIn.RedirectHosts)
	var refusal *agentclient.Refusal
	if errors.As(err, &refusal) {
		return oauthError(http.StatusBadRequest, refusal.Code, refusal.Description)
	}
	client.ID = "bizfin-" + newSecret()[:22]
	err = s.Store.SaveAgentClient(ctx, s.Now(), store.AgentClient{ID: client.ID, Name: client.Name,
		RedirectURIs: client.RedirectURIs})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, registered{
		ClientID:      client.ID,
		IssuedAt:      s.Now().Unix(),
		Name:          client.Name,
		RedirectURIs:  client.RedirectURIs,
		AuthMethod:    "none",
		GrantTypes:    []string{grantCode, grantRefresh},
		ResponseTypes: []string{"code"},
	})
}

// registered is the answer to a registration (RFC 7591, section 3.2.1). It has no member that is empty: programs
// stumble over those.
type registered struct {
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"client_id_issued_at"`
	Name          string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}
