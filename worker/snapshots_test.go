package worker_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// Without Redis: one person's snapshot cannot be opened, one person is not mapped, and a third person's is applied.
func TestASnapshotThatFailsHoldsUpOnlyItsPerson(t *testing.T) {
	db, ctx, partner := storetest.DB(t), t.Context(), "partner-"+uuid.NewString()
	must(t, db.CreatePartner(ctx, noon, partner, "Partner", nil))
	present, lost := seal.NewKey(), seal.NewKey()
	mappings := map[string]store.LegacyMapping{}
	for _, subject := range []string{"ana", "ben"} {
		mapping, err := db.LegacyLogin(ctx, noon, store.LegacyLogin{PartnerID: partner, Subject: subject,
			Email: subject + "@example.com"})
		must(t, err)
		mappings[subject] = mapping
	}
	send := func(subject, key, account string) {
		keys, err := seal.ParseKeys(key)
		must(t, err)
		must(t, db.AcceptSnapshot(ctx, noon, keys, store.Snapshot{PartnerID: partner, Subject: subject,
			Accounts: []store.SnapshotAccount{{ExternalID: account, Name: "A", Currency: "USD"}}}))
	}
	active := func(subject string) []string {
		list, err := storetest.Accounts(ctx, db.Organization(mappings[subject].OrganizationID), false)
		must(t, err)
		var ids []string
		for _, a := range list {
			ids = append(ids, a.ExternalID)
		}
		return ids
	}
	inState := func(state string) int {
		var n int
		must(t, db.SQL().QueryRow(`SELECT count(*) FROM account_snapshots WHERE partner_id = $1 AND state = $2`,
			partner, state).Scan(&n))
		return n
	}
	send("ana", lost, "first")
	send("ana", present, "second")
	send("nobody@private.example", present, "a")
	send("ben", present, "first")
	send("ben", present, "second")

	t.Run("the key is missing", func(t *testing.T) {
		var log bytes.Buffer
		t.Run("until the others are done", func(t *testing.T) {
			c := config(t, frozen)
			c.Redis, c.Log = redisOf(t, nowhere), slog.New(slog.NewJSONHandler(&log, nil))
			var err error
			c.Keys, err = seal.ParseKeys(present)
			must(t, err)
			run(t, c)
			eventually(t, "ben's snapshots are applied, and the unmapped person's is skipped", func() bool {
				return inState("applied") == 2 && inState("skipped") == 1
			})
		})
		if got := active("ben"); !slices.Equal(got, []string{"second"}) {
			t.Errorf("ben has %v, want the second list", got)
		}
		if got := active("ana"); len(got) != 0 || inState("pending") != 2 {
			t.Errorf("ana has %v and %d waiting, want nothing and 2", got, inState("pending"))
		}
		if strings.Contains(log.String(), "private.example") {
			t.Errorf("the log names a person: %s", log.String())
		}
		for _, said := range []string{`"msg":"snapshot failed"`,
			`"msg":"snapshot skipped: the person has no mapping"`} {
			if !strings.Contains(log.String(), said) {
				t.Errorf("the log does not say %s: %s", said, log.String())
			}
		}
	})
	t.Run("the key is back", func(t *testing.T) {
		execute(t, `UPDATE account_snapshots SET next_at = next_at - interval '1 hour'`)
		c := config(t, frozen)
		c.Redis = redisOf(t, nowhere)
		var err error
		c.Keys, err = seal.ParseKeys(present + "," + lost)
		must(t, err)
		run(t, c)
		eventually(t, "ana's snapshots are applied", func() bool { return inState("pending") == 0 })
		if got := active("ana"); !slices.Equal(got, []string{"second"}) {
			t.Errorf("ana has %v, want the second list", got)
		}
	})
}

// A snapshot that no key opens is given up after many attempts, for an operator to see; the later ones of its person go
// on.
func TestASnapshotThatCannotBeAppliedEndsDead(t *testing.T) {
	db, ctx, partner := storetest.DB(t), t.Context(), "partner-"+uuid.NewString()
	must(t, db.CreatePartner(ctx, noon, partner, "Partner", nil))
	mapping, err := db.LegacyLogin(ctx, noon, store.LegacyLogin{PartnerID: partner, Subject: "ana",
		Email: "ana@example.com"})
	must(t, err)
	lost, err := seal.ParseKeys(seal.NewKey())
	must(t, err)
	c := config(t, frozen)
	c.Metrics = worker.NewMetrics()
	c.Keys, err = seal.ParseKeys(seal.NewKey())
	must(t, err)
	send := func(keys seal.Keyring, account string) {
		accounts := []store.SnapshotAccount{{ExternalID: account, Name: "A", Currency: "USD"}}
		must(t, db.AcceptSnapshot(ctx, noon, keys, store.Snapshot{PartnerID: partner, Subject: "ana",
			Accounts: accounts}))
	}
	send(lost, "dead")
	execute(t, `UPDATE account_snapshots SET attempts = 19 WHERE partner_id = $1`, partner)
	send(c.Keys, "later")
	run(t, c)
	eventually(t, "the later snapshot is applied", func() bool {
		list, err := storetest.Accounts(ctx, db.Organization(mapping.OrganizationID), false)
		must(t, err)
		return len(list) == 1 && list[0].ExternalID == "later"
	})
	if n := numbers(t, c.Metrics)["bizfin_snapshots_processed_total result=dead"]; n != 1 {
		t.Errorf("%v snapshots are counted as given up, want 1", n)
	}
	b := worker.NewBacklog(db, c.Redis, frozen)
	defer b.Close()
	if n := numbers(t, b)["bizfin_dead_snapshots"]; n < 1 {
		t.Errorf("%v given up snapshots are shown", n)
	}
}
