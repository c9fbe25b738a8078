package apitest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
)

func TestTheConsentPageSaysWhoGetsWhat(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	s.site.businesses = []partnertoken.Business{business("b1-"+uuid.NewString(), "owner"),
		{ID: uuid.NewString(), Name: `<script>alert(1)</script>` + "\u202egnp.\u200b", Role: "member"}}
	at := s.arrive(s.newVisitor(), accessFor(s.register()))
	text := string(at.want(200).body)
	for _, want := range []string{"Test program", "nobody has checked it", "127.0.0.1:33418",
		"program on the computer in front of you",
		"Test partner", s.site.sub + "@example.com", "Ana &lt;b&gt;Baker&lt;/b&gt;", "Business b1-",
		"&lt;script&gt;alert(1)&lt;/script&gt;gnp.", "Read accounts", "Answer open questions",
		`name="decision" value="allow"`, `name="decision" value="deny"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	for _, never := range []string{"<script", "\u202e", "\u200b", "http://", "https://", "src=", "onclick"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

func TestPagesOfASignInMayDoNothing(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	consent := s.arrive(v, accessFor(s.register()))
	for what, p := range map[string]page{
		"consent":       consent,
		"an error":      v.get(authorizeURL),
		"a redirection": v.decide(consent.form(), "allow"),
		"done":          v.get(publicURL + "/oauth/consent?agent_request=" + consent.form().Get("agent_request")),
	} {
		policy := p.header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'",
			"style-src 'sha256-"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy is %s", what, policy)
			}
		}
		if strings.Contains(policy, "form-action") || strings.Contains(policy, "unsafe") ||
			strings.Contains(policy, "script-src") {
			t.Errorf("%s: the policy is %s", what, policy)
		}
		if p.header.Get("X-Frame-Options") != "DENY" || p.header.Get("Referrer-Policy") != "no-referrer" ||
			p.header.Get("Cache-Control") != "no-store" ||
			p.header.Get("X-Content-Type-Options") != "nosniff" || p.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", what, p.header)
		}
	}
}

func TestOnlyThePagesOwnFormDecides(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	at := s.arrive(v, accessFor(s.register()))
	form := with(at.form(), "decision", "allow")
	send := func(v *visitor, form url.Values, header http.Header) int {
		return v.do("POST", publicURL+"/oauth/consent", form, header).status
	}
	// A browser that makes itself a cookie, and a token that fits it, has not begun the sign-in.
	maker, id := s.newVisitor(), form.Get("agent_request")
	site, err := url.Parse(publicURL)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range v.client.Jar.Cookies(site) {
		maker.client.Jar.SetCookies(site, []*http.Cookie{{Name: cookie.Name, Value: "made up", Path: "/",
			Secure: true}})
	}
	mac := hmac.New(sha256.New, []byte("made up"))
	mac.Write([]byte("consent " + id))
	made := with(form, "token", base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
	for what, status := range map[string]int{
		"with a cookie of its own making": send(maker, made, nil),
		"without its token":               send(v, with(form, "token"), nil),
		"with another token":              send(v, with(form, "token", strings.Repeat("A", 43)), nil),
		"from another site":               send(v, form, http.Header{"Sec-Fetch-Site": {"cross-site"}}),
		"from a neighbour":                send(v, form, http.Header{"Sec-Fetch-Site": {"same-site"}}),
		"typed":                           send(v, form, http.Header{"Sec-Fetch-Site": {"none"}}),
		"in another browser":              send(s.newVisitor(), form, nil),
		"for another sign-in":             send(v, with(form, "agent_request", strings.Repeat("A", 43)), nil),
		"without a decision":              send(v, with(form, "decision"), nil),
		"with something else decided":     send(v, with(form, "decision", "maybe"), nil),
	} {
		if status != 403 {
			t.Errorf("%s: %d", what, status)
		}
	}
	if v.do("GET", publicURL+"/oauth/consent?"+form.Encode(), nil, nil).status != 200 {
		t.Error("a link is answered as a form")
	}
	codeOf(t, v.decide(at.form(), "allow"))
}

func TestThePersonMayChooseFewer(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	one, two := business("one-"+uuid.NewString(), "owner"), business("two-"+uuid.NewString(), "member")
	s.site.businesses = []partnertoken.Business{one, two}
	first, second := s.site.organization(0), s.site.organization(1)
	client, v := s.register(), s.newVisitor()
	at := s.arrive(v, accessFor(client))
	form := at.form()
	if len(form["organization"]) != 2 || len(form["scope"]) != 2 {
		t.Fatalf("the form is %v", form)
	}
	foreign := s.open()
	v.decide(with(form, "organization"), "allow").want(422)
	v.decide(with(form, "scope"), "allow").want(422)
	v.decide(with(form, "organization", foreign.organization), "allow").want(403)
	v.decide(with(form, "organization", first, foreign.organization), "allow").want(403)
	v.decide(with(form, "organization", "x"), "allow").want(403)
	fewer := with(with(form, "organization", second), "scope", "org:read", "org:write", "admin")
	got := s.token(redeeming(client, codeOf(t, v.decide(fewer, "allow")))).want(200)
	got.wantAt("org:read", "scope")
	token := s.withOAuth(got.text("access_token"))
	token.get("/organizations/" + second + "/profile").want(200)
	token.get("/organizations/" + first + "/profile").noAccess()
	token.post("/organizations/"+second+"/outstanding-issues/x/answers", M{"answer": "x"}).want(403)
}

func TestRefusingGivesNothing(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	at := s.arrive(v, accessFor(s.register()))
	refused := v.decide(at.form(), "deny")
	to, err := url.Parse(refused.to)
	if err != nil || refused.status != 303 || to.Query().Get("error") != "access_denied" ||
		to.Query().Get("iss") != publicURL || to.Query().Has("code") {
		t.Errorf("status %d, sent to %q", refused.status, refused.to)
	}
	// It is decided: neither the form nor the page turns it around.
	after := v.decide(at.form(), "allow").want(200)
	if !strings.Contains(string(after.body), "answered already") {
		t.Errorf("afterwards: %s", after.body)
	}
}

// Whoever presses twice is shown the second answer, so it must be as good as the first.
func TestAFormThatIsSentTwiceIsAnsweredTwice(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	client, v := s.register(), s.newVisitor()
	at := s.arrive(v, accessFor(client))
	first, second := codeOf(t, v.decide(at.form(), "allow")), codeOf(t, v.decide(at.form(), "allow"))
	if first != second {
		t.Error("there are two codes")
	}
	s.token(redeeming(client, second)).want(200)
	v.decide(at.form(), "allow").want(200)
	var grants int
	if err := s.db.SQL().QueryRow(`SELECT count(*) FROM agent_grants WHERE client_id = $1`,
		client).Scan(&grants); err != nil || grants != 1 {
		t.Errorf("%d grants (%v)", grants, err)
	}
}

func TestASignInIsOverAfterTenMinutes(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	at := s.arrive(v, accessFor(s.register()))
	s.clock.Add(10*time.Minute + time.Second)
	v.decide(at.form(), "allow").want(400)
}

func TestAnAccountantWithManyBusinessesBeginsWithNone(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	s.site.businesses = nil
	for i := range 300 {
		s.site.businesses = append(s.site.businesses, business(fmt.Sprintf("client-%d-%s", i, uuid.NewString()),
			"member"))
	}
	v := s.newVisitor()
	at := s.arrive(v, accessFor(s.register()))
	if n := len(at.form()["organization"]); n != 300 {
		t.Fatalf("%d businesses are chosen", n)
	}
	none := v.get(publicURL + "/oauth/consent?agent_request=" + at.form().Get("agent_request") + "&none")
	if n := len(none.form()["organization"]); n != 0 {
		t.Fatalf("%d businesses are chosen", n)
	}
	codeOf(t, v.decide(at.form(), "allow"))
}
