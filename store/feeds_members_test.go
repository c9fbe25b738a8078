package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
)

// Accounts are written as "id", or "id/mask"; a partner's may end in "!" for a disabled one.
func TestRowsGoToTheAccountThatTheProviderMeans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ours     string
		provider string
		want     string // provider>ours, for each account whose rows were stored
	}{
		"by the provider's own id":           {"p1 p2", "p2 p1", "p1>p1 p2>p2"},
		"ids are compared exactly":           {"P1 x", "p1 p2", ""},
		"by the digits":                      {"x/1111 y/2222", "p2/2222 p1/1111", "p1>x p2>y"},
		"by fewer digits":                    {"x/1111 y/2222", "p2/22 p1/111", "p1>x p2>y"},
		"the id before the digits":           {"p2/1111 y/2222", "p2/2222 p1/1111", "p2>p2"},
		"not by digits that two share":       {"x/1111 y/2222", "p1/1111 p2/1111", ""},
		"not by digits that two of ours":     {"x/1111 y/1111", "p1/1111 p2/2222", ""},
		"the only one is the only one":       {"x", "p1", "p1>x"},
		"also where one knows no digits":     {"x/1111", "p1", "p1>x"},
		"not where the digits differ":        {"x/1111", "p1/2222", ""},
		"not where the provider has two":     {"x", "p1 p2", ""},
		"not where we have two":              {"x y", "p1", ""},
		"a disabled one of ours counts":      {"x y!", "p1", ""},
		"a disabled one is given nothing":    {"p1 p2!", "p1 p2", "p1>p1"},
		"some match and some do not":         {"p1 x", "p1 p2 p3", "p1>p1"},
		"the digits of what is left decide":  {"p1/1111 x/1111", "p1/1111 p2/1111", "p1>p1 p2>x"},
		"digits say more than being the one": {"x/1111", "p1/2222 p2/1111", "p2>x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := feed(t)
			var snapshot []store.SnapshotAccount
			for account := range strings.FieldsSeq(test.ours) {
				account, disabled := strings.CutSuffix(account, "!")
				id, mask, _ := strings.Cut(account, "/")
				a := listed(id, bankToken("access-1"))
				a.Mask = mask
				if disabled {
					a.Status = "disabled"
				}
				snapshot = append(snapshot, a)
			}
			p.snapshot(snapshot...)
			u := store.FeedUpdate{Whole: true}
			unmatched := 0
			for account := range strings.FieldsSeq(test.provider) {
				id, mask, _ := strings.Cut(account, "/")
				u.Accounts = append(u.Accounts, store.FeedAccount{ID: id, Mask: mask})
				u.Rows = append(u.Rows, paid("row-"+id, -1, 2, in(id)))
				if !strings.Contains(test.want, id+">") && !strings.Contains(test.ours, id+"!") {
					unmatched++
				}
			}
			effects := p.update(u)
			got := column(t, storetest.DB(t).SQL(), `
				SELECT substr(t.external_id, 5) || '>' || a.external_id
				FROM transactions t
				JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
				WHERE t.organization_id = $1
				ORDER BY 1`, p.ID)
			if diff := cmp.Diff(strings.Fields(test.want), got, cmp.Transformer("list",
				func(l []string) string { return strings.Join(l, " ") })); diff != "" {
				t.Errorf("rows: %s", diff)
			}
			if effects.Unmatched != unmatched || len(effects.UnmatchedAccounts) != unmatched {
				t.Errorf("%d rows of %v are said to match none, want %d", effects.Unmatched, effects.UnmatchedAccounts,
					unmatched)
			}
		})
	}
}

func TestAnAccountThatWasPassedOverIsNotMatchedInTheMiddle(t *testing.T) {
	t.Parallel()
	p := feed(t, "x")
	p.snapshot(store.SnapshotAccount{ExternalID: "x", Name: "X", Currency: "USD", Mask: "1111", Token: "access-1"})
	p.update(whole(paid("t1", -1, 1, in("p1")), paid("t2", -1, 2, in("p2"))))
	u := rows(paid("t3", -1, 3, in("p1")), paid("t4", -1, 3, in("p3")))
	u.Accounts = []store.FeedAccount{{ID: "p1", Mask: "1111"}}
	p.update(u)
	p.wantBooks()
	// From the start, nothing is lost.
	all := whole(paid("t1", -1, 1, in("p1")), paid("t2", -1, 2, in("p2")), paid("t3", -1, 3, in("p1")))
	all.Accounts = u.Accounts
	p.update(all)
	p.wantBooks("x t1 -1 03-01", "x t3 -1 03-03")
}

func TestWhatIsMatchedStaysWhileTheTokenDoes(t *testing.T) {
	t.Parallel()
	p := feed(t, "x")
	p.update(whole(paid("t1", -1, 1, in("p1"))))
	effects := p.update(rows(paid("t2", -1, 2, in("p2")), paid("t3", -1, 3, in("p1"))))
	p.wantBooks("x t1 -1 03-01", "x t3 -1 03-03")
	if effects.Unmatched != 1 {
		t.Errorf("effects %+v", effects)
	}
}

func TestAnUpdateOfAFeedThatIsNoLongerWhatWasTakenIsDropped(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(p fed){
		"the token changed":       func(p fed) { p.list("access-2", "a") },
		"the token is cleared":    func(p fed) { p.snapshot(listed("a")) },
		"the account is left out": func(p fed) { p.snapshot() },
		"cleared and given again": func(p fed) { p.snapshot(listed("a")); p.list("access-1", "a") },
		"an account joined":       func(p fed) { p.list("access-1", "a", "b") },
		"another stored one":      func(p fed) { p.update(rows(paid("t9", -9, 9))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := feed(t, "a")
			p.update(rows(paid("t1", -1, 1)))
			taken := feedOf(t, p.ID)
			happens(p)
			before := dump(t, p.ID)
			_, err := p.ApplyFeed(t.Context(), noon, taken, complete(rows(paid("t2", -2, 2))))
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%v, want ErrNotFound", err)
			}
			for _, err := range []error{p.PutOffFeed(t.Context(), taken, "X", noon),
				p.StopFeed(t.Context(), noon, taken, "X")} {
				if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%v, want ErrNotFound", err)
				}
			}
			if diff := cmp.Diff(before, dump(t, p.ID)); diff != "" {
				t.Errorf("it had effects: %s", diff)
			}
		})
	}
}

func TestUpdatesAtOnceAreStoredOnce(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	taken := feedOf(t, p.ID)
	var calls []func() error
	for range 6 {
		calls = append(calls, func() error {
			_, err := p.ApplyFeed(t.Context(), noon, taken, complete(rows(paid("t1", -1, 1))))
			return err
		})
	}
	stored := 0
	for _, err := range atOnce(calls...) {
		switch {
		case err == nil:
			stored++
		case !errors.Is(err, store.ErrNotFound):
			t.Error(err)
		}
	}
	if stored != 1 {
		t.Errorf("%d updates were stored, want 1", stored)
	}
	p.wantBooks("a t1 -1 03-01")
}

func TestAFeedStartsAnewForAnAccountThatMissedAnUpdate(t *testing.T) {
	t.Parallel()
	p := feed(t, "a", "b")
	disabled := listed("b", bankToken("access-1"), status("disabled"))
	p.snapshot(listed("a", bankToken("access-1")), disabled)
	p.update(rows(paid("t1", -1, 1), paid("t2", -2, 2, in("b"))))
	p.wantBooks("a t1 -1 03-01")
	p.list("access-1", "a", "b")
	if f := feedOf(t, p.ID); f.Cursor != "" {
		t.Fatalf("the feed goes on from %q, and b has missed rows", f.Cursor)
	}
	p.update(whole(paid("t1", -1, 1), paid("t2", -2, 2, in("b"))))
	p.wantBooks("a t1 -1 03-01", "b t2 -2 03-02")
	// Disabled and active again without an update in between: nothing is missing.
	cursor := feedOf(t, p.ID).Cursor
	p.snapshot(listed("a", bankToken("access-1")), disabled)
	p.list("access-1", "a", "b")
	if f := feedOf(t, p.ID); f.Cursor != cursor {
		t.Errorf("the feed starts anew without need")
	}
}

func TestRowsOfAnAccountUnderAnEarlierIDStayThere(t *testing.T) {
	t.Parallel()
	p := feed(t, "x")
	p.update(whole(paid("t1", -1, 1)))
	p.list("access-1", "y")
	effects := p.update(whole(paid("t1", -1, 1), paid("t2", -2, 2)))
	p.wantBooks("x t1 -1 03-01", "y t2 -2 03-02")
	if effects.Elsewhere != 1 {
		t.Errorf("effects %+v", effects)
	}
}

func TestASnapshotWakesAStoppedFeed(t *testing.T) {
	t.Parallel()
	state := func(p fed) string {
		return column(t, storetest.DB(t).SQL(), `SELECT state FROM aggregation_feeds WHERE organization_id = $1`,
			p.ID)[0]
	}
	p := feed(t, "a")
	must(t, p.StopFeed(t.Context(), noon, feedOf(t, p.ID), "ITEM_LOGIN_REQUIRED"))
	if got := state(p); got != "stopped" {
		t.Fatalf("state %s", got)
	}
	taken := feedOf(t, p.ID)
	p.list("access-1", "a")
	if got := state(p); got != "active" {
		t.Errorf("after the snapshot: %s", got)
	}
	// The login was repaired while a sync was under way that still failed.
	must(t, p.StopFeed(t.Context(), noon, taken, "ITEM_LOGIN_REQUIRED"))
	if got := state(p); got != "active" {
		t.Errorf("the snapshot was forgotten: %s", got)
	}
}

func TestATokenThatNoKeyOpensIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := login(t)
	p.apply(listed("a", bankToken("access-1")))
	o := storetest.DB(t).Organization(p.OrganizationID)
	list, err := storetest.Accounts(t.Context(), o, true)
	must(t, err)
	opened, err := store.EnrolFeed(t.Context(), noon, o, newKeys(), list[0].ID)
	if opened || err != nil {
		t.Errorf("opened %v, %v", opened, err)
	}
	f := giveFeed(t, p)
	if _, err := o.FeedToken(t.Context(), newKeys(), f); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("%v, want ErrUnknownKey", err)
	}
	if token, err := o.FeedToken(t.Context(), snapshotKeys, f); token != "access-1" || err != nil {
		t.Errorf("%q, %v", token, err)
	}
}

func giveFeed(t testing.TB, p legacyPerson) store.Feed {
	t.Helper()
	fed{legacyPerson: p, Organization: storetest.DB(t).Organization(p.OrganizationID)}.enrol()
	return feedOf(t, p.OrganizationID)
}
