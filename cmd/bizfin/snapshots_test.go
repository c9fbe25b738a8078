package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/seal"
	"bizfin/store"
)

// A list that was given up is named by the doctor, and applied or dropped when an operator says so: but never after a
// later list of the same person.
func TestWhatWasGivenUpIsTriedAgainOrDropped(t *testing.T) {
	db, address := ownDatabase(t)
	useTestStack(t)
	t.Setenv("BIZFIN_DATABASE_URL", address)
	ctx, now := t.Context(), time.Now()
	keys := keyring(t, seal.NewKey())
	if err := db.CreatePartner(ctx, now, "p", "P", nil); err != nil {
		t.Fatal(err)
	}
	business := map[string]uuid.UUID{}
	accept := func(person, name string) (id int64) {
		t.Helper()
		mapping, err := db.LegacyLogin(ctx, now, store.LegacyLogin{PartnerID: "p", Subject: person,
			Email: person + "@example.com"})
		if err == nil {
			business[person] = mapping.OrganizationID
			err = db.AcceptSnapshot(ctx, now, keys, store.Snapshot{PartnerID: "p", Subject: person,
				Accounts: []store.SnapshotAccount{{ExternalID: "1", Name: name, Currency: "USD"}}})
		}
		if err == nil {
			err = db.SQL().QueryRow(`SELECT max(id) FROM account_snapshots`).Scan(&id)
		}
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	bury := func(id int64) int64 {
		t.Helper()
		if err := db.BurySnapshot(ctx, now, id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	apply := func(id int64) {
		t.Helper()
		if _, err := db.ApplySnapshot(ctx, now, keys, id); err != nil {
			t.Fatal(err)
		}
	}
	said := func(args ...string) string {
		t.Helper()
		out, err := bizfin(ctx, append([]string{"snapshots"}, args...)...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	name := func(person string) (text string) {
		t.Helper()
		if err := db.SQL().QueryRow(`SELECT name FROM accounts WHERE organization_id = $1`,
			business[person]).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	checks, _ := examined(t)
	if got := checks["snapshots"]; got.State != stateOK {
		t.Errorf("where none was given up the doctor says %+v", got)
	}
	lone := bury(accept("lone", "given up"))
	bury(accept("later", "given up"))
	apply(accept("later", "later"))
	// Time passes, and what says that the first is superseded stays.
	if n, err := db.RemoveSnapshots(ctx, now.Add(time.Hour)); err != nil || n != 0 {
		t.Errorf("%d snapshots are removed (%v) that say of others that they are superseded", n, err)
	}
	checks, _ = examined(t)
	if got := checks["snapshots"]; got.State != stateWarning || !strings.Contains(got.Message, "2 account lists") ||
		!strings.Contains(got.Message, "of p") || !strings.Contains(got.Advice, "bizfin snapshots list --dead") {
		t.Errorf("the doctor says %+v", got)
	}
	if got := said("list", "--dead"); strings.Count(got, "dead") != 2 ||
		!strings.Contains(got, "a later one was applied") {
		t.Errorf("the list is %s", got)
	}
	for _, typed := range []string{"retry 999", "drop 999", "retry x", "retry"} {
		if out, err := bizfin(ctx, append([]string{"snapshots"}, strings.Fields(typed)...)...); err == nil {
			t.Errorf("%s says %s", typed, out)
		}
	}
	if got := said("retry", "--all"); !strings.Contains(got, "1 tried again") || !strings.Contains(got, "1 left") {
		t.Errorf("retry says %s", got)
	}
	apply(lone)
	if name("lone") != "given up" || name("later") != "later" {
		t.Errorf("the accounts are called %q and %q", name("lone"), name("later"))
	}
	if got := said("drop", "--all"); got != "1 dropped" {
		t.Errorf("drop says %s", got)
	}
	if got := said("list", "--json"); got != `{"snapshots":[]}` {
		t.Errorf("at the end the list is %s", got)
	}
}
