package apitest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/server/agentclient"
	"bizfin/store"
)

// looks goes from the partner's link to the list of what the site's person let in.
func (s *signIn) looks(v *visitor) page {
	s.t.Helper()
	return v.follow(v.get(publicURL + "/oauth/agents?partner=" + s.partner))
}

// end sends the form of the list.
func (v *visitor) end(form url.Values, what string) page {
	v.t.Helper()
	return v.do("POST", publicURL+"/oauth/agents/mine", with(form, "end", what),
		http.Header{"Sec-Fetch-Site": {"same-origin"}})
}

// letIn are the ids of the programs that the list shows.
func (p page) letIn() (ids []string) {
	for _, found := range inputs.FindAllStringSubmatch(string(p.body), -1) {
		if found[1] == "end" && found[2] != "all" && found[2] != "look" {
			ids = append(ids, found[2])
		}
	}
	return ids
}

func (g granted) works() bool {
	g.t.Helper()
	return g.rpc(bearing(g.access), "tools/list", M{}).status == 200
}

func TestAPersonSeesAndEndsWhatTheyLetIn(t *testing.T) {
	t.Parallel()
	const document = "https://client.example/client.json"
	host := &documents{t: t, answers: map[string]func(http.ResponseWriter){document: func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"client_id":"` + document + `","client_name":"Known <i>agent</i>","redirect_uris":["` +
			callback + `"]}`))
	}}}
	s := startSignIn(t, func(c *server.Config) {
		c.SignIn = &server.SignIn{Clients: agentclient.NewFetcher(nil, c.Now, host)}
	})
	s.site.businesses = []partnertoken.Business{business("one-"+uuid.NewString(), "owner"),
		{ID: uuid.NewString(), Name: "<b>Two</b>\u202e", Role: "member"}}
	registered := s.grant()
	s.clock.Add(25 * time.Hour)
	got := s.token(redeeming(document, s.agree(document))).want(200)
	known := granted{s, document, got.text("access_token"), got.text("refresh_token")}
	v := s.newVisitor()
	at := s.looks(v)
	text := string(at.want(200).body)
	for _, want := range []string{"Test program", "nobody has checked it", "Known &lt;i&gt;agent&lt;/i&gt;",
		"according to client.example",
		"127.0.0.1:33418", "Read accounts", "Answer open questions", "Business one-", "&lt;b&gt;Two&lt;/b&gt;",
		"Test partner", s.site.sub + "@example.com",
		s.clock.Now().UTC().Format("2 January 2006"),
		s.clock.Now().UTC().Add(store.GrantLifetime).Format("2 January 2006"), "in any case"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list does not say %q: %s", want, text)
		}
	}
	for _, never := range []string{"<script", "<b>", "\u202e", "http://", "https://", "src=", "onclick",
		registered.access, registered.refresh} {
		if strings.Contains(text, never) {
			t.Errorf("the list has %q", never)
		}
	}
	ids := at.letIn()
	if len(ids) != 2 {
		t.Fatalf("the list has %v", ids)
	}
	after := v.follow(v.end(at.form(), ids[1])) // the older one
	if !strings.Contains(string(after.want(200).body), "It is ended") || len(after.letIn()) != 1 ||
		registered.works() || !known.works() {
		t.Errorf("after the end: %v, %v, %s", registered.works(), known.works(), after.body)
	}
	s.token(refreshing(registered.client, registered.refresh)).want(400).wantAt("invalid_grant", "error")
	v.follow(v.end(at.form(), ids[1])).want(200) // twice
	s.exchange(s.sign(s.site.sub, s.site.businesses...), nil).want(200)
	if shown := v.get(publicURL + "/oauth/agents/mine?agent_request=" +
		at.form().Get("agent_request")); !strings.Contains(string(shown.body), "itself reads for you now") ||
		len(shown.letIn()) != 1 {
		t.Errorf("with a token of the partner's: %s", shown.body)
	}
	after = v.follow(v.end(at.form(), "all"))
	if known.works() || len(after.letIn()) != 0 || !strings.Contains(string(after.body),
		"You have let in no program.") {
		t.Errorf("after all ended: %s", after.body)
	}
	person := s.profileOf(s.exchange(s.sign(s.site.sub, s.site.businesses...), nil).text("access_token"),
		s.site.organization(0)).text("user", "id")
	acts, entries := s.acts(store.AuditFilter{PersonID: uuid.MustParse(person), Action: store.ActEndGrant})
	if len(acts) != 3 || entries[0].Actor != store.ActorPerson {
		t.Errorf("recorded: %q", acts)
	}
}

// Whoever sends somebody to the partner with a look of their own learns and ends nothing of them.
func TestALookIsOfTheBrowserThatBegan(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	attacker, victim := s.newVisitor(), s.newVisitor()
	sent := attacker.get(publicURL + "/oauth/agents?partner=" + s.partner)
	to, err := url.Parse(sent.to)
	if err != nil || !strings.HasPrefix(sent.to, s.site.url+"&") {
		t.Fatalf("sent to %q", sent.to)
	}
	request := to.Query().Get("agent_request")
	list := publicURL + "/oauth/agents/mine?agent_request=" + request
	attacker.get(list).want(400)
	accepted := victim.get(sent.to)
	attacker.get(list).want(400)
	victim.get(accepted.to).want(403)
	victim.get(list).want(400)
	attacker.get(accepted.to).want(400)
	attacker.get(list).want(400)
	// Nor does somebody who sees the address of a list.
	v := s.newVisitor()
	at := s.looks(v)
	mine := publicURL + "/oauth/agents/mine?agent_request=" + at.form().Get("agent_request")
	s.newVisitor().get(mine).want(403)
	v.get(mine).want(200)
	if !g.works() {
		t.Error("something was ended")
	}
}

// What a partner's word about a person was asked for, it is used for: to see a list, or to let a program in.
func TestALookLetsNoProgramInAndASignInShowsNoList(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	look := s.looks(v).form()
	consent := s.arrive(v, accessFor(s.register())).form()
	id, other := look.Get("agent_request"), consent.Get("agent_request")
	v.get(publicURL + "/oauth/consent?agent_request=" + id).want(400)
	v.get(publicURL + "/oauth/agents/mine?agent_request=" + other).want(400)
	v.decide(with(consent, "agent_request", id), "allow").want(403)
	v.decide(with(look, "organization", s.site.organization(0)), "allow").want(403) // the token is of another purpose
	v.end(with(look, "agent_request", other), "all").want(403)
	v.end(consent, "all").want(403)
	// Not even one who knows the browser's secret, which is how the tokens are made.
	c := store.Consent{Organizations: []uuid.UUID{uuid.MustParse(s.site.organization(0))}, Scopes: []string{"org:read"}}
	if err := s.db.GrantAgentRequest(t.Context(), s.clock.Now(), id, "code", c); err == nil {
		t.Error("a look became a grant")
	}
	codeOf(t, v.decide(consent, "allow"))
}

func TestOnlyTheListsOwnFormEnds(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	v := s.newVisitor()
	form := with(s.looks(v).form(), "end", "all")
	send := func(v *visitor, form url.Values, header http.Header) int {
		return v.do("POST", publicURL+"/oauth/agents/mine", form, header).status
	}
	for what, status := range map[string]int{
		"without its token":  send(v, with(form, "token"), nil),
		"with another token": send(v, with(form, "token", strings.Repeat("A", 43)), nil),
		"from another site":  send(v, form, http.Header{"Sec-Fetch-Site": {"cross-site"}}),
		"from a neighbour":   send(v, form, http.Header{"Sec-Fetch-Site": {"same-site"}}),
		"in another browser": send(s.newVisitor(), form, nil),
		"for another look":   send(v, with(form, "agent_request", strings.Repeat("A", 43)), nil),
		"without a choice":   send(v, with(form, "end"), nil),
		"of two":             send(v, with(form, "end", "all", "all"), nil),
		"of no id":           send(v, with(form, "end", "x"), nil),
		"of the zero id":     send(v, with(form, "end", uuid.Nil.String()), nil),
	} {
		if status != 403 {
			t.Errorf("%s: %d", what, status)
		}
	}
	v.get(publicURL + "/oauth/agents/mine?" + form.Encode()).want(200) // a link ends nothing
	if !g.works() {
		t.Error("something was ended")
	}
}

// A partner vouches for its own people and its own word alone.
func TestAPersonSeesAndEndsNothingOfOthers(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	mine := s.grant()
	s.site.sub = "someone-" + uuid.NewString()
	s.site.businesses = []partnertoken.Business{business("biz-"+uuid.NewString(), "owner")}
	theirs := s.grant() // of another person of the partner
	v := s.newVisitor()
	at := s.looks(v)
	if len(at.letIn()) != 1 {
		t.Fatalf("the list has %v", at.letIn())
	}
	var foreign string
	if err := s.db.SQL().QueryRow(`SELECT id FROM agent_grants WHERE client_id = $1`,
		mine.client).Scan(&foreign); err != nil {
		t.Fatal(err)
	}
	v.end(at.form(), foreign).want(303)
	// The same person lets a program in on the word of another partner, too.
	_, err := s.db.SQL().Exec(`UPDATE agent_grants SET person_id = (SELECT person_id FROM agent_grants WHERE client_id = $1), partner_id = $3 WHERE client_id = $2`,
		theirs.client, mine.client, func() string { id, _ := s.newPartner(); return id }())
	if err != nil {
		t.Fatal(err)
	}
	if shown := s.looks(v); len(shown.letIn()) != 1 {
		t.Errorf("the list has %v", shown.letIn())
	}
	v.end(at.form(), foreign).want(303)
	v.end(at.form(), "all").want(303)
	var ended bool
	if err := s.db.SQL().QueryRow(`SELECT revoked_at IS NOT NULL FROM agent_grants WHERE id = $1`,
		foreign).Scan(&ended); err != nil || ended {
		t.Errorf("what is another's ended: %v %v", ended, err)
	}
	if theirs.works() {
		t.Error("the own one goes on")
	}
}

func TestALookIsOverWhenThePersonLeavesAndAfterTenMinutes(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	g := s.grant()
	v := s.newVisitor()
	at := s.looks(v)
	left := v.follow(v.end(at.form(), "look"))
	if !strings.Contains(string(left.want(200).body), "You have left") || len(left.letIn()) != 0 {
		t.Errorf("left: %s", left.body)
	}
	v.follow(v.end(at.form(), "all")).want(200)
	if !g.works() {
		t.Error("something was ended by who had left")
	}
	again := s.looks(v)
	s.clock.Add(10*time.Minute + time.Second)
	v.get(publicURL + "/oauth/agents/mine?agent_request=" + again.form().Get("agent_request")).want(400)
	v.end(again.form(), "all").want(400)
}

func TestALookBeginsAtAPartnerThatSignsPeopleIn(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	v.get(publicURL + "/oauth/agents?partner=nobody").want(404)
	v.get(publicURL + "/oauth/agents?partner=" + s.partner + "&partner=" + s.partner).want(404)
	s.newPartner() // there is at least one that does not
	at := v.get(publicURL + "/oauth/agents")
	if at.status == 200 { // several
		if !strings.Contains(string(at.body), "Choose who knows you") ||
			strings.Contains(string(at.body), "wants to read") {
			t.Errorf("the choice: %s", at.body)
		}
		at = v.do("POST", publicURL+"/oauth/partner", with(at.form(), "partner", s.partner), nil)
	}
	if !strings.Contains(string(v.follow(at).want(200).body), "Programs you have let in") {
		t.Error("no list")
	}
	s.site.refuses = true
	s.looks(v).want(403)
}

func TestTheListOfProgramsMayDoNothingElse(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	v := s.newVisitor()
	at := s.looks(v)
	for what, p := range map[string]page{
		"the list": at,
		"an error": v.get(publicURL + "/oauth/agents/mine"),
		"an end":   v.end(at.form(), "all"),
		"left":     v.follow(v.end(at.form(), "look")),
	} {
		policy := p.header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'",
			"style-src 'sha256-"} {
			if !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") {
				t.Errorf("%s: the policy is %s", what, policy)
			}
		}
		if p.header.Get("X-Frame-Options") != "DENY" || p.header.Get("Referrer-Policy") != "no-referrer" ||
			p.header.Get("Cache-Control") != "no-store" ||
			p.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", what, p.header)
		}
	}
	if policy := at.header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; form-action 'self'") {
		t.Errorf("the policy of the list is %s", policy)
	}
}

// Both lists of grants are walked page by page, while some end.
func TestGrantsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	s.grant()
	_, err := s.db.SQL().Exec(`INSERT INTO agent_grants (id, kind, person_id, partner_id, client_id, client_name, redirect_uri, resource, scopes, role, created_at,
		  used_at, expires_at, code_hash, challenge, redeemed_at)
		SELECT gen_random_uuid(), kind, person_id, partner_id, client_id, client_name || ' ' || i, redirect_uri,
		  resource, scopes, role, created_at, used_at,
		       expires_at, sha256(id::text::bytea || i::text::bytea), challenge, redeemed_at
		FROM agent_grants, generate_series(1, 44) i WHERE partner_id = $1`, s.partner)
	if err != nil {
		t.Fatal(err)
	}
	header := s.as(s.sign(s.site.sub, s.site.businesses...)).header
	list := func(query string) answer { return s.outside("GET", "/oauth/grants"+query, header, nil) }
	whole := list("").want(200)
	if whole.size("grants") != 45 || whole.get("next_cursor") != nil {
		t.Fatalf("%d grants, then %v", whole.size("grants"), whole.get("next_cursor"))
	}
	var walked []string
	for query := "?limit=20"; query != ""; {
		at := list(query).want(200)
		for i := range at.size("grants") {
			walked = append(walked, at.text("grants", i, "grant_id"))
		}
		query = ""
		if next, more := at.get("next_cursor").(string); more {
			query = "?limit=20&cursor=" + url.QueryEscape(next)
			s.outside("DELETE", "/oauth/grants/"+walked[0], header, nil) // what ends meanwhile moves nothing
		}
	}
	for i := range 45 {
		if len(walked) != 45 || walked[i] != whole.text("grants", i, "grant_id") {
			t.Fatalf("walked %d: %v", len(walked), walked)
		}
	}
	next := list("?limit=1").text("next_cursor")
	for query, want := range map[string]string{"?limit=0": "limit minimum", "?limit=1001": "limit maximum",
		"?limit=99999999999999999999": "limit maximum", "?limit=x": "limit type", "?limit=": "limit type",
		"?limit=1&limit=2": "limit repeated", "?cursor=x": "cursor format", "?limits=1": "limits unknown"} {
		if got := list(query).want(422).issues(); !slices.Equal(got, []string{"query /" + want}) {
			t.Errorf("%s: %v", query, got)
		}
	}
	someone := s.as(s.sign("someone-"+uuid.NewString(), business("b", "owner"))).header
	s.outside("GET", "/oauth/grants?cursor="+next, someone, nil).want(422) // of another list
	v := s.newVisitor()
	at, seen := s.looks(v), map[string]bool{}
	for range 4 {
		for _, id := range at.letIn() {
			seen[id] = true
		}
		_, rest, more := strings.Cut(string(at.body), "&amp;cursor=")
		if !more {
			break
		}
		cursor, _, _ := strings.Cut(rest, `"`)
		at = v.get(publicURL + "/oauth/agents/mine?agent_request=" + at.form().Get("agent_request") + "&cursor=" +
			cursor)
	}
	if len(seen) != 44 {
		t.Errorf("the person sees %d of 44", len(seen))
	}
	v.get(publicURL + "/oauth/agents/mine?cursor=x&agent_request=" + at.form().Get("agent_request")).want(422)
}
