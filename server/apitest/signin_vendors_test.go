package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bizfin/server"
	"bizfin/server/agentclient"
)

// The programs of vendors that cannot be reached from a test, each as its vendor documents it and its users report it:
// how it says who it is, where people are sent back to, what it asks for, and what it does with what it is told.

// vendor is a program as it asks.
type vendor struct {
	document, metadata string // its address and text; none: it registers
	registration       string
	redirects          []string // where it has people sent back to, one sign-in each
	scope              string
	resource           string // at all three places; empty: it sends none
	prompt             string
	shown              string // on the consent page
}

// vendors is a server that fetches the documents of vendors, as they publish them.
func vendors(t *testing.T, list ...vendor) (*signIn, *documents) {
	t.Helper()
	host := &documents{t: t, answers: map[string]func(http.ResponseWriter){}}
	for _, v := range list {
		host.answers[v.document] = func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(v.metadata))
		}
	}
	return startSignIn(t, behindProxy, func(c *server.Config) {
		c.SignIn = &server.SignIn{Clients: agentclient.NewFetcher(nil, c.Now, host)}
	}), host
}

// metadataOf is a document, or a registration where it has no address.
func metadataOf(document, name, more string, redirects ...string) string {
	text := `{"client_name":"` + name + `","redirect_uris":["` + strings.Join(redirects, `","`) + `"],` +
		`"grant_types":["authorization_code","refresh_token"],"response_types":["code"]` + more
	if document != "" {
		text += `,"client_id":"` + document + `"`
	}
	return text + "}"
}

func (s *signIn) registers(registration string) answer {
	s.t.Helper()
	return s.outside("POST", "/oauth/register", http.Header{"Content-Type": {"application/json"}},
		strings.NewReader(registration))
}

// signsIn goes the whole way for each address, uses what it got, and renews it.
func (s *signIn) signsIn(p vendor) (client, refresh string) {
	s.t.Helper()
	if client = p.document; client == "" {
		registered := s.registers(p.registration).want(201)
		registered.wantAt("none", "token_endpoint_auth_method")
		if strings.Contains(string(registered.body), "null") || strings.Contains(string(registered.body), "secret") {
			s.t.Errorf("registered: %s", registered.body)
		}
		client = registered.text("client_id")
	}
	for _, redirect := range p.redirects {
		asked := with(with(accessFor(client), "redirect_uri", redirect), "scope", p.scope)
		form := with(redeeming(client, ""), "redirect_uri", redirect)
		if asked.Del("resource"); p.resource != "" {
			asked.Set("resource", p.resource)
		}
		if p.prompt != "" {
			asked.Set("prompt", p.prompt)
		}
		v := s.newVisitor()
		at := s.arrive(v, asked)
		if text := string(at.want(200).body); !strings.Contains(text, p.shown) ||
			!strings.Contains(text, agentclient.Where(redirect)) {
			s.t.Errorf("%s: asked without %q or %q: %s", redirect, p.shown, agentclient.Where(redirect), text)
		}
		back := v.decide(at.form(), "allow")
		to, err := url.Parse(back.to)
		if err != nil || back.status != 303 || !strings.HasPrefix(back.to, redirect+"?") ||
			to.Query().Get("iss") != publicURL || to.Query().Get("state") != "st&te" {
			s.t.Fatalf("%s: status %d, sent to %s", redirect, back.status, back.to)
		}
		form.Set("code", to.Query().Get("code"))
		if form.Del("resource"); p.resource != "" {
			form.Set("resource", p.resource)
		}
		got := s.token(form).want(200)
		if got.text("token_type") != "Bearer" || got.text("refresh_token") == "" ||
			got.header.Get("Cache-Control") != "no-store" ||
			strings.Contains(got.text("scope"), "offline_access") {
			s.t.Errorf("%s: %s", redirect, got.body)
		}
		s.rpc(bearing(got.text("access_token")), "tools/list", M{}).want(200)
		renewal := refreshing(client, got.text("refresh_token"))
		if p.resource != "" {
			renewal.Set("resource", p.resource)
		}
		renewed := s.token(renewal).want(200)
		s.rpc(bearing(renewed.text("access_token")), "tools/list", M{}).want(200)
		refresh = renewed.text("refresh_token")
	}
	return client, refresh
}

const everyScope = "org:read org:answer offline_access"

// claude is Claude on the web, the desktop and the telephone.
var claude = vendor{
	document: "https://claude.ai/oauth/mcp-oauth-client-metadata",
	metadata: metadataOf("https://claude.ai/oauth/mcp-oauth-client-metadata", "Claude",
		`,"token_endpoint_auth_method":"none","client_uri":"https://claude.ai"`,
		"https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"),
	redirects: []string{"https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"},
	scope:     everyScope, resource: publicURL + "/mcp", prompt: "consent", shown: "according to claude.ai",
}

func TestClaudeSignsIn(t *testing.T) {
	t.Parallel()
	s, host := vendors(t, claude)
	// It uses its document where both of these are said, and registers otherwise, which must go too.
	described := s.fetch("/.well-known/oauth-authorization-server").want(200)
	described.wantAt(true, "client_id_metadata_document_supported")
	described.wantAt([]string{"none"}, "token_endpoint_auth_methods_supported")
	client, refresh := s.signsIn(claude)
	registering := claude
	registering.document, registering.shown = "", "Claude"
	registering.registration = metadataOf("", "Claude",
		`,"token_endpoint_auth_method":"client_secret_post","client_uri":null,"logo_uri":null,"scope":"org:read"`, claude.redirects...)
	s.signsIn(registering)
	// It takes all scopes of the description, in their order.
	inOrder := claude
	inOrder.scope = strings.Join(strings.Fields(fmt.Sprint(described.get("scopes_supported"))), " ")
	inOrder.scope = strings.Trim(inOrder.scope, "[]")
	s.signsIn(inOrder)
	// It renews one token from two addresses at once.
	var both sync.WaitGroup
	next := make([]string, 2)
	for i, address := range []string{"160.79.104.1", "160.79.104.2"} {
		both.Go(func() {
			next[i] = s.token(refreshing(client, refresh), "X-Forwarded-For", address).want(200).text("refresh_token")
		})
	}
	both.Wait()
	if next[0] != next[1] {
		t.Error("its two addresses part")
	}
	// Its document fails now and then: what it has goes on, and so does a new sign-in.
	host.answers[claude.document] = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<h1>"))
	}
	s.clock.Add(2 * time.Hour)
	s.token(refreshing(client, next[0])).want(200)
	s.signsIn(claude)
	// A person reopens the address of a sign-in that they answered.
	v := s.newVisitor()
	at := s.arrive(v, with(accessFor(client), "redirect_uri", claude.redirects[0]))
	first := v.decide(at.form(), "allow")
	if again := v.decide(at.form(), "allow"); again.to != first.to {
		t.Errorf("a second press leads to %s", again.to)
	}
}

func TestClaudeCodeSignsIn(t *testing.T) {
	t.Parallel()
	const document = "https://claude.ai/oauth/claude-code-client-metadata"
	code := vendor{
		document: document,
		metadata: metadataOf(document, "Claude Code", `,"token_endpoint_auth_method":"none"`,
			"http://localhost/callback", "http://127.0.0.1/callback"),
		redirects: []string{"http://localhost:54212/callback", "http://localhost:3118/callback",
			"http://127.0.0.1:61000/callback"},
		scope: "org:read", resource: publicURL + "/mcp", shown: "program on the computer in front of you",
	}
	s, _ := vendors(t, code)
	client, refresh := s.signsIn(code)
	// Its processes share one store of tokens. One of them is late.
	second := s.token(refreshing(client, refresh)).want(200).text("refresh_token")
	s.clock.Add(29 * time.Minute)
	if late := s.token(refreshing(client, refresh)).want(200).text("refresh_token"); late != second {
		t.Error("its processes part")
	}
	s.token(refreshing(client, second)).want(200)
	// An older one registers, with an address for this run alone.
	code.document, code.registration = "", metadataOf("", "Claude Code (bizfin)",
		`,"token_endpoint_auth_method":"none"`, "http://localhost:54212/callback")
	code.redirects = code.redirects[:2]
	s.signsIn(code)
}

func TestChatGPTSignsIn(t *testing.T) {
	t.Parallel()
	const connector = "https://chatgpt.com/connector/oauth/Ab3dEf6hIj"
	const platform = "https://chatgpt.com/connector_platform_oauth_redirect"
	const document, own = "https://chatgpt.com/oauth/client.json", "https://chatgpt.com/oauth/Ab3dEf6hIj/client.json"
	one := vendor{document: document, metadata: metadataOf(document, "ChatGPT", `,"token_endpoint_auth_method":"none"`,
		connector, platform),
		redirects: []string{connector, platform}, scope: everyScope, resource: publicURL + "/mcp",
		shown: "according to chatgpt.com"}
	each := one
	each.document, each.metadata = own, metadataOf(own, "ChatGPT",
		`,"token_endpoint_auth_method":"none","logo_uri":"https://chatgpt.com/x.png"`, connector)
	each.redirects = each.redirects[:1]
	s, _ := vendors(t, one, each)
	// Its first request has no token: the challenge leads to the description, whose resource it echoes.
	challenge := s.rpc(nil, "tools/list", M{}).want(401).header.Get("WWW-Authenticate")
	if !strings.Contains(challenge, `resource_metadata="`+metadataURL+`"`) ||
		!strings.Contains(challenge, `scope="org:read"`) {
		t.Errorf("the challenge is %s", challenge)
	}
	s.fetch("/.well-known/oauth-protected-resource/mcp").want(200).wantAt(one.resource, "resource")
	s.signsIn(one) // with offline_access and without prompt, it is given a refresh token
	client, refresh := s.signsIn(each)
	registering := one
	registering.document, registering.registration, registering.shown = "",
		metadataOf("", "ChatGPT", "", connector, platform), "ChatGPT"
	s.signsIn(registering)
	for what, form := range map[string]url.Values{
		"renewed": with(refreshing(client, refresh), "resource", "https://other.example/mcp"),
		"asked":   with(redeeming(client, "x"), "resource", "https://other.example/mcp"),
	} {
		if got := s.token(form); got.status != 400 || got.text("error") != "invalid_target" {
			t.Errorf("%s for another resource: %d %s", what, got.status, got.body)
		}
	}
	// A tool that needs more than it has is the step-up it shows its person.
	small := one
	small.scope, small.redirects = "org:read", small.redirects[:1]
	_, refresh = s.signsIn(small)
	access := s.token(refreshing(document, refresh)).want(200).text("access_token")
	told := s.rpc(bearing(access), "tools/call", M{"name": "answerOutstandingIssue",
		"arguments": M{"organization_id": s.site.organization(0), "id": "x", "answer": "x"}}).want(403)
	if h := told.header.Get("WWW-Authenticate"); !strings.Contains(h, `error="insufficient_scope"`) ||
		!strings.Contains(h, `scope="org:read org:answer"`) {
		t.Errorf("the step-up is %s", h)
	}
}

func TestCursorSignsIn(t *testing.T) {
	t.Parallel()
	own := []string{"cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback",
		"http://localhost:8787/callback"}
	s, _ := vendors(t)
	s.signsIn(vendor{registration: metadataOf("", "Cursor", `,"token_endpoint_auth_method":"none"`, own...),
		redirects: own, scope: "org:read",
		resource: publicURL + "/mcp", shown: "Cursor"})
}

func TestVSCodeSignsIn(t *testing.T) {
	t.Parallel()
	const document = "https://vscode.dev/oauth/client-metadata.json"
	own := []string{"http://127.0.0.1:33418/", "https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect"}
	code := vendor{document: document, metadata: metadataOf(document, "Visual Studio Code",
		`,"token_endpoint_auth_method":"none"`, own...),
		redirects: append(own, "http://127.0.0.1:50123/"), scope: "org:read", resource: publicURL + "/mcp",
		shown: "according to vscode.dev"}
	s, _ := vendors(t, code)
	s.signsIn(code)
	code.document, code.shown, code.registration = "", "Visual Studio Code",
		metadataOf("", "Visual Studio Code", `,"application_type":"native"`, append(own, "http://127.0.0.1/")...)
	s.signsIn(code)
}

// It reads the description of the origin before that of /mcp, and sends that resource.
func TestGeminiCLISignsIn(t *testing.T) {
	t.Parallel()
	s, _ := vendors(t)
	root := s.fetch("/.well-known/oauth-protected-resource").want(200)
	root.wantAt(publicURL, "resource")
	root.wantAt([]string{publicURL}, "authorization_servers")
	s.signsIn(vendor{registration: metadataOf("", "Gemini CLI MCP Client",
		`,"token_endpoint_auth_method":"none","scope":""`, "http://localhost:7777/oauth/callback"),
		redirects: []string{"http://localhost:7777/oauth/callback", "http://localhost:40321/oauth/callback"},
		scope:     "org:read org:answer",
		resource:  root.text("resource"), shown: "Gemini CLI MCP Client"})
	// It waits five minutes for the person, who has ten here.
	v := s.newVisitor()
	at := s.arrive(v, accessFor(s.register()))
	s.clock.Add(5 * time.Minute)
	codeOf(t, v.decide(at.form(), "allow"))
}

// It fails where iss is described and missing: on a code, and on an error.
func TestCodexSignsIn(t *testing.T) {
	t.Parallel()
	const document = "https://developers.openai.com/codex/client.json"
	own := "http://127.0.0.1:41999/callback/9f2c61"
	codex := vendor{registration: metadataOf("", "Codex", `,"token_endpoint_auth_method":"none"`, own),
		redirects: []string{own}, shown: "Codex", scope: "org:read"}
	known := codex
	known.document, known.metadata, known.shown = document, metadataOf(document, "Codex",
		`,"token_endpoint_auth_method":"none"`, own), "according to developers.openai.com"
	s, _ := vendors(t, known)
	s.fetch("/.well-known/oauth-authorization-server").want(200).wantAt(true,
		"authorization_response_iss_parameter_supported")
	s.signsIn(codex)
	client, _ := s.signsIn(known)
	v := s.newVisitor()
	at := s.arrive(v, with(accessFor(client), "redirect_uri", own))
	for what, to := range map[string]string{
		"refused": v.decide(at.form(), "deny").to,
		"wrong": v.get(authorizeURL + with(with(accessFor(client), "redirect_uri", own), "response_type",
			"token").Encode()).to,
	} {
		if back, err := url.Parse(to); err != nil || !strings.HasPrefix(to, own+"?") ||
			back.Query().Get("iss") != publicURL || back.Query().Get("error") == "" {
			t.Errorf("%s: sent to %s", what, to)
		}
	}
}

// Its page asks from another origin, with more scopes than the challenge named.
func TestTheInspectorSignsIn(t *testing.T) {
	t.Parallel()
	s, _ := vendors(t)
	origin := http.Header{"Origin": {"http://localhost:6274"}}
	for _, path := range []string{"/.well-known/oauth-authorization-server",
		"/.well-known/oauth-protected-resource/mcp"} {
		if got := s.visit("GET", path, origin).want(200); got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	for _, path := range []string{"/oauth/token", "/oauth/register", "/oauth/revoke"} {
		if got := s.visit("OPTIONS", path, origin).want(204); got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	own := "http://127.0.0.1:6276/oauth/callback"
	s.signsIn(vendor{registration: metadataOf("", "MCP Inspector", `,"token_endpoint_auth_method":"none"`, own),
		redirects: []string{own}, scope: everyScope,
		resource: publicURL + "/mcp", prompt: "consent", shown: "MCP Inspector"})
}

// The libraries act on the code of an error: on invalid_client they register again, on invalid_grant they sign in
// again, and on what looks like a failure of the server they may do either.
func TestErrorsAreThoseThatLibrariesActOn(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	for what, c := range map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"a program that is gone": {refreshing("bizfin-gone", g.refresh), 401, "invalid_client"},
		"no program":             {with(refreshing("", g.refresh), "client_id"), 401, "invalid_client"},
		"a token that is none":   {refreshing(g.client, "mcpr_none"), 400, "invalid_grant"},
		"an access token":        {refreshing(g.client, g.access), 400, "invalid_grant"},
		"a code that is none":    {redeeming(g.client, "none"), 400, "invalid_grant"},
		"a grant type that there isn't": {url.Values{"grant_type": {"password"}, "client_id": {g.client}}, 400,
			"unsupported_grant_type"},
		"a secret's grant": {url.Values{"grant_type": {"client_credentials"}, "client_id": {g.client}}, 400,
			"unsupported_grant_type"},
		"another resource": {with(refreshing(g.client, g.refresh), "resource", "https://other.example"), 400,
			"invalid_target"},
	} {
		got := s.token(c.form)
		if got.status != c.status || got.text("error") != c.code || got.text("error_description") == "" ||
			got.header.Get("Cache-Control") != "no-store" ||
			!strings.HasPrefix(got.header.Get("Content-Type"), "application/json") ||
			(c.status == 401) != (got.header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: %d %s %v", what, got.status, got.body, got.header)
		}
	}
	s.token(refreshing(g.client, g.refresh)).want(200) // none of these ended anything
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp",
		"/mcp/.well-known/openid-configuration",
		"/.well-known/oauth-authorization-server/other"} {
		if got := s.fetch(path).want(404); got.text("error") == "" {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}
