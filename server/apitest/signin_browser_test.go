package apitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
)

// tooFaint names what cannot be read well: text whose contrast is below 4.5 (WCAG 2.2, 1.4.3).
const tooFaint = `(() => {
  const rgb = c => {
    const d = document.createElement("canvas").getContext("2d");
    d.fillStyle = c;
    d.fillRect(0, 0, 1, 1);
    return d.getImageData(0, 0, 1, 1).data };
  const light = c => {
    const [r, g, b] = [...rgb(c)].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (rgb(c)[3] === 255) return c }
    return "white" };
  const texts = [...document.querySelectorAll("h1, h2, p, li, dt, dd, small, legend, label, button, a")];
  return texts.filter(e => e.innerText.trim()).filter(e => {
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
    return (a + .05) / (b + .05) < 4.5 }).map(e => e.tagName + "." + e.className + " " + e.innerText.slice(0, 20));
})()`

// A person lets an agent in, by the keyboard alone, in a real browser with the partner on another site.
func TestInABrowserAPersonLetsAnAgentIn(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := onLoopback(t)
	one, two := business("one-"+uuid.NewString(), "owner"), business("two-"+uuid.NewString(), "member")
	one.Name, two.Name = "Ana's Bakery", strings.Repeat("Averylongname", 9)
	s.site.businesses = []partnertoken.Business{one, two}
	s.site.url = strings.Replace(s.site.url, "127.0.0.1", "localhost", 1)
	if err := s.db.SetSignIn(t.Context(), s.clock.Now(), s.partner, s.site.url); err != nil {
		t.Fatal(err)
	}
	came := make(chan url.Values, 1)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			if referrer := r.Header.Get("Referer"); referrer != "" {
				t.Errorf("the program is told of %s", referrer)
			}
			came <- r.URL.Query()
		}
		fmt.Fprint(w, "<!DOCTYPE html><main id=connected>Connected</main>")
	}))
	t.Cleanup(program.Close)
	back := program.URL + "/callback"
	b := s.browse(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			client := s.register()
			asked := with(with(accessFor(client), "redirect_uri", back), "resource", s.url+"/mcp")
			b.run(chromedp.EmulateViewport(width, 900),
				command(emulation.SetEmulatedMedia,
					emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
						Value: scheme}}}),
				chromedp.Navigate(s.url+"/oauth/authorize?"+asked.Encode()), chromedp.WaitReady("main"))
			looksWell := func(name string) {
				t.Helper()
				if over := evaluate[[]string](b, tooWide); len(over) > 0 {
					t.Errorf("%s is wider than %d: %s", name, width, over)
				}
				if faint := evaluate[[]string](b, tooFaint); len(faint) > 0 {
					t.Errorf("%s %s is faint at %s", name, scheme, faint)
				}
				b.picture(fmt.Sprintf("%s-%s-%d", name, scheme, width))
			}
			if evaluate[bool](b, `document.querySelector("[name=partner]") !== null`) {
				looksWell("sign-in-partner")
				b.tabTo(s.partner)
				b.run(chromedp.KeyEvent("\r"))
			}
			b.run(chromedp.WaitReady("[name=decision]"))
			looksWell("sign-in-consent")
			b.tabTo(s.organizationNamed(two.Name))
			b.run(chromedp.KeyEvent(" "))
			b.tabTo("allow")
			b.run(chromedp.KeyEvent("\r"), chromedp.WaitReady("#connected"))
			got := <-came
			if got.Get("state") != "st&te" || got.Get("iss") != s.url {
				t.Errorf("the program is told %v", got)
			}
			form := with(with(redeeming(client, got.Get("code")), "redirect_uri", back), "resource", s.url+"/mcp")
			token := s.token(form).want(200).text("access_token")
			s.withOAuth(token).get("/organizations/" + s.organizationNamed(one.Name) + "/profile").want(200)
			s.withOAuth(token).get("/organizations/" + s.organizationNamed(two.Name) + "/profile").noAccess()
		}
	}
	b.run(chromedp.Navigate(s.url+"/oauth/authorize?client_id=unknown"), chromedp.WaitReady("main"))
	if text := evaluate[string](b, `document.querySelector("h1").innerText`); text != "This program was not connected" {
		t.Errorf("the error is %q", text)
	}
	b.picture("sign-in-failed")
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		if !strings.Contains(problem, "favicon.ico") && !strings.Contains(problem, "client_id=unknown") {
			t.Errorf("a page complains: %s", problem)
		}
	}
}

// A person ends what they let in, by the keyboard alone.
func TestInABrowserAPersonEndsWhatTheyLetIn(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := onLoopback(t)
	s.site.businesses = []partnertoken.Business{business("one-"+uuid.NewString(), "owner"),
		business("two-"+uuid.NewString(), "member")}
	s.site.businesses[0].Name = strings.Repeat("Averylongname", 9)
	s.site.url = strings.Replace(s.site.url, "127.0.0.1", "localhost", 1)
	if err := s.db.SetSignIn(t.Context(), s.clock.Now(), s.partner, s.site.url); err != nil {
		t.Fatal(err)
	}
	o := s.join(s.site.sub, s.site.businesses...)
	b := s.browse(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			first, second := s.letsIn(o, "A program of a long name "+strings.Repeat("andthensome", 5)),
				s.letsIn(o, "Another")
			b.run(chromedp.EmulateViewport(width, 900),
				command(emulation.SetEmulatedMedia,
					emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
						Value: scheme}}}),
				chromedp.Navigate(s.url+"/oauth/agents?partner="+s.partner), chromedp.WaitReady("[name=end]"))
			looksWell := func(name string) {
				t.Helper()
				if over := evaluate[[]string](b, tooWide); len(over) > 0 {
					t.Errorf("%s is wider than %d: %s", name, width, over)
				}
				if faint := evaluate[[]string](b, tooFaint); len(faint) > 0 {
					t.Errorf("%s %s is faint at %s", name, scheme, faint)
				}
				b.picture(fmt.Sprintf("%s-%s-%d", name, scheme, width))
			}
			looksWell("let-in")
			if n := evaluate[int](b, `document.querySelectorAll("section").length`); n != 2 {
				t.Errorf("%d programs are shown", n)
			}
			b.tabTo(first)
			b.run(chromedp.KeyEvent("\r"), chromedp.WaitReady("[role=status]"))
			looksWell("let-in-ended")
			if n := evaluate[int](b, `document.querySelectorAll("section").length`); n != 1 || s.ended(second) ||
				!s.ended(first) {
				t.Errorf("%d programs are shown after one ended", n)
			}
			b.tabTo("all")
			b.run(chromedp.KeyEvent("\r"), chromedp.WaitReady("main:not(:has(section))"))
			if !s.ended(second) {
				t.Error("not all ended")
			}
			b.tabTo("look")
			b.run(chromedp.KeyEvent("\r"), chromedp.WaitReady("main:not(:has(form))"))
			looksWell("let-in-left")
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		if !strings.Contains(problem, "favicon.ico") {
			t.Errorf("a page complains: %s", problem)
		}
	}
}

// letsIn gives a program access to the person's businesses without their going the whole way.
func (s *signIn) letsIn(o *office, name string) (grant string) {
	s.t.Helper()
	err := s.db.SQL().QueryRow(`WITH granted AS (
		  INSERT INTO agent_grants (id, kind, person_id, partner_id, client_id, client_name, redirect_uri, resource,
		  scopes, role, created_at, used_at,
		    expires_at, code_hash, challenge, redeemed_at)
		  VALUES (gen_random_uuid(), 'consent', $1, $2, 'c', $3, $4, 'r', '{org:read,org:answer}', 'owner', now(),
		  now(), now() + interval '30 days',
		    sha256(gen_random_uuid()::text::bytea), 'c', now())
		  RETURNING id), businesses AS (
		  INSERT INTO agent_grant_organizations (organization_id, grant_id)
		  SELECT o.id, granted.id FROM organizations o, granted WHERE o.partner_id = $2)
		SELECT id FROM granted`, o.person, s.partner, name, callback).Scan(&grant)
	if err != nil {
		s.t.Fatal(err)
	}
	return grant
}

func (s *signIn) ended(grant string) (ended bool) {
	s.t.Helper()
	if err := s.db.SQL().QueryRow(`SELECT revoked_at IS NOT NULL FROM agent_grants WHERE id = $1`,
		grant).Scan(&ended); err != nil {
		s.t.Fatal(err)
	}
	return ended
}

// tabTo goes to the field with a value, by the keyboard, and sees where it is.
func (b *tab) tabTo(value string) {
	b.t.Helper()
	for range 30 {
		b.run(chromedp.KeyEvent("\t"))
		if evaluate[string](b, `document.activeElement.value ?? ""`) == value {
			if style := evaluate[string](b, `getComputedStyle(document.activeElement).outlineStyle`); style == "none" {
				b.t.Errorf("nobody sees that %s has the focus", value)
			}
			return
		}
	}
	b.t.Fatalf("the keyboard does not reach %s", value)
}

// organizationNamed is the id of a business of the test's partner.
func (s *signIn) organizationNamed(name string) (id string) {
	s.t.Helper()
	err := s.db.SQL().QueryRow(`SELECT id FROM organizations WHERE partner_id = $1 AND name = $2`, s.partner,
		name).Scan(&id)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}
