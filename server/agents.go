package server

import (
	"context"
	"fmt"

	"bizfin/gen/api"
	"bizfin/server/mcp"
)

// GetAgentConnectionInfo answers how to connect an AI agent to this business.
func (s *Server) GetAgentConnectionInfo(ctx context.Context, _ api.GetAgentConnectionInfoRequestObject) (api.GetAgentConnectionInfoResponseObject, error) {
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

// clientConfigurations are the settings of common clients. With an issuer they sign in by themselves; without one they
// send a token that was minted here.
func clientConfigurations(address string, signsIn bool) []api.ClientConfiguration {
	inspector := api.ClientConfiguration{Client: "MCP Inspector", Snippet: fmt.Sprintf(`npx @modelcontextprotocol/inspector --cli %s --transport http --header "Authorization: Bearer $BIZFIN_TOKEN" --method tools/list`, address)}
	if signsIn {
		return []api.ClientConfiguration{
			{Client: "Claude Code", Snippet: fmt.Sprintf(`claude mcp add --transport http bizfin %s`, address)},
			{Client: "Claude", Snippet: fmt.Sprintf(`Settings > Connectors > Add custom connector, URL: %s`, address)},
			{Client: "Cursor", Snippet: fmt.Sprintf(`{"mcpServers": {"bizfin": {"url": %q}}}`, address)},
			{Client: "VS Code", Snippet: fmt.Sprintf(`{"servers": {"bizfin": {"type": "http", "url": %q}}}`, address)},
			inspector,
		}
	}
	return []api.ClientConfiguration{
		{Client: "Claude Code", Snippet: fmt.Sprintf(`claude mcp add --transport http bizfin %s --header "Authorization: Bearer $BIZFIN_TOKEN"`, address)},
		{Client: "Claude", Snippet: fmt.Sprintf("A custom connector to %s signs in through an OAuth issuer, and this service has none configured. Use Claude Code, or ask the operator for an issuer.", address)},
		{Client: "Cursor", Snippet: fmt.Sprintf(`{"mcpServers": {"bizfin": {"url": %q, "headers": {"Authorization": "Bearer ${env:BIZFIN_TOKEN}"}}}}`, address)},
		{Client: "VS Code", Snippet: fmt.Sprintf(`{"servers": {"bizfin": {"type": "http", "url": %q, "headers": {"Authorization": "Bearer ${input:bizfin_token}"}}}, "inputs": [{"id": "bizfin_token", "type": "promptString", "description": "bizfin access token", "password": true}]}`, address)},
		inspector,
	}
}

// toAPITool is a tool as getAgentConnectionInfo tells it.
func toAPITool(t mcp.Tool) api.McpTool {
	return api.McpTool{Name: t.Name, Title: t.Title, Description: t.Description, ReadOnly: t.ReadOnly}
}
