package server

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"bizfin/gen/api"
)

// agentClient is how a known client connects: by signing in, or by a token that somebody minted. %[1]s is the address
// and %[1]q the address as JSON.
type agentClient struct {
	name   string
	signIn string
	token  string // empty: it cannot send one
	hosted bool   // it calls from its vendor's servers
}

var agentClients = []agentClient{
	{
		name:   "Claude Code",
		signIn: `claude mcp add --transport http bizfin %[1]s`,
		token:  `claude mcp add --transport http bizfin %[1]s --header "Authorization: Bearer $BIZFIN_TOKEN"`,
	},
	{name: "Claude", hosted: true, signIn: `Settings > Connectors > Add custom connector, URL: %[1]s`},
	{name: "ChatGPT", hosted: true, signIn: `Settings > Connectors, with developer mode on > Create, URL: %[1]s, ` +
		`authentication: OAuth`},
	{
		name:   "Cursor",
		signIn: `{"mcpServers": {"bizfin": {"url": %[1]q}}}`,
		token: `{"mcpServers": {"bizfin": {"url": %[1]q, ` +
			`"headers": {"Authorization": "Bearer ${env:BIZFIN_TOKEN}"}}}}`,
	},
	{
		name:   "VS Code",
		signIn: `{"servers": {"bizfin": {"type": "http", "url": %[1]q}}}`,
		token: `{"servers": {"bizfin": {"type": "http", "url": %[1]q, "headers": ` +
			`{"Authorization": "Bearer ${input:bizfin_token}"}}}, "inputs": [{"id": "bizfin_token", ` +
			`"type": "promptString", "description": "bizfin access token", "password": true}]}`,
	},
	{
		name:   "Gemini CLI",
		signIn: `gemini mcp add --transport http bizfin %[1]s`,
		token:  `gemini mcp add --transport http bizfin %[1]s --header "Authorization: Bearer $BIZFIN_TOKEN"`,
	},
	{
		name:   "MCP Inspector",
		signIn: `npx @modelcontextprotocol/inspector --cli %[1]s --transport http --method tools/list`,
		token: `npx @modelcontextprotocol/inspector --cli %[1]s --transport http ` +
			`--header "Authorization: Bearer $BIZFIN_TOKEN" --method tools/list`,
	},
}

// What is said of clients beside their settings.
const (
	noteToken  = "Set BIZFIN_TOKEN, or answer the prompt, with a token; tokenCommand mints one."
	noteSignIn = "It opens a browser to sign in. Where the sign-in server does not know the client, enter a client " +
		"id that it does."
	snippetNoSignIn = "It signs in to %[1]s through OAuth and sends no token of its own, and this service has no " +
		"sign-in. Use a client that sends a token, or ask the operator for sign-in."
	snippetNotPublic = "It calls from its vendor's servers, which do not reach %[1]s: that takes a public https " +
		"address."
)

// clientConfigurations are how each known client connects to an address today.
func clientConfigurations(address string, signsIn bool) []api.ClientConfiguration {
	return convert(agentClients, func(c agentClient) api.ClientConfiguration {
		snippet, note, works := c.token, noteToken, true
		switch {
		case c.hosted && !signsIn:
			snippet, note, works = snippetNoSignIn, "", false
		case c.hosted && !isPublic(address):
			snippet, note, works = snippetNotPublic, "", false
		case signsIn:
			snippet, note = c.signIn, noteSignIn
		}
		return api.ClientConfiguration{Client: c.name, Snippet: fmt.Sprintf(snippet, address), Works: works, Note: note}
	})
}

// isPublic is whether the internet may reach an address: https, and no name or number of this machine or network.
func isPublic(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" {
		return false
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".internal") &&
		!strings.HasSuffix(host, ".localhost")
}

// tokenCommand mints a token of a person for the scopes that tools need.
func tokenCommand(person uuid.UUID) string {
	return fmt.Sprintf("bizfin token oauth --user %s --ttl 720h --scope org:read,org:answer", person)
}
