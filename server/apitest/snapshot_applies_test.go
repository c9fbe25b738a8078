package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/store"
)

// settle applies what is stored, as the worker does, until nothing of the partner waits.
func (h *hook) settle() {
	h.t.Helper()
	ctx := context.Background()
	for deadline := time.Now().Add(20 * time.Second); ; {
		claimed, err := h.db.ClaimDueSnapshots(ctx, 100)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, c := range claimed {
			_, err := h.db.ApplySnapshot(ctx, h.clock.Now(), keys, c.ID)
			if err != nil && !errors.Is(err, store.ErrNotFound) { // another test has applied it
				h.t.Fatal(err)
			}
		}
		if h.stored("pending") == 0 {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatal("snapshots wait for ever")
		}
	}
}

// login makes a person of the embedded flow, and a caller with their OAuth token.
func (h *hook) login(sub string) *office {
	h.t.Helper()
	m, err := h.db.LegacyLogin(context.Background(), h.clock.Now(), store.LegacyLogin{PartnerID: h.partner,
		Subject: sub, Email: sub + "@example.com"})
	if err != nil {
		h.t.Fatal(err)
	}
	return &office{
		caller: h.withOAuth(h.oauth(m.PersonID.String())), person: m.PersonID.String(),
		organization: m.OrganizationID.String(), source: m.SourceID.String(),
		path: "/organizations/" + m.OrganizationID.String(),
	}
}

// accountsOf lists a person's accounts as "externalId status currentBalance".
func accountsOf(o *office) []string {
	o.t.Helper()
	got := o.get(o.path + "/accounts?includeInactive=true").want(200)
	var list []string
	for i := range got.size("accounts") {
		if kind := got.text("accounts", i, "sourceKind"); kind != "legacy" {
			o.t.Errorf("sourceKind %s", kind)
		}
		list = append(list, got.text("accounts", i, "externalId")+" "+got.text("accounts", i, "status")+" "+
			got.text("accounts", i, "currentBalance"))
	}
	return list
}

func legacyAccount(id string, more ...M) M {
	a := M{"id": id, "name": "Account " + id, "currency": "USD"}
	for _, m := range more {
		for k, v := range m {
			a[k] = v
		}
	}
	return a
}

func TestLegacyAccountsAreReadByThePersonsOAuthToken(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	ana := h.login("ana")
	h.snapshot("ana",
		legacyAccount("a", M{"number": "000123454321", "type": "checking", "current_balance": json.Number("10.005"),
			"unknown": M{"field": 1}}),
		legacyAccount("b", M{"current_balance": json.Number("10.0150000001"), "status": "disabled"}),
		legacyAccount("c"),
	)
	h.settle()
	if diff := cmp.Diff([]string{"a active 10.00", "b disabled 10.02", "c active 0.00"}, accountsOf(ana)); diff != "" {
		t.Errorf("accounts: %s", diff)
	}
	list := ana.get(ana.path + "/accounts").want(200)
	if list.size("accounts") != 2 || list.text("accounts", 0, "mask") != "4321" ||
		list.text("accounts", 0, "type") != "checking" || list.text("accounts", 1, "type") != "other" ||
		list.get("accounts", 1, "mask") != nil {
		t.Errorf("accounts: %s", list.body)
	}
	profile := ana.get(ana.path + "/profile").want(200)
	if profile.text("user", "email") != "ana@example.com" || profile.text("user", "role") != "owner" ||
		profile.get("organization", "businessId") != nil || profile.text("coverage", "sources", 0, "kind") != "legacy" {
		t.Errorf("profile: %s", profile.body)
	}
	if tier := profile.get("organization", "tier"); tier != nil {
		t.Errorf("the snapshot's tier became the business's: %v", tier)
	}
}

func TestSnapshotsAreAppliedInTheOrderOfTheirAnswers(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	ana := h.login("ana")
	for i := range 20 {
		h.snapshot("ana", legacyAccount("a", M{"current_balance": i}), legacyAccount(fmt.Sprintf("own%02d", i)))
	}
	h.settle()
	list := accountsOf(ana)
	if len(list) != 21 || list[0] != "a active 19.00" || list[20] != "own19 active 0.00" ||
		list[19] != "own18 inactive 0.00" {
		t.Errorf("accounts: %v", list)
	}
	for range 3 {
		h.snapshot("ana", legacyAccount("a"), legacyAccount("own19"))
	}
	h.settle()
	if diff := cmp.Diff(list, accountsOf(ana)); diff != "" {
		t.Errorf("a repetition changed: %s", diff)
	}
}

func TestOmissionInactivatesAndListingRevives(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	ana, ben := h.login("ana"), h.login("ben")
	h.snapshot("ana", legacyAccount("a", M{"current_balance": 7}), legacyAccount("b"))
	h.snapshot("ben", legacyAccount("a", M{"current_balance": 8}))
	h.settle()
	id := ana.get(ana.path+"/accounts").text("accounts", 0, "id")
	h.snapshot("ana")
	h.settle()
	if diff := cmp.Diff([]string{"a inactive 7.00", "b inactive 0.00"}, accountsOf(ana)); diff != "" {
		t.Errorf("after an empty list: %s", diff)
	}
	if diff := cmp.Diff([]string{"a active 8.00"}, accountsOf(ben)); diff != "" {
		t.Errorf("another person: %s", diff)
	}
	h.snapshot("ana", legacyAccount("a"))
	h.settle()
	if got := ana.get(ana.path + "/accounts"); got.size("accounts") != 1 || got.text("accounts", 0, "id") != id ||
		got.text("accounts", 0, "currentBalance") != "7.00" {
		t.Errorf("after it came back: %s", got.body)
	}
	ana.delete(ana.path + "/accounts/" + id).want(200)
	h.snapshot("ana", legacyAccount("a", M{"status": "disabled"}))
	h.settle()
	if diff := cmp.Diff([]string{"a disabled 7.00", "b inactive 0.00"}, accountsOf(ana)); diff != "" {
		t.Errorf("a deleted account that was listed: %s", diff)
	}
	ben.get(ana.path + "/accounts").want(403)
}

func TestASnapshotBeforeTheFirstLoginIsSkippedAfterItsAnswer(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	h.api.join("ana", business("b", "owner")) // a person of the connection endpoint alone
	h.snapshot("ana", legacyAccount("a"))
	h.snapshot("nobody", legacyAccount("a"))
	h.settle()
	if got := h.stored("skipped"); got != 2 {
		t.Errorf("%d snapshots were skipped, want 2", got)
	}
	ana := h.login("ana")
	if got := accountsOf(ana); len(got) != 0 {
		t.Errorf("the skipped snapshot has effects: %v", got)
	}
	h.snapshot("ana", legacyAccount("a"))
	h.settle()
	if diff := cmp.Diff([]string{"a active 0.00"}, accountsOf(ana)); diff != "" {
		t.Errorf("after the login: %s", diff)
	}
}

func TestATokenIsInNoAnswerAndNoLog(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	ana := h.login("ana")
	secret := "access-production-" + uuid.NewString()
	h.snapshot("ana", legacyAccount("a", M{"plaid_token": secret}))
	refused := h.signed(`{"type":"accounts.changed","sub":"ana","payload":{"tier":"free","accounts":[{"id":"a","name":"A","currency":"USD","status":"x","plaid_token":"` + secret + `"}]}}`).want(500)
	malformed := h.signed(`{"plaid_token":"` + secret + `"`).want(500)
	h.settle()
	answers := []answer{refused, malformed, ana.get(ana.path + "/accounts?includeInactive=true"),
		ana.get(ana.path + "/profile")}
	for _, got := range answers {
		if strings.Contains(string(got.body), secret) {
			t.Errorf("an answer holds the token: %s", got.body)
		}
	}
	if strings.Contains(h.text.String(), secret) {
		t.Error("the log holds the token")
	}
	if !strings.Contains(h.text.String(), "/webhooks/:partner_id/accounts") {
		t.Error("the log does not hold the request")
	}
}
