package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
)

// giveToken gives an account an aggregation token without a snapshot, and has it join the feed.
func giveToken(t testing.TB, o *store.Organization, account uuid.UUID, token string) store.Feed {
	t.Helper()
	_, err := storetest.DB(t).SQL().Exec(`
		INSERT INTO aggregation_tokens (organization_id, account_id, sealed, updated_at)
		VALUES ($1, $2, $3, $4)`, o.ID, account, store.SealAggregationToken(snapshotKeys, o.ID, account, token), noon)
	must(t, err)
	_, err = store.EnrolFeed(t.Context(), noon, o, snapshotKeys, account)
	must(t, err)
	return feedOf(t, o.ID)
}

// feedOf is the one feed of a business, as somebody who takes it has it.
func feedOf(t testing.TB, organization uuid.UUID) store.Feed {
	t.Helper()
	f := store.Feed{OrganizationID: organization}
	must(t, storetest.DB(t).SQL().QueryRow(`
		SELECT fingerprint, cursor, version, attempts, snapshots
		FROM aggregation_feeds
		WHERE organization_id = $1`, organization).Scan(&f.Fingerprint, &f.Cursor, &f.Version, &f.Attempts,
		&f.Snapshots))
	return f
}

// fed is a person whose accounts share a token.
type fed struct {
	legacyPerson
	*store.Organization
}

// feed makes a person with accounts of one token; their provider's ids are their own.
func feed(t testing.TB, ids ...string) fed {
	t.Helper()
	p := fed{legacyPerson: login(t)}
	p.Organization = storetest.DB(t).Organization(p.OrganizationID)
	p.list("access-1", ids...)
	return p
}

// list applies a snapshot of accounts with a token, and enrols them.
func (p fed) list(token string, ids ...string) {
	p.t.Helper()
	var accounts []store.SnapshotAccount
	for _, id := range ids {
		accounts = append(accounts, listed(id, bankToken(token), status("active")))
	}
	p.snapshot(accounts...)
}

func (p fed) snapshot(accounts ...store.SnapshotAccount) {
	p.t.Helper()
	p.apply(accounts...)
	p.enrol()
}

func (p fed) enrol() {
	p.t.Helper()
	list, err := storetest.Accounts(p.t.Context(), p, true)
	must(p.t, err)
	for _, a := range list {
		opened, err := store.EnrolFeed(p.t.Context(), noon, p.Organization, snapshotKeys, a.ID)
		must(p.t, err)
		if !opened {
			p.t.Fatalf("the token of %s was not opened", a.ExternalID)
		}
	}
}

// account finds an account of the person.
func (p fed) account(externalID string) uuid.UUID {
	p.t.Helper()
	list, err := storetest.Accounts(p.t.Context(), p, true)
	must(p.t, err)
	at := slices.IndexFunc(list, func(a store.Account) bool { return a.ExternalID == externalID })
	return list[at].ID
}

// update stores an update of the person's feed. It goes on from the stored cursor; whole is one from the start.
func (p fed) update(u store.FeedUpdate) store.FeedEffects {
	p.t.Helper()
	effects, err := p.ApplyFeed(p.t.Context(), noon, feedOf(p.t, p.ID), complete(u))
	must(p.t, err)
	return effects
}

func complete(u store.FeedUpdate) store.FeedUpdate {
	for _, r := range u.Rows {
		if !slices.ContainsFunc(u.Accounts, func(a store.FeedAccount) bool { return a.ID == r.FeedAccount }) {
			u.Accounts = append(u.Accounts, store.FeedAccount{ID: r.FeedAccount})
		}
	}
	if u.Cursor == "" {
		u.Cursor = "cursor-" + uuid.NewString()
	}
	u.Complete, u.Next = true, noon.Add(time.Hour)
	return u
}

func rows(rows ...store.FeedRow) store.FeedUpdate { return store.FeedUpdate{Rows: rows} }

func whole(rows ...store.FeedRow) store.FeedUpdate {
	return store.FeedUpdate{Rows: rows, Whole: true}
}

// paid is a posted row of account "a" on a day of March.
func paid(id string, cents money.Amount, day int, change ...func(*store.FeedRow)) store.FeedRow {
	r := store.FeedRow{ExternalID: id, FeedAccount: "a", Amount: cents, ProcessedDate: fmt.Sprintf("2026-03-%02d", day),
		Description: "LINE " + strings.TrimRight(id, "'")}
	for _, c := range change {
		c(&r)
	}
	return r
}

func pending(r *store.FeedRow) { r.Pending = true }

func posting(id string) func(*store.FeedRow) {
	return func(r *store.FeedRow) { r.PendingID = id }
}

func in(account string) func(*store.FeedRow) {
	return func(r *store.FeedRow) { r.FeedAccount = account }
}

// books are all rows of the person, deleted ones too, as "account external-id amount processed authorized flags".
func (p fed) books() []string {
	p.t.Helper()
	return column(p.t, storetest.DB(p.t).SQL(), `
		SELECT concat_ws(' ', a.external_id, t.external_id, t.amount, to_char(t.processed_date, 'MM-DD'),
		  to_char(t.authorized_date, 'MM-DD'),
		       CASE WHEN t.pending THEN 'pending' END,
		       CASE WHEN t.withdrawn_at IS NOT NULL THEN 'withdrawn' WHEN t.deleted_at IS NOT NULL THEN 'deleted' END)
		FROM transactions t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE t.organization_id = $1
		ORDER BY 1`, p.ID)
}

func (p fed) wantBooks(want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.books()); diff != "" {
		p.t.Errorf("books: %s", diff)
	}
}

// row finds the id of a row, deleted or not.
func (p fed) row(externalID string) uuid.UUID {
	p.t.Helper()
	found := column(p.t, storetest.DB(p.t).SQL(),
		`SELECT id::text FROM transactions WHERE organization_id = $1 AND external_id = $2`, p.ID, externalID)
	if len(found) != 1 {
		p.t.Fatalf("%d rows %s", len(found), externalID)
	}
	return uuid.MustParse(found[0])
}

// decide has people decide all there is to decide about a row.
func (p fed) decide(id uuid.UUID) {
	p.t.Helper()
	ctx := p.t.Context()
	must(p.t, p.SetCategory(ctx, noon, id, store.CategoryChoice{CategoryID: 3250, Source: "user", Confidence: 10_000}))
	must(p.t, p.SetContext(ctx, noon, id, "for the fair"))
	must(p.t, p.AddComment(ctx, noon, id, "Ana", "keep this"))
	must(p.t, p.SetFilingState(ctx, noon, id, "filed"))
}

// wantDecided fails where one of these decisions is lost.
func (p fed) wantDecided(id uuid.UUID) {
	p.t.Helper()
	row, err := p.Transaction(p.t.Context(), id)
	must(p.t, err)
	if row.CategoryID == nil || *row.CategoryID != 3250 || *row.CategorySource != "user" || row.Context == nil ||
		len(row.Comments) != 1 || row.FilingState != "filed" {
		p.t.Errorf("decisions are lost: %+v", row)
	}
}

func TestAnUpdateStoresRowsCursorAndEventTogether(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	u := rows(paid("t1", -1250, 2), paid("t2", 50000, 3, func(r *store.FeedRow) { r.AuthorizedDate = "2026-03-01" }),
		paid("t3", -5, 4, pending))
	u.Cursor = "cursor-1"
	effects := p.update(u)
	p.wantBooks("a t1 -1250 03-02", "a t2 50000 03-03 03-01", "a t3 -5 03-04 pending")
	if effects.Added != 3 {
		t.Errorf("effects %+v", effects)
	}
	if f := feedOf(t, p.ID); f.Cursor != "cursor-1" {
		t.Errorf("cursor %q", f.Cursor)
	}
	if work, err := p.Events(t.Context()); err != nil || len(work) != 1 || work[0].AccountID != p.account("a") {
		t.Errorf("events %v, %v", work, err)
	}
	if got := count(t, `SELECT count(*) FROM transactions WHERE organization_id = $1 AND currency = 'USD' AND processing = 'queued'`, p.ID); got != 3 {
		t.Errorf("%d of 3 rows have the account's currency and are queued", got)
	}
	// The same again, from the start: nothing is written.
	before := dump(t, p.ID)
	again := p.update(store.FeedUpdate{Whole: true, Cursor: "cursor-1", Rows: u.Rows})
	after := dump(t, p.ID)
	delete(before, "aggregation_feeds")
	delete(after, "aggregation_feeds")
	if diff := cmp.Diff(before, after); diff != "" || again.Added+again.Changed+again.Removed != 0 {
		t.Errorf("the same update again: %+v %s", again, diff)
	}
}

func TestAFirstUpdateOfYearsIsStored(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	var u store.FeedUpdate
	u.Whole = true
	for i := range 2500 {
		u.Rows = append(u.Rows, paid(fmt.Sprintf("t%d", i), money.Amount(i), 1+i%28))
	}
	p.update(u)
	if got := count(t, `SELECT count(*) FROM transactions WHERE organization_id = $1`, p.ID); got != 2500 {
		t.Errorf("%d rows, want 2500", got)
	}
}

func TestAChangedRowKeepsWhatPeopleDecided(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("t1", -1250, 2)))
	id := p.row("t1")
	p.decide(id)
	p.update(rows(paid("t1", -1300, 4, func(r *store.FeedRow) { r.Description, r.Currency = "OTHER", "EUR" })))
	p.wantBooks("a t1 -1300 03-04")
	if p.row("t1") != id {
		t.Error("the row has another id")
	}
	p.wantDecided(id)
}

// The question says how much it is about.
func TestARowWithAnotherAmountThatIsAskedAboutIsDecidedAnew(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("tip", -1250, 2), paid("meal", -1250, 2)))
	for _, external := range []string{"tip", "meal"} {
		must(t, p.SetCategory(t.Context(), noon, p.row(external), store.CategoryChoice{CategoryID: 3250, Source: "user",
			Confidence: 10_000}))
	}
	id := p.row("tip")
	must(t, p.OpenIssue(t.Context(), issue(uuid.New(), id), []uuid.UUID{id}))
	p.update(rows(paid("tip", -1500, 2), paid("meal", -1500, 2)))
	queued := column(t, storetest.DB(t).SQL(),
		`SELECT external_id FROM transactions WHERE organization_id = $1 AND processing = 'queued'`, p.ID)
	if !slices.Equal(queued, []string{"tip"}) {
		t.Errorf("decided anew: %q", queued)
	}
}

func TestAPostedRowReplacesItsPendingOne(t *testing.T) {
	t.Parallel()
	hold, posted := paid("p", -4000, 2, pending), paid("t", -4800, 4, posting("p"))
	gone := store.FeedUpdate{Removed: []string{"p"}}
	together := rows(posted)
	together.Removed = gone.Removed
	stillListed := rows(posted, hold)
	for name, updates := range map[string][]store.FeedUpdate{
		"both at once":             {together},
		"the pending one later":    {rows(posted), gone},
		"the pending one before":   {gone, rows(posted)},
		"the pending one is kept":  {rows(posted)},
		"the pending one is shown": {stillListed},
		"in a complete list":       {whole(posted)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := feed(t, "a")
			p.update(rows(hold))
			id := p.row("p")
			p.decide(id)
			for _, u := range updates {
				p.update(u)
			}
			p.wantBooks("a t -4800 03-04")
			if p.row("t") != id {
				t.Fatal("the posted row has another id")
			}
			p.wantDecided(id)
		})
		t.Run(name+", after a person deleted it", func(t *testing.T) {
			t.Parallel()
			p := feed(t, "a")
			p.update(rows(hold))
			must(t, p.DeleteTransaction(t.Context(), noon, p.row("p")))
			for _, u := range updates {
				p.update(u)
			}
			p.wantBooks("a t -4800 03-04 deleted")
		})
	}
}

func TestAPendingRowThatNeverWasStoredIsNotStoredBesideItsPostedOne(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("p", -4000, 2, pending), paid("t", -4800, 4, posting("p")), paid("u", -1, 5, posting("p"))))
	p.wantBooks("a t -4800 03-04", "a u -1 03-05")
}

func TestAPendingRowGoesWhereItsPostedOneWasStoredAlready(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("p", -4000, 2, pending), paid("t", -4000, 4)))
	p.update(rows(paid("t", -4000, 4, posting("p"))))
	p.wantBooks("a p -4000 03-02 pending withdrawn", "a t -4000 03-04")
}

func TestARowThatTheProviderTakesBackIsDeletedUntilItComesBack(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("t1", -1250, 2), paid("t2", -1, 3)))
	id := p.row("t1")
	p.decide(id)
	question := uuid.New()
	must(t, p.OpenIssue(t.Context(), issue(question, id), []uuid.UUID{id}))
	effects := p.update(store.FeedUpdate{Removed: []string{"t1", "unknown"}})
	p.wantBooks("a t1 -1250 03-02 withdrawn", "a t2 -1 03-03")
	if _, err := p.Transaction(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the row is still read: %v", err)
	}
	if open := count(t, `SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'open'`,
		p.ID); open != 0 || effects.Removed != 1 {
		t.Errorf("%d open questions, effects %+v", open, effects)
	}
	p.update(rows(paid("t1", -1250, 2)))
	p.wantBooks("a t1 -1250 03-02", "a t2 -1 03-03")
	p.wantDecided(id)
	if got := count(t, `SELECT count(*) FROM transactions WHERE id = $1 AND processing = 'queued'`, id); got != 1 {
		t.Error("the row that came back is not decided anew")
	}
}

func TestARefundOfWhatTheProviderTakesBackOrDatesLaterIsDecidedAnew(t *testing.T) {
	t.Parallel()
	for name, u := range map[string]store.FeedUpdate{
		"taken back":  {Removed: []string{"bought"}},
		"dated later": rows(paid("bought", -1250, 9)),
	} {
		p := feed(t, "a")
		p.update(rows(paid("bought", -1250, 2), paid("back", 1250, 5)))
		shop := uuid.New()
		change(t, `INSERT INTO counterparties (organization_id, id, key, name, type, relationship, confidence, last_date, created_at, updated_at)
			VALUES ($1, $2, 'shop', 'Shop', 'business', 'vendor', 9000, '2026-03-05', now(), now())`, p.ID, shop)
		change(t, `UPDATE transactions SET counterparty_id = $2, processing = 'processed', category_id = 3250, category_source = 'rule',
			category_confidence = 9500, is_refund = amount > 0, category_reason = 'a shop'
			WHERE organization_id = $1`, p.ID, shop)
		change(t, `UPDATE transactions SET category_reason = 'Money back from Shop, counted like the purchase of 2026-03-02'
			WHERE organization_id = $1 AND amount > 0`, p.ID)
		queued := func() int {
			return count(t, `SELECT count(*) FROM transactions WHERE id = $1 AND processing = 'queued' AND category_id IS NULL`, p.row("back"))
		}
		p.update(rows(paid("bought", -1260, 2)))
		if queued() != 0 {
			t.Errorf("%s: the refund is decided anew though its purchase is there", name)
		}
		p.update(u)
		if queued() != 1 {
			t.Errorf("%s: the refund is not decided anew", name)
		}
	}
}

func TestARowThatAPersonDeletedStaysDeleted(t *testing.T) {
	t.Parallel()
	row := paid("t1", -1250, 2)
	for name, first := range map[string][]func(p fed){
		"changed by the provider": {func(p fed) {
			must(p.t,
				p.DeleteTransaction(p.t.Context(), noon, p.row("t1")))
		}},
		"deleted, then taken back": {func(p fed) {
			must(p.t,
				p.DeleteTransaction(p.t.Context(), noon, p.row("t1")))
		}, func(p fed) { p.update(store.FeedUpdate{Removed: []string{"t1"}}) }},
		"taken back, then deleted by the person": {func(p fed) { p.update(store.FeedUpdate{Removed: []string{"t1"}}) },
			func(p fed) { must(p.t, p.DeleteTransaction(p.t.Context(), noon, p.row("t1"))) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := feed(t, "a")
			p.update(rows(row))
			for _, step := range first {
				step(p)
			}
			p.update(rows(paid("t1", -1300, 2)))
			p.update(whole(paid("t1", -1300, 2)))
			p.wantBooks("a t1 -1300 03-02 deleted")
		})
	}
}

func TestAnUpdateTakesTransfersApart(t *testing.T) {
	t.Parallel()
	for name, update := range map[string]store.FeedUpdate{
		"taken back": {Removed: []string{"out"}},
		"changed":    rows(paid("out", -900, 2)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := feed(t, "a", "b")
			p.update(rows(paid("out", -1000, 2), paid("in", 1000, 2, in("b"))))
			change(t, `
				UPDATE transactions t SET transfer_id = other.id, processing = 'processed'
				FROM transactions other
				WHERE t.organization_id = $1 AND other.organization_id = $1 AND other.id <> t.id`, p.ID)
			_, err := storetest.DB(t).SQL().Exec(`DELETE FROM pending_work WHERE organization_id = $1`, p.ID)
			must(t, err)
			p.update(update)
			if got := count(t, `SELECT count(*) FROM transactions WHERE organization_id = $1 AND transfer_id IS NOT NULL`, p.ID); got != 0 {
				t.Errorf("%d legs are still joined", got)
			}
			if got := count(t, `SELECT count(*) FROM transactions WHERE organization_id = $1 AND external_id = 'in' AND processing = 'queued'`, p.ID); got != 1 {
				t.Error("the other leg is not decided anew")
			}
			if work, err := p.Events(t.Context()); err != nil || len(work) != 2 {
				t.Errorf("events %v, %v, want one of each account", work, err)
			}
		})
	}
}

func TestWhatCannotBeKeptLeavesWhatIsStored(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("t1", -1250, 2), paid("t2", -1, 3)))
	p.update(store.FeedUpdate{Whole: true, Rows: []store.FeedRow{paid("t2", -1, 1)},
		Refused: []string{"t1", "unknown"}})
	p.wantBooks("a t1 -1250 03-02", "a t2 -1 03-01")
}

func TestACompleteListSaysWhatIsGone(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(rows(paid("old", -1, 1), paid("gone", -2, 10), paid("held", -3, 11, pending), paid("kept", -4, 12)))
	p.update(whole(paid("first", -5, 5), paid("kept", -4, 12)))
	p.wantBooks("a first -5 03-05", "a gone -2 03-10 withdrawn", "a held -3 03-11 pending withdrawn", "a kept -4 03-12",
		"a old -1 03-01")
	p.update(whole()) // nothing is shown of the account: nothing is known of its rows
	p.wantBooks("a first -5 03-05", "a gone -2 03-10 withdrawn", "a held -3 03-11 pending withdrawn", "a kept -4 03-12",
		"a old -1 03-01")
}

// A person connects the same account anew: the provider lists its history under new ids.
func TestAnAccountThatIsConnectedAnewIsNotCountedTwice(t *testing.T) {
	t.Parallel()
	p := feed(t, "a")
	p.update(whole(
		paid("old1", -100, 1), paid("old2", -250, 10), paid("old3", -250, 10,
			func(r *store.FeedRow) { r.Description = "OTHER" }),
		paid("old4", -900, 14), paid("old5", -777, 15, pending), paid("old6", -40, 16), paid("old7", -66, 17),
		paid("old0", -55, 18, pending), paid("old9", -55, 18), paid("olda", -11, 4), paid("oldb", -12, 4, pending)))
	p.update(store.FeedUpdate{Removed: []string{"old0"}})
	ids := map[string]uuid.UUID{}
	for _, id := range []string{"old2", "old3", "old4", "old6", "old9", "olda"} {
		ids[id] = p.row(id)
		p.decide(ids[id])
	}
	must(t, p.DeleteTransaction(t.Context(), noon, p.row("old6")))
	p.list("access-2", "a")
	if f := feedOf(t, p.ID); f.Cursor != "" {
		t.Fatalf("the new token goes on from cursor %q", f.Cursor)
	}
	anew := func(r *store.FeedRow) { r.FeedAccount = "a2" }
	u := whole(
		paid("new2", -250, 10, anew, func(r *store.FeedRow) { r.Description = "OTHER" }), paid("new3", -250, 10, anew),
		paid("new4", -900, 16, anew), paid("new6", -40, 16, anew), paid("new8", -250, 11, anew),
		paid("new9", -55, 18, anew), paid("newest", -1, 5, anew), paid("newa", -11, 6, anew))
	p.update(u)
	p.update(u)
	p.wantBooks(
		"a new2 -250 03-10", "a new3 -250 03-10", "a new4 -900 03-16", "a new6 -40 03-16 deleted", "a new8 -250 03-11",
		"a new9 -55 03-18", "a newa -11 03-06", "a newest -1 03-05",
		"a old0 -55 03-18 pending withdrawn", "a old1 -100 03-01", "a old5 -777 03-15 pending withdrawn",
		"a old7 -66 03-17", "a oldb -12 03-04 pending")
	for was, is := range map[string]string{"old2": "new3", "old3": "new2", "old4": "new4", "old9": "new9",
		"olda": "newa"} {
		if p.row(is) != ids[was] {
			t.Errorf("%s is not what %s was", is, was)
			continue
		}
		p.wantDecided(ids[was])
	}
}
