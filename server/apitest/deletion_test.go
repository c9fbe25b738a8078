package apitest

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"bizfin/store"
)

// sourceState is the state of the business's first source.
func (o *office) sourceState() string {
	o.t.Helper()
	return o.get(o.path+"/profile").want(200).text("coverage", "sources", 0, "state")
}

func TestAnOwnerDisconnectsAnAccountAndItsHistoryStays(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	o.uploadAccount("b")
	id := o.upload(a, transaction("t1", "-5", "2026-01-01", "HISTORY"))["t1"]
	for range 2 { // repeating it succeeds
		got := o.delete(o.path + "/accounts/" + a).want(200)
		if got.text("account_id") != a || got.get("deleted") != true {
			t.Errorf("answered %s", got.body)
		}
	}
	if got := o.accounts()["a"]["status"]; got != "disconnected" {
		t.Errorf("status %v, want disconnected", got)
	}
	if got := o.get(o.path + "/accounts").want(200).size("accounts"); got != 1 {
		t.Errorf("%d active accounts listed, want 1", got)
	}
	if got := o.get(o.path+"/transactions?query=history").want(200).text("transactions", 0, "id"); got != id {
		t.Errorf("found %s, want %s", got, id)
	}
	if got := o.sourceState(); got != "connected" {
		t.Errorf("source is %s, want connected: an account is active", got)
	}
}

func TestTheLastAccountTakesTheSourceWithIt(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	ids := o.sendAccounts(account("a"), account("b")).want(200).records("accounts")
	o.delete(o.path + "/accounts/" + ids["a"]).want(200)
	o.delete(o.path + "/accounts/" + ids["b"]).want(200)
	if got := o.sourceState(); got != "revoked" {
		t.Fatalf("source is %s, want revoked", got)
	}
	o.sendAccounts(account("a")).want(400)
	if got := o.accounts()["a"]["status"]; got != "disconnected" {
		t.Errorf("a refused upload left the account %v", got)
	}

	again := o.post("/auth/partner", nil).want(200)
	if got := again.text("source_id"); got != o.source {
		t.Errorf("source %s, want %s", got, o.source)
	}
	if got := o.sendAccounts(account("a")).want(200).records("accounts")["a"]; got != ids["a"] {
		t.Errorf("id %s, want %s", got, ids["a"])
	}
	if got := o.accounts(); got["a"]["status"] != "active" || got["b"]["status"] != "disconnected" {
		t.Errorf("a is %v and b %v, want active and disconnected", got["a"]["status"], got["b"]["status"])
	}
}

func TestARepeatedDeleteDoesNotRevokeAReconnectedSource(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	o.delete(o.path + "/accounts/" + a).want(200)
	o.post("/auth/partner", nil).want(200)
	o.delete(o.path + "/accounts/" + a).want(200) // a late retry: it deletes no active account
	if got := o.sourceState(); got != "connected" {
		t.Errorf("source is %s, want connected", got)
	}
	o.sendAccounts(account("b")).want(200)
}

func TestAccountsOfOtherSourcesAreDisconnectedToo(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.uploadAccount("a")
	for _, kind := range []string{"legacy", "csv", "aggregator"} {
		source := o.otherSource(kind)
		id := o.insertAccount(source, kind)
		o.delete(o.path + "/accounts/" + id).want(200)
		if got := o.accounts()[kind]["status"]; got != "disconnected" {
			t.Errorf("%s account is %v, want disconnected", kind, got)
		}
		if got := o.scalar(`SELECT state FROM sources WHERE organization_id = $1 AND id = $2`, o.organization,
			source); got != "connected" {
			t.Errorf("%s source is %s: only API sources are revoked", kind, got)
		}
	}
	if got := o.sourceState(); got != "connected" {
		t.Errorf("the API source is %s, want connected", got)
	}
}

func TestADeletedTransactionIsHiddenEverywhere(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	ctx, now, rows := context.Background(), o.clock.Now(), o.rows()
	a := o.uploadAccount("a")
	ids := o.upload(a, transaction("kept", "-5", "2026-01-01", "SHOP"), transaction("gone", "-7", "2026-03-01", "SHOP"))
	counterparty := store.Counterparty{ID: uuid.New(), Name: "Shop", Type: "company", Relationship: "supplier",
		LastDate: now}
	o.must(rows.SaveCounterparty(ctx, now, counterparty))
	for _, id := range ids {
		o.must(rows.SetCounterparty(ctx, now, uuid.MustParse(id), counterparty.ID))
		o.must(rows.SetCategory(ctx, now, uuid.MustParse(id),
			store.CategoryChoice{CategoryID: categoryID("expense.meals"), Source: "rule"}))
	}
	generation := o.generation(a)
	for i := range 2 {
		got := o.delete(o.path + "/transactions/" + ids["gone"]).want(200)
		if got.text("transaction_id") != ids["gone"] || got.get("deleted") != true {
			t.Errorf("answered %s", got.body)
		}
		if got := o.generation(a); got > generation != (i == 0) {
			t.Errorf("delete %d: generation %d after %d: statistics follow a delete once", i+1, got, generation)
		}
		generation = o.generation(a)
	}
	o.get(o.path + "/transactions/" + ids["gone"]).want(404)
	for _, search := range []string{"", "?query=shop", "?counterpartyId=" + counterparty.ID.String(),
		"?categoryPath=expense.meals", "?dateFrom=2026-01-01", "?amountTo=-1"} {
		got := o.get(o.path + "/transactions" + search).want(200)
		if got.size("transactions") != 1 || got.text("totalMatched") != "1" ||
			got.text("transactions", 0, "id") != ids["kept"] {
			t.Errorf("search %q found %s", search, got.body)
		}
	}
	profile := o.get(o.path + "/profile").want(200)
	if got := profile.text("coverage", "transactions", "total"); got != "1" {
		t.Errorf("profile counts %s transactions, want 1", got)
	}
	if got := profile.text("coverage", "lastTransactionDate"); got != "2026-01-01" {
		t.Errorf("last transaction on %s, want 2026-01-01", got)
	}
	if got := o.accounts()["a"]; got["lastTransactionDate"] != "2026-01-01" {
		t.Errorf("the account's last transaction on %v, want 2026-01-01", got["lastTransactionDate"])
	}
	found := o.get(o.path + "/counterparties/" + counterparty.ID.String()).want(200)
	if got := found.text("counterparty", "stats", 0, "outflow"); got != "5.00" {
		t.Errorf("counterparty outflow %s, want 5.00", got)
	}
	if found.size("counterparty", "recentTransactions") != 1 || found.text("counterparty", "topCategories", 0,
		"transactionCount") != "1" {
		t.Errorf("counterparty detail still shows it: %s", found.body)
	}
}
