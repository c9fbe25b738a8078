package apitest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
)

// connect sends a connection of a person of the test's partner.
func (a *api) connect(sub string, businesses ...partnertoken.Business) answer {
	a.t.Helper()
	return a.as(a.sign(sub, businesses...)).post("/auth/partner", nil)
}

// another is the same server with another partner.
func (a *api) another() *api {
	a.t.Helper()
	b := *a
	b.partner, b.secret = a.newPartner()
	return &b
}

// ids are the organizations and sources of a connection's answer by business.
func (r answer) ids() map[string][2]string {
	r.t.Helper()
	ids := map[string][2]string{}
	for _, item := range r.get("organizations").([]any) {
		o := item.(map[string]any)
		ids[o["business_id"].(string)] = [2]string{o["organization_id"].(string), o["source_id"].(string)}
	}
	return ids
}

// name makes an id that no other test has.
func name(prefix string) string { return prefix + "-" + uuid.NewString() }

func TestConnectingAgainAnswersTheSameIDs(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, b := name("p"), business(name("b"), "owner")
	first := a.connect(sub, b).want(200)
	second := a.connect(sub, b).want(200)
	if diff := cmp.Diff(string(first.body), string(second.body)); diff != "" {
		t.Errorf("the second answer differs: %s", diff)
	}
}

func TestPeopleOfABusinessShareItsOrganizationAndSource(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := name("b")
	ana := a.connect(name("ana"), business(b, "owner")).want(200)
	ben := a.connect(name("ben"), business(b, "member")).want(200)
	if ana.text("user_id") == ben.text("user_id") {
		t.Error("two people are one person")
	}
	if diff := cmp.Diff(ana.ids(), ben.ids()); diff != "" {
		t.Errorf("they do not share: %s", diff)
	}
	if got := ben.text("organizations", 0, "role"); got != "member" {
		t.Errorf("role %s, want member", got)
	}
}

func TestConnectionKeepsTheOrderOfTheToken(t *testing.T) {
	t.Parallel()
	a := shared(t)
	var businesses []partnertoken.Business
	for _, letter := range []string{"m", "Z", "a", "é", "b"} {
		businesses = append(businesses, business(name(letter), "owner"))
	}
	for range 2 {
		got := a.connect("person", businesses...).want(200)
		for i, b := range businesses {
			if id := got.text("organizations", i, "business_id"); id != b.ID {
				t.Errorf("organization %d is %s, want %s", i, id, b.ID)
			}
		}
		slices.Reverse(businesses)
	}
}

func TestTopLevelIDsAreThoseOfTheSelectedBusiness(t *testing.T) {
	t.Parallel()
	a := shared(t)
	one, two := business(name("one"), "owner"), business(name("two"), "member")
	list := []partnertoken.Business{one, two}
	for _, selected := range list {
		got := a.as(a.signPayload("person", partnertoken.Payload{BusinessID: &selected.ID,
			Businesses: list})).post("/auth/partner", nil).want(200)
		want := got.ids()[selected.ID]
		if got.text("organization_id") != want[0] || got.text("source_id") != want[1] {
			t.Errorf("selected %s, answered %s", selected.ID, got.body)
		}
	}
}

func TestConnectionReplacesRoleAndName(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := business(name("b"), "member")
	a.connect("ana", b).want(200)
	b.Role, b.Name = "owner", "  The new name "
	o := a.join("ana", b)
	profile := o.get(o.path + "/profile").want(200)
	if got := profile.text("user", "role"); got != "owner" {
		t.Errorf("role %s, want owner", got)
	}
	if got := profile.text("organization", "name"); got != "The new name" {
		t.Errorf("name %q, want it trimmed and new", got)
	}
	b.Role = "member"
	if got := a.connect("ana", b).want(200).text("organizations", 0, "role"); got != "member" {
		t.Errorf("role %s, want member again", got)
	}
	if got := o.get(o.path+"/profile").want(200).text("user", "role"); got != "member" {
		t.Errorf("with the owner's old token the role is %s, want member", got)
	}
}

func TestConnectionReplacesTheTierOfEachListedBusiness(t *testing.T) {
	t.Parallel()
	a := shared(t)
	one, two := business(name("one"), "owner"), business(name("two"), "owner")
	tiers := func() (list [2]any) {
		for i, b := range []partnertoken.Business{one, two} {
			o := a.as(a.sign("ana", b, one))
			if i == 0 {
				o = a.as(a.sign("ana", b))
			}
			found := o.get("/organizations/" + a.organizationOf(b.ID) + "/profile").want(200)
			list[i] = found.get("organization", "tier")
			if got := found.get("processing", "tier"); got != list[i] {
				t.Errorf("processing says %v, the organization %v", got, list[i])
			}
		}
		return list
	}
	for _, tc := range []struct {
		tier       string
		businesses []partnertoken.Business
		want       [2]any
	}{
		{"paid", []partnertoken.Business{one, two}, [2]any{"paid", "paid"}},
		{"free", []partnertoken.Business{two, one}, [2]any{"free", "free"}},
		{"", []partnertoken.Business{one, two}, [2]any{nil, nil}},
	} {
		payload := partnertoken.Payload{BusinessID: &tc.businesses[0].ID, Businesses: tc.businesses, Tier: tc.tier}
		a.as(a.signPayload("ana", payload)).post("/auth/partner", nil).want(200)
		if got := tiers(); got != tc.want {
			t.Errorf("tiers %v, want %v", got, tc.want)
		}
	}
}

// organizationOf is the organization of a business of the test's partner.
func (a *api) organizationOf(businessID string) string {
	a.t.Helper()
	var id string
	err := a.db.SQL().QueryRow(`SELECT id::text FROM organizations WHERE partner_id = $1 AND business_id = $2`,
		a.partner, businessID).Scan(&id)
	if err != nil {
		a.t.Fatal(err)
	}
	return id
}

func TestAnEmptyListRevokesEverythingAndKeepsThePerson(t *testing.T) {
	t.Parallel()
	a := shared(t)
	one, two := business(name("one"), "owner"), business(name("two"), "owner")
	o := a.join("ana", one, two)
	revoked := a.connect("ana").want(200)
	if got := revoked.text("user_id"); got != o.person {
		t.Errorf("user_id %s, want %s", got, o.person)
	}
	if revoked.get("organization_id") != nil || revoked.get("source_id") != nil || revoked.size("organizations") != 0 {
		t.Errorf("answered %s", revoked.body)
	}
	o.get(o.path + "/profile").want(403)
	a.as(a.sign("ana", two)).get("/organizations/" + a.organizationOf(two.ID) + "/profile").want(403)
}

func TestAnOmittedBusinessIsRevokedAlone(t *testing.T) {
	t.Parallel()
	a := shared(t)
	kept, dropped := business(name("kept"), "owner"), business(name("dropped"), "owner")
	o := a.join("ana", dropped, kept)
	a.connect("ana", kept).want(200)
	o.get(o.path + "/profile").want(403)
	a.as(a.sign("ana", kept)).get("/organizations/" + a.organizationOf(kept.ID) + "/profile").want(200)
}

func TestRevocationLeavesOtherMembershipsAlone(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := business(name("b"), "owner")
	ana := a.join("ana", b)
	ben := a.join("ben", business(b.ID, "member"))
	elsewhere := a.another().join("ana", b)

	// A native membership in the same business, and one in a native company.
	native := uuid.NewString()
	ana.exec(`INSERT INTO organizations (id, name, created_at) VALUES ($1, 'Native', now())`, native)
	for _, organization := range []string{native, ana.organization} {
		ana.exec(`INSERT INTO memberships (organization_id, person_id, role, created_at) VALUES ($1, $2, 'member', now())`, organization, ana.person)
	}
	a.connect("ana").want(200)

	ana.get(ana.path + "/profile").want(403)
	ben.get(ben.path + "/profile").want(200)
	elsewhere.get(elsewhere.path + "/profile").want(200)
	oauth := a.withOAuth(a.oauth(ana.person))
	oauth.get("/organizations/" + native + "/profile").want(200)
	if got := oauth.get(ana.path+"/profile").want(200).text("user", "role"); got != "member" {
		t.Errorf("role %s, want the native one, member", got)
	}
}

func TestAnOlderTokenReappliesItsList(t *testing.T) {
	t.Parallel()
	a := start(t)
	old, recent := business(name("old"), "owner"), business(name("new"), "owner")
	before := a.join("ana", old)
	a.clock.Add(time.Minute)
	after := a.join("ana", recent)
	before.get(before.path + "/profile").want(403)

	again := before.post("/auth/partner", nil).want(200)
	if got := again.text("organization_id"); got != before.organization {
		t.Errorf("organization %s, want %s", got, before.organization)
	}
	before.get(before.path + "/profile").want(200)
	after.get(after.path + "/profile").want(403)
}

func TestThePersonKeepsTheFirstEmailAndTakesTheNewestName(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := business(name("b"), "owner")
	sign := func(email, person string) string {
		now := a.clock.Now()
		signed, err := partnertoken.Sign(partnertoken.Claims{PartnerID: a.partner, Audience: audience, Subject: "ana",
			Email: email, Name: person,
			IssuedAt: now, ExpiresAt: now.Add(time.Minute), Payload: partnertoken.Payload{BusinessID: &b.ID,
				Businesses: []partnertoken.Business{b}}}, a.secret)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	for _, tc := range []struct{ email, name, wantName string }{
		{"first@example.com", "Ana", "Ana"},
		{"second@example.com", "Ana Diaz", "Ana Diaz"},
		{"", "", "Ana Diaz"}, // a token without a name takes none away
	} {
		c := a.as(sign(tc.email, tc.name))
		connected := c.post("/auth/partner", nil).want(200)
		profile := c.get("/organizations/" + connected.text("organization_id") + "/profile").want(200)
		if got := profile.text("user", "email"); got != "first@example.com" {
			t.Errorf("e-mail %s, want the first", got)
		}
		if got := profile.text("user", "name"); got != tc.wantName {
			t.Errorf("name %q, want %q", got, tc.wantName)
		}
	}
}

func TestEqualEmailsDoNotJoinPersons(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := a.another()
	one := a.connect("ana", business(name("b"), "owner")).want(200)
	two := b.connect("ana", business(name("b"), "owner")).want(200) // the harness gives both ana@example.com
	if one.text("user_id") == two.text("user_id") {
		t.Error("an e-mail joined two persons")
	}
}

func TestPartnersWithTheSameBusinessIDAndSubjectAreApart(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := business(name("b"), "owner")
	one, two := a.join("ana", b), a.another().join("ana", b)
	if one.organization == two.organization || one.source == two.source || one.person == two.person {
		t.Errorf("shared: %v and %v", one.path, two.path)
	}
	one.get(two.path + "/profile").want(403)
}

func TestARevokedSourceIsConnectedAgainWithTheSameID(t *testing.T) {
	t.Parallel()
	a := shared(t)
	b := business(name("b"), "owner")
	o := a.join("ana", b)
	account := o.uploadAccount("a1")
	o.delete(o.path + "/accounts/" + account).want(200)
	state := func() string { return o.get(o.path+"/profile").want(200).text("coverage", "sources", 0, "state") }
	if got := state(); got != "revoked" {
		t.Fatalf("source is %s, want revoked", got)
	}
	if got := a.connect("ana", b).want(200).text("source_id"); got != o.source {
		t.Errorf("source %s, want %s", got, o.source)
	}
	if got := state(); got != "connected" {
		t.Errorf("source is %s, want connected", got)
	}
}

func TestThreeHundredBusinessesConnectAtOnce(t *testing.T) {
	t.Parallel()
	a := shared(t)
	var businesses []partnertoken.Business
	for i := range 300 {
		businesses = append(businesses, business(fmt.Sprintf("%s-%03d", uuid.NewString(), i), "owner"))
	}
	first := a.connect("accountant", businesses...).want(200)
	if got := first.size("organizations"); got != 300 {
		t.Fatalf("%d organizations, want 300", got)
	}
	if diff := cmp.Diff(first.ids(), a.connect("accountant", businesses...).want(200).ids()); diff != "" {
		t.Errorf("ids changed: %s", diff)
	}
	if got := len(a.connect("accountant", businesses[:1]...).want(200).ids()); got != 1 {
		t.Errorf("%d organizations, want 1", got)
	}
	var current int
	err := a.db.SQL().QueryRow(`SELECT count(*) FROM memberships WHERE partner_id = $1 AND revoked_at IS NULL`,
		a.partner).Scan(&current)
	if err != nil || current != 1 {
		t.Errorf("%d current memberships, %v, want 1", current, err)
	}
}

// together calls every function at the same time and returns their answers.
func together(calls ...func() answer) []answer {
	answers := make([]answer, len(calls))
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	for i, call := range calls {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-gate
			answers[i] = call()
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
	return answers
}

func TestFirstConnectionsAtOnceMakeOnePersonOneOrganizationOneSource(t *testing.T) {
	t.Parallel()
	a := shared(t)
	signed := a.sign("ana", business(name("b"), "owner"))
	var calls []func() answer
	for range 30 {
		calls = append(calls, func() answer { return a.as(signed).post("/auth/partner", nil) })
	}
	answers := together(calls...)
	for _, got := range answers {
		got.want(200)
		if diff := cmp.Diff(string(answers[0].body), string(got.body)); diff != "" {
			t.Errorf("answers differ: %s", diff)
		}
	}
	a.wantCounts(1, 1, 1)
}

func TestPeopleWhoShareBusinessesConnectAtOnceWithoutAFailure(t *testing.T) {
	t.Parallel()
	a := shared(t)
	const people, shared = 30, 20
	businesses := make([]partnertoken.Business, shared)
	for i := range businesses {
		businesses[i] = business(fmt.Sprintf("%02d-%s", i, uuid.NewString()), "owner")
	}
	var calls []func() answer
	for i := range people {
		rotated := append(slices.Clone(businesses[i%shared:]), businesses[:i%shared]...)
		if i%2 == 1 {
			slices.Reverse(rotated)
		}
		signed := a.sign(fmt.Sprintf("person-%d", i), rotated...)
		calls = append(calls, func() answer { return a.as(signed).post("/auth/partner", nil) })
	}
	for range 3 { // the first time all is new, then all is there
		answers := together(calls...)
		for _, got := range answers {
			if diff := cmp.Diff(answers[0].want(200).ids(), got.want(200).ids()); diff != "" {
				t.Errorf("ids differ: %s", diff)
			}
		}
	}
	a.wantCounts(people, shared, shared)
}

// wantCounts fails the test where the partner has other numbers of persons, organizations and sources.
func (a *api) wantCounts(persons, organizations, sources int) {
	a.t.Helper()
	var got [3]int
	err := a.db.SQL().QueryRowContext(context.Background(), `
		SELECT (SELECT count(DISTINCT person_id) FROM identities WHERE partner_id = $1),
		       (SELECT count(*) FROM organizations WHERE partner_id = $1),
		       (SELECT count(*) FROM sources WHERE partner_id = $1)`, a.partner).Scan(&got[0], &got[1], &got[2])
	if want := [3]int{persons, organizations, sources}; err != nil || got != want {
		a.t.Errorf("persons, organizations, sources are %v, %v, want %v", got, err, want)
	}
}
