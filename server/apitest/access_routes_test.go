package apitest

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/server"
)

// route is one that stands outside the operations of an organization, or beside the document: how it is asked for, and
// what it answers whom.
type route struct {
	method, path string // as it is registered
	// asks is the address, the body and its media type. The token is that of the cell.
	asks func(token string) (address, body, media string)
	want func(c cell) int
}

// The forms of what routes are asked with.
const (
	formMedia = "application/x-www-form-urlencoded"
	jsonMedia = "application/json"
)

func at(address string) func(string) (string, string, string) { return sending(address, "", "") }

func sending(address, body, media string) func(string) (string, string, string) {
	return func(string) (string, string, string) { return address, body, media }
}

// everybody is answered alike, whoever they are.
func everybody(status int) func(cell) int { return func(cell) int { return status } }

// partnersAlone are let in by a token of their own for whoever they know; others are nobody.
func partnersAlone(status int) func(cell) int {
	return func(c cell) int {
		if c.credential == partnerToken || c.credential == neverConnected {
			return status
		}
		return 401
	}
}

// agentsAlone are let in by an OAuth token that is in force.
func agentsAlone(c cell) int {
	if c.opaque() {
		return 200
	}
	return 401
}

// otherRoutes are all routes but the operations of an organization, which the matrix of operations has.
func otherRoutes(partner string) []route {
	const docs = server.BasePath + "/docs"
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	list := []route{
		{"GET", "/", at("/"), everybody(404)},
		{"HEAD", "/", at("/"), everybody(404)},
		{"GET", "/healthz", at("/healthz"), everybody(200)},
		{"GET", "/readyz", at("/readyz"), everybody(200)},
		{"GET", "/metrics", at("/metrics"), everybody(200)}, // where it has no address of its own
		{"GET", server.BasePath, at(server.BasePath), everybody(200)},
		{"HEAD", server.BasePath, at(server.BasePath), everybody(200)},
		{"GET", server.BasePath + "/openapi.json", at(server.BasePath + "/openapi.json"), everybody(200)},
		{"HEAD", server.BasePath + "/openapi.json", at(server.BasePath + "/openapi.json"), everybody(200)},
		{"GET", server.BasePath + "/openapi.simple.json", at(server.BasePath + "/openapi.simple.json"), everybody(200)},
		{"HEAD", server.BasePath + "/openapi.simple.json", at(server.BasePath + "/openapi.simple.json"),
			everybody(200)},
		{"GET", server.BasePath + "/openapi.yaml", at(server.BasePath + "/openapi.yaml"), everybody(200)},
		{"HEAD", server.BasePath + "/openapi.yaml", at(server.BasePath + "/openapi.yaml"), everybody(200)},
		{"GET", docs, at(docs), everybody(303)},
		{"HEAD", docs, at(docs), everybody(303)},
		{"GET", docs + "/*", at(docs + "/guides/agents"), everybody(200)},
		{"HEAD", docs + "/*", at(docs + "/guides/agents"), everybody(200)},
		// The sign-in: pages are their browser's, and a header is no browser.
		{"GET", "/oauth/authorize", at("/oauth/authorize?client_id=nobody"), everybody(400)},
		{"POST", "/oauth/partner", sending("/oauth/partner", "agent_request=x&partner="+partner, formMedia),
			everybody(403)},
		{"GET", "/oauth/continue", at("/oauth/continue?agent_request=x&secret=x"), everybody(400)},
		{"GET", "/oauth/consent", at("/oauth/consent?agent_request=x"), everybody(400)},
		{"POST", "/oauth/consent", sending("/oauth/consent", "agent_request=x&decision=allow", formMedia),
			everybody(403)},
		{"GET", "/oauth/agents", at("/oauth/agents?partner=nobody"), everybody(404)},
		{"GET", "/oauth/agents/mine", at("/oauth/agents/mine?agent_request=x"), everybody(400)},
		{"POST", "/oauth/agents/mine", sending("/oauth/agents/mine", "agent_request=x&end=all", formMedia),
			everybody(403)},
		// A token of the embed is not one for the sign-in.
		{"POST", "/oauth/requests/:id/accept", at("/oauth/requests/x/accept"), everybody(401)},
		{"POST", "/oauth/requests/:id/refuse", at("/oauth/requests/x/refuse"), everybody(401)},
		{"GET", "/oauth/grants", at("/oauth/grants"), partnersAlone(200)},
		{"DELETE", "/oauth/grants/:id", at("/oauth/grants/" + uuid.NewString()), partnersAlone(404)},
		{"POST", "/oauth/token", func(token string) (string, string, string) {
			form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {token}}
			return "/oauth/token", form.Encode(), formMedia
		}, func(c cell) int {
			if c.credential == partnerToken && c.stored != "" {
				return 200
			}
			return 400
		}},
		{"POST", "/oauth/revoke", sending("/oauth/revoke", "client_id=nobody&token=x", formMedia), func(c cell) int {
			if c.credential == noCredential {
				return 200
			}
			return 401 // a program's name, with HTTP's basic authentication or none at all
		}},
		{"POST", "/oauth/register", sending("/oauth/register", "{}", jsonMedia), everybody(400)},
		{"POST", "/mcp", sending("/mcp", ping, jsonMedia), agentsAlone},
		{"POST", server.BasePath + "/auth/partner", at(server.BasePath + "/auth/partner"), func(c cell) int {
			switch {
			case c.credential == partnerToken || c.credential == neverConnected:
				return 0 // it connects, which the tests of connections have
			case c.opaque():
				return 403
			default:
				return 401
			}
		}},
		{"DELETE", "/oauth/grants", at("/oauth/grants"), partnersAlone(200)},
		// The webhooks know signatures alone.
		{"POST", "/webhooks/:partner_id/accounts", sending("/webhooks/"+partner+"/accounts", "{}", jsonMedia),
			everybody(401)},
		{"POST", server.BillingRoute, sending(server.BillingRoute, "{}", jsonMedia), everybody(401)},
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"} {
		for _, of := range []string{"", "/mcp"} {
			list = append(list, route{"GET", path + of, at(path + of), everybody(200)},
				route{"OPTIONS", path + of, at(path + of), everybody(204)})
		}
	}
	for _, path := range []string{"/mcp", "/oauth/token", "/oauth/revoke", "/oauth/register"} {
		list = append(list, route{"OPTIONS", path, at(path), everybody(204)})
	}
	return list
}

// TestEveryOtherRouteAsksWho tries every route that is there with each credential, role and membership. A route that is
// neither in the table nor an operation of an organization fails it.
func TestEveryOtherRouteAsksWho(t *testing.T) {
	t.Parallel()
	_, local, _ := net.ParseCIDR("127.0.0.1/32")
	a := start(t, func(c *server.Config) {
		c.SignIn, c.BillingSecrets = &server.SignIn{}, []string{"whsec_of_a_test"}
		c.Proxies = []*net.IPNet{local} // so that each request is of another address
	})
	left := map[string]bool{}
	for _, r := range a.routes {
		if inOne := server.BasePath + "/organizations/:organization_id/"; !strings.HasPrefix(r.Path, inOne) {
			left[r.Method+" "+r.Path] = true
		}
	}
	table := otherRoutes(a.partner)
	for _, r := range table {
		if name := r.method + " " + r.path; !left[name] {
			t.Errorf("%s is no route", name)
		} else {
			delete(left, name)
		}
	}
	if len(left) > 0 {
		t.Errorf("nobody says who may use %v", slices.Sorted(maps.Keys(left)))
	}
	sent := 0
	for _, signed := range []string{"owner", "member"} {
		for _, stored := range []string{"owner", "member", ""} {
			headers, _ := a.credentials(uuid.NewString(), uuid.NewString(), signed, stored)
			// The person's own token is the last: with it they end what they granted.
			list := slices.DeleteFunc(slices.Sorted(maps.Keys(headers)),
				func(c string) bool { return c == partnerToken })
			for _, credential := range append(list, partnerToken) {
				header, at := headers[credential], cell{credential: credential, signed: signed, stored: stored}
				for _, r := range table {
					want := r.want(at)
					if want == 0 {
						continue
					}
					sent++
					address, body, media := r.asks(strings.TrimPrefix(header.Get("Authorization"), "Bearer "))
					header := header.Clone()
					if r.path == "/oauth/token" { // the token is what it is asked with
						header.Del("Authorization")
					}
					if media != "" {
						header.Set("Content-Type", media)
					}
					if r.path == "/mcp" {
						header.Set("Accept", "application/json, text/event-stream")
					}
					header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", sent>>16&255, sent>>8&255, sent&255))
					if got := a.outside(r.method, address, header, bytes.NewReader([]byte(body))); got.status != want {
						t.Errorf("%+v: %s %s is %d, want %d: %.200s", at, r.method, r.path, got.status, want, got.body)
					}
				}
			}
		}
	}
	if least := 6 * 17 * 35; sent < least {
		t.Errorf("%d requests, want at least %d", sent, least)
	}
}
