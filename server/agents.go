package server

import (
	"context"

	"bizfin/gen/api"
	"bizfin/server/mcp"
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
		ClientConfigurations: clientConfigurations(s.PublicURL+mcpPath, len(authentication.AuthorizationServers) > 0),
	}, nil
}

// toAPITool is a tool as getAgentConnectionInfo tells it.
func toAPITool(t mcp.Tool) api.McpTool {
	return api.McpTool{Name: t.Name, Title: t.Title, Description: t.Description, ReadOnly: t.ReadOnly}
}
