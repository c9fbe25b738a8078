package apitest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/server"
	"bizfin/server/agentclient"
)

func TestTheServerDescribesItself(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	for _, path := range []string{"", "/mcp"} {
		got := s.fetch("/.well-known/oauth-authorization-server" + path).want(200)
		got.wantAt(M{
			"issuer":                   publicURL,
			"authorization_endpoint":   publicURL + "/oauth/authorize",
			"token_endpoint":           publicURL + "/oauth/token",
			"registration_endpoint":    publicURL + "/oauth/register",
			"revocation_endpoint":      publicURL + "/oauth/revoke",
			"scopes_supported":         []string{"org:read", "org:answer", "offline_access"},
			"response_types_supported": []string{"code"},
			"response_modes_supported": []string{"query"},
			"grant_types_supported": []string{"authorization_code", "refresh_token",
				"urn:ietf:params:oauth:grant-type:jwt-bearer"},
			"token_endpoint_auth_methods_supported":          []string{"none"},
			"revocation_endpoint_auth_methods_supported":     []string{"none"},
			"code_challenge_methods_supported":               []string{"S256"},
			"client_id_metadata_document_supported":          true,
			"authorization_response_iss_parameter_supported": true,
			"service_documentation":                          publicURL + "/api/v1/docs/guides/agents",
		})
		if got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, got.header)
		}
		resource := s.fetch("/.well-known/oauth-protected-resource" + path).want(200)
		resource.wantAt(publicURL+path, "resource")
		resource.wantAt([]string{publicURL}, "authorization_servers")
		resource.wantAt([]string{"org:read", "org:answer"}, "scopes_supported")
		if resource.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", path, resource.header)
		}
	}
	for _, path := range []string{"/oauth/token", "/oauth/register", "/oauth/revoke"} {
		got := s.visit("OPTIONS", path, http.Header{"Origin": {"https://inspector.example"}}).want(204)
		if got.header.Get("Access-Control-Allow-Origin") != "*" ||
			got.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	s.fetch("/.well-known/openid-configuration").want(404).text("error")
}

func TestWithoutTheSettingNobodySignsInHere(t *testing.T) {
	t.Parallel()
	a, s := shared(t), startSignIn(t)
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/oauth/authorize", "/oauth/consent",
		"/oauth/continue", "/oauth/grants"} {
		a.fetch(path).want(404)
	}
	for _, path := range []string{"/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/consent",
		"/oauth/requests/x/accept"} {
		a.visit("POST", path, http.Header{}).want(404)
	}
	// What was granted rests meanwhile.
	g := s.grant()
	a.rpc(bearing(g.access), "tools/list", M{}).want(401)
	s.rpc(bearing(g.access), "tools/list", M{}).want(200)
}

func TestIssuersGoOnBesideTheSignIn(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t, func(c *server.Config) { c.SignIn = &server.SignIn{} })
	o := a.open()
	a.link(issuer, "ana", o.person)
	a.fetch("/.well-known/oauth-protected-resource/mcp").want(200).wantAt([]string{publicURL, issuer.URL},
		"authorization_servers")
	a.rpc(bearing(issuer.Sign(issuer.Claims("ana", publicURL, "org:read"), nil)), "tools/list", M{}).want(200)
	a.rpc(bearing(a.oauth(o.person)), "tools/list", M{}).want(200)
	info := o.get(o.path + "/agent-connection").want(200)
	info.wantAt([]string{publicURL, issuer.URL}, "mcp", "authentication", "authorizationServers")
}

func TestAPersonIsSentBackToTheProgramsOwnAddressAlone(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	const https = "https://claude.ai/api/mcp/auth_callback"
	client := s.register("http://127.0.0.1/callback", "http://localhost:8787/callback?a=b", "http://[::1]/callback",
		https)
	for redirect, good := range map[string]bool{
		"http://127.0.0.1/callback":                    true,
		"http://127.0.0.1:1/callback":                  true,
		"http://127.0.0.1:65535/callback":              true,
		"http://localhost:33333/callback?a=b":          true,
		"http://[::1]:9/callback":                      true,
		https:                                          true,
		"":                                             false,
		"http://127.0.0.1:1/callback/":                 false,
		"http://127.0.0.1:1/callback/x":                false,
		"http://127.0.0.1:1/callback?x=1":              false,
		"http://127.0.0.1:1/callback#x":                false,
		"http://127.0.0.1:1/Callback":                  false,
		"http://127.0.0.1:1//callback":                 false,
		"http://127.0.0.1:1/x/../callback":             false,
		"http://127.0.0.1:1/%63allback":                false,
		"http://127.0.0.2:1/callback":                  false,
		"http://localhost:1/callback":                  false, // registered with a query
		"http://localhost.evil.example:1/callback":     false,
		"http://127.0.0.1:1@evil.example/callback":     false,
		"http://127.0.0.1@evil.example/callback":       false,
		`http://127.0.0.1:1\@evil.example/callback`:    false,
		"http://127.0.0.1:1%2f@evil.example/callback":  false,
		"http://127.0.0.1.evil.example/callback":       false,
		"http://127.0.0.1:x/callback":                  false,
		"http://127.1/callback":                        false,
		"http://2130706433/callback":                   false,
		"https://127.0.0.1/callback":                   false,
		"HTTP://127.0.0.1/callback":                    false,
		"//127.0.0.1/callback":                         false,
		"https://claude.ai:8443/api/mcp/auth_callback": false,
		"https://claude.ai:443/api/mcp/auth_callback":  false,
		"https://claude.ai./api/mcp/auth_callback":     false,
		"https://Claude.ai/api/mcp/auth_callback":      false,
		"http://claude.ai/api/mcp/auth_callback":       false,
		"https://claude.ai/api/mcp/auth_callback?x":    false,
		"https://evil.example/?" + https:               false,
		"javascript:alert(1)":                          false,
		"http://127.0.0.1:1/callback\r\nX: y":          false,
	} {
		at := s.newVisitor().get(authorizeURL + with(accessFor(client), "redirect_uri", redirect).Encode())
		if good && at.status != 200 && at.status != 303 {
			t.Errorf("%q: %d", redirect, at.status)
		}
		if !good && (at.status != 400 || at.to != "" || len(at.header.Values("Set-Cookie")) > 0) {
			t.Errorf("%q: %d, to %q", redirect, at.status, at.to)
		}
	}
}

func TestWhatIsWrongWithARequestIsToldTheProgram(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client := s.register()
	right := accessFor(client)
	for what, c := range map[string]struct {
		asked url.Values
		code  string
	}{
		"no response type":    {with(right, "response_type"), "unsupported_response_type"},
		"an implicit grant":   {with(right, "response_type", "token"), "unsupported_response_type"},
		"no challenge":        {with(right, "code_challenge"), "invalid_request"},
		"a plain challenge":   {with(right, "code_challenge_method", "plain"), "invalid_request"},
		"no challenge method": {with(right, "code_challenge_method"), "invalid_request"},
		"a short challenge":   {with(right, "code_challenge", "abc"), "invalid_request"},
		"another resource":    {with(right, "resource", "https://other.example/mcp"), "invalid_target"},
		"ours and another": {with(right, "resource", publicURL+"/mcp", "https://other.example/mcp"),
			"invalid_target"},
		"an unknown scope":       {with(right, "scope", "admin"), "invalid_scope"},
		"a fragment response":    {with(right, "response_mode", "fragment"), "invalid_request"},
		"without asking anybody": {with(right, "prompt", "none"), "consent_required"},
		"a request object":       {with(right, "request_uri", "https://evil.example"), "request_not_supported"},
		"a scope twice":          {with(right, "scope", "org:read", "org:answer"), "invalid_request"},
	} {
		at := s.newVisitor().get(authorizeURL + c.asked.Encode())
		to, err := url.Parse(at.to)
		if err != nil || at.status != 303 || !strings.HasPrefix(at.to, callback+"?") ||
			to.Query().Get("error") != c.code || to.Query().Get("state") != "st&te" ||
			to.Query().Get("iss") != publicURL {
			t.Errorf("%s: %d, to %q", what, at.status, at.to)
		}
	}
	for what, asked := range map[string]url.Values{
		"no program":             with(right, "client_id"),
		"an unknown program":     with(right, "client_id", "bizfin-unknown"),
		"two programs":           with(right, "client_id", client, client),
		"a NUL":                  with(right, "client_id", "\x00"),
		"a document nowhere":     with(right, "client_id", "https://nowhere.invalid/client.json"),
		"a document on loopback": with(right, "client_id", "https://127.0.0.1/client.json"),
	} {
		at := s.newVisitor().get(authorizeURL + asked.Encode())
		if at.status != 400 || at.to != "" || !strings.Contains(string(at.body), "<h1>") {
			t.Errorf("%s: %d, to %q", what, at.status, at.to)
		}
	}
	// What has a usual answer: no state, no scope, no resource, or the other name of the resource.
	for _, name := range []string{"state", "scope", "resource"} {
		if at := s.newVisitor().get(authorizeURL + with(right, name).Encode()); at.status != 200 && at.status != 303 ||
			strings.HasPrefix(at.to, callback) {
			t.Errorf("without %s: %d, to %q", name, at.status, at.to)
		}
	}
	for _, resource := range []string{publicURL, publicURL + "/", publicURL + "/mcp/"} {
		if at := s.newVisitor().get(authorizeURL + with(right, "resource", resource).Encode()); strings.HasPrefix(at.to,
			callback) {
			t.Errorf("%s: to %q", resource, at.to)
		}
	}
	at := s.arrive(s.newVisitor(), with(right, "scope"))
	if diff := cmp.Diff([]string{"org:read"}, at.form()["scope"]); diff != "" {
		t.Errorf("without a scope: %s", diff)
	}
}

func TestAProgramRegistersItself(t *testing.T) {
	t.Parallel()
	s := startSignIn(t, func(c *server.Config) {
		c.SignIn = &server.SignIn{
			RedirectHosts: []string{"agents.example.com"}}
	})
	register := func(body string) answer {
		return s.outside("POST", "/oauth/register", http.Header{"Content-Type": {"application/json"}},
			strings.NewReader(body))
	}
	cursor := register(`{"client_name":"Cursor\u202e \u0007  IDE","client_uri":null,"token_endpoint_auth_method":"client_secret_post","redirect_uris":[
		"cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback",
		"http://localhost:8787/callback"],
		"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"scope":"x"}`).want(201)
	cursor.wantAt("Cursor IDE", "client_name")
	cursor.wantAt("none", "token_endpoint_auth_method")
	cursor.wantAt([]string{"authorization_code", "refresh_token"}, "grant_types")
	for _, never := range []string{"secret", "null", "registration_access_token"} {
		if strings.Contains(strings.ReplaceAll(string(cursor.body), "client_secret_post", ""), never) {
			t.Errorf("it is answered %s", cursor.body)
		}
	}
	client := cursor.text("client_id")
	at := s.arrive(s.newVisitor(), with(accessFor(client), "redirect_uri", "http://localhost:5/callback"))
	if !strings.Contains(string(at.want(200).body), "Cursor IDE") {
		t.Errorf("asked: %s", at.body)
	}
	register(`{"redirect_uris":["https://agents.example.com/x","https://claude.ai/api/mcp/auth_callback"]}`).want(201)
	for body, code := range map[string]string{
		`{"redirect_uris":[]}`: "invalid_redirect_uri",
		`{}`:                   "invalid_redirect_uri",
		`{"redirect_uris":["https://evil.example/x"]}`:                        "invalid_redirect_uri",
		`{"redirect_uris":["http://127.0.0.1/x","https://evil.example/x"]}`:   "invalid_redirect_uri",
		`{"redirect_uris":["https://claude.ai.evil.example/x"]}`:              "invalid_redirect_uri",
		`{"redirect_uris":["https://claude.ai@evil.example/x"]}`:              "invalid_redirect_uri",
		`{"redirect_uris":["http://192.168.0.1/x"]}`:                          "invalid_redirect_uri",
		`{"redirect_uris":["http://claude.ai/x"]}`:                            "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"]}`:                           "invalid_redirect_uri",
		`{"redirect_uris":["data:text/html,x"]}`:                              "invalid_redirect_uri",
		`{"redirect_uris":["file:///etc/passwd"]}`:                            "invalid_redirect_uri",
		`{"redirect_uris":["cursor://evil/oauth/callback"]}`:                  "invalid_redirect_uri",
		`{"redirect_uris":["http://127.0.0.1/x#y"]}`:                          "invalid_redirect_uri",
		`{"redirect_uris":["http://127.0.0.1/x"],"grant_types":["implicit"]}`: "invalid_client_metadata",
		`{"redirect_uris":["http://127.0.0.1/x"],"response_types":["token"]}`: "invalid_client_metadata",
		`{"redirect_uris":"http://127.0.0.1/x"}`:                              "invalid_client_metadata",
		`[]`:                                                                  "invalid_client_metadata",
		`x`:                                                                   "invalid_client_metadata",
	} {
		if got := register(body); got.status != 400 || got.text("error") != code {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

// documents is a host on the internet, as the fetcher sees it.
type documents struct {
	t       *testing.T
	answers map[string]func(http.ResponseWriter)
	asked   atomic.Int32
}

func (d *documents) RoundTrip(r *http.Request) (*http.Response, error) {
	d.asked.Add(1)
	w := httptest.NewRecorder()
	if write, ok := d.answers[r.URL.String()]; ok {
		write(w)
	} else {
		w.WriteHeader(404)
	}
	return w.Result(), nil
}

func TestAProgramIsKnownByItsDocument(t *testing.T) {
	t.Parallel()
	const id = "https://client.example/oauth/client.json"
	good := `{"client_id":"` + id +
		`","client_name":"Example Agent","redirect_uris":["http://127.0.0.1/callback","https://client.example/back","https://evil.example/back"]}`
	serve := func(status int, media, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("Cache-Control", "public, max-age=600")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	host := &documents{t: t, answers: map[string]func(http.ResponseWriter){id: serve(200,
		"application/json; charset=utf-8", good)}}
	s := startSignIn(t, func(c *server.Config) {
		c.SignIn = &server.SignIn{Clients: agentclient.NewFetcher(nil, c.Now, host)}
	})
	begin := func(redirect string) page {
		return s.newVisitor().get(authorizeURL + with(accessFor(id), "redirect_uri", redirect).Encode())
	}
	v := s.newVisitor()
	at := s.arrive(v, accessFor(id))
	if text := string(at.want(200).body); !strings.Contains(text, "Example Agent") ||
		!strings.Contains(text, "according to client.example") || strings.Contains(text, "nobody has checked") {
		t.Errorf("asked: %s", text)
	}
	// What was fetched when the person began is what counts.
	host.answers[id] = serve(200, "application/json", strings.ReplaceAll(good, "Example Agent", "Another"))
	got := s.token(redeeming(id, codeOf(t, v.decide(at.form(), "allow")))).want(200)
	s.token(refreshing(id, got.text("refresh_token"))).want(200)
	// Another sign-in of the same program is another computer's: both go on.
	s.token(redeeming(id, s.agree(id))).want(200)
	s.rpc(bearing(got.text("access_token")), "tools/list", M{}).want(200)
	if n := host.asked.Load(); n != 1 {
		t.Errorf("the document was fetched %d times", n)
	}
	begin("https://evil.example/back").want(400)
	if at := begin("https://client.example/back"); at.status != 200 && at.status != 303 {
		t.Errorf("its own host: %d", at.status)
	}
	s.clock.Add(601 * time.Second)
	begin(callback)
	if n := host.asked.Load(); n != 2 {
		t.Errorf("the document was fetched %d times", n)
	}
	// It fails: the last good one counts for a day.
	host.answers[id] = serve(500, "text/html", "<h1>")
	s.clock.Add(time.Hour)
	if at := begin(callback); at.status == 400 {
		t.Error("a document that fails for a moment is gone")
	}
	s.clock.Add(25 * time.Hour)
	begin(callback).want(400)
}
