package apitest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"bizfin/server"
)

const metadataURL = publicURL + "/.well-known/oauth-protected-resource/mcp"

func TestAnAgentWithoutAGoodTokenIsChallenged(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t)
	plain := shared(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	a.link(issuer, "ana", o.person)
	revoked, expired := a.oauth(o.person), issuer.Claims("ana", publicURL, "org:read")
	if err := a.db.RevokeOAuthToken(context.Background(), a.clock.Now(), revoked); err != nil {
		t.Fatal(err)
	}
	expired["exp"] = a.clock.Now().Unix()
	signed := a.sign(sub, biz)
	both := bearing(a.oauth(o.person))
	both.Set("X-Service-Partner", a.partner)
	emptyPartner := bearing(a.oauth(o.person))
	emptyPartner["X-Service-Partner"] = []string{""}
	partner := bearing(signed)
	partner.Set("X-Service-Partner", a.partner)
	for what, c := range map[string]struct {
		header http.Header
		code   string
	}{
		"no token":                     {nil, ""},
		"unknown opaque token":         {bearing("mcp_unknown"), "invalid_token"},
		"revoked opaque token":         {bearing(revoked), "invalid_token"},
		"partner JWT without header":   {bearing(signed), "invalid_token"},
		"partner JWT with its header":  {partner, "invalid_token"},
		"opaque token, partner header": {both, "invalid_token"},
		"opaque token, empty header":   {emptyPartner, "invalid_token"},
		"basic":                        {http.Header{"Authorization": {"Basic eDp5"}}, "invalid_token"},
		"two tokens": {http.Header{"Authorization": {"Bearer mcp_x", "Bearer mcp_y"}},
			"invalid_token"},
		"JWT for another audience": {bearing(issuer.Sign(issuer.Claims("ana", "https://other.example", "org:read"),
			nil)), "invalid_token"},
		"JWT of somebody not linked": {bearing(issuer.Sign(issuer.Claims("eve", publicURL, "org:read"), nil)),
			"invalid_token"},
		"expired JWT": {bearing(issuer.Sign(expired, nil)), "invalid_token"},
		"JWT with a partner header": {http.Header{"Authorization": {"Bearer " +
			issuer.Sign(issuer.Claims("ana", publicURL, "org:read"), nil)}, "X-Service-Partner": {a.partner}},
			"invalid_token"},
		"JWT that is an ID token": {bearing(issuer.Sign(issuer.Claims("ana", publicURL, "org:read"),
			map[string]any{"typ": "JWT"})), "invalid_token"},
		"JWT of a person, as a partner": {bearing(a.signPayload("ana", nil)), "invalid_token"},
	} {
		got := a.rpc(c.header, "tools/list", M{})
		if got.status != 401 || got.text("error") == "" {
			t.Errorf("%s: %d %s", what, got.status, got.body)
			continue
		}
		challenges, err := oauthex.ParseWWWAuthenticate(got.header.Values("WWW-Authenticate"))
		if err != nil || len(challenges) != 1 {
			t.Fatalf("%s: %v, %v", what, challenges, err)
		}
		want := map[string]string{"realm": "bizfin", "scope": "org:read", "resource_metadata": metadataURL}
		if c.code != "" {
			want["error"] = c.code
		}
		if diff := cmp.Diff(want, challenges[0].Params); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	// Without an issuer there is no metadata to point to.
	if challenge := plain.rpc(nil, "tools/list",
		M{}).want(401).header.Get("WWW-Authenticate"); challenge != `Bearer realm="bizfin", scope="org:read"` {
		t.Errorf("without an issuer: %s", challenge)
	}
}

func TestJWTAccessTokensWorkOnOrganizationRoutes(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t)
	o, other := a.open(), a.open()
	a.link(issuer, "ana", o.person)
	token := func(scope string) *caller {
		return a.withOAuth(issuer.Sign(issuer.Claims("ana", publicURL, scope), nil))
	}
	token("org:read").get(o.path + "/profile").want(200)
	token("").get(o.path + "/profile").want(403)
	token("org:read").get(other.path + "/profile").noAccess()
	token("org:read").post(o.path+"/accounts", M{}).want(403)
	token("org:write").post(o.path+"/accounts", M{}).want(422)
	token("org:read").post("/auth/partner", nil).want(403)
	token("org:read").with("X-Service-Partner", a.partner).get(o.path + "/profile").unauthorized()
	a.withOAuth(issuer.Sign(issuer.Claims("ana", "https://other.example", "org:read"), nil)).get(o.path +
		"/profile").unauthorized()
	a.withOAuth(issuer.Sign(issuer.Claims("eve", publicURL, "org:read"), nil)).get(o.path + "/profile").unauthorized()
	start(t).withOAuth(issuer.Sign(issuer.Claims("ana", publicURL, "org:read"), nil)).get(o.path +
		"/profile").unauthorized()
	a.clock.Add(5 * time.Minute)
	late := issuer.Claims("ana", publicURL, "org:read")
	late["exp"] = a.clock.Now().Unix()
	a.withOAuth(issuer.Sign(late, nil)).get(o.path + "/profile").unauthorized()
}

func TestALinkBelongsToOnePersonAndEndsAtOnce(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t)
	o, other := a.open(), a.open()
	ctx, person := context.Background(), uuid.MustParse(o.person)
	a.link(issuer, "ana", o.person)
	a.link(issuer, "ana", o.person) // repeating it succeeds
	if err := a.db.LinkOAuthIdentity(ctx, a.clock.Now(), issuer.URL, "ana", uuid.MustParse(other.person)); err == nil {
		t.Error("the link moved to another person")
	}
	if err := a.db.LinkOAuthIdentity(ctx, a.clock.Now(), issuer.URL, "bob", uuid.New()); err == nil {
		t.Error("an unknown person was linked")
	}
	token := a.withOAuth(issuer.Sign(issuer.Claims("ana", publicURL, "org:read"), nil))
	token.get(o.path + "/profile").want(200)
	if err := a.db.UnlinkOAuthIdentity(ctx, time.Now(), issuer.URL, "ana", uuid.MustParse(other.person)); err == nil {
		t.Error("unlinked for another person")
	}
	if err := a.db.UnlinkOAuthIdentity(ctx, time.Now(), issuer.URL, "ana", person); err != nil {
		t.Fatal(err)
	}
	token.get(o.path + "/profile").unauthorized()
}

func TestAnIssuerThatIsDownAffectsItsOwnTokensAlone(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t)
	o := a.open()
	a.link(issuer, "ana", o.person)
	issuer.SetDown(true)
	signed := issuer.Sign(issuer.Claims("ana", publicURL, "org:read"), nil)
	a.withOAuth(signed).get(o.path + "/profile").want(500) // not 401: a client must not throw the token away
	a.rpc(bearing(signed), "tools/list", M{}).want(500)
	a.withOAuth(a.oauth(o.person)).get(o.path + "/profile").want(200)
	a.rpc(bearing(a.oauth(o.person)), "tools/list", M{}).want(200)
	o.get(o.path + "/profile").want(200)
	issuer.SetDown(false)
	a.clock.Add(10 * time.Second)
	a.withOAuth(signed).get(o.path + "/profile").want(200)
}

func TestACallWithoutItsScopeIsAStepUp(t *testing.T) {
	t.Parallel()
	a, _ := startWithIssuer(t)
	o := a.open()
	call := func(scopes []string, tools ...string) answer {
		messages := []string{}
		for _, tool := range tools {
			messages = append(messages, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+
				`","arguments":{"organization_id":"`+o.organization+`","id":"x","answer":"x"}}}`)
		}
		body := strings.Join(messages, ",")
		if len(tools) > 1 {
			body = "[" + body + "]"
		}
		return a.postMCP(bearing(a.oauth(o.person, scopes...)), []byte(body))
	}
	for _, c := range []struct {
		scopes []string
		tools  []string
		want   string
	}{
		{[]string{"org:read"}, []string{"answerOutstandingIssue"}, "org:read org:answer"},
		{[]string{"org:write"}, []string{"getProfile"}, "org:read org:write"},
		{[]string{"org:write"}, []string{"getProfile", "answerOutstandingIssue"}, "org:read org:answer org:write"},
		{[]string{"org:answer"}, []string{"answerOutstandingIssue", "getProfile"}, "org:read org:answer"},
		{[]string{"other"}, []string{"getProfile"}, "org:read"},
	} {
		got := call(c.scopes, c.tools...).want(403)
		challenges, err := oauthex.ParseWWWAuthenticate(got.header.Values("WWW-Authenticate"))
		if err != nil || len(challenges) != 1 {
			t.Fatal(challenges, err)
		}
		want := map[string]string{"realm": "bizfin", "error": "insufficient_scope", "scope": c.want,
			"resource_metadata": metadataURL}
		if diff := cmp.Diff(want, challenges[0].Params); diff != "" {
			t.Errorf("%v %v: %s", c.scopes, c.tools, diff)
		}
	}
	call([]string{"org:answer"}, "answerOutstandingIssue").want(200)
	call([]string{"org:read"}, "getProfile").want(200)
	call([]string{"org:write"}, "noSuchTool").want(200)
	// The same on HTTP is a 403 as ever.
	a.withOAuth(a.oauth(o.person, "org:read")).post(o.path+"/outstanding-issues/x/answers", M{"answer": "x"}).want(403)
}

func TestAClientSignsInAndStepsUpByItself(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t)
	o := a.open()
	calls := ofTools(o.callsFor(o.furnish()))
	a.link(issuer, "ana", o.person)
	issuer.SetSubject("ana")
	asked := []string{}
	browser := &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: "agent"},
		RedirectURL:         "http://127.0.0.1:1/callback",
		Client:              &http.Client{Transport: toServer{to: a.url}},
		AuthorizationCodeFetcher: func(_ context.Context, to *auth.AuthorizationArgs) (*auth.AuthorizationResult,
			error) {
			at, err := url.Parse(to.URL)
			if err != nil {
				return nil, err
			}
			scopes := strings.Fields(at.Query().Get("scope")) // the client joins old and new ones in any order
			slices.Sort(scopes)
			asked = append(asked, strings.Join(scopes, " ")+" for "+at.Query().Get("resource"))
			response, err := browser.Get(to.URL)
			if err != nil {
				return nil, err
			}
			defer response.Body.Close()
			back, err := response.Location()
			if err != nil {
				return nil, errors.New("the issuer did not agree")
			}
			return &auth.AuthorizationResult{Code: back.Query().Get("code"), State: back.Query().Get("state")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: publicURL + "/mcp", HTTPClient: &http.Client{Transport: toServer{to: a.url}}, OAuthHandler: handler,
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, call := range calls {
		if result, text := callTool(t, session, call.id, call.given()); result.IsError {
			t.Errorf("%s: %s", call, text)
		}
	}
	want := []string{"org:read for " + publicURL + "/mcp", "org:answer org:read for " + publicURL + "/mcp"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

// visit sends a request without a body that is no operation's.
func (a *api) visit(method, path string, header http.Header) answer {
	a.t.Helper()
	r, err := http.NewRequest(method, a.url+path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header = header
	return a.with(nil).do(r)
}

func TestTheResourceDescribesItselfWhereAnIssuerIsConfigured(t *testing.T) {
	t.Parallel()
	a, issuer := startWithIssuer(t)
	plain := shared(t)
	o := a.open()
	for path, resource := range map[string]string{"": publicURL, "/mcp": publicURL + "/mcp"} {
		path = "/.well-known/oauth-protected-resource" + path
		got := a.visit("GET", path, nil).want(200)
		got.wantAt(resource, "resource")
		got.wantAt([]string{issuer.URL}, "authorization_servers")
		got.wantAt([]string{"org:read", "org:answer"}, "scopes_supported")
		got.wantAt([]string{"header"}, "bearer_methods_supported")
		plain.visit("GET", path, nil).want(404)
	}
	info := o.get(o.path + "/agent-connection").want(200)
	info.wantAt(metadataURL, "mcp", "authentication", "resourceMetadataUrl")
	info.wantAt([]string{issuer.URL}, "mcp", "authentication", "authorizationServers")
	info.wantAt([]string{"org:read", "org:answer"}, "mcp", "authentication", "scopes")
	info.wantAt(sdk.SupportedProtocolVersions(), "mcp", "protocolVersions")
	if body := string(info.body); strings.Contains(body, `--header \"Authorization`) &&
		strings.Contains(body, "claude mcp add --transport http bizfin "+publicURL+"/mcp --header") {
		t.Error("with an issuer Claude Code needs no token")
	}
}

func TestPagesOfConfiguredOriginsMayCall(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	a, _ := startWithIssuer(t, func(c *server.Config) { c.CORSOrigins = []string{page} })
	token := a.oauth(a.open().person)
	from := func(origin string) http.Header { return http.Header{"Origin": {origin}} }
	for _, path := range []string{"/mcp", "/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp"} {
		allowed := a.visit("OPTIONS", path, from(page)).want(204)
		if got := allowed.header.Get("Access-Control-Allow-Origin"); got != page {
			t.Errorf("%s allows %q", path, got)
		}
		if got := allowed.header.Get("Access-Control-Allow-Headers"); !strings.Contains(got, "Authorization") ||
			!strings.Contains(got, "Mcp-Protocol-Version") {
			t.Errorf("%s allows the headers %q", path, got)
		}
		if got := a.visit("OPTIONS", path,
			from("https://evil.example")).want(204).header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s allows %q", path, got)
		}
	}
	if got := a.visit("GET", "/.well-known/oauth-protected-resource",
		from(page)).want(200).header.Get("Access-Control-Allow-Origin"); got != page {
		t.Errorf("metadata for %q", got)
	}
	header := bearing(token)
	header.Set("Origin", page)
	if got := a.rpc(header, "tools/list", M{}).want(200).header; got.Get("Access-Control-Allow-Origin") != page ||
		got.Get("Vary") != "Origin" {
		t.Errorf("the answer has %v", got)
	}
	refused := a.rpc(from(page), "tools/list", M{}).want(401).header
	if refused.Get("Access-Control-Allow-Origin") != page ||
		!strings.Contains(refused.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		t.Errorf("a page cannot read the challenge: %v", refused)
	}
}
