package server

// BasePath is where the operations of the document are served.
const BasePath = "/api/v1"

const mcpPath = "/mcp"

// metadataPath is where a resource describes itself; a resource with a path has that path after it (RFC 9728, section
// 3).
const metadataPath = "/.well-known/oauth-protected-resource"

const webhookRoute = "/webhooks/:partner_id/accounts"

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
