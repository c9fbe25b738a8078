package server

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"bizfin/server/agentclient"
	"bizfin/store"
)

// The grants that are taken at the token endpoint.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantJWT     = "urn:ietf:params:oauth:grant-type:jwt-bearer" // RFC 7523, of a partner's backend
)

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

// scopesOf are those of a list that programs can be given, in the order of Scopes. Others have no effect.
func (s *Server) scopesOf(list string) []string {
	asked := strings.Fields(list)
	return slices.DeleteFunc(s.agentScopes(), func(scope string) bool { return !slices.Contains(asked, scope) })
}
