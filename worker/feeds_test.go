package worker_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
	"bizfin/worker/aggregation"
)

// holder is a person whose partner sends snapshots with tokens.
type holder struct {
	shop
	subject string
	token   string
	keys    seal.Keyring
}

// hold makes a person, and forgets the feeds that earlier tests left.
func hold(t testing.TB) holder {
	t.Helper()
	execute(t, `DELETE FROM aggregation_tokens`)
	execute(t, `DELETE FROM aggregation_feeds`)
	execute(t, `TRUNCATE pending_work`)
	partner := "partner-" + uuid.NewString()
	must(t, storetest.DB(t).CreatePartner(t.Context(), noon, partner, "Partner", nil))
	return holderOf(t, partner)
}

func holderOf(t testing.TB, partner string) holder {
	t.Helper()
	keys, err := seal.ParseKeys(storetest.SecretKey(t))
	must(t, err)
	h := holder{subject: uuid.NewString(), token: "access-sandbox-" + uuid.NewString(), keys: keys}
	mapping, err := storetest.DB(t).LegacyLogin(t.Context(), noon, store.LegacyLogin{PartnerID: partner,
		Subject: h.subject, Email: "ana@example.com"})
	must(t, err)
	h.shop = shop{Organization: storetest.DB(t).Organization(mapping.OrganizationID), t: t, partner: partner,
		person: mapping.PersonID, source: mapping.SourceID}
	return h
}

// snapshot sends accounts that carry a token, each "id" or "id/mask", and applies them, unless a worker was quicker.
func (h holder) snapshot(token string, accounts ...string) {
	h.t.Helper()
	h.send(token, accounts...)
	var id int64
	must(h.t, storetest.DB(h.t).SQL().QueryRow(
		`SELECT max(id) FROM account_snapshots WHERE partner_id = $1 AND subject = $2`, h.partner, h.subject).Scan(&id))
	if _, err := storetest.DB(h.t).ApplySnapshot(h.t.Context(), noon, h.keys, id); err != nil &&
		!errors.Is(err, store.ErrNotFound) {
		h.t.Fatal(err)
	}
}

// send leaves a snapshot to the workers.
func (h holder) send(token string, accounts ...string) {
	h.t.Helper()
	s := store.Snapshot{PartnerID: h.partner, Subject: h.subject}
	for _, account := range accounts {
		id, mask, _ := strings.Cut(account, "/")
		s.Accounts = append(s.Accounts, store.SnapshotAccount{ExternalID: id, Name: "Account " + id, Currency: "USD",
			Mask: mask, Token: token, Status: "active"})
	}
	must(h.t, storetest.DB(h.t).AcceptSnapshot(h.t.Context(), noon, h.keys, s))
}

// feedLog is what workers write, kept for the tests.
type feedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *feedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *feedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// syncing is a worker that syncs with a provider.
func syncing(t testing.TB, p *provider, now *clock) (worker.Config, *feedLog) {
	t.Helper()
	said := &feedLog{}
	c := config(t, now.Now)
	c.Log = slog.New(slog.NewJSONHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c.Aggregation = aggregation.New(aggregation.Config{URL: p.server.URL, ClientID: clientID, Secret: clientSecret})
	c.SyncEvery = time.Hour
	var err error
	c.Keys, err = seal.ParseKeys(storetest.SecretKey(t))
	must(t, err)
	return c, said
}

// books are the undeleted rows of the business as "account external-id amount processed authorized flags description".
func (h holder) books() []string {
	h.t.Helper()
	found, err := storetest.DB(h.t).SQL().Query(`
		SELECT concat_ws(' ', a.external_id, t.external_id, t.amount, to_char(t.processed_date, 'MM-DD'),
		  to_char(t.authorized_date, 'MM-DD'),
		       CASE WHEN t.pending THEN 'pending' END, nullif(t.currency, 'USD'), t.description)
		FROM transactions t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.deleted_at IS NULL
		ORDER BY 1`, h.ID)
	must(h.t, err)
	defer found.Close()
	list := []string{}
	for found.Next() {
		var text string
		must(h.t, found.Scan(&text))
		list = append(list, text)
	}
	must(h.t, found.Err())
	return list
}

// becomes waits until the books are what is wanted.
func (h holder) becomes(what string, want ...string) {
	h.t.Helper()
	if want == nil {
		want = []string{}
	}
	var got []string
	defer func() {
		if diff := cmp.Diff(want, got); diff != "" {
			h.t.Errorf("%s: %s", what, diff)
		}
	}()
	eventually(h.t, what, func() bool { got = h.books(); return slices.Equal(got, want) })
}

// synced waits until a feed of the business was synced at the present.
func (h holder) synced(now *clock) {
	h.t.Helper()
	eventually(h.t, "the feed is synced", func() bool {
		return h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND synced_at = $2`,
			now.Now()) == 1
	})
}

func TestAFeedIsSyncedAfterItsSnapshotAndFromThenOn(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.pageSize = 2
	p.login(h.token, "p1/1111", "p2/2222", "p3/3333")
	p.add(h.token,
		bought("t1", "p1", "12.50", "2026-05-03", "Blue Bottle",
			M{"original_description": "SQ *BLUE BOTTLE 0412 OAKLAND CA", "merchant_name": "Blue Bottle",
				"authorized_date": "2026-05-02"}),
		bought("t2", "p1", "-2000", "2026-05-04", "ACME PAYROLL"),
		bought("t3", "p2", "89.4", "2026-05-05", "", M{"merchant_name": "Shell"}),
		bought("t4", "p1", "4.00", "2026-05-06", "PARKING", M{"pending": true}),
		bought("t5", "p3", "1", "2026-05-06", "NOBODY'S"))
	c, said := syncing(t, p, now)
	run(t, c)
	h.send(h.token, "checking/1111", "card/2222")
	h.becomes("the first update",
		"card t3 -8940 05-05 Shell",
		"checking t1 -1250 05-03 05-02 SQ *BLUE BOTTLE 0412 OAKLAND CA",
		"checking t2 200000 05-04 ACME PAYROLL",
		"checking t4 -400 05-06 pending PARKING")
	eventually(t, "the rows are processed", func() bool { return h.inState("processed") == 4 && h.events() == 0 })
	parking := h.rowID("t4")
	must(t, h.SetCategory(t.Context(), noon, parking, store.CategoryChoice{CategoryID: 3250, Source: "user",
		Confidence: 10_000}))
	p.add(h.token, bought("t6", "p1", "5.00", "2026-05-08", "PARKING GARAGE", M{"pending_transaction_id": "t4"}))
	p.remove(h.token, "p1", "t4")
	p.remove(h.token, "p1", "t2")
	p.modify(h.token, bought("t3", "p2", "89.41", "2026-05-05", "SHELL OIL"))
	h.synced(now)
	asked := p.asked(h.token)
	now.Add(59 * time.Minute)
	eventually(t, "nothing is due", func() bool { return h.events() == 0 })
	if got := p.asked(h.token); got != asked {
		t.Errorf("asked %d times again before the hour had passed", got-asked)
	}
	now.Add(time.Minute)
	h.becomes("an hour later",
		"card t3 -8941 05-05 SHELL OIL",
		"checking t1 -1250 05-03 05-02 SQ *BLUE BOTTLE 0412 OAKLAND CA",
		"checking t6 -500 05-08 PARKING GARAGE")
	if h.rowID("t6") != parking {
		t.Error("the posted row is another one than the pending one")
	}
	if row, err := h.Transaction(t.Context(), parking); err != nil || row.CategoryID == nil || *row.CategoryID != 3250 {
		t.Errorf("the user's category is lost: %+v, %v", row, err)
	}
	if want := `"msg":"transactions of accounts that match none"`; !strings.Contains(said.String(), want) ||
		!strings.Contains(said.String(), `"count":1,"accounts":["p3"]`) {
		t.Errorf("the log does not say %s: %s", want, said)
	}
	list, err := storetest.Accounts(t.Context(), h, false)
	must(t, err)
	for _, a := range list {
		if a.LastUploadAt == nil {
			t.Errorf("account %s says that it never had a row", a.ExternalID)
		}
	}
}

// rowID finds an undeleted row.
func (h holder) rowID(externalID string) uuid.UUID {
	h.t.Helper()
	var id uuid.UUID
	must(h.t, storetest.DB(h.t).SQL().QueryRow(
		`SELECT id FROM transactions WHERE organization_id = $1 AND external_id = $2 AND deleted_at IS NULL`, h.ID, externalID).Scan(&id))
	return id
}

func TestDataThatChangesBetweenTwoPagesIsFetchedAnew(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.pageSize = 2
	p.login(h.token, "p1")
	for i := range 5 {
		p.add(h.token, bought(fmt.Sprint("t", i), "p1", "1", "2026-05-03", "ROW"))
	}
	p.before = func(token string, n int) {
		switch n {
		case 2: // after the first page: one is gone, one is new
			p.remove(token, "p1", "t0")
			p.add(token, bought("t9", "p1", "9", "2026-05-09", "NEW"))
		case 5:
			p.modify(token, bought("t1", "p1", "2", "2026-05-03", "ROW"))
		}
	}
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	h.becomes("all pages of one state", "checking t1 -200 05-03 ROW", "checking t2 -100 05-03 ROW",
		"checking t3 -100 05-03 ROW", "checking t4 -100 05-03 ROW", "checking t9 -900 05-09 NEW")
	if n := h.count(`SELECT count(*) FROM transactions WHERE organization_id = $1`); n != 5 {
		t.Errorf("%d rows were stored, deleted ones included, want 5", n)
	}
	h.synced(now)
	if cursors := p.cursors(h.token); len(cursors) < 3 || cursors[2] != "" {
		t.Errorf("cursors %q: after the refusal the first of them is wanted", cursors)
	}
}

func TestDataThatChangesAllTheTimeIsTriedAgainLater(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.add(h.token, bought("t1", "p1", "1", "2026-05-03", "ROW"))
	p.fail(h.token, slices.Repeat([]failure{refuses(400, "TRANSACTIONS_ERROR",
		"TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION")}, 8)...)
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	eventually(t, "the feed is put off", func() bool {
		return h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND error_code = 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION'`) == 1
	})
	if n := p.asked(h.token); n != 6 {
		t.Errorf("asked %d times in one attempt, want 6", n)
	}
	now.Add(time.Minute)
	h.becomes("a minute later", "checking t1 -100 05-03 ROW")
}

func TestALoginErrorStopsAFeedUntilSomebodyActs(t *testing.T) {
	p, now, partner := newProvider(t), &clock{}, hold(t).partner
	c, said := syncing(t, p, now)
	run(t, c)
	row := bought("t1", "p1", "1", "2026-05-03", "ROW")
	var people []holder
	for _, refused := range []failure{
		refuses(400, "ITEM_ERROR", "ITEM_LOGIN_REQUIRED"), refuses(400, "INVALID_INPUT", "INVALID_ACCESS_TOKEN"),
		refuses(400, "ITEM_ERROR", "ITEM_LOGIN_REQUIRED"), refuses(400, "INVALID_INPUT", "INVALID_ACCESS_TOKEN"),
	} {
		h := holderOf(t, partner)
		p.login(h.token, "p1")
		p.add(h.token, row)
		p.fail(h.token, refused)
		h.snapshot(h.token, "checking")
		people = append(people, h)
	}
	stopped := func(h holder) bool {
		return h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND state = 'stopped'`) == 1
	}
	for _, h := range people {
		eventually(t, "the feed is stopped", func() bool { return stopped(h) })
	}
	now.Add(30 * 24 * time.Hour)
	goesOn(p, partner, t)
	for i, h := range people {
		if p.asked(h.token) != 1 || !stopped(h) {
			t.Errorf("the provider was asked %d times, want 1", p.asked(h.token))
		}
		token := h.token // whose login was repaired
		if i < 2 {
			token = "access-other-" + h.token
			p.login(token, "p1")
			p.add(token, row)
		}
		h.snapshot(token, "checking")
	}
	for _, h := range people {
		h.becomes("after the snapshot", "checking t1 -100 05-03 ROW")
	}
	if n := strings.Count(said.String(), `"msg":"feed stopped"`); n != len(people) {
		t.Errorf("%d feeds are said to have stopped, want %d", n, len(people))
	}
}

// goesOn waits until the worker has synced another person's feed, which shows that it looks for what is due.
func goesOn(p *provider, partner string, t testing.TB) {
	t.Helper()
	other := holderOf(t, partner)
	p.login(other.token, "p1")
	p.add(other.token, bought("t1", "p1", "1", "2026-05-03", "ROW"))
	other.snapshot(other.token, "checking")
	other.becomes("another person's feed", "checking t1 -100 05-03 ROW")
}

func TestAFeedThatFailsIsTriedAgainLaterAndLater(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.add(h.token, bought("t1", "p1", "1", "2026-05-03", "ROW"))
	p.fail(h.token,
		refuses(429, "RATE_LIMIT_EXCEEDED", "TRANSACTIONS_SYNC_LIMIT"),
		refuses(500, "API_ERROR", "INTERNAL_SERVER_ERROR"),
		failure{http.StatusBadGateway, []any{}}, failure{200, M{"hello": "world"}},
		failure{http.StatusTemporaryRedirect, p.server.URL + "/elsewhere"})
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	for attempt := 1; attempt <= 5; attempt++ {
		eventually(t, "the feed is put off", func() bool {
			return h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND attempts = $2 AND next_at = $3`,
				attempt, now.Now().Add(time.Minute<<(attempt-1))) == 1
		})
		if n := p.asked(h.token); n != attempt {
			t.Fatalf("asked %d times, want %d", n, attempt)
		}
		now.Add(time.Minute << (attempt - 1))
	}
	h.becomes("in the end", "checking t1 -100 05-03 ROW")
	h.synced(now)
	if n := h.count(`SELECT attempts FROM aggregation_feeds WHERE organization_id = $1`); n != 0 {
		t.Errorf("%d attempts after a success, want 0", n)
	}
}

func TestARateLimitHasAllFeedsRest(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.fail(h.token, refuses(429, "RATE_LIMIT_EXCEEDED", "TRANSACTIONS_SYNC_LIMIT"))
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	eventually(t, "the limit is met", func() bool {
		return h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND error_code = 'TRANSACTIONS_SYNC_LIMIT'`) == 1
	})
	other := holderOf(t, h.partner)
	p.login(other.token, "p1")
	p.add(other.token, bought("t1", "p1", "1", "2026-05-03", "ROW"))
	other.snapshot(other.token, "checking")
	eventually(t, "the other feed is due", func() bool {
		return other.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND next_at <= $2`,
			now.Now()) == 1
	})
	third := holderOf(t, h.partner)
	third.send("", "checking")
	eventually(t, "the worker went on",
		func() bool { return third.count(`SELECT count(*) FROM accounts WHERE organization_id = $1`) == 1 })
	if n := p.asked(other.token); n != 0 {
		t.Errorf("the provider was asked %d times while it refuses everybody", n)
	}
	now.Add(time.Minute)
	other.becomes("a minute later", "checking t1 -100 05-03 ROW")
}

func TestALoginThatIsNotPreparedYetIsAskedForSoon(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.change(h.token, func(it *item) { it.status = "NOT_READY" })
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	eventually(t, "it is asked for", func() bool { return p.asked(h.token) == 1 })
	p.add(h.token, bought("t1", "p1", "1", "2026-05-03", "RECENT"))
	p.change(h.token, func(it *item) { it.status = "INITIAL_UPDATE_COMPLETE" })
	next := func(after time.Duration) {
		eventually(t, "the feed is put off by "+after.String(), func() bool {
			return h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND next_at = $2`,
				now.Now().Add(after)) == 1
		})
	}
	next(time.Minute)
	now.Add(time.Minute)
	h.becomes("the newest rows", "checking t1 -100 05-03 RECENT")
	next(2 * time.Minute)
	p.add(h.token, bought("t0", "p1", "1", "2024-05-03", "OLD"))
	p.change(h.token, func(it *item) { it.status = "HISTORICAL_UPDATE_COMPLETE" })
	now.Add(2 * time.Minute)
	h.becomes("the history", "checking t0 -100 05-03 OLD", "checking t1 -100 05-03 RECENT")
	next(time.Hour)
}

func TestACursorThatTheProviderForgotIsTheStart(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.add(h.token, bought("t1", "p1", "1", "2026-05-03", "ROW"), bought("t2", "p1", "2", "2026-05-04", "ROW"))
	c, _ := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "checking")
	h.becomes("the first update", "checking t1 -100 05-03 ROW", "checking t2 -200 05-04 ROW")
	h.synced(now)
	p.remove(h.token, "p1", "t2")
	p.fail(h.token, refuses(400, "INVALID_REQUEST", "INVALID_FIELD"))
	p.add(h.token, bought("t3", "p1", "3", "2026-05-05", "ROW"))
	now.Add(time.Hour)
	h.becomes("from the start", "checking t1 -100 05-03 ROW", "checking t3 -300 05-05 ROW")
	if cursors := p.cursors(h.token); len(cursors) != 3 || cursors[1] == "" || cursors[2] != "" {
		t.Errorf("cursors %q, want the known one and then the start", cursors)
	}
}

// In the table an odd transaction stands between two ordinary ones.
func TestOddTransactionsHoldUpNobody(t *testing.T) {
	long := strings.Repeat("é", 5000)
	tests := map[string]struct {
		row  M
		want string // without the account; empty where it cannot be kept
	}{
		"half a cent is rounded to even": {bought("odd", "p1", "0.125", "2026-05-04", "ROW"), "odd -12 05-04 ROW"},
		"and up where that is even":      {bought("odd", "p1", "-0.135", "2026-05-04", "ROW"), "odd 14 05-04 ROW"},
		"exact beyond what floats hold": {bought("odd", "p1", "9007199254740.93", "2026-05-04", "ROW"),
			"odd -900719925474093 05-04 ROW"},
		"an exponent": {bought("odd", "p1", "1.1e2", "2026-05-04", "ROW"),
			"odd -11000 05-04 ROW"},
		"nothing":                        {bought("odd", "p1", "0", "2026-05-04", "ROW"), "odd 0 05-04 ROW"},
		"an amount beyond the bounds":    {bought("odd", "p1", "10000000000000", "2026-05-04", "ROW"), ""},
		"an amount that is a text":       {bought("odd", "p1", "1", "2026-05-04", "ROW", M{"amount": "12.50"}), ""},
		"no amount":                      {bought("odd", "p1", "1", "2026-05-04", "ROW", M{"amount": nil}), ""},
		"a day that is none":             {bought("odd", "p1", "1", "2026-02-30", "ROW"), ""},
		"a year that PostgreSQL has not": {bought("odd", "p1", "1", "0000-01-01", "ROW"), ""},
		"a wrong authorized date": {bought("odd", "p1", "1", "2026-05-04", "ROW",
			M{"authorized_date": "soon"}), "odd -100 05-04 ROW"},
		"no description": {bought("odd", "p1", "1", "2026-05-04", "  "),
			"odd -100 05-04 No description"},
		"a description that is too long": {bought("odd", "p1", "1", "2026-05-04", long),
			"odd -100 05-04 " + long[:2*4096]},
		"a NUL": {bought("odd", "p1", "1", "2026-05-04", "A\x00B"), "odd -100 05-04 A B"},
		"a currency without an ISO code": {bought("odd", "p1", "1", "2026-05-04", "ROW",
			M{"iso_currency_code": nil, "unofficial_currency_code": "BTC"}), "odd -100 05-04 BTC ROW"},
		"a currency that no column holds": {bought("odd", "p1", "1", "2026-05-04", "ROW",
			M{"iso_currency_code": nil, "unofficial_currency_code": "USDT"}), ""},
		"no currency at all": {bought("odd", "p1", "1", "2026-05-04", "ROW",
			M{"iso_currency_code": nil}), "odd -100 05-04 ROW"},
		"another form":           {M{"transaction_id": "odd", "account_id": 5, "amount": []any{}}, ""},
		"an id that is too long": {bought(strings.Repeat("x", 257), "p1", "1", "2026-05-04", "ROW"), ""},
		"no id":                  {bought("", "p1", "1", "2026-05-04", "ROW"), ""},
		"an unknown member": {bought("odd", "p1", "1", "2026-05-04", "ROW", M{"brand_new": M{}}),
			"odd -100 05-04 ROW"},
		"a pending one that names a pending": {bought("odd", "p1", "1", "2026-05-04", "ROW",
			M{"pending": true, "pending_transaction_id": "first"}), "odd -100 05-04 pending ROW"},
	}
	p, now, partner := newProvider(t), &clock{}, hold(t).partner
	c, said := syncing(t, p, now)
	run(t, c)
	people := map[string]holder{}
	for name, test := range tests {
		h := holderOf(t, partner)
		p.login(h.token, "p1")
		p.add(h.token, bought("first", "p1", "1", "2026-05-03", "ROW"), test.row,
			bought("last", "p1", "1", "2026-05-05", "ROW"))
		h.snapshot(h.token, "checking")
		people[name] = h
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			h := people[name]
			want := []string{"checking first -100 05-03 ROW", "checking last -100 05-05 ROW"}
			if test.want != "" {
				want = append(want, "checking "+test.want)
			}
			h.becomes("the rows", want...)
			told := func() bool {
				for line := range strings.Lines(said.String()) {
					if strings.Contains(line, h.ID.String()) && strings.Contains(line,
						`"msg":"transactions that cannot be kept"`) {
						return true
					}
				}
				return false
			}
			if test.want == "" {
				eventually(t, "somebody is told", told)
			} else if told() {
				t.Errorf("the log says that it cannot be kept: %s", said)
			}
		})
	}
}

func TestWithoutSettingsTokensAreKeptAndNotUsed(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	c, _ := syncing(t, p, now)
	c.Aggregation = nil
	run(t, c)
	h.snapshot(h.token, "checking")
	eventually(t, "the snapshot is applied", func() bool {
		return h.count(`SELECT count(*) FROM aggregation_tokens WHERE organization_id = $1 AND fingerprint IS NULL`) == 1
	})
	now.Add(48 * time.Hour)
	other := holderOf(t, h.partner)
	other.send(other.token, "checking")
	eventually(t, "the worker went on",
		func() bool { return other.count(`SELECT count(*) FROM accounts WHERE organization_id = $1`) == 1 })
	if n := h.count(`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1`); n != 0 ||
		p.asked(h.token) != 0 {
		t.Errorf("%d feeds, asked %d times", n, p.asked(h.token))
	}
}

func TestNoSecretIsLogged(t *testing.T) {
	p, now, h := newProvider(t), &clock{}, hold(t)
	p.login(h.token, "p1")
	p.add(h.token, bought("t1", "p1", "1", "2026-05-03", "ANA MERCER"),
		bought("odd", "p1", "1", "2026-02-30", "ANA MERCER"), bought("t3", "p2", "1", "2026-05-03", "ANA MERCER"))
	p.fail(h.token,
		failure{400, M{"error_type": "odd " + h.token, "error_code": "odd " + clientSecret,
			"request_id": "req " + h.token}},
		refuses(500, "API_ERROR", "INTERNAL_SERVER_ERROR"), failure{200, M{"access_token": h.token}},
		failure{http.StatusFound, p.server.URL + "/?token=" + h.token})
	c, said := syncing(t, p, now)
	run(t, c)
	h.snapshot(h.token, "p1")
	for attempt := 1; attempt <= 4; attempt++ {
		eventually(t, "the feed is put off", func() bool {
			return strings.Count(said.String(),
				`"feed not synced"`) == attempt
		})
		now.Add(time.Hour)
	}
	h.becomes("in the end", "p1 t1 -100 05-03 ANA MERCER")
	p.server.Close()
	now.Add(time.Hour)
	eventually(t, "nobody answers", func() bool { return strings.Count(said.String(), `"feed not synced"`) == 5 })
	p.login(h.token, "p1")
	for what, secret := range map[string]string{"the token": h.token, "the client's id": clientID,
		"the client's secret": clientSecret, "a person": "MERCER"} {
		if strings.Contains(strings.ToUpper(said.String()), strings.ToUpper(secret)) {
			t.Errorf("the log has %s: %s", what, said)
		}
	}
	for line := range strings.Lines(said.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}
