package worker_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/store/storetest"
)

// A worker ends after it fetched and before it stored: by a database that refuses, and by its own end.
func TestAWorkerThatEndsBeforeItStoresLosesAndRepeatsNothing(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.pageSize = 2
	p.login(h.token, "p1")
	want := []string{}
	for i := range 5 {
		p.add(h.token, bought(fmt.Sprint("t", i), "p1", "1", "2026-05-03", "ROW"))
		want = append(want, fmt.Sprintf("checking t%d -100 05-03 ROW", i))
	}
	h.snapshot(h.token, "checking")
	t.Run("the database refuses the cursor after the rows", func(t *testing.T) {
		if storetest.OnCitus() {
			t.Skip("NOT TRIED: a table that is spread has no triggers")
		}
		execute(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`)
		execute(t, `CREATE TRIGGER refuse BEFORE UPDATE OF cursor ON aggregation_feeds FOR EACH ROW WHEN (NEW.cursor <> '') EXECUTE FUNCTION refuse()`)
		defer execute(t, `DROP FUNCTION refuse`)
		defer execute(t, `DROP TRIGGER refuse ON aggregation_feeds`)
		c, said := syncing(t, p, now)
		run(t, c)
		eventually(t, "the update is refused", func() bool {
			return strings.Contains(said.String(),
				`"feed not synced"`)
		})
		if got := h.books(); len(got) != 0 || h.events() != 0 {
			t.Errorf("rows without their cursor: %v, %d events", got, h.events())
		}
	})
	now.Add(time.Minute)
	t.Run("the worker is stopped while it fetches", func(t *testing.T) {
		asked := make(chan struct{}, 100)
		var waiting atomic.Bool
		waiting.Store(true)
		release := make(chan struct{})
		p.before = func(string, int) {
			if waiting.Load() {
				asked <- struct{}{}
				<-release
			}
		}
		t.Run("stop", func(t *testing.T) {
			c, _ := syncing(t, p, now)
			run(t, c)
			<-asked
		})
		waiting.Store(false)
		close(release)
		if got := h.books(); len(got) != 0 {
			t.Errorf("rows: %v", got)
		}
	})
	// Its lease has not passed; it gave the feed back.
	c, _ := syncing(t, p, now)
	run(t, c)
	h.becomes("all rows, once", want...)
	if n := h.count(`SELECT count(*) FROM transactions WHERE organization_id = $1`); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
}

func TestAFeedWhoseWorkerWasKilledIsTakenAgainAfterItsLease(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.add(h.token, bought("t1", "p1", "1", "2026-05-03", "ROW"))
	c, _ := syncing(t, p, now)
	h.snapshot(h.token, "checking")
	_, err := storetest.DB(t).EnrolFeeds(t.Context(), noon, h.keys)
	must(t, err)
	feeds, err := storetest.DB(t).ClaimDueFeeds(t.Context(), noon, 15*time.Minute, 10)
	must(t, err)
	if len(feeds) != 1 {
		t.Fatalf("%d feeds are due, want 1", len(feeds))
	}
	if again, err := storetest.DB(t).ClaimDueFeeds(t.Context(), noon, 15*time.Minute, 10); err != nil ||
		len(again) != 0 {
		t.Fatalf("taken again at once: %v, %v", again, err)
	}
	run(t, c)
	now.Add(14 * time.Minute)
	goesOn(p, h.partner, t)
	if n := p.asked(h.token); n != 0 {
		t.Errorf("asked %d times within the lease", n)
	}
	now.Add(time.Minute)
	h.becomes("after the lease", "checking t1 -100 05-03 ROW")
}

func TestATokenThatChangesWhileItIsSyncedGivesNothing(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	changed := "access-changed-" + h.token
	p.login(h.token, "p1")
	p.login(changed, "q1")
	p.add(h.token, bought("old", "p1", "1", "2026-05-03", "OLD"))
	p.add(changed, bought("new", "q1", "2", "2026-05-04", "NEW"))
	p.before = func(token string, _ int) {
		if token != h.token || h.count(
			`SELECT count(*) FROM account_snapshots WHERE partner_id = (SELECT partner_id FROM legacy_mappings WHERE organization_id = $1)`) > 1 {
			return
		}
		h.snapshot(changed, "checking")
	}
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	h.becomes("the new token's rows alone", "checking new -200 05-04 NEW")
	if n := h.count(`SELECT count(*) FROM transactions WHERE organization_id = $1`); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	asked := p.asked(h.token)
	now.Add(2 * time.Hour)
	eventually(t, "the new token is synced again", func() bool { return p.asked(changed) > 1 })
	if n := p.asked(h.token); n != asked {
		t.Error("the old token is still used")
	}
}

func TestAccountsThatAreNotActiveAreNotSynced(t *testing.T) {
	p, now, partner := newProvider(t), &clock{}, hold(t).partner
	c, _ := syncing(t, p, now)
	run(t, c)
	people := map[string]holder{}
	ends := map[string]func(h holder){
		"left out":     func(h holder) { h.snapshot("", "other") },
		"disconnected": func(h holder) { must(t, h.DeleteAccount(t.Context(), noon, h.only("checking"))) },
		"disabled": func(h holder) {
			execute(t, `UPDATE accounts SET status = 'disabled' WHERE organization_id = $1 AND external_id = 'checking'`, h.ID)
		},
		"without its token": func(h holder) { h.snapshot("", "checking") },
	}
	for name := range ends {
		h := holderOf(t, partner)
		p.login(h.token, "checking")
		p.add(h.token, bought("t1", "checking", "1", "2026-05-03", "ROW"))
		h.snapshot(h.token, "checking")
		people[name] = h
	}
	asked := map[string]int{}
	for name, end := range ends {
		h := people[name]
		h.becomes("the first update", "checking t1 -100 05-03 ROW")
		h.synced(now)
		end(h)
		p.add(h.token, bought("t2", "checking", "2", "2026-05-04", "ROW"))
		asked[name] = p.asked(h.token)
	}
	now.Add(2 * time.Hour)
	goesOn(p, partner, t)
	for name, h := range people {
		if got := h.books(); len(got) != 1 || p.asked(h.token) != asked[name] {
			t.Errorf("%s: rows %v, the provider was asked %d times", name, got, p.asked(h.token)-asked[name])
		}
		h.snapshot(h.token, "checking")
	}
	for name, h := range people {
		h.becomes(name+", and active again", "checking t1 -100 05-03 ROW", "checking t2 -200 05-04 ROW")
	}
}

// only finds an account by its external id.
func (h holder) only(externalID string) (id [16]byte) {
	h.t.Helper()
	list, err := storetest.Accounts(h.t.Context(), h, true)
	must(h.t, err)
	for _, a := range list {
		if a.ExternalID == externalID {
			id = a.ID
		}
	}
	return id
}

func TestWorkersShareFeeds(t *testing.T) {
	p, now := newProvider(t), &clock{}
	first := hold(t)
	people := []holder{first}
	for range 11 {
		people = append(people, holderOf(t, first.partner))
	}
	for i, h := range people {
		p.login(h.token, "p1", "p2")
		p.add(h.token, bought("t1", "p1", fmt.Sprint(i), "2026-05-03", "ROW"),
			bought("t2", "p2", "2", "2026-05-03", "ROW"))
	}
	for range 3 {
		c, _ := syncing(t, p, now)
		run(t, c)
	}
	for _, h := range people {
		h.snapshot(h.token, "p1", "p2")
	}
	for i, h := range people {
		h.becomes("the rows", fmt.Sprintf("p1 t1 %d 05-03 ROW", -100*i), "p2 t2 -200 05-03 ROW")
	}
	// From now on each feed is asked for once an hour, by one worker.
	for _, h := range people {
		h.synced(now)
	}
	p.mu.Lock()
	p.requests, p.overlap = nil, false
	p.mu.Unlock()
	for i, h := range people {
		p.add(h.token, bought("t3", "p1", fmt.Sprint(i), "2026-05-04", "ROW"))
	}
	now.Add(time.Hour)
	for i, h := range people {
		h.becomes("an hour later", fmt.Sprintf("p1 t1 %d 05-03 ROW", -100*i), fmt.Sprintf("p1 t3 %d 05-04 ROW", -100*i),
			"p2 t2 -200 05-03 ROW")
		if n := p.asked(h.token); n != 1 {
			t.Errorf("person %d was asked for %d times, want once for both accounts", i, n)
		}
	}
	if p.overlap {
		t.Error("two workers synced the same token at once")
	}
}

func TestAnotherBusinessIsNotTouched(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "checking")
	p.add(h.token, bought("t1", "checking", "1", "2026-05-03", "ROW"))
	// Another person of the same partner has the same ids, and rows of another provider's login.
	other := holderOf(t, h.partner)
	p.login(other.token, "checking")
	p.add(other.token, bought("t1", "checking", "7", "2026-05-03", "ROW"),
		bought("t2", "checking", "8", "2026-05-04", "ROW"))
	c, _ := syncing(t, p, now)
	run(t, c)
	other.snapshot(other.token, "checking")
	other.becomes("the other's rows", "checking t1 -700 05-03 ROW", "checking t2 -800 05-04 ROW")
	eventually(t, "they are processed", func() bool { return other.events() == 0 })
	before := other.dump()
	h.snapshot(h.token, "checking")
	h.becomes("the first update", "checking t1 -100 05-03 ROW")
	h.synced(now)
	p.remove(h.token, "checking", "t1")
	p.add(h.token, bought("t3", "checking", "3", "2026-05-04", "ROW", M{"pending_transaction_id": "t2"}))
	now.Add(time.Hour)
	h.becomes("an hour later", "checking t3 -300 05-04 ROW")
	if diff := cmp.Diff(before, other.dump()); diff != "" {
		t.Errorf("the other business changed: %s", diff)
	}
}
