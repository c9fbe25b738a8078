package server

import (
	"context"

	"bizfin/gen/api"
	"bizfin/server/mcp"
)

// GetAgentConnectionInfo answers how to connect an AI agent to this business.
func (s *Server) GetAgentConnectionInfo(ctx context.Context, _ api.GetAgentConnectionInfoRequestObject) (api.GetAgentConnectionInfoResponseObject, error) {
	authentication := api.McpAuthentication{
		Type:                 "oauth2-bearer",
		AuthorizationServers: []string{},
		Scopes:               s.agentScopes(),
	}
	if s.AccessTokens != nil {
		metadata := s.PublicURL + metadataPath + mcpPath
		authentication.ResourceMetadataUrl = &metadata
		authentication.AuthorizationServers = s.AccessTokens.Issuers()
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
		ClientConfigurations: clientConfigurations(s.PublicURL+mcpPath, s.AccessTokens != nil),
	}, nil
}

// toAPITool is a tool as getAgentConnectionInfo tells it.
func toAPITool(t mcp.Tool) api.McpTool {
	return api.McpTool{Name: t.Name, Title: t.Title, Description: t.Description, ReadOnly: t.ReadOnly}
}
