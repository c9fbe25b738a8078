package apitest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/store"
)

// begun is a sign-in that was sent to the site, whose page nobody opened yet.
func (s *signIn) begun(v *visitor) (request string) {
	s.t.Helper()
	at := v.get(authorizeURL + accessFor(s.register()).Encode())
	if at.status == 200 {
		at = v.do("POST", publicURL+"/oauth/partner", with(at.form(), "partner", s.partner), nil)
	}
	to, err := url.Parse(at.to)
	if err != nil || at.status != 303 || !strings.HasPrefix(at.to, s.site.url+"&") {
		s.t.Fatalf("status %d, sent to %q", at.status, at.to)
	}
	return to.Query().Get("agent_request")
}

// An attacker begins a sign-in and sends a victim to the partner with it, where the victim is signed in. Neither of the
// two may decide in the victim's name.
func TestNobodyDecidesForWhomTheySentToThePartner(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	attacker, victim := s.newVisitor(), s.newVisitor()
	request := s.begun(attacker)
	consent := publicURL + "/oauth/consent?agent_request=" + request
	attacker.get(consent).want(400) // nobody has signed in yet
	accepted := victim.get(s.site.url + "&agent_request=" + request)
	if !strings.HasPrefix(accepted.to, publicURL+"/oauth/continue?") {
		t.Fatalf("the partner sends the victim to %q", accepted.to)
	}
	attacker.get(consent).want(400) // the victim has, and the attacker reloads
	forged := url.Values{"agent_request": {request}, "decision": {"allow"}, "token": {"x"}, "scope": {"org:read"}}
	attacker.do("POST", publicURL+"/oauth/consent", forged, nil).want(403)
	victim.get(accepted.to).want(403)
	victim.get(consent).want(400)
	attacker.get(accepted.to).want(400) // not even with what only the victim's browser had: that ended the sign-in
	attacker.get(consent).want(400)
}

func TestTheSecretOfTheReturnIsOfOneUseInOneBrowser(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	request := s.begun(v)
	accepted := v.get(s.site.url + "&agent_request=" + request)
	back, err := url.Parse(accepted.to)
	if err != nil {
		t.Fatal(err)
	}
	wrong := back.Query()
	wrong.Set("secret", strings.Repeat("A", 43))
	v.get(publicURL + "/oauth/continue?" + wrong.Encode()).want(400) // guessing does not end it
	first := v.get(accepted.to).want(303)
	if to := first.header.Get("Location"); strings.Contains(to, back.Query().Get("secret")) ||
		!strings.HasPrefix(to, publicURL+"/oauth/consent?") {
		t.Errorf("the return leads to %s", to)
	}
	v.get(accepted.to).want(303) // the same browser goes back: the page again, by its cookie
	s.newVisitor().get(accepted.to).want(403)
	v.get(publicURL + "/oauth/consent?agent_request=" + request).want(200)
}

func TestTheCookieOfASignInIsItsBrowsersAlone(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	one := v.get(authorizeURL + accessFor(s.register()).Encode())
	two := v.get(authorizeURL + accessFor(s.register()).Encode())
	names := map[string]bool{}
	for _, at := range []page{one, two} {
		cookies, err := http.ParseSetCookie(at.header.Get("Set-Cookie"))
		if err != nil {
			t.Fatal(err)
		}
		names[cookies.Name] = true
		if !strings.HasPrefix(cookies.Name, "__Host-") || !cookies.Secure || !cookies.HttpOnly ||
			cookies.SameSite != http.SameSiteLaxMode ||
			cookies.Path != "/" || cookies.Domain != "" || cookies.MaxAge != 600 || len(cookies.Value) < 43 {
			t.Errorf("the cookie is %s", at.header.Get("Set-Cookie"))
		}
	}
	if len(names) != 2 {
		t.Error("two sign-ins of one browser share a cookie")
	}
}

func TestAPartnerAcceptsItsOwnSignInByATokenForItAlone(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	request, other := s.begun(v), s.begun(v)
	good := s.site.signedFor(request)
	changed := func(change func(*partnertoken.Claims)) string {
		s.site.change = change
		defer func() { s.site.change = nil }()
		return s.site.signedFor(request)
	}
	stranger, _ := s.newPartner()
	for what, c := range map[string]struct {
		partner, request, signed string
		status                   int
	}{
		"a token of the embed":        {s.partner, request, s.sign(s.site.sub, s.site.businesses...), 401},
		"a token for another sign-in": {s.partner, request, s.site.signedFor(other), 401},
		"a token for no sign-in": {s.partner, request,
			changed(func(c *partnertoken.Claims) { c.AgentRequest = "" }), 401},
		"an expired token": {s.partner, request,
			changed(func(c *partnertoken.Claims) { c.ExpiresAt = s.clock.Now().Add(-time.Second) }), 401},
		"a token for too long": {s.partner, request,
			changed(func(c *partnertoken.Claims) { c.ExpiresAt = s.clock.Now().Add(5*time.Minute + 31*time.Second) }),
			401},
		"another audience": {s.partner, request,
			changed(func(c *partnertoken.Claims) { c.Audience = "other" }), 401},
		"another partner's header": {stranger, request, good, 401},
		"a sign-in that there is not": {s.partner, strings.Repeat("A", 43),
			s.site.signedFor(strings.Repeat("A", 43)), 404},
		"a payload that breaks its rules": {s.partner, request,
			changed(func(c *partnertoken.Claims) { c.Payload = M{"x": 1} }), 422},
		"no sign-in": {s.partner, "", s.sign(s.site.sub, s.site.businesses...), 404},
	} {
		if got := s.accept(c.partner, c.request, "accept", c.signed); got.status != c.status {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	if got := s.outside("POST", "/oauth/requests/"+request+"/accept", bearing(good), nil); got.status != 401 {
		t.Errorf("without X-Service-Partner: %d", got.status)
	}
	if got := s.outside("POST", "/oauth/requests/"+request+"/accept",
		bearing(s.oauth(s.join("x", business("x", "owner")).person)), nil); got.status != 401 {
		t.Errorf("an OAuth token: %d", got.status)
	}
	s.accept(s.partner, request, "accept", good).want(200)
	s.accept(s.partner, request, "accept", good).want(404) // once
	s.accept(s.partner, request, "refuse", good).want(404)
	s.clock.Add(11 * time.Minute)
	s.accept(s.partner, other, "accept", s.site.signedFor(other)).want(404) // its time is over
}

func TestAPartnerCannotAcceptASignInOfAnother(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	request := s.begun(s.newVisitor())
	stranger, secret := s.newPartner()
	now := s.clock.Now()
	one := business("b", "owner")
	signed, err := partnertoken.Sign(partnertoken.Claims{PartnerID: stranger, Audience: audience, Subject: "eve",
		IssuedAt:  now,
		ExpiresAt: now.Add(time.Minute), AgentRequest: request, Payload: partnertoken.Payload{BusinessID: &one.ID,
			Businesses: []partnertoken.Business{one}}}, secret)
	if err != nil {
		t.Fatal(err)
	}
	s.accept(stranger, request, "accept", signed).want(404)
	s.accept(stranger, request, "refuse", signed).want(404)
	s.accept(s.partner, request, "accept", s.site.signedFor(request)).want(200)
}

// What accepts a sign-in passes by the browser's side of a partner; if it leaks it opens nothing.
func TestATokenForASignInOpensNothingElse(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	organization := s.site.organization(0)
	signed := s.site.signedFor("any")
	c := s.as(signed)
	c.post("/auth/partner", nil).want(401)
	c.get("/organizations/" + organization + "/profile").unauthorized()
	s.outside("GET", "/oauth/grants", c.header, nil).want(401)
	s.outside("DELETE", "/oauth/grants", c.header, nil).want(401)
	s.exchange(signed, nil).want(400).wantAt("invalid_grant", "error")
}

func TestAPartnerMayRefuseAndThePersonGoesBack(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	s.site.refuses = true
	at := s.arrive(s.newVisitor(), accessFor(s.register()))
	to, err := url.Parse(at.to)
	if err != nil || at.status != 303 || to.Query().Get("error") != "access_denied" ||
		to.Query().Get("iss") != publicURL ||
		to.Query().Get("state") != "st&te" || to.Query().Has("code") {
		t.Errorf("status %d, sent to %q", at.status, at.to)
	}
}

// An empty list takes everything away, here as anywhere else that it is sent to.
func TestAnEmptyListAtASignInIsAppliedAndSignsNobodyIn(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	organization := s.site.organization(0)
	s.withOAuth(g.access).get("/organizations/" + organization + "/profile").want(200)
	request := s.begun(s.newVisitor())
	s.site.businesses = nil
	s.accept(s.partner, request, "accept", s.site.signedFor(request)).want(403)
	s.withOAuth(g.access).get("/organizations/" + organization + "/profile").unauthorized()
	s.accept(s.partner, request, "refuse", s.site.signedFor(request)).want(200)
}

func TestWithSeveralPartnersThePersonChooses(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	first := s.partner
	s.partner, s.secret = s.newPartner()
	second := s.newSite("other-"+uuid.NewString(), business("b", "owner"))
	v := s.newVisitor()
	at := v.get(authorizeURL + accessFor(s.register()).Encode())
	at.want(200)
	for _, partner := range []string{first, s.partner} {
		if !strings.Contains(string(at.body), `value="`+partner+`"`) {
			t.Errorf("%s is not offered", partner)
		}
	}
	form := with(at.form(), "partner", s.partner)
	s.newVisitor().do("POST", publicURL+"/oauth/partner", form, nil).want(403)
	v.do("POST", publicURL+"/oauth/partner", with(form, "token", "x"), nil).want(403)
	v.do("POST", publicURL+"/oauth/partner", form, http.Header{"Sec-Fetch-Site": {"cross-site"}}).want(403)
	v.do("POST", publicURL+"/oauth/partner", with(form, "partner", "nobody"), nil).want(400)
	if to := v.do("POST", publicURL+"/oauth/partner", form, nil).to; !strings.HasPrefix(to,
		second.url+"&agent_request=") {
		t.Errorf("sent to %s", to)
	}
	if err := s.db.DisablePartner(t.Context(), s.clock.Now(), s.partner); err != nil {
		t.Fatal(err)
	}
	v.do("POST", publicURL+"/oauth/partner", form, nil).want(400)
}

func TestWithOnePartnerThePersonIsSentThere(t *testing.T) {
	t.Parallel()
	s := startSignInAlone(t)
	if at := s.newVisitor().get(authorizeURL + accessFor(s.register()).Encode()); !strings.HasPrefix(at.to,
		s.site.url+"&agent_request=") {
		t.Errorf("status %d, sent to %q", at.status, at.to)
	}
	if err := s.db.SetSignIn(t.Context(), s.clock.Now(), s.partner, ""); err != nil {
		t.Fatal(err)
	}
	at := s.newVisitor().get(authorizeURL + accessFor(s.register()).Encode())
	if to, err := url.Parse(at.to); err != nil || to.Query().Get("error") != "temporarily_unavailable" {
		t.Errorf("without a partner that signs in: %d %q", at.status, at.to)
	}
}

// Both partners know the same person's business by the same name; each vouches for its own alone.
func TestAGrantIsOfThePartnerThatVouched(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	mine := s.site.organization(0)
	// The person is in a business of another partner too, and in a native one.
	person := s.profileOf(g.access, mine).text("user", "id")
	other := s.api.in(t)
	other.partner, other.secret = s.newPartner()
	foreign := other.open()
	native := foreign.nativeFor(person)
	s.vouch(person, foreign.organization, other.partner)
	token := s.withOAuth(g.access)
	token.get("/organizations/" + mine + "/profile").want(200)
	token.get("/organizations/" + foreign.organization + "/profile").noAccess()
	token.get("/organizations/" + native + "/profile").noAccess()
	if list := s.profileOf(g.access, mine); list.size("organizations") != 1 {
		t.Errorf("the profile lists %s", list.body)
	}
	refused := token.get("/organizations/" + native + "/profile").want(403)
	if strings.Contains(refused.text("error"), foreign.organization) || !strings.Contains(refused.text("error"), mine) {
		t.Errorf("the error names %s", refused.body)
	}
	// A token of the command line is the person's, whoever vouches.
	all := s.withOAuth(s.oauth(person))
	all.get("/organizations/" + foreign.organization + "/profile").want(200)
	all.get("/organizations/" + native + "/profile").want(200)
}

// vouch puts a person into a business on the word of another partner, as a link of two identities would.
func (a *api) vouch(person, organization, partner string) {
	a.t.Helper()
	_, err := a.db.SQL().Exec(`INSERT INTO memberships (organization_id, person_id, partner_id, role, created_at) VALUES ($1, $2, $3, 'owner', now())`,
		organization, person, partner)
	if err != nil {
		a.t.Fatal(err)
	}
}

// nativeFor makes a native business of a person.
func (o *office) nativeFor(person string) string {
	o.t.Helper()
	id := uuid.NewString()
	_, err := o.db.SQL().Exec(`INSERT INTO organizations (id, name, created_at) VALUES ($1, 'Native', now())`, id)
	if err == nil {
		_, err = o.db.SQL().Exec(`INSERT INTO memberships (organization_id, person_id, role, created_at) VALUES ($1, $2, 'owner', now())`, id, person)
	}
	if err != nil {
		o.t.Fatal(err)
	}
	return id
}

func (s *signIn) profileOf(token, organization string) answer {
	s.t.Helper()
	return s.withOAuth(token).get("/organizations/" + organization + "/profile").want(200)
}

func TestWhatAPartnerTakesAwayEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	one, two := business("one-"+uuid.NewString(), "owner"), business("two-"+uuid.NewString(), "member")
	s.site.businesses = []partnertoken.Business{one, two}
	g := s.grant()
	first, second := s.site.organization(0), s.site.organization(1)
	token := s.withOAuth(g.access)
	at := func(id string) answer { return token.get("/organizations/" + id + "/profile") }
	at(first).want(200)
	at(second).want(200)
	// One business, without a new token. It does not come back by itself.
	s.as(s.sign(s.site.sub, one)).post("/auth/partner", nil).want(200)
	at(second).noAccess()
	s.as(s.sign(s.site.sub, one, two)).post("/auth/partner", nil).want(200)
	at(second).noAccess()
	at(first).want(200)
	// All of them: the grant is over, with all tokens.
	s.as(s.sign(s.site.sub)).post("/auth/partner", nil).want(200)
	at(first).unauthorized()
	s.token(refreshing(g.client, g.refresh)).want(400).wantAt("invalid_grant", "error")
	s.as(s.sign(s.site.sub, one, two)).post("/auth/partner", nil).want(200)
	at(first).unauthorized()
	s.token(refreshing(g.client, g.refresh)).want(400)
	// The partner itself.
	g = s.grant()
	token = s.withOAuth(g.access)
	at(first).want(200)
	if err := s.db.DisablePartner(t.Context(), s.clock.Now(), s.partner); err != nil {
		t.Fatal(err)
	}
	at(first).unauthorized()
	s.token(refreshing(g.client, g.refresh)).want(400).wantAt("invalid_grant", "error")
}

// A query that an address does not know is refused: who mistypes which grant is to end must not end them all.
func TestAMistypedQueryEndsNoGrant(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	header := s.as(s.sign(s.site.sub, s.site.businesses...)).header
	id := s.outside("GET", "/oauth/grants", header, nil).want(200).text("grants", 0, "grant_id")
	for _, query := range []string{"?grant_id=" + id, "?id=" + uuid.NewString(), "?limit=1", "?grant_id=%zz", "?a;b",
		"?x"} {
		s.outside("DELETE", "/oauth/grants"+query, header, nil).want(422)
		s.outside("DELETE", "/oauth/grants/"+id+query, header, nil).want(422)
	}
	s.rpc(bearing(g.access), "tools/list", M{}).want(200)
	s.outside("DELETE", "/oauth/grants/"+id, header, nil).want(200).wantAt(M{"ended": 1})
	s.rpc(bearing(g.access), "tools/list", M{}).want(401)
}

func TestSignInsAndGrantsAreRecorded(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	organization := s.site.organization(0)
	person := s.profileOf(g.access, organization).text("user", "id")
	header := s.as(s.sign(s.site.sub, s.site.businesses...)).header
	s.outside("DELETE", "/oauth/grants", header, nil).want(200).wantAt(M{"ended": 1})
	s.exchange(s.sign(s.site.sub, s.site.businesses...), nil).want(200)
	acts, entries := s.acts(store.AuditFilter{PersonID: uuid.MustParse(person)})
	for _, want := range []string{`sign in partner person {"businesses": 1}`, `grant person grant {"organizations": 1}`,
		`end grant partner grant {"grants": 1}`, `exchange partner grant {"organizations": 1}`} {
		found := 0
		for _, act := range acts {
			if act == want {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%q is recorded %d times: %q", want, found, acts)
		}
	}
	for _, e := range entries {
		if e.PartnerID == nil || *e.PartnerID != s.partner {
			t.Errorf("%s was on the word of %v", e.Action, e.PartnerID)
		}
	}
	of, _ := s.acts(store.AuditFilter{OrganizationID: uuid.MustParse(organization), Action: store.ActGrant})
	if len(of) != 1 {
		t.Errorf("the business's own record has %q", of)
	}
}
