package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/store/storetest"
)

// exec runs SQL for what other parts of the product write.
func (o *office) exec(query string, args ...any) {
	o.t.Helper()
	if err := storetest.Exec(context.WithoutCancel(o.t.Context()), o.db.SQL(), query, args...); err != nil {
		o.t.Fatalf("%s: %v", query, err)
	}
}

// scalar reads one value by SQL as text; NULL is empty.
func (o *office) scalar(query string, args ...any) string {
	o.t.Helper()
	var value *string
	if err := o.db.SQL().QueryRow("SELECT ("+query+")::text", args...).Scan(&value); err != nil {
		o.t.Fatalf("%s: %v", query, err)
	}
	if value == nil {
		return ""
	}
	return *value
}

// sendAccounts uploads accounts to the source of the office.
func (o *office) sendAccounts(accounts ...M) answer {
	o.t.Helper()
	return o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": accounts})
}

// records are the ids of an upload's answer by external id.
func (r answer) records(list string) map[string]string {
	r.t.Helper()
	ids := map[string]string{}
	items := r.get(list).([]any)
	for _, item := range items {
		record := item.(map[string]any)
		ids[record["external_id"].(string)] = record["id"].(string)
	}
	if len(ids) != len(items) {
		r.t.Errorf("an external id occurs twice in %s", r.body)
	}
	return ids
}

// accounts are all accounts of the list by external id; of several sources the last one wins.
func (o *office) accounts() map[string]M {
	o.t.Helper()
	list := map[string]M{}
	for _, item := range o.get(o.path + "/accounts?includeInactive=true").want(200).get("accounts").([]any) {
		found := item.(map[string]any)
		list[found["externalId"].(string)] = found
	}
	return list
}

func TestAccountsKeepTheirIDsAndTakeNewFields(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	first := o.sendAccounts(account("a"), account("b")).want(200).records("accounts")
	untouched := o.accounts()["b"]

	changed := M{"external_id": "a", "name": "  Reserve\t", "type": "credit", "currency": "EUR",
		"current_balance": json.Number("-0.01")}
	second := o.sendAccounts(changed).want(200).records("accounts")
	if second["a"] != first["a"] || len(second) != 1 {
		t.Errorf("ids %v, want %s", second, first["a"])
	}
	got := o.accounts()["a"]
	for field, want := range map[string]any{
		"name": "Reserve", "type": "credit", "currency": "EUR", "currentBalance": json.Number("-0.01"),
		"status": "active", "sourceId": o.source, "sourceKind": "api",
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
	if diff := cmp.Diff(untouched, o.accounts()["b"]); diff != "" {
		t.Errorf("the other account changed: %s", diff)
	}
}

func TestAccountMappingHasEveryRecordOnceInWhateverOrder(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	var batch []M
	for i := range 500 {
		batch = append(batch, account(fmt.Sprintf("acc-%03d", (i*37)%500)))
	}
	first := o.sendAccounts(batch...).want(200).records("accounts")
	if len(first) != 500 {
		t.Fatalf("%d records, want 500", len(first))
	}
	if diff := cmp.Diff(first, o.sendAccounts(batch...).want(200).records("accounts")); diff != "" {
		t.Errorf("ids changed: %s", diff)
	}
	stored := o.accounts()
	for externalID, id := range first {
		if stored[externalID]["id"] != id {
			t.Errorf("%s is %v, want %s", externalID, stored[externalID]["id"], id)
		}
	}
}

func TestUploadReactivatesADisconnectedAccount(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	ids := o.sendAccounts(account("a"), account("b")).want(200).records("accounts")
	o.delete(o.path + "/accounts/" + ids["a"]).want(200)
	if got := o.accounts()["a"]["status"]; got != "disconnected" {
		t.Fatalf("status %v, want disconnected", got)
	}
	if got := o.sendAccounts(account("a")).want(200).records("accounts")["a"]; got != ids["a"] {
		t.Errorf("id %s, want %s", got, ids["a"])
	}
	if got := o.accounts()["a"]["status"]; got != "active" {
		t.Errorf("status %v, want active", got)
	}
}

func TestAccountsGoOnlyToAConnectedAPISourceOfTheBusiness(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, foreign := a.open(), a.open()
	legacy := uuid.NewString()
	o.exec(`INSERT INTO sources (organization_id, id, kind, state, created_at) VALUES ($1, $2, 'legacy', 'connected', now())`, o.organization, legacy)
	for what, source := range map[string]string{
		"of another business": foreign.source,
		"unknown":             uuid.NewString(),
		"zero":                uuid.Nil.String(),
		"largest":             uuid.Max.String(),
		"legacy":              legacy,
		"an organization":     o.organization,
	} {
		got := o.post(o.path+"/accounts", M{"source_id": source, "accounts": []M{account("a")}})
		if got.status != 400 {
			t.Errorf("source %s: status %d, want 400: %s", what, got.status, got.body)
		}
	}
	revoked := a.open()
	revoked.delete(revoked.path + "/accounts/" + revoked.uploadAccount("a")).want(200)
	revoked.sendAccounts(account("b")).want(400)
	if got := len(revoked.accounts()); got != 1 {
		t.Errorf("%d accounts, want 1", got)
	}
	if o, f := len(o.accounts()), len(foreign.accounts()); o+f != 0 {
		t.Errorf("a refused upload saved %d and %d accounts", o, f)
	}
}

func TestARefusedAccountBatchSavesNothing(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.sendAccounts(account("known")).want(200)
	before := o.accounts()
	changed := account("known")
	changed["name"] = "Changed"
	bad := account("bad")
	bad["currency"] = "usd"
	o.sendAccounts(changed, account("new"), bad).want(422)
	o.sendAccounts(changed, account("new"), account("new")).want(422)
	if diff := cmp.Diff(before, o.accounts()); diff != "" {
		t.Errorf("a refused batch changed something: %s", diff)
	}
}

func TestTheSameExternalIDIsAnotherAccountElsewhere(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	ids := map[string]bool{o.uploadAccount("same"): true, a.open().uploadAccount("same"): true,
		a.another().open().uploadAccount("same"): true}
	csv := o.otherSource("csv")
	ids[o.insertAccount(csv, "same")] = true
	if len(ids) != 4 {
		t.Errorf("only %d accounts", len(ids))
	}
	if got := o.get(o.path + "/accounts").want(200).size("accounts"); got != 2 {
		t.Errorf("%d accounts in the business, want 2", got)
	}
	if !ids[o.uploadAccount("same")] {
		t.Error("the upload made a third one")
	}
}

// otherSource makes a connected source of another kind in the business.
func (o *office) otherSource(kind string) string {
	o.t.Helper()
	id := uuid.NewString()
	o.exec(`INSERT INTO sources (organization_id, id, kind, state, created_at) VALUES ($1, $2, $3, 'connected', now())`,
		o.organization, id, kind)
	return id
}

// insertAccount makes an active account in any source.
func (o *office) insertAccount(source, externalID string) string {
	o.t.Helper()
	id := uuid.NewString()
	o.exec(`INSERT INTO accounts (organization_id, id, source_id, external_id, name, type, currency, current_balance, status, created_at, updated_at)
		VALUES ($1, $2, $3, $4, 'Older account', 'depository', 'USD', 0, 'active', now(), now())`, o.organization, id,
		source, externalID)
	return id
}

func TestBalancesAreExactAtBothEnds(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for literal, want := range map[string]string{
		"9999999999999.99":  "9999999999999.99",
		"-9999999999999.99": "-9999999999999.99",
		"0":                 "0.00",
		"-0.0":              "0.00",
		"1.1":               "1.10",
		"1e-2":              "0.01",
		"9007199254740.93":  "9007199254740.93", // no float64 holds it in cents and units alike
		"4503599627370.97":  "4503599627370.97",
	} {
		upload := account("a")
		upload["current_balance"] = json.RawMessage(literal)
		o.sendAccounts(upload).want(200)
		if got := o.accounts()["a"]["currentBalance"]; got != json.Number(want) {
			t.Errorf("balance %s is read back as %v, want %s", literal, got, want)
		}
	}
	for _, literal := range []string{"10000000000000", "-9999999999999.991", "0.001", "1e13"} {
		upload := account("a")
		upload["current_balance"] = json.RawMessage(literal)
		o.sendAccounts(upload).want(422)
	}
}

func TestOverlappingAccountUploadsAtOnceAgreeOnIDs(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	const uploads, size = 12, 60
	var calls []func() answer
	for i := range uploads {
		var batch []M
		for j := range size {
			externalID := fmt.Sprintf("acc-%02d", (i*5+j)%100)
			if i%2 == 1 {
				externalID = fmt.Sprintf("acc-%02d", (i*5+size-j)%100)
			}
			batch = append(batch, account(externalID))
		}
		calls = append(calls, func() answer { return o.sendAccounts(batch...) })
	}
	known := map[string]string{}
	for _, got := range together(calls...) {
		for externalID, id := range got.want(200).records("accounts") {
			if other, ok := known[externalID]; ok && other != id {
				t.Errorf("%s has two ids", externalID)
			}
			known[externalID] = id
		}
	}
	if got := len(o.accounts()); got != len(known) {
		t.Errorf("%d accounts stored, %d answered", got, len(known))
	}
}
