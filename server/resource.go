package server

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"bizfin/server/mcp"
)

// resourceMetadata is a protected resource's description (RFC 9728, section 2).
type resourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
}

// serveResourceMetadata describes this resource under both names it has. Without an issuer there is nothing to say: a
// document without one would not conform. Where people sign in here, programs in any page may read it.
func (s *Server) serveResourceMetadata(e *echo.Echo) {
	if len(s.authorizationServers()) == 0 {
		return
	}
	allow := s.allowOrigins(http.MethodGet)
	if s.SignIn != nil {
		allow = anyOrigin(http.MethodGet)
	}
	for _, path := range []string{"", mcpPath} {
		document := resourceMetadata{
			Resource:             s.PublicURL + path,
			AuthorizationServers: s.authorizationServers(),
			Scopes:               s.agentScopes(),
			BearerMethods:        []string{"header"},
			Name:                 s.doc.Info.Title,
		}
		e.GET(metadataPath+path, func(c echo.Context) error { return c.JSON(http.StatusOK, document) },
			mayBeKept, allow)
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
