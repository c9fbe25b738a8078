package server

import (
	"context"
	"fmt"

	"bizfin/gen/api"
)

// GetAgentConnectionInfo answers how to connect an AI agent to this business.
func (s *Server) GetAgentConnectionInfo(ctx context.Context, _ api.GetAgentConnectionInfoRequestObject) (api.GetAgentConnectionInfoResponseObject, error) {
	address := s.PublicURL + "/mcp"
	return api.GetAgentConnectionInfo200JSONResponse{
		Mcp: api.McpServer{
			Url:              address,
			Transport:        "streamable-http",
			ProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"},
			Authentication: api.McpAuthentication{
				Type:                 "oauth2-bearer",
				AuthorizationServers: []string{},
				Scopes:               []string{"org:read", "org:answer"},
			},
			Tools: s.tools,
		},
		OrganizationId: principalOf(ctx).organization.ID,
		ClientConfigurations: []api.ClientConfiguration{
			{Client: "Claude Code", Snippet: fmt.Sprintf(`claude mcp add --transport http bizfin %s --header "Authorization: Bearer $BIZFIN_TOKEN"`, address)},
			{Client: "Cursor", Snippet: fmt.Sprintf(`{"mcpServers": {"bizfin": {"url": %q, "headers": {"Authorization": "Bearer ${env:BIZFIN_TOKEN}"}}}}`, address)},
			{Client: "VS Code", Snippet: fmt.Sprintf(`{"servers": {"bizfin": {"type": "http", "url": %q, "headers": {"Authorization": "Bearer ${input:bizfin_token}"}}}, "inputs": [{"id": "bizfin_token", "type": "promptString", "description": "bizfin access token", "password": true}]}`, address)},
			{Client: "MCP Inspector", Snippet: fmt.Sprintf(`npx @modelcontextprotocol/inspector --cli %s --transport http --header "Authorization: Bearer $BIZFIN_TOKEN" --method tools/list`, address)},
		},
	}, nil
}
