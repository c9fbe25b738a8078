// Package agentclient knows the programs that ask for access: who they say they are, by a document at their own address
// (OAuth Client ID Metadata Document) or by a registration (RFC 7591), and where they may have a person sent back.
package agentclient

import (
	"regexp"
	"slices"
	"strings"
)

// Client is a program that asks for access. It is public: it has no secret.
type Client struct {
	ID           string
	Name         string // its own word, fit to be shown
	RedirectURIs []string
	// Registered: it registered itself, so that anybody can have given this name. Otherwise ID is an address, and
	// whoever has its host says so.
	Registered bool
}

// wellKnown are the hosts of programs that many people use. Those of a registration are no other ones, unless the
// operator says so: anybody may register a program by any name.
var wellKnown = []string{
	"claude.ai", "claude.com", "chatgpt.com", "vscode.dev", "insiders.vscode.dev", "www.cursor.com", "cursor.com",
}

// wellKnownDocuments are fetched whatever strangers make this service fetch beside them.
var wellKnownDocuments = []string{
	"https://claude.ai/oauth/mcp-oauth-client-metadata",
	"https://claude.ai/oauth/claude-code-client-metadata",
	"https://chatgpt.com/oauth/client.json",
	"https://vscode.dev/oauth/client-metadata.json",
}

// ownSchemes are addresses of programs that have a scheme of their own.
var ownSchemes = []string{"cursor://anysphere.cursor-mcp/oauth/callback"}

const (
	maxRedirect  = 1024
	maxRedirects = 16
)

// address is the one form in which http and https addresses are read here, so that no two readers of it differ: plain
// host names, and no user, fragment, backslash, space or escaped host.
var address = regexp.MustCompile(`^(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?(?:[/?][!-~]*)?$`)

var loopbacks = []string{"127.0.0.1", "[::1]", "localhost"}

// parts are scheme, host and port with its colon of an address.
func parts(uri string) (scheme, host, port string, ok bool) {
	found := address.FindStringSubmatch(uri)
	if found == nil || len(uri) > maxRedirect || strings.ContainsAny(uri, `\#`) {
		return "", "", "", false
	}
	return found[1], found[2], found[3], true
}

// Loopback reports whether an address is a program's on the person's own computer (RFC 8252, section 7.3).
func Loopback(uri string) bool {
	scheme, host, _, ok := parts(uri)
	return ok && scheme == "http" && slices.Contains(loopbacks, host)
}

// Where is how an address is shown to a person: its host, or the scheme of a program.
func Where(uri string) string {
	if _, host, port, ok := parts(uri); ok {
		return host + port
	}
	scheme, _, _ := strings.Cut(uri, "://")
	return scheme + "://"
}

// allowed reports whether a person may be sent to an address: on their own computer, to a program that is known by its
// scheme, or by https to one of the hosts.
func allowed(uri string, hosts ...[]string) bool {
	if slices.Contains(ownSchemes, uri) || Loopback(uri) {
		return true
	}
	scheme, host, port, ok := parts(uri)
	return ok && scheme == "https" && slices.ContainsFunc(append(hosts, wellKnown), func(list []string) bool {
		return slices.Contains(list, host+port)
	})
}

// RedirectFits reports whether a person may be sent back to uri: it is one of the program's own addresses, to the
// letter. On the person's own computer the port is free, since programs take one that is (RFC 8252, section 7.3).
func (c Client) RedirectFits(uri string) bool {
	return slices.ContainsFunc(c.RedirectURIs, func(own string) bool {
		return own == uri || Loopback(own) && Loopback(uri) && withoutPort(own) == withoutPort(uri)
	})
}

func withoutPort(uri string) string {
	scheme, host, port, _ := parts(uri)
	return strings.Replace(uri, scheme+"://"+host+port, scheme+"://"+host, 1)
}
