package store_test

import (
	"fmt"
	"testing"
	"time"

	"bizfin/internal/money"
	"bizfin/migrations"
	"bizfin/store"
)

// A list of 20,000 accounts is under 1 MiB, so the webhook takes it; it must not hold up anybody. Ten times the
// accounts take about ten times as long: compared each with each, they took a hundred times as long, which was forty
// seconds.
func TestASnapshotOfManyAccountsTakesNoLongerByTheAccount(t *testing.T) {
	t.Parallel()
	const few, many, most = 2_000, 20_000, 40
	before, long, after := snapshotsOf(t, few), snapshotsOf(t, many), snapshotsOf(t, few)
	for what, took := range long {
		// What becomes busy meanwhile was busy before or is afterwards.
		if shorter := max(before[what], after[what]); took > most*shorter+time.Second {
			t.Errorf("%s: %d accounts took %v, and %d took %v", what, few, shorter, many, took)
		}
	}
}

// snapshotsOf is how long lists of so many accounts take, in the ways in which they can differ from those of before.
func snapshotsOf(t *testing.T, many int) map[string]time.Duration {
	t.Helper()
	p := login(t)
	accounts := func(changed int, tokens bool) []store.SnapshotAccount {
		list := make([]store.SnapshotAccount, many)
		for i := range list {
			list[i] = listed(fmt.Sprint(i))
			if i < changed {
				balance(money.Amount(i))(&list[i])
			}
			if tokens {
				list[i].Token = fmt.Sprint("access-", i%50)
			}
		}
		return list
	}
	took := map[string]time.Duration{}
	for _, c := range []struct {
		what string
		list []store.SnapshotAccount
	}{
		{"new", accounts(0, false)},
		{"the same again", accounts(0, false)},
		{"half with another balance", accounts(many/2, false)},
		{"all with a token", accounts(0, true)},
		{"all left out", nil},
	} {
		began := time.Now()
		p.apply(c.list...)
		took[c.what] = time.Since(began)
	}
	return took
}

// Nothing that a connection learned while the service was small makes the first large list take longer than a statement
// may.
func TestTheFirstLargeListAfterASmallOneIsApplied(t *testing.T) {
	t.Parallel()
	db := emptyDatabase(t)
	_, err := migrations.Up(t.Context(), db.SQL())
	must(t, err)
	must(t, db.CreatePartner(t.Context(), noon, "acme", "Acme", nil))
	for subject, many := range []int{10, 20_000} {
		list := make([]store.SnapshotAccount, many)
		for i := range list {
			list[i] = listed(fmt.Sprint(i))
			list[i].Token = fmt.Sprint("access-", i%50)
		}
		person := store.LegacyLogin{PartnerID: "acme", Subject: fmt.Sprint(subject), Email: "ana@example.com"}
		_, err := db.LegacyLogin(t.Context(), noon, person)
		must(t, err)
		must(t, db.AcceptSnapshot(t.Context(), noon, snapshotKeys,
			store.Snapshot{PartnerID: "acme", Subject: person.Subject, Accounts: list}))
		var id int64
		must(t, db.SQL().QueryRow(`SELECT max(id) FROM account_snapshots`).Scan(&id))
		applied, err := db.ApplySnapshot(t.Context(), noon, snapshotKeys, id)
		if err != nil || !applied {
			t.Fatalf("a list of %d accounts: %v %v", many, applied, err)
		}
	}
}
