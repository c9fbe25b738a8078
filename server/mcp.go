package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"bizfin/gen/api"
	"bizfin/server/mcp"
	"bizfin/server/oauth"
	"bizfin/store"
)

const mcpPath = "/mcp"

// serveMCP mounts the tools. What a message passes through before it is read is, as for an operation, who is calling.
func (s *Server) serveMCP(e *echo.Echo) {
	handler := mcp.New(mcp.Config{
		Tools:    s.tools,
		Version:  s.doc.Info.Version,
		BasePath: BasePath,
		Dispatch: e,
		MaxBody:  MaxBody,
		Reach:    s.reachOfHeader,
	})
	allow := s.allowOrigins(http.MethodPost)
	e.OPTIONS(mcpPath, preflight, allow)
	e.POST(mcpPath, func(c echo.Context) error {
		r := c.Request()
		raw := r.Context().Value(bodyKey{}).([]byte)
		forward := r.Clone(r.Context())
		forward.Body = io.NopCloser(bytes.NewReader(raw))
		forward.Header.Set(echo.HeaderXRequestID, requestIDOf(c))
		handler.ServeHTTP(c.Response(), forward)
		return nil
	}, allow, s.refuseRebinding, s.authenticateAgent, s.checkMediaType, s.readBody, s.stepUp)
	s.serveResourceMetadata(e)
}

// authenticateAgent takes an OAuth token alone: a partner token is a backend's, with its header and without.
func (s *Server) authenticateAgent(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if len(r.Header.Values(echo.HeaderAuthorization)) == 0 {
			return s.challenge(errNoAgentToken, "", readScope)
		}
		raw, ok := bearer(r)
		if !ok || len(r.Header.Values(headerPartner)) > 0 {
			return s.challenge(errNoAgentToken, "invalid_token", readScope)
		}
		found, err := s.oauthToken(r.Context(), raw)
		if f := failureOf(err); err != nil && f.status == http.StatusUnauthorized {
			return s.challenge(f, "invalid_token", readScope)
		}
		if err != nil {
			return err
		}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), credentialKey{}, credential{oauth: &found})))
		return next(c)
	}
}

// readScope is what most tools need; a client without a token asks for it first, and for more when a tool needs it.
const readScope = "org:read"

// calledTools is where stepUp leaves the names of the tools a message calls, for the log.
const calledTools = "called tools"

// stepUp refuses a call whose scope the token lacks as the HTTP answer that makes a client ask for more (MCP,
// Authorization, step-up). It names what the token has too, so that the new token does not lose it.
func (s *Server) stepUp(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		granted := credentialOf(ctx).oauth.Scopes
		wanted := slices.Clone(granted)
		missing, called := "", []string{}
		for _, name := range mcp.Called(ctx.Value(bodyKey{}).([]byte)) {
			i := slices.IndexFunc(s.tools, func(t mcp.Tool) bool { return t.Name == name })
			if i < 0 {
				continue
			}
			called = append(called, name)
			if scope := s.tools[i].Scope; !slices.Contains(granted, scope) {
				missing, wanted = scope, append(wanted, scope)
			}
		}
		if len(called) > 0 {
			c.Set(calledTools, called)
		}
		if missing == "" {
			return next(c)
		}
		wanted = slices.DeleteFunc(slices.Clone(Scopes), func(scope string) bool { return !slices.Contains(wanted, scope) })
		return s.challenge(insufficientScope(missing), "insufficient_scope", strings.Join(wanted, " "))
	}
}

var errNoAgentToken = &failure{status: http.StatusUnauthorized, message: "Send an OAuth access token: Authorization: Bearer <token>, without X-Service-Partner."}

// challenge is a failure with what a client needs to obtain the right token (RFC 6750, section 3; RFC 9728, section 5.1).
func (s *Server) challenge(f *failure, code, scope string) *failure {
	challenged := *f
	challenged.challenge = `Bearer realm="bizfin"`
	if code != "" {
		challenged.challenge += fmt.Sprintf(", error=%q", code)
	}
	challenged.challenge += fmt.Sprintf(", scope=%q", scope)
	if s.AccessTokens != nil {
		challenged.challenge += fmt.Sprintf(", resource_metadata=%q", s.PublicURL+metadataPath+mcpPath)
	}
	return &challenged
}

// metadataPath is where a resource describes itself; a resource with a path has that path after it (RFC 9728, section 3).
const metadataPath = "/.well-known/oauth-protected-resource"

// resourceMetadata is a protected resource's description (RFC 9728, section 2).
type resourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
}

// serveResourceMetadata describes this resource under both names it has. Without an issuer there is nothing to say: a
// document without one would not conform.
func (s *Server) serveResourceMetadata(e *echo.Echo) {
	if s.AccessTokens == nil {
		return
	}
	allow := s.allowOrigins(http.MethodGet)
	for _, path := range []string{"", mcpPath} {
		document := resourceMetadata{
			Resource:             s.PublicURL + path,
			AuthorizationServers: s.AccessTokens.Issuers(),
			Scopes:               s.agentScopes(),
			BearerMethods:        []string{"header"},
			Name:                 s.doc.Info.Title,
		}
		e.GET(metadataPath+path, func(c echo.Context) error { return c.JSON(http.StatusOK, document) }, allow)
		e.OPTIONS(metadataPath+path, preflight, allow)
	}
}

// agentScopes are the scopes that tools need, in the order of Scopes.
func (s *Server) agentScopes() []string {
	return slices.DeleteFunc(slices.Clone(Scopes), func(scope string) bool {
		return !slices.ContainsFunc(s.tools, func(t mcp.Tool) bool { return t.Scope == scope })
	})
}

// Audiences are what a JWT access token must be for: this service at its public address, or its MCP address.
func Audiences(publicURL string) []string { return []string{publicURL, publicURL + mcpPath} }

// allowOrigins lets the pages of the configured origins read the answers.
func (s *Server) allowOrigins(method string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			header := c.Response().Header()
			header.Add(echo.HeaderVary, echo.HeaderOrigin)
			if origin := c.Request().Header.Get(echo.HeaderOrigin); slices.Contains(s.CORSOrigins, origin) {
				header.Set(echo.HeaderAccessControlAllowOrigin, origin)
				header.Set(echo.HeaderAccessControlAllowMethods, method)
				header.Set(echo.HeaderAccessControlAllowHeaders, "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id")
				header.Set(echo.HeaderAccessControlExposeHeaders, "WWW-Authenticate, X-Request-Id")
				header.Set(echo.HeaderAccessControlMaxAge, "600")
			}
			return next(c)
		}
	}
}

func preflight(c echo.Context) error { return c.NoContent(http.StatusNoContent) }

var errForeignOrigin = &failure{status: http.StatusForbidden, message: "This origin or host is not one of this service."}

// refuseRebinding refuses a request that a page of another site made: one with an Origin that is neither this service
// nor configured, and on a loopback connection one with a Host that is not this service (MCP, Transports, security).
func (s *Server) refuseRebinding(next echo.HandlerFunc) echo.HandlerFunc {
	public, _ := url.Parse(s.PublicURL)
	return func(c echo.Context) error {
		r := c.Request()
		local := r.Host == public.Host || oauth.Loopback(r.Host)
		if address, ok := r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer); ok && oauth.Loopback(address.String()) && !local {
			return errForeignOrigin
		}
		if origin := r.Header.Get(echo.HeaderOrigin); origin != "" && !slices.Contains(s.CORSOrigins, origin) {
			if from, err := url.Parse(origin); err != nil || from.Host != r.Host && from.Host != public.Host {
				return errForeignOrigin
			}
		}
		return next(c)
	}
}

// reachOfHeader is reach for the credential in a header.
func (s *Server) reachOfHeader(ctx context.Context, header http.Header) (string, error) {
	raw, ok := bearer(&http.Request{Header: header})
	if !ok {
		return "", errNoCredential
	}
	found, err := s.oauthToken(ctx, raw)
	if err != nil {
		return "", err
	}
	return s.reach(ctx, found)
}

// reach tells which organizations a token reaches, for an agent that has only the token.
func (s *Server) reach(ctx context.Context, found store.OAuthToken) (string, error) {
	const most = 50
	reachable, err := s.Store.Reachable(ctx, found.PersonID)
	if err != nil {
		return "", err
	}
	if len(reachable) == 0 {
		return "This token reaches no organization.", nil
	}
	named := make([]string, min(len(reachable), most))
	for i := range named {
		named[i] = fmt.Sprintf("%s (%q, %s)", reachable[i].ID, reachable[i].Name, reachable[i].Role)
	}
	rest := "."
	if len(reachable) > most {
		rest = fmt.Sprintf(", and %d more that getProfile lists.", len(reachable)-most)
	}
	return "This token reaches the organizations " + strings.Join(named, ", ") + rest, nil
}

// withReach adds to a failure about the organization what an OAuth token does reach. A partner's backend knows its own.
func (s *Server) withReach(ctx context.Context, f *failure) error {
	found := credentialOf(ctx)
	if found.oauth == nil {
		return f
	}
	reach, err := s.reach(ctx, *found.oauth)
	if err != nil {
		return err
	}
	told := *f
	told.message += " " + reach
	return &told
}

// toAPITool is a tool as getAgentConnectionInfo tells it.
func toAPITool(t mcp.Tool) api.McpTool {
	return api.McpTool{Name: t.Name, Title: t.Title, Description: t.Description, ReadOnly: t.ReadOnly}
}
