package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"bizfin/server/agentclient"
	"bizfin/server/limit"
	"bizfin/store"
)

// SignIn is how people let agents in by themselves: this service is the authorization server of its own resource
// (OAuth 2.1), and a partner that knows a person says who it is.
type SignIn struct {
	// RedirectHosts are hosts that people may be sent back to, beside those of well-known programs.
	RedirectHosts []string
	// Clients finds programs by their metadata documents. Nil asks the internet.
	Clients *agentclient.Fetcher
}

// The routes of the authorization server. They stand outside the base path: their form is that of RFCs, and the
// metadata names them.
const (
	serverMetadataPath = "/.well-known/oauth-authorization-server"
	authorizePath      = "/oauth/authorize"
	partnerPath        = "/oauth/partner"
	requestsPath       = "/oauth/requests"
	continuePath       = "/oauth/continue"
	consentPath        = "/oauth/consent"
	tokenPath          = "/oauth/token"
	revokePath         = "/oauth/revoke"
	registerPath       = "/oauth/register"
	grantsPath         = "/oauth/grants"
	agentsPath         = "/oauth/agents"      // where a person begins to see what they let in
	letInPath          = "/oauth/agents/mine" // and sees it
)

// What those who have shown no credential may do, by their address. Programs of many people may come from few.
var (
	authorizeRule = limit.Rule{PerSecond: 60, Per: time.Minute, InFlight: 32}
	pageRule      = limit.Rule{PerSecond: 300, Per: time.Minute, InFlight: 64}
	tokenRule     = limit.Rule{PerSecond: 300, Per: time.Minute, InFlight: 64}
	registerRule  = limit.Rule{PerSecond: 30, Per: time.Hour, InFlight: 4}
)

// grantRule is what the program of one grant may ask of the token endpoint, from wherever: its processes share a token.
var grantRule = limit.Rule{PerSecond: 60, Per: time.Minute}

// serveSignIn routes the authorization server, where it is turned on.
func (s *Server) serveSignIn(e *echo.Echo) {
	if s.SignIn == nil {
		return
	}
	for _, path := range []string{"", mcpPath} { // some put the resource's path behind it
		e.GET(serverMetadataPath+path, s.describeServer, mayBeKept, anyOrigin(http.MethodGet))
		e.OPTIONS(serverMetadataPath+path, preflight, anyOrigin(http.MethodGet))
	}
	begins, goesOn := s.holdAddress("authorize", authorizeRule), s.holdAddress("page", pageRule)
	connecting, looking := s.asPage("This program was not connected"), s.asPage("This did not work")
	e.GET(authorizePath, s.beginSignIn, connecting, begins)
	e.POST(partnerPath, s.choosePartner, looking, goesOn, s.readBody)
	e.GET(continuePath, s.returnFromPartner, looking, goesOn)
	e.GET(consentPath, s.showConsent, connecting, goesOn)
	e.POST(consentPath, s.takeConsent, connecting, goesOn, s.readBody)
	e.GET(agentsPath, s.beginLooking, looking, begins)
	e.GET(letInPath, s.showLetIn, looking, goesOn)
	e.POST(letInPath, s.endLetIn, looking, goesOn, s.readBody)

	e.POST(requestsPath+"/:id/accept", s.acceptSignIn, s.holdSigningIn)
	e.POST(requestsPath+"/:id/refuse", s.refuseSignIn, s.holdSigningIn)
	e.GET(grantsPath, s.listGrants, s.holdPartner)
	e.DELETE(grantsPath, s.endGrants, s.holdPartner)
	e.DELETE(grantsPath+"/:id", s.endGrant, s.holdPartner)

	post := anyOrigin(http.MethodPost)
	for path, handle := range map[string]echo.HandlerFunc{tokenPath: s.giveToken, revokePath: s.revokeToken} {
		e.POST(path, handle, post, asOAuth, s.readBody)
		e.OPTIONS(path, preflight, post)
	}
	e.POST(registerPath, s.registerClient, post, asOAuth, s.holdAddress("register", registerRule), s.checkMediaType,
		s.readBody)
	e.OPTIONS(registerPath, preflight, post)
}

// serverMetadata describes the authorization server (RFC 8414, section 2).
type serverMetadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuth             []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth        []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges            []string `json:"code_challenge_methods_supported"`
	Documents             bool     `json:"client_id_metadata_document_supported"`
	NamesIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
	Documentation         string   `json:"service_documentation"`
}

// offlineAccess is a scope that clients ask for to be given a refresh token. They are given one anyway.
const offlineAccess = "offline_access"

func (s *Server) describeServer(c echo.Context) error {
	return c.JSON(http.StatusOK, serverMetadata{
		Issuer:                s.PublicURL,
		AuthorizationEndpoint: s.PublicURL + authorizePath,
		TokenEndpoint:         s.PublicURL + tokenPath,
		RegistrationEndpoint:  s.PublicURL + registerPath,
		RevocationEndpoint:    s.PublicURL + revokePath,
		Scopes:                append(s.agentScopes(), offlineAccess),
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{grantCode, grantRefresh, grantJWT},
		TokenAuth:             []string{"none"},
		RevocationAuth:        []string{"none"},
		Challenges:            []string{"S256"},
		Documents:             true,
		NamesIssuer:           true,
		Documentation:         s.PublicURL + BasePath + "/docs/guides/agents",
	})
}

// authorizationServers are the issuers of tokens that are taken here: this service itself first, where people sign in.
func (s *Server) authorizationServers() []string {
	servers := []string{}
	if s.SignIn != nil {
		servers = append(servers, s.PublicURL)
	}
	if s.AccessTokens != nil {
		servers = append(servers, s.AccessTokens.Issuers()...)
	}
	return servers
}

// holdAddress counts a request for the address it comes from. What a host has many of counts as one.
func (s *Server) holdAddress(what string, rule limit.Rule) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			leave, refused := s.Limits.Enter(subjectOf(c, what, rule))
			if refused == nil {
				defer leave()
				_, refused = s.Limits.Take(subjectOf(c, what, rule))
			}
			if refused != nil {
				c.Set(limitedSubject, refused.Kind)
				return s.limited(refused, nil)
			}
			return next(c)
		}
	}
}

// holdShown counts a request for the grant whose code or refresh token it shows: a hosted program asks for all its
// people from a few addresses, and one of them may not use up what is the others'. What shows none counts for its
// address.
func (s *Server) holdShown(values url.Values, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		counted := subjectOf(c, "token", tokenRule)
		leave, refused := s.Limits.Enter(counted)
		if refused == nil {
			defer leave()
			grant, err := s.Store.GrantShown(c.Request().Context(), shownIn(values))
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err == nil {
				counted = limit.Subject{Kind: limit.Agent, ID: "grant " + grant.String(), Rule: grantRule}
			}
			_, refused = s.Limits.Take(counted)
		}
		if refused != nil {
			c.Set(limitedSubject, refused.Kind)
			return s.limited(refused, nil)
		}
		return next(c)
	}
}

func subjectOf(c echo.Context, what string, rule limit.Rule) limit.Subject {
	from := c.RealIP()
	if at, err := netip.ParseAddr(from); err == nil && at.Is6() && !at.Is4In6() {
		network, _ := at.Prefix(64) // of one customer
		from = network.String()
	}
	return limit.Subject{Kind: limit.Address, ID: what + " " + from, Rule: rule}
}

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

// newSecret makes 256 random bits as text for an address, a cookie or a header.
func newSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ownedBy makes, of what a browser alone holds, a text for one purpose in one sign-in. Whoever sees it learns nothing
// of any other.
func ownedBy(browser, purpose, request string) string {
	mac := hmac.New(sha256.New, []byte(browser))
	mac.Write([]byte(purpose + " " + request))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cookieName is another for each sign-in, so that two of them in one browser do not take each other's place.
func (s *Server) cookieName(request string) string {
	sum := sha256.Sum256([]byte(request))
	name := "agent_" + hex.EncodeToString(sum[:8])
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

// secure is whether browsers come by https. Otherwise this is a machine that somebody develops on.
func (s *Server) secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

func (s *Server) setCookie(c echo.Context, request, browser string, age time.Duration) {
	c.SetCookie(&http.Cookie{Name: s.cookieName(request), Value: browser, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode})
}

// browserOf is the secret of the browser that began a sign-in; empty for another one.
func (s *Server) browserOf(c echo.Context, request string) string {
	cookie, err := c.Cookie(s.cookieName(request))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// scopesOf are those of a list that programs can be given, in the order of Scopes. Others have no effect.
func (s *Server) scopesOf(list string) []string {
	asked := strings.Fields(list)
	return slices.DeleteFunc(s.agentScopes(), func(scope string) bool { return !slices.Contains(asked, scope) })
}

// resourceOf is the resource that a program asks for, which is this one by either of its names, or none: then it is the
// one that agents use. Another one is not ours to give (RFC 8707).
func (s *Server) resourceOf(asked []string) (string, bool) {
	resource := s.PublicURL + mcpPath
	for _, a := range asked {
		if !slices.Contains(Audiences(s.PublicURL), strings.TrimSuffix(a, "/")) {
			return "", false
		}
		resource = strings.TrimSuffix(a, "/")
	}
	return resource, true
}

// clientOf finds a program by its id: one that registered itself, or one that has a document. store.ErrNotFound.
func (s *Server) clientOf(c echo.Context, id string) (agentclient.Client, error) {
	ctx := c.Request().Context()
	if agentclient.IsAddress(id) {
		found, err := s.SignIn.Clients.Find(ctx, id)
		if err != nil {
			return found, store.ErrNotFound
		}
		return found, nil
	}
	if !storable(id) {
		return agentclient.Client{}, store.ErrNotFound
	}
	found, err := s.Store.AgentClient(ctx, id)
	return agentclient.Client{ID: found.ID, Name: found.Name, RedirectURIs: found.RedirectURIs, Registered: true}, err
}
