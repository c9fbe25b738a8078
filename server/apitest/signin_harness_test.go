package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/migrations"
	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// signIn is a server where people let agents in, with a partner that signs them in at a page of its own.
type signIn struct {
	*api
	site *partnerSite
}

func startSignIn(t testing.TB, configure ...func(*server.Config)) *signIn {
	t.Helper()
	a := start(t, append([]func(*server.Config){func(c *server.Config) { c.SignIn = &server.SignIn{} }},
		configure...)...)
	return &signIn{a, a.newSite("person-"+uuid.NewString(), business("biz-"+uuid.NewString(), "owner"))}
}

// startSignInAlone is startSignIn in a database of its own, where there is no other partner.
func startSignInAlone(t testing.TB) *signIn {
	t.Helper()
	name := "alone_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := storetest.DB(t).SQL().Exec(`CREATE DATABASE ` + name); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(storetest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	alone, err := store.Open(address.String(), store.Options{MaxConnections: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		alone.Close()
		_, _ = storetest.DB(t).SQL().Exec(`DROP DATABASE ` + name)
	})
	if _, err := migrations.Up(t.Context(), alone.SQL()); err != nil {
		t.Fatal(err)
	}
	a := start(t, func(c *server.Config) { c.SignIn, c.Store = &server.SignIn{}, alone })
	a.db = alone
	a.partner, a.secret = a.newPartner()
	return &signIn{a, a.newSite("ana", business("biz", "owner"))}
}

// partnerSite is a partner's sign-in page for one person, who is signed in there. It accepts from server to server.
type partnerSite struct {
	*api
	url string

	mu         sync.Mutex
	sub        string
	businesses []partnertoken.Business
	change     func(*partnertoken.Claims) // before it signs
	answered   answer                     // what the service answered
	refuses    bool
	requests   []string
}

func (a *api) newSite(sub string, businesses ...partnertoken.Business) *partnerSite {
	a.t.Helper()
	site := &partnerSite{api: a, sub: sub, businesses: businesses}
	listening := httptest.NewServer(http.HandlerFunc(site.signIn))
	a.t.Cleanup(listening.Close)
	site.url = listening.URL + "/agent-sign-in?env=test"
	if err := a.db.SetSignIn(a.t.Context(), a.clock.Now(), a.partner, site.url); err != nil {
		a.t.Fatal(err)
	}
	return site
}

// signedFor makes a token that accepts a sign-in.
func (p *partnerSite) signedFor(request string) string {
	payload := partnertoken.Payload{Businesses: p.businesses}
	if len(p.businesses) > 0 {
		payload.BusinessID = &p.businesses[0].ID
	}
	now := p.clock.Now()
	claims := partnertoken.Claims{PartnerID: p.partner, Audience: audience, Subject: p.sub,
		Email: p.sub + "@example.com",
		Name:  "Ana <b>Baker</b>", IssuedAt: now, ExpiresAt: now.Add(2 * time.Minute), AgentRequest: request,
		Payload: payload}
	if p.change != nil {
		p.change(&claims)
	}
	signed, err := partnertoken.Sign(claims, p.secret)
	if err != nil {
		p.t.Fatal(err)
	}
	return signed
}

// accept sends a partner's word about a sign-in.
func (a *api) accept(partner, request, word, signed string) answer {
	a.t.Helper()
	return a.outside("POST", "/oauth/requests/"+request+"/"+word, http.Header{"Authorization": {"Bearer " + signed},
		"X-Service-Partner": {partner}}, nil)
}

func (p *partnerSite) signIn(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	request := r.URL.Query().Get("agent_request")
	p.requests = append(p.requests, request)
	word := "accept"
	if p.refuses {
		word = "refuse"
	}
	p.answered = p.accept(p.partner, request, word, p.signedFor(request))
	if p.answered.status != 200 {
		http.Error(w, "not accepted", http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, p.answered.text("redirect_to"), http.StatusSeeOther)
}

// outside sends a request to a path outside the base path.
func (a *api) outside(method, path string, header http.Header, body io.Reader) answer {
	a.t.Helper()
	r, err := http.NewRequest(method, a.url+path, body)
	if err != nil {
		a.t.Fatal(err)
	}
	if header != nil {
		r.Header = header
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answerOf(a.t, response.StatusCode, response.Header, raw)
}

// visitor is a browser that follows no redirect by itself.
type visitor struct {
	t      testing.TB
	client *http.Client
}

func (a *api) newVisitor() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return &visitor{a.t, &http.Client{Jar: jar, Transport: toServer{to: a.url},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is what a browser shows, or where it is sent.
type page struct {
	answer
	to string // Location
}

func (v *visitor) do(method, address string, form url.Values, header http.Header) page {
	v.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequest(method, address, body)
	if err != nil {
		v.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return page{answerOf(v.t, response.StatusCode, response.Header, raw), response.Header.Get("Location")}
}

func (v *visitor) get(address string) page { return v.do("GET", address, nil, nil) }

var inputs = regexp.MustCompile(`<(?:input|button)[^>]* name="([a-z_]+)" value="([^"]*)"( checked)?`)

// form is what the form of a page would send as it is shown, without its buttons.
func (p page) form() url.Values {
	values := url.Values{}
	for _, found := range inputs.FindAllStringSubmatch(string(p.body), -1) {
		if strings.HasPrefix(found[0], "<input") && (found[3] != "" || strings.Contains(found[0], "hidden")) {
			values.Add(found[1], html.UnescapeString(found[2]))
		}
	}
	return values
}

// with is a form with another value of one of its fields.
func with(form url.Values, name string, values ...string) url.Values {
	changed := url.Values{}
	for n, v := range form {
		changed[n] = v
	}
	changed[name] = values
	return changed
}

const callback = "http://127.0.0.1:33418/callback"

const verifier = "a-verifier-of-at-least-43-characters-as-the-rfc-says"

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// register registers a program and returns its id.
func (a *api) register(redirects ...string) string {
	a.t.Helper()
	if len(redirects) == 0 {
		redirects = []string{"http://127.0.0.1/callback"}
	}
	// Straight to the store: a test's address may register a few programs an hour.
	id := "test-" + uuid.NewString()
	_, err := a.db.SQL().Exec(`INSERT INTO agent_clients (id, name, redirect_uris, created_at)
		SELECT $1, 'Test program', array_agg(u), now() FROM json_array_elements_text($2::json) u`, id,
		string(asJSON(a.t, redirects)))
	if err != nil {
		a.t.Fatal(err)
	}
	return id
}

func asJSON(t testing.TB, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// accessFor are the parameters of a request for access that is right.
func accessFor(client string) url.Values {
	return url.Values{"client_id": {client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"st&te"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"},
		"scope":    {"org:read org:answer offline_access"},
		"resource": {publicURL + "/mcp"}}
}

const authorizeURL = publicURL + "/oauth/authorize?"

// arrive goes from the program to the consent page, by the partner's page.
func (s *signIn) arrive(v *visitor, asked url.Values) page {
	s.t.Helper()
	at := v.get(authorizeURL + asked.Encode())
	if at.status == 200 { // several partners: the database is other tests' too
		at = v.do("POST", publicURL+"/oauth/partner", with(at.form(), "partner", s.partner), nil)
	}
	return v.follow(at)
}

// follow follows redirects as long as they lead to the service or the partner.
func (v *visitor) follow(at page) page {
	v.t.Helper()
	for range 10 {
		if at.status != 303 || strings.HasPrefix(at.to, "http://127.0.0.1:33418") {
			return at
		}
		at = v.get(at.to)
	}
	v.t.Fatal("it goes in circles")
	return at
}

// decide sends the consent form.
func (v *visitor) decide(form url.Values, decision string) page {
	v.t.Helper()
	return v.do("POST", publicURL+"/oauth/consent", with(form, "decision", decision),
		http.Header{"Sec-Fetch-Site": {"same-origin"}})
}

// codeOf is the code that a browser brings back to the program.
func codeOf(t testing.TB, at page) string {
	t.Helper()
	to, err := url.Parse(at.to)
	if err != nil || at.status != 303 || !strings.HasPrefix(at.to, callback+"?") || to.Query().Get("code") == "" {
		t.Fatalf("status %d, to %q: %s", at.status, at.to, at.body)
	}
	if to.Query().Get("iss") != publicURL || to.Query().Get("state") != "st&te" {
		t.Fatalf("sent back to %s", at.to)
	}
	return to.Query().Get("code")
}

// agree goes all the way to a code.
func (s *signIn) agree(client string) string {
	s.t.Helper()
	v := s.newVisitor()
	at := s.arrive(v, accessFor(client))
	at.want(200)
	return codeOf(s.t, v.decide(at.form(), "allow"))
}

// token asks the token endpoint.
func (a *api) token(form url.Values, header ...string) answer {
	a.t.Helper()
	h := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return a.outside("POST", "/oauth/token", h, bytes.NewReader([]byte(form.Encode())))
}

// redeeming are the parameters that redeem a code.
func redeeming(client, code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code},
		"redirect_uri":  {callback},
		"code_verifier": {verifier}, "resource": {publicURL + "/mcp"}}
}

func refreshing(client, token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}}
}

// granted is a program with access.
type granted struct {
	*signIn
	client, access, refresh string
}

func (s *signIn) grant() granted {
	s.t.Helper()
	client := s.register()
	got := s.token(redeeming(client, s.agree(client))).want(200)
	return granted{s, client, got.text("access_token"), got.text("refresh_token")}
}

// organization is that of the site's person by the place in the list.
func (p *partnerSite) organization(i int) string {
	p.t.Helper()
	connected := p.as(p.sign(p.sub, p.businesses...)).post("/auth/partner", nil).want(200)
	return connected.text("organizations", i, "organization_id")
}
