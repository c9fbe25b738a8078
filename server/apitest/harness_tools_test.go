package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bizfin/internal/money"
	"bizfin/server"
	"bizfin/server/oauth"
	"bizfin/server/oauth/oauthtest"
	"bizfin/store"
)

// publicURL is the address that the tests' servers believe in.
const publicURL = "https://api.example.com"

// startWithIssuer runs a server that trusts a running issuer.
func startWithIssuer(t *testing.T, configure ...func(*server.Config)) (*api, *oauthtest.Issuer) {
	t.Helper()
	var issuer *oauthtest.Issuer
	a := start(t, append([]func(*server.Config){func(c *server.Config) {
		issuer = oauthtest.Start(t, c.Now)
		c.AccessTokens = oauth.New(oauth.Config{
			Issuers: []oauth.Issuer{{URL: issuer.URL}}, Audiences: server.Audiences(c.PublicURL), Log: c.Log,
		})
	}}, configure...)...)
	// An issuer of an earlier test may have had the same port, and the database is shared.
	if _, err := a.db.SQL().Exec(`DELETE FROM oauth_identities WHERE issuer = $1`, issuer.URL); err != nil {
		t.Fatal(err)
	}
	return a, issuer
}

// link lets an issuer's subject act as a person.
func (a *api) link(issuer *oauthtest.Issuer, subject, person string) {
	a.t.Helper()
	if err := a.db.LinkOAuthIdentity(context.Background(), a.clock.Now(), issuer.URL, subject,
		uuid.MustParse(person)); err != nil {
		a.t.Fatal(err)
	}
}

// toServer sends requests for the public address to the test's server, with a token where there is one.
type toServer struct {
	to    string
	token string
}

func (d toServer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.URL.Host == "api.example.com" {
		to, err := url.Parse(d.to)
		if err != nil {
			return nil, err
		}
		r.Host, r.URL.Scheme, r.URL.Host = r.URL.Host, to.Scheme, to.Host
		if d.token != "" {
			r.Header.Set("Authorization", "Bearer "+d.token)
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// agent is a client of the official SDK that speaks one revision of the protocol.
func (a *api) agent(token, revision string) *sdk.ClientSession {
	a.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(a.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: publicURL + "/mcp", HTTPClient: &http.Client{Transport: toServer{a.url, token}},
		DisableStandaloneSSE: true, MaxRetries: -1,
	}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		a.t.Fatalf("%s: %v", revision, err)
	}
	a.t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		a.t.Fatalf("speaks %s instead of %s", got, revision)
	}
	return session
}

// callTool calls a tool and returns its text and whether it is an error.
func callTool(t testing.TB, session *sdk.ClientSession, name string, arguments M) (result *sdk.CallToolResult,
	text string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%s: %d content blocks", name, len(result.Content))
	}
	return result, result.Content[0].(*sdk.TextContent).Text
}

// rpc posts one JSON-RPC request as a client of the older revisions would.
func (a *api) rpc(header http.Header, method string, params any) answer {
	a.t.Helper()
	raw, err := json.Marshal(M{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.postMCP(header, raw)
}

func (a *api) postMCP(header http.Header, raw []byte) answer {
	a.t.Helper()
	return a.mcp("POST", header, raw)
}

func (a *api) mcp(method string, header http.Header, raw []byte) answer {
	a.t.Helper()
	r, err := http.NewRequest(method, a.url+"/mcp", bytes.NewReader(raw))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answerOf(a.t, response.StatusCode, response.Header, body)
}

func bearing(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// furnish puts one of everything into the business, which the arguments of the table of operations find.
func (o *office) furnish() ids {
	o.t.Helper()
	account := o.uploadAccount("checking")
	transaction := o.upload(account,
		transaction("t1", "-48.20", "2026-03-30", `POS <FLOUR> & "MILL" 0042`),
		transaction("t2", "9999999999999.99", "2026-03-31", "SQUARE INC ü"),
	)["t1"]
	counterparty := uuid.New()
	o.must(o.rows().SaveCounterparty(context.Background(), o.clock.Now(), store.Counterparty{
		ID: counterparty, Name: "Flour Mill", Type: "company", Relationship: "supplier", Confidence: 9000,
		LastDate: on("2026-03-30"),
	}))
	o.must(o.rows().SetCounterparty(context.Background(), o.clock.Now(), uuid.MustParse(transaction), counterparty))
	issue := question("counterparty", counterparty.String(), o.clock.Now())
	issue.ImpactAmount = money.TotalOf(4820)
	o.openIssue(issue, uuid.MustParse(transaction))
	return ids{source: o.source, account: account, transaction: transaction, counterparty: counterparty.String(),
		issue: issue.ID.String()}
}
