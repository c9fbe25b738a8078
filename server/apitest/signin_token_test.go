package apitest

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store"
)

// exchange takes an agent's token for a partner's token.
func (a *api) exchange(signed string, more url.Values) answer {
	a.t.Helper()
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {signed}}
	for name, values := range more {
		form[name] = values
	}
	return a.token(form, "X-Service-Partner", a.partner)
}

func TestACodeIsRedeemedOnceByWhoeverAskedForIt(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client, other := s.register(), s.register()
	code := s.agree(client)
	right := redeeming(client, code)
	for what, c := range map[string]struct {
		form url.Values
		code string
	}{
		"another verifier":       {with(right, "code_verifier", "b"+verifier[1:]), "invalid_grant"},
		"no verifier":            {with(right, "code_verifier"), "invalid_grant"},
		"the challenge":          {with(right, "code_verifier", challengeOf(verifier)), "invalid_grant"},
		"another program":        {with(right, "client_id", other), "invalid_grant"},
		"no program":             {with(right, "client_id"), "invalid_client"},
		"a program there is not": {with(right, "client_id", "bizfin-unknown"), "invalid_client"},
		"another address":        {with(right, "redirect_uri", "http://127.0.0.1:33419/callback"), "invalid_grant"},
		"no address":             {with(right, "redirect_uri"), "invalid_grant"},
		"another resource":       {with(right, "resource", "https://other.example/mcp"), "invalid_target"},
		"another code":           {with(right, "code", strings.Repeat("A", 43)), "invalid_grant"},
		"another grant":          {with(right, "grant_type", "password"), "unsupported_grant_type"},
		"the code as a token":    {refreshing(client, code), "invalid_grant"},
	} {
		got := s.token(c.form)
		if got.text("error") != c.code || got.status != 400 && got.status != 401 {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", what, got.header)
		}
	}
	first := s.token(with(right, "resource", publicURL)).want(200) // it was asked for by its other name
	organization := s.site.organization(0)
	token := s.withOAuth(first.text("access_token"))
	token.get("/organizations/" + organization + "/profile").want(200)
	s.token(right).want(400).wantAt("invalid_grant", "error")
	// Somebody else has the code: what came of it is over.
	token.get("/organizations/" + organization + "/profile").unauthorized()
	s.token(refreshing(client, first.text("refresh_token"))).want(400)
	late := s.agree(client)
	s.clock.Add(61 * time.Second)
	s.token(redeeming(client, late)).want(400).wantAt("invalid_grant", "error")
}

func TestAProgramMayGiveItsNameAsBasicWithoutASecret(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client := s.register()
	basic := func(secret string) string {
		r := &http.Request{Header: http.Header{}}
		r.SetBasicAuth(url.QueryEscape(client), secret)
		return r.Header.Get("Authorization")
	}
	form := with(redeeming(client, s.agree(client)), "client_id")
	delete(form, "client_id")
	s.token(form, "Authorization", basic("a secret")).want(401).wantAt("invalid_client", "error")
	s.token(with(form, "client_id", "another"), "Authorization", basic("")).want(401)
	s.token(form, "Authorization", basic("")).want(200)
}

func TestTheTokenEndpointTakesAFormAlone(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client := s.register()
	form := redeeming(client, s.agree(client))
	s.token(form, "Content-Type", "application/json").want(400).wantAt("invalid_request", "error")
	s.token(with(form, "code", form.Get("code"), form.Get("code"))).want(400).wantAt("invalid_request", "error")
	s.outside("GET", "/oauth/token?"+form.Encode(), nil, nil).want(405)
	s.token(form).want(200)
}

func TestARefreshTokenIsReplacedWhenItIsUsed(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	organization := s.site.organization(0)
	s.token(refreshing(s.register(), g.refresh)).want(400).wantAt("invalid_grant", "error") // another program
	s.clock.Add(8*time.Hour + time.Second)
	s.withOAuth(g.access).get("/organizations/" + organization + "/profile").unauthorized()
	second := s.token(refreshing(g.client, g.refresh)).want(200)
	second.wantAt(28800, "expires_in")
	if second.text("refresh_token") == g.refresh || second.text("access_token") == g.access {
		t.Fatal("the tokens are the old ones")
	}
	s.withOAuth(second.text("access_token")).get("/organizations/" + organization + "/profile").want(200)
	// Another process of the program has the token of before, and gets the same one.
	s.clock.Add(29 * time.Minute)
	again := s.token(refreshing(g.client, g.refresh)).want(200)
	if again.text("refresh_token") != second.text("refresh_token") ||
		again.text("access_token") == second.text("access_token") {
		t.Error("two processes of one program part")
	}
	s.withOAuth(again.text("access_token")).get("/organizations/" + organization + "/profile").want(200)
	// Later than that, it is a thief's or the program's own; nobody knows, and all is over.
	s.clock.Add(2 * time.Minute)
	s.token(refreshing(g.client, g.refresh)).want(400).wantAt("invalid_grant", "error")
	s.withOAuth(again.text("access_token")).get("/organizations/" + organization + "/profile").unauthorized()
	s.token(refreshing(g.client, second.text("refresh_token"))).want(400)
}

func TestARefreshTokenOfTwoStepsBeforeEndsTheGrant(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	second := s.token(refreshing(g.client, g.refresh)).want(200).text("refresh_token")
	third := s.token(refreshing(g.client, second)).want(200).text("refresh_token")
	s.token(refreshing(g.client, g.refresh)).want(400)
	s.token(refreshing(g.client, third)).want(400)
}

func TestAllProcessesOfAProgramGetTheSameRefreshToken(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	var mu sync.Mutex
	next := map[string]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got := s.token(refreshing(g.client, g.refresh))
			mu.Lock()
			defer mu.Unlock()
			if got.status == 200 {
				next[got.text("refresh_token")]++
			}
		})
	}
	all.Wait()
	if len(next) != 1 {
		t.Fatalf("the refresh tokens are %v", next)
	}
	for token, times := range next {
		if times != 8 {
			t.Errorf("%d of 8 got one", times)
		}
		s.token(refreshing(g.client, token)).want(200)
	}
}

func TestACodeIsRedeemedByOneOfManyAtOnce(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client := s.register()
	form := redeeming(client, s.agree(client))
	var mu sync.Mutex
	good := 0
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if s.token(form).status == 200 {
				mu.Lock()
				defer mu.Unlock()
				good++
			}
		})
	}
	all.Wait()
	if good != 1 {
		t.Errorf("%d of 8 redeemed one code", good)
	}
}

func TestAGrantEndsAfterThirtyIdleDaysAndAfterHalfAYear(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	s := startSignIn(t)
	idle := s.grant()
	kept := s.grant()
	s.clock.Add(29 * day)
	refresh := s.token(refreshing(kept.client, kept.refresh)).want(200).text("refresh_token")
	s.clock.Add(2 * day)
	s.token(refreshing(idle.client, idle.refresh)).want(400).wantAt("invalid_grant", "error")
	refresh = s.token(refreshing(kept.client, refresh)).want(200).text("refresh_token")
	for range 5 {
		s.clock.Add(29 * day)
		refresh = s.token(refreshing(kept.client, refresh)).want(200).text("refresh_token")
	}
	s.clock.Add(3*day + 20*time.Hour) // 179 days and 20 hours
	last := s.token(refreshing(kept.client, refresh)).want(200)
	last.wantAt(4*3600, "expires_in")
	s.clock.Add(5 * time.Hour)
	s.token(refreshing(kept.client, last.text("refresh_token"))).want(400).wantAt("invalid_grant", "error")
	s.rpc(bearing(last.text("access_token")), "tools/list", M{}).want(401)
}

func TestAProgramEndsItsOwnAccess(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g, other := s.grant(), s.grant()
	revoke := func(form url.Values) answer {
		return s.outside("POST", "/oauth/revoke", http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			strings.NewReader(form.Encode()))
	}
	lists := func(token string) int { return s.rpc(bearing(token), "tools/list", M{}).status }
	revoke(url.Values{"token": {"mcpr_unknown"}, "client_id": {g.client}}).want(200)
	revoke(url.Values{"client_id": {g.client}}).want(400)
	revoke(url.Values{"token": {other.refresh}, "client_id": {g.client}}).want(200) // not its own: nothing happens
	revoke(url.Values{"token": {other.access}, "client_id": {g.client}}).want(200)
	if lists(other.access) != 200 {
		t.Error("a program ended another's access")
	}
	second := s.token(refreshing(g.client, g.refresh)).want(200)
	revoke(url.Values{"token": {g.access}, "client_id": {g.client}}).want(200)
	if lists(g.access) != 401 || lists(second.text("access_token")) != 200 {
		t.Error("an access token alone was to end")
	}
	revoke(url.Values{"token": {second.text("refresh_token")}, "client_id": {g.client}}).want(200)
	if lists(second.text("access_token")) != 401 {
		t.Error("an access token outlives its grant")
	}
	s.token(refreshing(g.client, second.text("refresh_token"))).want(400)
}

// A program that registered itself signs in anew: what it had before is over. One with a document is many people's.
func TestANewSignInOfARegisteredProgramReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	code := s.agree(g.client)
	if got := s.rpc(bearing(g.access), "tools/list", M{}).status; got != 200 {
		t.Errorf("before the code is redeemed: %d", got)
	}
	s.token(redeeming(g.client, code)).want(200)
	s.rpc(bearing(g.access), "tools/list", M{}).want(401)
}

func TestAnAgentsTokenDoesNotConnectOrWrite(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	organization := s.site.organization(0)
	token := s.withOAuth(g.access)
	token.post("/auth/partner", nil).want(403)
	token.post("/organizations/"+organization+"/accounts", M{}).want(403)
	token.delete("/organizations/" + organization + "/transactions/" + uuid.NewString()).want(403)
	if got := s.outside("GET", "/oauth/grants", bearing(g.access), nil); got.status != 401 {
		t.Errorf("it lists grants: %d", got.status)
	}
	form := with(accessFor(g.client), "scope", "org:write")
	at := s.newVisitor().get(authorizeURL + form.Encode())
	if to, err := url.Parse(at.to); err != nil || to.Query().Get("error") != "invalid_scope" {
		t.Errorf("asking to write: %d %q", at.status, at.to)
	}
}

func TestAPartnersBackendExchangesItsToken(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	one, two := business("one-"+uuid.NewString(), "owner"), business("two-"+uuid.NewString(), "owner")
	s.site.businesses = []partnertoken.Business{one, two}
	signed := s.sign(s.site.sub, one, two)
	s.exchange(signed, nil).want(400).wantAt("invalid_grant", "error") // it connects nobody
	first, second := s.site.organization(0), s.site.organization(1)
	got := s.exchange(signed, url.Values{"scope": {"org:read org:answer org:write"}}).want(200)
	got.wantAt("org:read org:answer", "scope")
	got.wantAt(900, "expires_in")
	if strings.Contains(string(got.body), "refresh_token") {
		t.Errorf("it can be renewed: %s", got.body)
	}
	token := s.withOAuth(got.text("access_token"))
	token.get("/organizations/"+first+"/profile").want(200).wantAt("owner", "user", "role")
	token.get("/organizations/" + second + "/profile").noAccess() // the signed business alone
	if tools := s.rpc(bearing(got.text("access_token")), "tools/list", M{}); tools.status != 200 {
		t.Errorf("tools: %d", tools.status)
	}
	s.exchange(signed, nil).want(200).wantAt("org:read", "scope")
	// Never more than the token says.
	lower := one
	lower.Role = "member"
	asMember := s.exchange(s.sign(s.site.sub, lower, two), nil).want(200).text("access_token")
	s.withOAuth(asMember).get("/organizations/"+first+"/profile").want(200).wantAt("member", "user", "role")
	for what, c := range map[string]struct {
		got  answer
		code string
	}{
		"no business": {s.exchange(s.sign(s.site.sub), nil), "invalid_grant"},
		"a business not his": {s.exchange(s.sign(s.site.sub, business("x-"+uuid.NewString(), "owner")), nil),
			"invalid_grant"},
		"a stranger":       {s.exchange(s.sign("stranger", one), nil), "invalid_grant"},
		"no token":         {s.exchange("", nil), "invalid_grant"},
		"another resource": {s.exchange(signed, url.Values{"resource": {"https://other.example"}}), "invalid_target"},
		"another scope":    {s.exchange(signed, url.Values{"scope": {"admin"}}), "invalid_scope"},
		"no partner": {s.token(url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"},
			"assertion": {signed}}),
			"invalid_request"},
		"another partner": {s.token(url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"},
			"assertion": {signed}},
			"X-Service-Partner", "demo"), "invalid_grant"},
	} {
		if c.got.status != 400 || c.got.text("error") != c.code {
			t.Errorf("%s: %d %s", what, c.got.status, c.got.body)
		}
	}
	s.as(s.sign(s.site.sub, two)).post("/auth/partner", nil).want(200)
	s.exchange(signed, nil).want(400) // an old token
	s.rpc(bearing(got.text("access_token")), "tools/list", M{}).want(401)
	fresh := s.exchange(s.sign(s.site.sub, two), nil).want(200).text("access_token")
	s.clock.Add(15*time.Minute + time.Second)
	s.rpc(bearing(fresh), "tools/list", M{}).want(401)
}

func TestAPartnerListsAndEndsTheGrantsOfAPerson(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	organization := s.site.organization(0)
	header := s.as(s.sign(s.site.sub, s.site.businesses...)).header
	listed := s.outside("GET", "/oauth/grants", header, nil).want(200)
	if listed.size("grants") != 1 {
		t.Fatalf("listed: %s", listed.body)
	}
	listed.wantAt("consent", "grants", 0, "kind")
	listed.wantAt("Test program", "grants", 0, "client_name")
	listed.wantAt("127.0.0.1:33418", "grants", 0, "redirect_host")
	listed.wantAt([]string{organization}, "grants", 0, "organization_ids")
	listed.wantAt([]string{"org:read", "org:answer"}, "grants", 0, "scopes")
	id := listed.text("grants", 0, "grant_id")
	// Another person of the partner, and another partner with the same person's id, see and end nothing.
	someone := s.as(s.sign("someone-"+uuid.NewString(), business("b", "owner"))).header
	stranger := s.api.in(t)
	stranger.partner, stranger.secret = s.newPartner()
	for what, other := range map[string]http.Header{"another person": someone,
		"another partner": stranger.as(stranger.sign(s.site.sub, s.site.businesses...)).header} {
		if got := s.outside("GET", "/oauth/grants", other, nil).want(200); got.size("grants") != 0 {
			t.Errorf("%s sees %s", what, got.body)
		}
		s.outside("DELETE", "/oauth/grants/"+id, other, nil).want(404)
		s.outside("DELETE", "/oauth/grants", other, nil).want(200).wantAt(M{"ended": 0})
	}
	s.rpc(bearing(g.access), "tools/list", M{}).want(200)
	s.outside("DELETE", "/oauth/grants/x", header, nil).want(404)
	s.outside("DELETE", "/oauth/grants/"+id, header, nil).want(200).wantAt(M{"ended": 1})
	s.rpc(bearing(g.access), "tools/list", M{}).want(401)
	s.token(refreshing(g.client, g.refresh)).want(400).wantAt("invalid_grant", "error")
	s.outside("DELETE", "/oauth/grants/"+id, header, nil).want(404)
	s.grant()
	s.exchange(s.sign(s.site.sub, s.site.businesses...), nil).want(200)
	if got := s.outside("GET", "/oauth/grants", header, nil).want(200); got.size("grants") != 2 {
		t.Errorf("listed: %s", got.body)
	}
	s.outside("DELETE", "/oauth/grants", header, nil).want(200).wantAt(M{"ended": 2})
	s.outside("GET", "/oauth/grants", nil, nil).want(401)
}

func TestStrangersAreHeldToALimit(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	// Strangers ask side by side, as many as one address may: a machine that answers one at a time slower than the
	// limit grows would refuse nobody.
	beyond := func(what string, most int, ask func() answer) {
		t.Helper()
		var asking sync.WaitGroup
		var taken atomic.Int64
		var refused atomic.Pointer[answer]
		for range 3 {
			asking.Go(func() {
				for refused.Load() == nil && taken.Load() < 20*int64(most) {
					if got := ask(); got.status == 429 {
						refused.CompareAndSwap(nil, &got)
					} else {
						taken.Add(1)
					}
				}
			})
		}
		asking.Wait()
		if got := refused.Load(); got == nil || taken.Load() < int64(most/2) || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: refused after %d were taken: %.200v", what, taken.Load(), got)
		}
	}
	beyond("registrations", 40, func() answer {
		return s.outside("POST", "/oauth/register", http.Header{"Content-Type": {"application/json"}},
			strings.NewReader(`{"redirect_uris":["http://127.0.0.1/x"]}`))
	})
	beyond("tokens", 400, func() answer { return s.token(refreshing("bizfin-x", "mcpr_x")) })
	beyond("sign-ins", 80, func() answer { return s.newVisitor().get(authorizeURL + "client_id=x").answer })
}

// Behind a proxy the limit is the visitor's, by the proxy's word alone.
func TestALimitIsOfTheAddressThatAProxyNames(t *testing.T) {
	t.Parallel()
	_, here, err := net.ParseCIDR("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	behind := startSignIn(t, func(c *server.Config) { c.Proxies = []*net.IPNet{here} })
	register := func(s *signIn, from string) int {
		return s.outside("POST", "/oauth/register", http.Header{"Content-Type": {"application/json"},
			"X-Forwarded-For": {from}},
			strings.NewReader(`{"redirect_uris":["http://127.0.0.1/x"]}`)).status
	}
	refused := func(s *signIn, from func(i int) string) (n int) {
		for i := range 60 {
			if register(s, from(i)) == 429 {
				n++
			}
		}
		return n
	}
	if n := refused(behind, func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }); n != 0 {
		t.Errorf("%d of 60 visitors were refused", n)
	}
	if n := refused(behind, func(int) string { return "198.51.100.1" }); n < 20 {
		t.Errorf("%d of 60 of one visitor were refused", n)
	}
	if n := refused(behind, func(i int) string { return fmt.Sprintf("192.0.2.%d, 198.51.100.2", i) }); n < 20 {
		t.Errorf("%d of 60 of one visitor with made-up addresses were refused", n)
	}
	if n := refused(behind, func(i int) string { return fmt.Sprintf("2001:db8:0:1::%d", i+1) }); n < 20 {
		t.Errorf("%d of 60 of one network were refused", n)
	}
	if n := refused(startSignIn(t), func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }); n < 20 {
		t.Errorf("without a proxy %d of 60 were refused", n)
	}
}

// Whatever the number of addresses, so many programs that nobody let in are kept.
func TestProgramsThatNobodyLetInAreBounded(t *testing.T) {
	t.Parallel()
	s := startSignInAlone(t)
	_, err := s.db.SQL().Exec(`INSERT INTO agent_clients (id, name, redirect_uris, created_at)
		SELECT 'c' || i, 'x', '{}', now() FROM generate_series(2, $1) i`, store.MostUnusedClients)
	if err != nil {
		t.Fatal(err)
	}
	register := func() answer {
		return s.outside("POST", "/oauth/register", http.Header{"Content-Type": {"application/json"}},
			strings.NewReader(`{"redirect_uris":["http://127.0.0.1/x"]}`))
	}
	register().want(201)
	register().want(503).wantAt("temporarily_unavailable", "error")
}

// No secret of a sign-in is in the database, and none in the log.
func TestSecretsAreStoredAsHashesAndLoggedNowhere(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client, v := s.register(), s.newVisitor()
	at := s.arrive(v, accessFor(client))
	request := at.form().Get("agent_request")
	code := codeOf(t, v.decide(at.form(), "allow"))
	got := s.token(redeeming(client, code)).want(200)
	next := s.token(refreshing(client, got.text("refresh_token"))).want(200)
	s.token(refreshing(client, "mcpr_wrong")).want(400)
	back, err := url.Parse(s.site.answered.text("redirect_to"))
	if err != nil {
		t.Fatal(err)
	}
	site, err := url.Parse(publicURL)
	if err != nil {
		t.Fatal(err)
	}
	secrets := []string{request, code, back.Query().Get("secret"), got.text("access_token"), got.text("refresh_token"),
		next.text("access_token"), next.text("refresh_token"), verifier}
	for _, cookie := range v.client.Jar.Cookies(site) {
		secrets = append(secrets, cookie.Value)
	}
	if len(secrets) != 9 {
		t.Fatalf("%d secrets", len(secrets))
	}
	for i, secret := range secrets {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log has secret %d", i)
		}
		for _, table := range []string{"agent_requests", "agent_grants", "agent_tokens", "agent_refresh_tokens",
			"agent_clients", "audit"} {
			var found bool
			err := s.db.SQL().QueryRow(`SELECT EXISTS (SELECT FROM `+table+` t WHERE t::text LIKE '%' || $1 || '%'
				OR t::text LIKE '%' || encode(convert_to($1, 'UTF8'), 'hex') || '%')`, secret).Scan(&found)
			if err != nil || found {
				t.Errorf("%s has secret %d (%v)", table, i, err)
			}
		}
	}
}

func TestErasingAPersonOrABusinessEndsWhatTheyGranted(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	ctx := t.Context()
	one, two := business("one-"+uuid.NewString(), "owner"), business("two-"+uuid.NewString(), "owner")
	s.site.businesses = []partnertoken.Business{one, two}
	g := s.grant()
	first, second := s.site.organization(0), s.site.organization(1)
	person := s.profileOf(g.access, first).text("user", "id")
	if _, err := s.db.EraseOrganization(ctx, s.clock.Now(), uuid.MustParse(second)); err != nil {
		t.Fatal(err)
	}
	s.withOAuth(g.access).get("/organizations/" + second + "/profile").noAccess()
	s.withOAuth(g.access).get("/organizations/" + first + "/profile").want(200)
	if _, err := s.db.EraseOrganization(ctx, s.clock.Now(), uuid.MustParse(first)); err != nil {
		t.Fatal(err)
	}
	s.rpc(bearing(g.access), "tools/list", M{}).want(401) // the last of its businesses
	again := s.grant()
	s.rpc(bearing(again.access), "tools/list", M{}).want(200)
	if _, err := s.db.ErasePerson(ctx, s.clock.Now(), uuid.MustParse(person)); err != nil {
		t.Fatal(err)
	}
	s.rpc(bearing(again.access), "tools/list", M{}).want(401)
	s.token(refreshing(again.client, again.refresh)).want(400)
	for _, table := range []string{"agent_grants", "agent_requests"} {
		var left int
		if err := s.db.SQL().QueryRow(`SELECT count(*) FROM `+table+` WHERE person_id = $1`,
			person).Scan(&left); err != nil || left > 0 {
			t.Errorf("%d rows of %s are left (%v)", left, table, err)
		}
	}
}
