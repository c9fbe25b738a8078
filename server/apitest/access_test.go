package apitest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store/storetest"
)

// noAccess fails the test where the answer is not the one of an organization that is not the caller's.
func (r answer) noAccess() {
	r.t.Helper()
	const body = `{"error":"You have no access to this organization. Check the signed business_id, the organization_id and the membership.`
	told, known := strings.CutPrefix(strings.TrimSpace(string(r.body)), body)
	// An OAuth token is also told what it does reach.
	if r.want(403); !known || told != `"}` && !strings.HasPrefix(told, " This token reaches ") {
		r.t.Errorf("403 says %s", r.body)
	}
}

func TestOnlyAnOwnerDeletesAnAccount(t *testing.T) {
	t.Parallel()
	a := shared(t)
	id := uuid.NewString()
	owner, member := a.join("owner-"+id, business(id, "owner")), a.join("member-"+id, business(id, "member"))
	account := owner.uploadAccount("a1")
	member.delete(owner.path + "/accounts/" + account).want(403)
	member.delete(owner.path + "/accounts/" + uuid.NewString()).want(403)
	if got := owner.get(owner.path+"/accounts").text("accounts", 0, "status"); got != "active" {
		t.Errorf("the account is %s after a member's attempt", got)
	}
	owner.delete(owner.path + "/accounts/" + account).want(200)
}

func TestAMemberDoesWhatIsNotOwnerOnly(t *testing.T) {
	t.Parallel()
	a := shared(t)
	member := a.join("m-"+uuid.NewString(), business(uuid.NewString(), "member"))
	account := member.uploadAccount("a1")
	ids := member.upload(account, transaction("t1", "1", "2026-01-01", "d"))
	member.delete(member.path + "/transactions/" + ids["t1"]).want(200)
	for _, op := range member.calls() {
		if got := member.call(op); (got.status == 403) != op.ownerOnly || got.status == 401 {
			t.Errorf("%s is %d", op, got.status)
		}
	}
}

func TestTheLowerOfTheSignedAndTheStoredRoleCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		signed, stored string
		status         int
	}{{"owner", "owner", 200}, {"owner", "member", 403}, {"member", "owner", 403}, {"member", "member", 403}} {
		t.Run(test.signed+" signed, "+test.stored+" stored", func(t *testing.T) {
			t.Parallel()
			a := shared(t)
			sub, id := uuid.NewString(), uuid.NewString()
			used := a.sign(sub, business(id, test.signed))
			o := a.join(sub, business(id, test.stored))
			account := o.uploadAccount("a1")
			c := a.as(used)
			want := "member"
			if test.status == 200 {
				want = "owner"
			}
			if got := c.get(o.path+"/profile").want(200).text("user", "role"); got != want {
				t.Errorf("role is %s", got)
			}
			c.delete(o.path + "/accounts/" + account).want(test.status)
		})
	}
}

func TestAnOlderTokenIsDeniedEverywhereAfterRevocation(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, id := uuid.NewString(), uuid.NewString()
	o := a.join(sub, business(id, "owner"))
	remaining := a.join("other-"+sub, business(id, "member"))
	revoked := a.as(a.sign(sub)).post("/auth/partner", nil).want(200)
	if got := revoked.text("user_id"); got != o.person {
		t.Errorf("user_id %s, want %s", got, o.person)
	}
	if revoked.get("organization_id") != nil || revoked.get("source_id") != nil || revoked.size("organizations") != 0 {
		t.Errorf("revocation answered %s", revoked.body)
	}
	for _, op := range o.calls() {
		t.Run(op.id, func(t *testing.T) { a.in(t).with(o.header).call(op).noAccess() })
	}
	remaining.get(o.path + "/profile").want(200)
	a.as(a.sign(sub)).get(o.path + "/profile").noAccess()

	// The older token is still valid and applies its own list again.
	again := o.post("/auth/partner", nil).want(200)
	if got := again.text("source_id"); got != o.source {
		t.Errorf("source %s, want %s", got, o.source)
	}
	o.get(o.path + "/profile").want(200)
}

func TestABusinessLeftOutOfTheListIsRevokedAlone(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub := uuid.NewString()
	kept, dropped := business(uuid.NewString(), "owner"), business(uuid.NewString(), "owner")
	first := a.join(sub, kept, dropped)
	second := a.as(a.sign(sub, dropped, kept)).post("/auth/partner", nil).want(200)
	organization := "/organizations/" + second.text("organization_id")
	a.as(a.sign(sub, dropped)).get(organization + "/profile").want(200)
	a.join(sub, kept)
	a.as(a.sign(sub, dropped)).get(organization + "/profile").noAccess()
	first.get(first.path + "/profile").want(200)
}

func TestOnlyTheSelectedBusinessOfATokenIsReached(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, selected, listed := uuid.NewString(), business(uuid.NewString(), "owner"), business(uuid.NewString(), "owner")
	o := a.join(sub, selected, listed)
	connected := o.post("/auth/partner", nil).want(200)
	other := "/organizations/" + connected.text("organizations", 1, "organization_id")
	o.get(o.path + "/profile").want(200)
	o.get(other + "/profile").noAccess()
	switched := a.as(a.sign(sub, listed, selected))
	switched.get(other + "/profile").want(200)
	switched.get(o.path + "/profile").noAccess()
}

func TestEveryOrganizationThatIsNotTheCallersIsAnsweredAlike(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	sameOther := a.open() // of the same partner
	foreign := shared(t).open()
	stranger := a.as(a.sign("never-connected-"+uuid.NewString(), business(uuid.NewString(), "owner")))
	opaque := a.withOAuth(a.oauth(o.person))
	for name, organization := range map[string]string{
		"same partner":    sameOther.organization,
		"another partner": foreign.organization,
		"unknown":         uuid.NewString(),
		"nil":             uuid.Nil.String(),
		"max":             uuid.Max.String(),
	} {
		t.Run(name, func(t *testing.T) {
			for _, op := range callsTo(organization, unknownIDs()) {
				a.in(t).with(o.header).call(op).noAccess()
				a.in(t).with(opaque.header).call(op).noAccess()
			}
			a.in(t).with(stranger.header).get("/organizations/" + organization + "/profile").noAccess()
		})
	}
}

// The ids of another business are answered as ids of nothing, and nothing of the other is told or changed.
func TestIDsOfAnotherBusinessAreAnsweredAsUnknownOnes(t *testing.T) {
	t.Parallel()
	a := shared(t)
	for name, partner := range map[string]*api{"of the same partner": a, "of another partner": a.another()} {
		t.Run(name, func(t *testing.T) {
			o, other := a.in(t).open(), partner.in(t).open()
			theirs, unknown := other.furnish(), unknownIDs()
			before := other.snapshot(theirs)
			secrets := []string{theirs.source, theirs.account, theirs.transaction, theirs.counterparty, theirs.issue,
				other.organization, "FLOUR", "Flour"}
			asked, instead := o.callsFor(theirs), o.callsFor(unknown)
			asUnknown := strings.NewReplacer(
				theirs.source, unknown.source, theirs.account, unknown.account, theirs.transaction, unknown.transaction,
				theirs.counterparty, unknown.counterparty, theirs.issue, unknown.issue)
			for i := range asked {
				foreign, nothing := o.call(asked[i]), o.call(instead[i])
				if foreign.status != nothing.status {
					t.Errorf("%s: %d with ids of another, %d with unknown ones", asked[i], foreign.status,
						nothing.status)
				}
				sameJSON(t, asked[i].String(), nothing.body, []byte(asUnknown.Replace(string(foreign.body))))
				for _, secret := range secrets {
					if strings.Contains(string(nothing.body), secret) {
						t.Errorf("%s tells %s of another business: %s", asked[i].id, secret, nothing.body)
					}
				}
			}
			if diff := cmp.Diff(before, other.snapshot(theirs)); diff != "" {
				t.Errorf("the other business has changed: %s", diff)
			}
		})
	}
}

// snapshot is what all reads of the business answer.
func (o *office) snapshot(in ids) map[string]string {
	o.t.Helper()
	read := map[string]string{}
	for _, call := range o.callsFor(in) {
		if documented()[call.id].method == http.MethodGet {
			read[call.String()] = generatedAt.ReplaceAllString(string(inTime(o.call(call).want(200).body)), "")
		}
	}
	return read
}

// A token may list a business of which the person is no member yet: only the connection makes one.
func TestASignedButNeverConnectedPersonIs403(t *testing.T) {
	t.Parallel()
	a := shared(t)
	id := uuid.NewString()
	o := a.join("first-"+id, business(id, "owner"))
	a.as(a.sign("second-"+id, business(id, "owner"))).get(o.path + "/profile").noAccess()
}

func TestAPartnersTokenNamesItsOwnBusinessesOnly(t *testing.T) {
	t.Parallel()
	a, b := shared(t), shared(t)
	sub, id := uuid.NewString(), uuid.NewString()
	o := a.join(sub, business(id, "owner"))
	other := b.join(sub, business(id, "owner"))
	if o.organization == other.organization || o.person == other.person || o.source == other.source {
		t.Fatal("two partners share a business or a person by equal ids")
	}
	other.get(o.path + "/profile").noAccess()
}

func TestADemoPersonReadsAndAnswersAndUploadsAndDeletesNothing(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	account := o.uploadAccount("a1")
	ids := o.upload(account, transaction("t1", "1", "2026-01-01", "d"))
	person := uuid.MustParse(o.person)
	if err := a.db.SetDemo(context.Background(), time.Now(), person, true); err != nil {
		t.Fatal(err)
	}
	opaque := a.withOAuth(a.oauth(o.person))
	for _, op := range o.calls() {
		for _, c := range []*caller{o.caller, opaque} {
			got := c.call(op)
			if !op.forDemo {
				if got.status != 403 || !strings.Contains(got.text("error"), "demo") {
					t.Errorf("%s: %d %s", op, got.status, got.body)
				}
			} else if got.status == 401 || got.status == 403 {
				t.Errorf("%s: %d %s", op, got.status, got.body)
			}
		}
	}
	o.delete(o.path + "/accounts/" + account).want(403)
	o.delete(o.path + "/transactions/" + ids["t1"]).want(403)
	o.answerIssue("t:"+ids["t1"], "revenue.sales", nil).want(200)
	o.get(o.path+"/transactions/"+ids["t1"]).want(200).wantAt("revenue.sales", "transaction", "category",
		"categoryPath")
	o.post("/auth/partner", nil).want(200)
	o.post(o.path+"/accounts", M{}).want(403) // a connection does not end it

	if err := a.db.SetDemo(context.Background(), time.Now(), person, false); err != nil {
		t.Fatal(err)
	}
	o.uploadAccount("a2")
	o.delete(o.path + "/transactions/" + ids["t1"]).want(200)
	o.delete(o.path + "/accounts/" + account).want(200)
}

func TestAnOAuthTokenHasTheHighestOfThePersonsRoles(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.join("m-"+uuid.NewString(), business(uuid.NewString(), "member"))
	account := o.uploadAccount("a1")
	opaque := a.withOAuth(a.oauth(o.person))
	opaque.delete(o.path + "/accounts/" + account).want(403)
	a.exec(`INSERT INTO memberships (organization_id, person_id, role, created_at) VALUES ($1, $2, 'owner', $3)`,
		o.organization, o.person, a.clock.Now())
	if got := opaque.get(o.path+"/profile").text("user", "role"); got != "owner" {
		t.Errorf("role is %s", got)
	}
	if got := opaque.get(o.path + "/profile").size("organizations"); got != 1 {
		t.Errorf("%d organizations are reachable, want the one", got)
	}
	o.delete(o.path + "/accounts/" + account).want(403) // the partner's word stays what it is
	opaque.delete(o.path + "/accounts/" + account).want(200)

	// What the partner revokes leaves the native membership.
	person := a.as(a.signFor(o)).post("/auth/partner", nil).want(200)
	if person.text("user_id") != o.person {
		t.Fatal("another person")
	}
	o.get(o.path + "/profile").noAccess()
	opaque.get(o.path + "/profile").want(200)
}

// signFor is a revocation of the office's person.
func (a *api) signFor(o *office) string {
	a.t.Helper()
	var sub string
	if err := a.db.SQL().QueryRow(`SELECT subject FROM identities WHERE partner_id = $1 AND person_id = $2`, a.partner,
		o.person).Scan(&sub); err != nil {
		a.t.Fatal(err)
	}
	return a.sign(sub)
}

// exec writes what no operation of this service writes.
func (a *api) exec(statement string, args ...any) {
	a.t.Helper()
	if err := storetest.Exec(context.WithoutCancel(a.t.Context()), a.db.SQL(), statement, args...); err != nil {
		a.t.Fatal(err)
	}
}

func TestRevocationByOnePartnerLeavesTheMembershipsOfAnother(t *testing.T) {
	t.Parallel()
	a, b := shared(t), shared(t)
	first := a.open()
	sub := uuid.NewString()
	a.exec(`INSERT INTO identities (partner_id, subject, person_id, created_at) VALUES ($1, $2, $3, $4)`, b.partner,
		sub, first.person, a.clock.Now())
	second := b.join(sub, business(uuid.NewString(), "member"))
	if second.person != first.person {
		t.Fatal("the identity was not used")
	}
	opaque := a.withOAuth(a.oauth(first.person))
	if got := opaque.get(first.path + "/profile").want(200).size("organizations"); got != 2 {
		t.Errorf("%d organizations are reachable", got)
	}
	b.as(b.sign(sub)).post("/auth/partner", nil).want(200)
	second.get(second.path + "/profile").noAccess()
	opaque.get(second.path + "/profile").noAccess()
	first.get(first.path + "/profile").want(200)
	opaque.get(first.path + "/profile").want(200)
}

func TestAPartnersMembershipIsNotCountedForAnother(t *testing.T) {
	t.Parallel()
	a, b := shared(t), shared(t)
	o := a.open()
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	a.exec(`INSERT INTO identities (partner_id, subject, person_id, created_at) VALUES ($1, $2, $3, $4)`, b.partner,
		sub, o.person, a.clock.Now())
	second := b.join(sub, biz)
	// The same person, with b's token, has only what b granted.
	second.get(o.path + "/profile").noAccess()
	o.get(second.path + "/profile").noAccess()
}

func TestAnOAuthTokenReachesAllOfThePersonsOrganizations(t *testing.T) {
	t.Parallel()
	a := shared(t)
	owned, joined := business(uuid.NewString(), "owner"), business(uuid.NewString(), "member")
	o := a.join(uuid.NewString(), owned, joined)
	connected := o.post("/auth/partner", nil)
	opaque := a.withOAuth(a.oauth(o.person))
	for i, role := range []string{"owner", "member"} {
		path := "/organizations/" + connected.text("organizations", i, "organization_id") + "/profile"
		if got := opaque.get(path).want(200).text("user", "role"); got != role {
			t.Errorf("organization %d: role %s, want %s", i, got, role)
		}
	}
}

func TestAnOAuthTokenEnds(t *testing.T) {
	t.Parallel()
	a := start(t)
	o := a.open()
	opaque, revoked := a.oauth(o.person), a.oauth(o.person)
	a.withOAuth(revoked).get(o.path + "/profile").want(200)
	if err := a.db.RevokeOAuthToken(context.Background(), a.clock.Now(), revoked); err != nil {
		t.Fatal(err)
	}
	a.withOAuth(revoked).get(o.path + "/profile").unauthorized()
	a.clock.Add(time.Hour - time.Microsecond)
	a.withOAuth(opaque).get(o.path + "/profile").want(200)
	a.clock.Add(time.Microsecond)
	a.withOAuth(opaque).get(o.path + "/profile").unauthorized()
}

func TestAnOAuthTokenCannotConnect(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	got := a.withOAuth(a.oauth(o.person)).post("/auth/partner", nil).want(403)
	if !strings.Contains(got.text("error"), "OAuth") {
		t.Errorf("%s", got.body)
	}
	a.withOAuth("mcp_unknown").post("/auth/partner", nil).unauthorized()
}

func TestEachOperationNeedsItsScope(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	others := map[string][]string{"org:read": {"org:answer", "org:write"}, "org:answer": {"org:read", "org:write"},
		"org:write": {"org:read", "org:answer"}}
	for _, op := range o.calls() {
		t.Run(op.id, func(t *testing.T) {
			in := a.in(t)
			got := in.withOAuth(a.oauth(o.person, others[op.scope]...)).call(op).want(403)
			if want := fmt.Sprintf(`Bearer realm="bizfin", error="insufficient_scope", scope=%q`,
				op.scope); got.header.Get("WWW-Authenticate") != want {
				t.Errorf("WWW-Authenticate is %s, want %s", got.header.Get("WWW-Authenticate"), want)
			}
			if got := in.withOAuth(a.oauth(o.person, op.scope)).call(op); got.status == 401 || got.status == 403 {
				t.Errorf("%d with the scope: %s", got.status, got.body)
			}
		})
	}
}

func TestPeopleOfOneBusinessShareItsOrganizationAndSource(t *testing.T) {
	t.Parallel()
	a := shared(t)
	id := uuid.NewString()
	first, second := a.join(uuid.NewString(), business(id, "owner")), a.join(uuid.NewString(),
		partnertoken.Business{ID: id, Name: "Newer", Role: "member"})
	if first.organization != second.organization || first.source != second.source || first.person == second.person {
		t.Errorf("%s %s %s, %s %s %s", first.person, first.organization, first.source, second.person,
			second.organization, second.source)
	}
	if got := first.get(first.path+"/profile").text("organization", "name"); got != "Newer" {
		t.Errorf("name is %q", got)
	}
}

// The word of a partner that is disabled counts no more, with whatever credential its people come.
func TestADisabledPartnersPeopleHaveNoAccessByOAuth(t *testing.T) {
	t.Parallel()
	a := start(t)
	o, native := a.open(), a.open()
	native.exec(`INSERT INTO memberships (organization_id, person_id, role, created_at) VALUES ($1, $2, 'member', now())`, native.organization, native.person)
	agent, staying := a.withOAuth(a.oauth(o.person)), a.withOAuth(a.oauth(native.person))
	agent.get(o.path + "/profile").want(200)
	if got := staying.get(native.path+"/profile").want(200).text("user", "role"); got != "owner" {
		t.Errorf("role %s", got)
	}
	if err := a.db.DisablePartner(t.Context(), a.clock.Now(), a.partner); err != nil {
		t.Fatal(err)
	}
	if got := agent.get(o.path + "/profile").want(403).text("error"); !strings.Contains(got,
		"reaches no organization") {
		t.Errorf("%s", got)
	}
	if got := staying.get(native.path+"/profile").want(200).text("user", "role"); got != "member" {
		t.Errorf("role %s, want that of the native membership", got)
	}
}

func TestAPartnerTokenMayHaveALongestLifetime(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.TokenLifetime = 10 * time.Minute })
	long := a.as(a.sign("ana", business("b", "owner")))
	got := long.post("/auth/partner", nil).want(401)
	if !strings.Contains(got.text("error"), "earlier exp") || !strings.Contains(got.header.Get("WWW-Authenticate"),
		"invalid_token") {
		t.Errorf("%s %s", got.header.Get("WWW-Authenticate"), got.body)
	}
	a.clock.Add(5 * time.Minute) // the token of 15 minutes has 10 before it
	long.post("/auth/partner", nil).want(200)
}
