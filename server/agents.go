package server

import (
	"context"
	"slices"

	"bizfin/gen/api"
	"bizfin/server/mcp"
	"bizfin/store"
)

// GetAgentConnectionInfo answers how to connect an AI agent to this business.
func (s *Server) GetAgentConnectionInfo(ctx context.Context,
	_ api.GetAgentConnectionInfoRequestObject) (api.GetAgentConnectionInfoResponseObject, error) {
	authentication := api.McpAuthentication{
		Type:   "oauth2-bearer",
		Scopes: s.agentScopes(),
	}
	authentication.AuthorizationServers = s.authorizationServers()
	if len(authentication.AuthorizationServers) > 0 {
		metadata := s.PublicURL + metadataPath + mcpPath
		authentication.ResourceMetadataUrl = &metadata
	}
	signsIn, err := s.signsIn(ctx)
	if err != nil {
		return nil, err
	}
	return api.GetAgentConnectionInfo200JSONResponse{
		TokenCommand: tokenCommand(principalOf(ctx).ID),
		Mcp: api.McpServer{
			Url:              s.PublicURL + mcpPath,
			Transport:        "streamable-http",
			ProtocolVersions: mcp.ProtocolVersions(),
			Authentication:   authentication,
			Tools:            convert(s.tools, toAPITool),
		},
		OrganizationId:       principalOf(ctx).organization.ID,
		ClientConfigurations: clientConfigurations(s.PublicURL+mcpPath, signsIn),
	}, nil
}

// signsIn is whether the caller can sign an agent in now: by an issuer, or by their partner's own sign-in; an agent's
// token does not tell which partner, so that any will do.
func (s *Server) signsIn(ctx context.Context) (bool, error) {
	if s.AccessTokens != nil && len(s.AccessTokens.Issuers()) > 0 {
		return true, nil
	}
	if s.SignIn == nil {
		return false, nil
	}
	partners, err := s.Store.SignInPartners(ctx)
	of := credentialOf(ctx).partner
	return slices.ContainsFunc(partners, func(p store.SignInPartner) bool {
		return of == nil || p.ID == of.PartnerID
	}), err
}

// toAPITool is a tool as getAgentConnectionInfo tells it.
func toAPITool(t mcp.Tool) api.McpTool {
	return api.McpTool{Name: t.Name, Title: t.Title, Description: t.Description, ReadOnly: t.ReadOnly}
}
