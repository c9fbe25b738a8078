package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store"
)

// acts are what the record has of a business, as action, actor, object and counts.
func (a *api) acts(f store.AuditFilter) (acts []string, entries []store.Entry) {
	a.t.Helper()
	f.Limit = 1000
	err := a.db.Audit(context.Background(), f, func(e store.Entry) error {
		acts = append(acts, strings.Join([]string{e.Action, e.Actor, *e.ObjectType, string(e.Counts)}, " "))
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return acts, entries
}

// Each act is recorded once, with who did it by which request, and with nothing of what it held. What changed nothing
// and what was refused is not an act.
func TestEveryActIsRecordedWithoutItsContent(t *testing.T) {
	t.Parallel()
	a := start(t)
	sub := uuid.NewString()
	o := a.join(sub, business(uuid.NewString(), "owner"))
	secret := "SECRET" + strings.ReplaceAll(uuid.NewString(), "-", "")
	accounts := o.with("X-Request-Id", "request-"+o.organization).post(o.path+"/accounts",
		M{"source_id": o.source, "accounts": []M{
			{"external_id": secret, "name": secret, "type": "depository", "currency": "USD",
				"current_balance": 1}}}).want(200)
	account := accounts.text("accounts", 0, "id")
	row := func(external string, amount json.Number) M {
		return M{"external_id": external, "amount": amount, "date": "2026-01-05", "description": secret}
	}
	at := o.path + "/accounts/" + account + "/transactions"
	id := o.post(at, M{"transactions": []M{row("1", "-1")}}).want(200).text("transactions", 0, "id")
	o.post(at, M{"transactions": []M{row("1", "-2"), row("2", "-1")}}).want(200)
	o.post(at, M{"transactions": []M{row("3", "0.001")}}).want(422)
	o.post(o.path+"/outstanding-issues/t:"+id+"/answers", M{"answer": secret}).want(200)
	o.delete(o.path + "/transactions/" + id).want(200)
	o.delete(o.path + "/transactions/" + id).want(200)
	o.delete(o.path + "/accounts/" + account).want(200)
	a.as(a.sign(sub)).post("/auth/partner", nil).want(200)

	acts, entries := a.acts(store.AuditFilter{OrganizationID: uuid.MustParse(o.organization)})
	want := []string{
		`connect partner person {"memberships": 1}`,
		`upload partner source {"accounts": 1}`,
		`upload partner account {"new": 1, "changed": 0, "unchanged": 0}`,
		`upload partner account {"new": 1, "changed": 1, "unchanged": 0}`,
		`answer partner hook {"rows": 1, "answers": 1}`,
		`delete partner transaction {"transactions": 1}`,
		`delete partner account {"accounts": 1}`,
		`revoke partner person {"memberships": 1}`,
	}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Error(diff)
	}
	raw, err := json.Marshal(entries)
	if err != nil || bytes.Contains(raw, []byte(secret)) {
		t.Errorf("the record has content: %s %v", raw, err)
	}
	for _, e := range entries {
		if *e.PartnerID != a.partner || e.PersonID == nil || e.PersonID.String() != o.person || e.RequestID == nil {
			t.Errorf("%s was done by %v %v, request %v", e.Action, *e.PartnerID, e.PersonID, e.RequestID)
		}
	}
	if *entries[1].RequestID != "request-"+o.organization {
		t.Errorf("the upload's request is %s", *entries[1].RequestID)
	}
}

// A token of a person is named by its id, which the list of tokens has.
func TestActsOfATokenNameIt(t *testing.T) {
	t.Parallel()
	a := start(t)
	o := a.open()
	opaque := a.oauth(o.person, server.Scopes...)
	a.withOAuth(opaque).post(o.path+"/accounts", M{"source_id": o.source,
		"accounts": []M{{"external_id": "x", "name": "x",
			"type": "depository", "currency": "USD", "current_balance": 1}}}).want(200)
	_, entries := a.acts(store.AuditFilter{OrganizationID: uuid.MustParse(o.organization), Action: store.ActUpload})
	if e := entries[0]; e.Actor != store.ActorToken || *e.TokenID != store.TokenID(opaque) ||
		e.PersonID.String() != o.person {
		t.Errorf("the upload was done by %s %v", e.Actor, e.TokenID)
	}
}

// lineOf finds the line of a request in the log.
func lineOf(t *testing.T, log *lockedBuffer, request string) M {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var said M
		if err := json.Unmarshal([]byte(line), &said); err == nil && said["msg"] == "request" &&
			said["request_id"] == request {
			return said
		}
	}
	t.Fatalf("no line of %s", request)
	return nil
}

func TestTheLineOfARequestSaysWhoCalledAndWhyItWasRefused(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	a := start(t, func(c *server.Config) { c.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	sub := uuid.NewString()
	o := a.join(sub, business(uuid.NewString(), "owner"))
	request := func() string { return uuid.NewString() }
	well := request()
	o.with("X-Request-Id", well).get(o.path + "/profile").want(200)
	line := lineOf(t, &log, well)
	for name, want := range map[string]string{"partner": a.partner, "organization_id": o.organization,
		"user_id": o.person} {
		if line[name] != want {
			t.Errorf("%s is %v, want %v", name, line[name], want)
		}
	}
	opaque, byToken := a.oauth(o.person), request()
	a.withOAuth(opaque).with("X-Request-Id", byToken).get(o.path + "/profile").want(200)
	if line := lineOf(t, &log, byToken); line["token_id"] != store.TokenID(opaque) || line["user_id"] != o.person {
		t.Errorf("the line of a token's request is %v", line)
	}
	biz := business(uuid.NewString(), "owner")
	changed := func(claim string, value any) string {
		f := a.forge(sub, biz)
		f.claims[claim] = value
		return f.sign()
	}
	forged := a.forge(sub, biz)
	forged.secret = []byte(strings.Repeat("x", 32))
	for name, c := range map[string]struct{ token, reason string }{
		"signature": {forged.sign(), "signature does not match"},
		"audience":  {changed("aud", "other"), "aud is another audience"},
		"issuer":    {changed("iss", "other"), "iss is another partner"},
		"expired":   {changed("exp", 1), "exp has passed"},
		"no access": {a.sign(sub), "the token selects no business"},
		"other business": {a.sign(sub, biz),
			"the signed business is not the organization's, or the person has no current membership of it"},
	} {
		id := request()
		a.as(c.token).with("X-Request-Id", id).get(o.path + "/profile")
		if line := lineOf(t, &log, id); line["refused"] != c.reason || line["level"] != "INFO" {
			t.Errorf("%s: the line says %v", name, line)
		}
	}
}

// Whoever has the partner's secret is told what is wrong with a token; nobody else is told anything.
func TestWhoSignedATokenIsToldWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub := uuid.NewString()
	o := a.join(sub, business(uuid.NewString(), "owner"))
	biz := business(uuid.NewString(), "owner")
	now := a.clock.Now().Unix()
	for claim, c := range map[string]struct {
		value any
		told  string
	}{
		"aud":     {"other", "aud is another audience"},
		"iss":     {"other", "iss is another partner"},
		"nbf":     {now + 60, "nbf is in the future"},
		"iat":     {now + 60, "iat is in the future"},
		"exp":     {now, "expired"},
		"sub":     {"", "sub is not a string of 1 to 255 characters"},
		"payload": {M{"businesses": 7}, "payload breaks its rules; see issues"},
	} {
		f := a.forge(sub, biz)
		f.claims[claim] = c.value
		got := a.as(f.sign()).get(o.path + "/profile").want(http.StatusUnauthorized)
		if challenge := got.header.Get("WWW-Authenticate"); challenge !=
			`Bearer realm="bizfin", error="invalid_token", error_description="`+c.told+`"` {
			t.Errorf("%s: the challenge is %s", claim, challenge)
		}
		if hasIssues := strings.Contains(string(got.body), `"issues"`); hasIssues != (claim == "payload") {
			t.Errorf("%s: the body is %s", claim, got.body)
		}
		f.secret = []byte(strings.Repeat("x", 32))
		got = a.as(f.sign()).get(o.path + "/profile").want(http.StatusUnauthorized)
		if challenge := got.header.Get(
			"WWW-Authenticate"); challenge != `Bearer realm="bizfin", error="invalid_token"` {
			t.Errorf("%s: a stranger is told %s", claim, challenge)
		}
	}
}

// A business that was erased comes back as another one, with nothing in it.
func TestAnErasedBusinessConnectsAnew(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	signed := a.sign(sub, biz)
	if _, err := a.db.EraseOrganization(context.Background(), a.clock.Now(),
		uuid.MustParse(o.organization)); err != nil {
		t.Fatal(err)
	}
	a.as(signed).get(o.path + "/profile").want(403)
	anew := a.join(sub, biz)
	if anew.organization == o.organization || anew.source == o.source || anew.person != o.person {
		t.Errorf("after its erasure the business is %s of %s", anew.organization, anew.person)
	}
	a.as(signed).get(o.path + "/profile").want(403)
	if got := anew.get(anew.path + "/accounts").want(200); string(got.body) == "" ||
		strings.Contains(string(got.body), o.source) {
		t.Errorf("it has %s", got.body)
	}
}
