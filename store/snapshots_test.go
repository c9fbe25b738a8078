package store_test

import (
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
)

func TestASnapshotCreatesUpdatesAndLeavesOut(t *testing.T) {
	t.Parallel()
	p := login(t)
	p.apply(listed("a", balance(12050)), listed("b"))
	p.want("a active 120.50", "b active 0.00")
	p.apply(listed("b", balance(-5)), listed("c"))
	p.want("a inactive 120.50", "b active -0.05", "c active 0.00")
	p.apply()
	p.want("a inactive 120.50", "b inactive -0.05", "c inactive 0.00")
	p.apply(listed("a"))
	p.want("a active 120.50", "b inactive -0.05", "c inactive 0.00")
}

func TestAnAccountKeepsItsIDAndHistoryWhileItIsLeftOut(t *testing.T) {
	t.Parallel()
	p := login(t)
	p.apply(listed("a"))
	o := storetest.DB(t).Organization(p.OrganizationID)
	before, err := storetest.Accounts(t.Context(), o, true)
	must(t, err)
	change(t, `
		INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at,
		  processed_date, external_id, currency, description)
		VALUES ($1, $2, $3, $4, -100, $5, $5, '2026-01-01', 't', 'USD', 'ROW')`, o.ID, uuid.New(), p.SourceID,
		before[0].ID, noon)
	p.apply()
	p.apply(listed("a"))
	after, err := storetest.Accounts(t.Context(), o, false)
	must(t, err)
	if len(after) != 1 || after[0].ID != before[0].ID || after[0].TransactionCount != 1 {
		t.Errorf("after it came back: %+v", after)
	}
}

func TestTheGivenStatusIsTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, given, want string }{
		{"active", "", "active"},
		{"active", "active", "active"},
		{"active", "disabled", "disabled"},
		{"inactive", "", "active"},
		{"inactive", "active", "active"},
		{"inactive", "disabled", "disabled"},
		{"disabled", "", "disabled"},
		{"disabled", "active", "active"},
		{"disabled", "disabled", "disabled"},
		{"disconnected", "", "active"},
		{"disconnected", "active", "active"},
		{"disconnected", "disabled", "disabled"},
		{"absent", "", "active"},
		{"absent", "active", "active"},
		{"absent", "disabled", "disabled"},
	} {
		t.Run(test.before+" listed with status "+test.given, func(t *testing.T) {
			t.Parallel()
			p := login(t)
			switch test.before {
			case "disconnected":
				p.apply(listed("a"))
				o := storetest.DB(t).Organization(p.OrganizationID)
				list, err := storetest.Accounts(t.Context(), o, true)
				must(t, err)
				must(t, o.DeleteAccount(t.Context(), noon, list[0].ID))
			case "inactive":
				p.apply(listed("a"))
				p.apply()
			case "active", "disabled":
				p.apply(listed("a", status(test.before)))
			}
			p.apply(listed("a", status(test.given)))
			p.want("a " + test.want + " 0.00")
		})
	}
}

func TestOmittedAccountsOfEveryStateBecomeInactive(t *testing.T) {
	t.Parallel()
	p := login(t)
	p.apply(listed("a"), listed("b", status("disabled")), listed("c"))
	o := storetest.DB(t).Organization(p.OrganizationID)
	list, err := storetest.Accounts(t.Context(), o, true)
	must(t, err)
	must(t, o.DeleteAccount(t.Context(), noon, list[2].ID))
	p.want("a active 0.00", "b disabled 0.00", "c disconnected 0.00")
	p.apply()
	p.want("a inactive 0.00", "b inactive 0.00", "c inactive 0.00")
}

func TestWhatASnapshotDoesNotSayOfAnAccountIsEmptyAgain(t *testing.T) {
	t.Parallel()
	p := login(t)
	p.apply(listed("a", func(a *store.SnapshotAccount) { a.Type, a.Mask, a.Currency = "credit", "4321", "eur" }))
	show := func() string {
		list, err := storetest.Accounts(t.Context(), storetest.DB(t).Organization(p.OrganizationID), true)
		must(t, err)
		mask := "none"
		if list[0].Mask != nil {
			mask = *list[0].Mask
		}
		return list[0].Type + " " + mask + " " + list[0].Currency
	}
	if got := show(); got != "credit 4321 eur" {
		t.Errorf("given: %s", got)
	}
	p.apply(listed("a"))
	if got := show(); got != "other none USD" {
		t.Errorf("left out: %s", got)
	}
}

func TestRepeatingASnapshotChangesNoRow(t *testing.T) {
	t.Parallel()
	p := login(t)
	list := []store.SnapshotAccount{listed("b", bankToken("access-1"), balance(100)), listed("a", status("disabled")),
		listed("c")}
	p.apply(append(list, listed("d"))...)
	p.apply(list...)
	versions := func() []string {
		return column(t, storetest.DB(t).SQL(), `
			SELECT xmin::text || row_to_json(a)::text FROM accounts a WHERE organization_id = $1
			UNION ALL
			SELECT xmin::text || row_to_json(t)::text FROM aggregation_tokens t WHERE organization_id = $1
			ORDER BY 1`, p.OrganizationID)
	}
	before := versions()
	p.apply(list...)
	if diff := cmp.Diff(before, versions()); diff != "" || len(before) != 5 {
		t.Errorf("of %d rows these changed: %s", len(before), diff)
	}
}

func TestATokenIsReplacedAndForgotten(t *testing.T) {
	t.Parallel()
	p := login(t)
	tokens := func() []string {
		return column(t, storetest.DB(t).SQL(), `
			SELECT a.external_id || encode(t.sealed, 'hex')
			FROM aggregation_tokens t
			JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
			WHERE t.organization_id = $1
			ORDER BY 1`, p.OrganizationID)
	}
	p.apply(listed("a", bankToken("one")), listed("b", bankToken("two")), listed("c", bankToken("three")))
	first := tokens()
	if len(first) != 3 {
		t.Fatalf("%d tokens, want 3", len(first))
	}
	p.apply(listed("a", bankToken("one")), listed("b", bankToken("other")))
	second := tokens()
	if len(second) != 2 || second[0] != first[0] || second[1] == first[1] {
		t.Errorf("a keeps its token, b has another, c has none: %v, then %v", first, second)
	}
	p.apply(listed("a"), listed("b"))
	if left := tokens(); len(left) != 0 {
		t.Errorf("%d tokens are left", len(left))
	}
}

func TestSnapshotsOfAPersonAreAppliedInOrderAndOnce(t *testing.T) {
	t.Parallel()
	ctx, db, p := t.Context(), storetest.DB(t), login(t)
	first, second := p.send(listed("a", balance(1))), p.send(listed("a", balance(2)))
	if _, err := db.ApplySnapshot(ctx, noon, snapshotKeys, second); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the second before the first: %v, want ErrNotFound", err)
	}
	var calls []func() error
	for range 4 {
		for _, id := range []int64{first, second} {
			calls = append(calls, func() error {
				_, err := db.ApplySnapshot(ctx, noon, snapshotKeys, id)
				if errors.Is(err, store.ErrNotFound) {
					return nil
				}
				return err
			})
		}
	}
	for _, err := range atOnce(calls...) {
		must(t, err)
	}
	_, err := db.ApplySnapshot(ctx, noon, snapshotKeys, second)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	p.want("a active 0.02")
	if got := count(t, `SELECT count(*) FROM account_snapshots WHERE partner_id = $1 AND state = 'applied' AND payload IS NULL`, p.partner); got != 2 {
		t.Errorf("%d applied snapshots without payload, want 2", got)
	}
}

func TestSnapshotsThatArriveAtOnceAreAppliedInTheOrderOfTheirNumbers(t *testing.T) {
	t.Parallel()
	ctx, db, p := t.Context(), storetest.DB(t), login(t)
	commitLate(t, p.partner)
	const senders, each = 8, 6
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			for range each {
				if err := db.AcceptSnapshot(ctx, noon, snapshotKeys, store.Snapshot{PartnerID: p.partner,
					Subject: p.subject}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		sending.Wait()
		close(done)
	}()
	for applied, newest := 0, 0; applied < senders*each; {
		ended := false
		select {
		case <-done:
			ended = true
		default:
		}
		next := count(t, `SELECT coalesce(min(id), 0) FROM account_snapshots WHERE partner_id = $1 AND state = 'pending'`, p.partner)
		if next == 0 && ended {
			t.Fatalf("only %d snapshots were stored", applied)
		}
		if next == 0 {
			continue
		}
		if next < newest {
			t.Fatalf("snapshot %d came to light after %d was applied", next, newest)
		}
		ok, err := db.ApplySnapshot(ctx, noon, snapshotKeys, int64(next))
		must(t, err)
		if ok {
			applied, newest = applied+1, next
		}
	}
}

// commitLate has every other snapshot of a partner linger between its number and its commit.
func commitLate(t testing.TB, partner string) {
	t.Helper()
	_, err := storetest.DB(t).SQL().Exec(fmt.Sprintf(`
		CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NULL;
		  END $$;
		CREATE TRIGGER linger AFTER INSERT ON account_snapshots FOR EACH ROW
		  WHEN (NEW.partner_id = '%s' AND NEW.id %% 2 = 0) EXECUTE FUNCTION linger()`, partner))
	must(t, err)
	t.Cleanup(func() {
		_, err := storetest.DB(t).SQL().Exec(`DROP TRIGGER linger ON account_snapshots; DROP FUNCTION linger`)
		must(t, err)
	})
}

func TestAClaimTakesOnlyTheOldestOfAPersonAndTakesItAgainLater(t *testing.T) {
	t.Parallel()
	db, p, q := storetest.DB(t), login(t), login(t)
	first := p.send(listed("a"))
	p.send(listed("b"))
	other := q.send()
	// Other tests share the log: only these two people's claims count.
	claim := func() []int64 {
		claimed, err := db.ClaimDueSnapshots(t.Context(), 10_000)
		must(t, err)
		var ids []int64
		for _, c := range claimed {
			if c.PartnerID == p.partner || c.PartnerID == q.partner {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	if got := claim(); len(got) != 2 || got[0]+got[1] != first+other {
		t.Fatalf("claimed %v, want %d and %d", got, first, other)
	}
	if got := claim(); len(got) != 0 {
		t.Errorf("claimed %v at once again", got)
	}
	_, err := db.SQL().Exec(`
		UPDATE account_snapshots
		SET next_at = next_at - interval '1 hour'
		WHERE partner_id IN ($1, $2)`, p.partner, q.partner)
	must(t, err)
	if got := claim(); len(got) != 2 {
		t.Errorf("claimed %v an hour later, want both", got)
	}
}

// What was cut off is nobody's failure: a snapshot is put off longer and longer only by attempts that failed.
func TestASnapshotIsPutOffByItsFailuresAlone(t *testing.T) {
	t.Parallel()
	db, p := storetest.DB(t), login(t)
	id := p.send(listed("a"))
	for failure, rest := range []int{5, 10, 20, 40, 60, 60} {
		for _, cause := range []error{driver.ErrBadConn, &pq.Error{Code: "08006"}} { // the database's fault
			if attempts, err := db.FailSnapshot(t.Context(), id, cause); err != nil || attempts != failure {
				t.Errorf("after %d failures and an outage it has %d attempts (%v)", failure, attempts, err)
			}
		}
		attempts, err := db.FailSnapshot(t.Context(), id, errors.New("what is wrong with it"))
		must(t, err)
		waits := count(t, `SELECT round(extract(epoch FROM next_at - now())) FROM account_snapshots WHERE id = $1`, id)
		if attempts != failure+1 || waits < rest-1 || waits > rest {
			t.Errorf("after failure %d it waits %d s and has %d attempts, want %d s", failure+1, waits, attempts, rest)
		}
	}
}

func TestAnUnmappedPersonIsSkippedAndBlocksNobody(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), storetest.DB(t)
	p := legacyPerson{t: t, partner: newPartner(t), subject: "unknown"}
	// The connection endpoint makes a person and no mapping.
	_, err := db.Connect(ctx, noon, store.Connection{PartnerID: p.partner, Subject: p.subject})
	must(t, err)
	mapped := legacyPerson{t: t, partner: p.partner, subject: "ana"}
	mapped.login()
	skipped := p.send(listed("a", bankToken("access-skipped")))
	mapped.apply(listed("m"))
	mapped.want("m active 0.00")
	applied, err := db.ApplySnapshot(ctx, noon, snapshotKeys, skipped)
	if applied || err != nil {
		t.Errorf("applied %v, %v, want that it is skipped", applied, err)
	}
	if got := count(t, `SELECT count(*) FROM account_snapshots WHERE id = $1 AND state = 'skipped' AND payload IS NULL`,
		skipped); got != 1 {
		t.Error("the skipped snapshot has not ended, or keeps its payload")
	}
	p.login()
	if got := p.accounts(); len(got) != 0 {
		t.Errorf("after the login: %v", got)
	}
	p.apply(listed("a"))
	p.want("a active 0.00")
}

func TestASnapshotThatCannotBeAppliedChangesNothingAndStays(t *testing.T) {
	t.Parallel()
	p := login(t)
	id := p.send(listed("a"))
	applied, err := storetest.DB(t).ApplySnapshot(t.Context(), noon, newKeys(), id)
	if applied || !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("applied %v, %v, want ErrUnknownKey", applied, err)
	}
	p.want()
	if got := count(t, `SELECT count(*) FROM account_snapshots WHERE id = $1 AND state = 'pending'`, id); got != 1 {
		t.Error("the snapshot is gone")
	}
}

func TestTwoPeopleWithTheSameAccountIDsStayApart(t *testing.T) {
	t.Parallel()
	ana := login(t)
	ben := legacyPerson{t: t, partner: ana.partner, subject: "ben"}
	ben.login()
	eve := login(t) // ana at another partner
	for i, p := range []legacyPerson{ana, ben, eve} {
		p.apply(listed("same", balance(money.Amount(i+1))))
	}
	ben.apply()
	ana.want("same active 0.01")
	ben.want("same inactive 0.02")
	eve.want("same active 0.03")
}

func TestSnapshotsLeaveNoPlainTextInTheDatabase(t *testing.T) {
	t.Parallel()
	p := login(t)
	secret := "access-production-" + uuid.NewString()
	p.apply(listed("a", bankToken(secret)))
	p.send(listed("a", bankToken(secret)))
	db := storetest.DB(t).SQL()
	tables := column(t, db, `SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`)
	asHex := hex.EncodeToString([]byte(secret))
	for _, table := range tables {
		for _, row := range column(t, db, fmt.Sprintf(`SELECT row_to_json(r)::text FROM %q r`, table)) {
			if strings.Contains(row, secret) || strings.Contains(row, asHex) {
				t.Errorf("%s holds the token: %s", table, row)
			}
		}
	}
}
