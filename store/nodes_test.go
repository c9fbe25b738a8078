package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
)

// loop is something that is done for all businesses together.
type loop struct {
	name    string
	table   string // it has what waits
	prepare string // has something wait in business $1
	waits   string // counts what does
	do      func(ctx context.Context, db *store.DB) error
}

var (
	late       = noon.AddDate(20, 0, 0)
	anyKeys, _ = seal.ParseKeys(seal.NewKey())
	loops      = []loop{
		{"late events", "pending_work",
			`UPDATE pending_work SET next_at = now() - interval '1 hour', attempts = 0 WHERE organization_id = $1`,
			`SELECT count(*) FROM pending_work WHERE organization_id = $1 AND attempts = 0`,
			func(ctx context.Context, db *store.DB) error { _, err := db.LateEvents(ctx, 10); return err }},
		{"events that the queue lost", "pending_work",
			`UPDATE pending_work SET next_at = now() + interval '1 hour' WHERE organization_id = $1`,
			`SELECT count(*) FROM pending_work WHERE organization_id = $1 AND next_at > now()`, func(ctx context.Context, db *store.DB) error { return db.RelayAll(ctx) }},
		{"rows that a month released", "limited_accounts",
			`INSERT INTO limited_accounts (organization_id, account_id, month)
			SELECT organization_id, id, '2026-01-01' FROM accounts WHERE organization_id = $1`,
			`SELECT count(*) FROM limited_accounts WHERE organization_id = $1`,
			func(ctx context.Context, db *store.DB) error { _, err := db.ReleaseMonth(ctx, late); return err }},
		{"rows that are allowed", "limited_accounts",
			`INSERT INTO limited_accounts (organization_id, account_id, month)
			SELECT organization_id, id, '2046-01-01' FROM accounts WHERE organization_id = $1 ON CONFLICT DO NOTHING`,
			`SELECT count(*) FROM limited_accounts WHERE organization_id = $1`,
			func(ctx context.Context, db *store.DB) error {
				_, err := db.ReleaseLimited(ctx, noon, 1_000)
				return err
			}},
		{"months", "report_dirty",
			`INSERT INTO report_dirty (organization_id, month) VALUES ($1, '2026-01-01')`,
			`SELECT count(*) FROM report_dirty WHERE organization_id = $1`,
			func(ctx context.Context, db *store.DB) error { _, err := db.RollUp(ctx, late, []int{1}); return err }},
		{"words", "words_added",
			`INSERT INTO words_added (organization_id) VALUES ($1)`,
			`SELECT count(*) FROM words_added WHERE organization_id = $1`,
			func(ctx context.Context, db *store.DB) error { _, err := db.IndexWords(ctx, late); return err }},
		{"counts", "transaction_counts_added",
			`INSERT INTO transaction_counts_added SELECT organization_id, id, 0, 0, 0, 0, 0, 0
			FROM accounts WHERE organization_id = $1`,
			`SELECT count(*) FROM transaction_counts_added WHERE organization_id = $1`,
			func(ctx context.Context, db *store.DB) error { _, err := db.AddUpCounts(ctx, late); return err }},
		{"rows to be decided anew", "standing_due",
			`INSERT INTO standing_due (organization_id) VALUES ($1)`,
			`SELECT count(*) FROM standing_due WHERE organization_id = $1
			   AND after = '00000000-0000-0000-0000-000000000000'`,
			func(ctx context.Context, db *store.DB) error { _, err := db.Restand(ctx, noon); return err }},
		{"feeds that are due", "aggregation_feeds",
			`UPDATE aggregation_feeds SET state = 'active', next_at = '2026-01-01', attempts = 0
			WHERE organization_id = $1`,
			`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND attempts = 0`,
			func(ctx context.Context, db *store.DB) error {
				_, err := db.ClaimDueFeeds(ctx, noon, time.Hour, 10)
				return err
			}},
		{"questions that closed", "outstanding_issues",
			`INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind,
			  question, why, impact_amount, impact_currency, transaction_count, options, allows_free_text, status,
			  created_at, ended_at)
			SELECT organization_id, gen_random_uuid(), object_type, 'closed', kind, question, why, impact_amount,
			  impact_currency, 0, options, allows_free_text, 'closed', created_at, '2026-01-01'
			FROM outstanding_issues WHERE organization_id = $1 LIMIT 1`,
			`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND object_id = 'closed'`,
			func(ctx context.Context, db *store.DB) error { _, err := db.RemoveQuestions(ctx, late); return err }},
		{"questions that were answered", "outstanding_issues",
			`UPDATE outstanding_issues
			SET status = 'answered', answer = 'x', answered_by = (SELECT id FROM persons LIMIT 1),
			  ended_at = '2026-01-01'
			WHERE organization_id = $1`,
			`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'answered'`,
			func(ctx context.Context, db *store.DB) error { _, err := db.RemoveAnswered(ctx, late); return err }},
		{"texts of before", "transaction_words",
			`INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
			SELECT organization_id, false, ARRAY[id], ARRAY['of before'] FROM transactions WHERE organization_id = $1`,
			`SELECT count(*) FROM transaction_words WHERE organization_id = $1 AND texts @> ARRAY['of before']`,
			func(ctx context.Context, db *store.DB) error {
				_, _, _, err := db.RemoveTexts(ctx, store.TextPlace{})
				return err
			}},
		{"deleted rows", "transactions",
			`UPDATE transactions SET deleted_at = '2026-01-01' WHERE organization_id = $1`,
			`SELECT count(*) FROM transactions WHERE organization_id = $1 AND deleted_at IS NOT NULL AND description <> ''`,
			func(ctx context.Context, db *store.DB) error { _, _, err := db.EmptyDeleted(ctx, late); return err }},
		{"tokens", "aggregation_tokens",
			`INSERT INTO aggregation_tokens (organization_id, account_id, sealed, updated_at)
			SELECT organization_id, id, 'x', now() FROM accounts WHERE organization_id = $1
			ON CONFLICT (organization_id, account_id) DO UPDATE
			SET joined = false, feed_account = NULL`,
			`SELECT count(*) FROM aggregation_tokens WHERE organization_id = $1 AND NOT joined`,
			func(ctx context.Context, db *store.DB) error { _, err := db.EnrolFeeds(ctx, noon, anyKeys); return err }},
	}
	// erasing finds on one machine whom it erases.
	erasing = loop{"businesses that nobody is in", "memberships",
		`UPDATE memberships SET revoked_at = '2020-01-01' WHERE organization_id = $1`,
		`SELECT count(*) FROM organizations WHERE id = $1`,
		func(ctx context.Context, db *store.DB) error {
			_, err := db.EraseDisconnected(ctx, noon, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC))
			return err
		}}
)

// wait has something wait in businesses, and returns how much.
func (l loop) wait(t *testing.T, businesses ...tenant) map[uuid.UUID]int {
	t.Helper()
	waiting := map[uuid.UUID]int{}
	for _, b := range businesses {
		change(t, l.prepare, b.ID)
		if waiting[b.ID] = count(t, l.waits, b.ID); waiting[b.ID] == 0 {
			t.Errorf("%s: nothing waits", l.name)
		}
	}
	return waiting
}

// through does it until nothing of some businesses waits, and returns what failed meanwhile.
func (l loop) through(t *testing.T, db *store.DB, businesses ...tenant) error {
	t.Helper()
	var failures []error
	left := func() (n int) {
		for _, b := range businesses {
			n += count(t, l.waits, b.ID)
		}
		return n
	}
	for range 50 { // others may wait, too
		failures = append(failures, l.do(t.Context(), db))
		if left() == 0 {
			return errors.Join(failures...)
		}
	}
	t.Errorf("%s: %d still wait: %v", l.name, left(), errors.Join(failures...))
	return errors.Join(failures...)
}

// What waits is looked for node by node: while one is away, whatever is done for all businesses is done for those
// elsewhere, and those on it are left as they are.
func TestWhileANodeIsAwayTheBusinessesElsewhereAreWorkedOn(t *testing.T) {
	t.Parallel()
	here, away, elsewhere := furnished(t), furnished(t), furnished(t)
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{MaxConnections: 2})
	must(t, err)
	defer db.Close()
	must(t, store.SpreadOver(db, map[string][]uuid.UUID{"here": {here.ID}, store.NobodyThere: {away.ID}}))
	for _, l := range loops {
		before := l.wait(t, here, away, elsewhere)
		err := l.do(t.Context(), db)
		if err != nil && !errors.Is(err, store.ErrAway) {
			t.Errorf("%s: %v", l.name, err)
		}
		if n := count(t, l.waits, here.ID); n != 0 {
			t.Errorf("%s: of a business on a node that is there, %d wait afterwards (%v)", l.name, n, err)
		}
		for _, b := range []tenant{away, elsewhere} {
			if n := count(t, l.waits, b.ID); n != before[b.ID] {
				t.Errorf("%s: of a business on another node, %d waited before and %d afterwards", l.name, before[b.ID],
					n)
			}
		}
	}
	b, err := db.Backlog(t.Context())
	if err != nil || b.Away != 1 {
		t.Errorf("the backlog says that %d nodes are away (%v), want 1", b.Away, err)
	}
	turn, err := db.Organization(here.ID).TakeTurn(t.Context(), store.AnyTurn)
	must(t, err)
	if line, err := db.Organization(here.ID).EndTurn(t.Context(), turn); err != nil || !line.Left || line.Others {
		t.Errorf("a turn ends with %+v (%v), want something left and nobody else that waits", line, err)
	}
}

// However much of one business waits, and for however long, where businesses are taken one by one the others come, too.
func TestABusinessOfWhichMuchWaitsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	large, small := furnished(t), furnished(t)
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{MaxConnections: 2})
	must(t, err)
	defer db.Close()
	must(t, store.SpreadOver(db, map[string][]uuid.UUID{"here": {large.ID, small.ID}}))
	_, err = storetest.DB(t).SQL().Exec(`
		INSERT INTO report_dirty (organization_id, month, at)
		SELECT $1::uuid, '2000-01-01'::date + n * interval '1 month', '2000-01-01'::timestamptz
		FROM generate_series(1, 300) AS n
		UNION ALL
		SELECT $2::uuid, '2000-01-01', '2001-01-01'`, large.ID, small.ID)
	must(t, err)
	_, err = db.RollUp(t.Context(), late, []int{1})
	must(t, err)
	if n := count(t, `SELECT count(*) FROM report_dirty WHERE organization_id = $1 AND at < '2002-01-01'`,
		small.ID); n != 0 {
		t.Error("the month of the other still waits")
	}
}

// On one machine a statement is one for all businesses. Where it fails by one of them, it is done for the others, each
// by itself, and that one is tried again until it does not fail.
func TestABusinessThatFailsHoldsUpNoOther(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: a trigger breaks what it does, and there are none")
	}
	db := alone(t)
	for _, l := range append(slices.Clip(loops), erasing) {
		t.Run(l.name, func(t *testing.T) {
			failing, one, another := furnished(t), furnished(t), furnished(t)
			before := l.wait(t, failing, one, another)
			mend := l.breakFor(t, failing)
			err := l.through(t, db, one, another)
			if err == nil || !strings.Contains(err.Error(), failing.ID.String()) {
				t.Errorf("the failure of %s is said as %v", failing.ID, err)
			}
			if n := count(t, l.waits, failing.ID); n != before[failing.ID] {
				t.Errorf("of what fails %d waited before and %d afterwards", before[failing.ID], n)
			}
			if err := l.do(t.Context(), db); err != nil {
				t.Errorf("while it rests others are done: %v", err)
			}
			store.RestFor(db, 1)
			if err := l.do(t.Context(), db); err == nil || !strings.Contains(err.Error(), failing.ID.String()) {
				t.Errorf("after its rest it is tried again, and said: %v", err)
			}
			mend()
			if err := l.through(t, db, failing); err != nil {
				t.Errorf("mended it is done: %v", err)
			}
			store.RestFor(db, 0)
		})
	}
}

// breakFor has every change of what waits in a business fail, until it is mended.
func (l loop) breakFor(t *testing.T, b tenant) (mend func()) {
	t.Helper()
	sql, name := storetest.DB(t).SQL(), "fails_"+strings.ReplaceAll(b.ID.String(), "-", "_")
	_, err := sql.Exec(fmt.Sprintf(`
		CREATE FUNCTION %[1]s() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
		  RAISE EXCEPTION 'broken';
		END $$;
		CREATE TRIGGER %[1]s BEFORE UPDATE OR DELETE ON %[2]s
		FOR EACH ROW WHEN (OLD.organization_id = '%[3]s') EXECUTE FUNCTION %[1]s()`, name, l.table, b.ID))
	must(t, err)
	mend = sync.OnceFunc(func() {
		_, err := sql.Exec(fmt.Sprintf(`DROP FUNCTION %s CASCADE`, name))
		must(t, err)
	})
	t.Cleanup(mend)
	return mend
}

// Rows that somebody holds in the middle of a transaction are left for later, and others come meanwhile.
func TestABusinessThatIsHeldHoldsUpNoOther(t *testing.T) {
	db := alone(t)
	for _, l := range append(slices.Clip(loops), erasing) {
		t.Run(l.name, func(t *testing.T) {
			held, one, another := furnished(t), furnished(t), furnished(t)
			before := l.wait(t, held, one, another)
			tx, err := storetest.DB(t).SQL().Begin()
			must(t, err)
			defer tx.Rollback()
			_, err = tx.Exec(`SET LOCAL idle_in_transaction_session_timeout = 0`) // on several nodes it takes a while
			must(t, err)
			_, err = tx.Exec(`SELECT FROM `+l.table+` WHERE organization_id = $1 FOR UPDATE`, held.ID)
			must(t, err)
			err = l.through(t, db, one, another)
			waited := slices.Contains([]string{"standing_due", "transaction_words", "transactions",
				"aggregation_tokens", "memberships"},
				l.table)
			if err != nil && !(waited && errors.Is(err, store.ErrBusy)) {
				t.Errorf("what others hold is waited for: %v", err)
			}
			if n := count(t, l.waits, held.ID); n != before[held.ID] {
				t.Errorf("of what is held %d waited before and %d afterwards", before[held.ID], n)
			}
			must(t, tx.Rollback())
			store.RestFor(db, 1)
			if err := l.through(t, db, held); err != nil {
				t.Errorf("afterwards it is done: %v", err)
			}
			store.RestFor(db, 0)
		})
	}
}

// A coordinator that did not reach a node says so by class 08. Nothing was stored where the statement only reads, or is
// in a transaction that is not committed; where it is a transaction by itself, nobody knows.
func TestOnlyWhatWasCertainlyNotStoredIsOutOfReach(t *testing.T) {
	t.Parallel()
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: a trigger stands for a node that is away, and there are none")
	}
	b, ctx := furnished(t), t.Context()
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{MaxConnections: 2})
	must(t, err)
	defer db.Close()
	store.TakeForSpread(db)
	name := "away_" + strings.ReplaceAll(b.ID.String(), "-", "_")
	_, err = storetest.DB(t).SQL().Exec(fmt.Sprintf(`
		CREATE FUNCTION %[1]s() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
		  RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
		END $$;
		CREATE FUNCTION read_%[1]s() RETURNS integer LANGUAGE plpgsql AS $$
		BEGIN
		  RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
		END $$;
		CREATE TRIGGER %[1]s BEFORE UPDATE ON pending_work
		FOR EACH ROW WHEN (OLD.organization_id = '%[2]s') EXECUTE FUNCTION %[1]s()`, name, b.ID))
	must(t, err)
	t.Cleanup(func() {
		_, err := storetest.DB(t).SQL().Exec(fmt.Sprintf(`DROP FUNCTION %[1]s CASCADE; DROP FUNCTION read_%[1]s`, name))
		must(t, err)
	})
	o := db.Organization(b.ID)
	if _, err := o.NextEvent(ctx, store.Turn{OrganizationID: b.ID, Number: 1}); !errors.Is(err, store.ErrAway) {
		t.Errorf("a write before its commit: %v", err)
	}
	if err := o.RelayNow(ctx); err == nil || errors.Is(err, store.ErrAway) {
		t.Errorf("a write that is a transaction by itself: %v", err)
	}
	for query, away := range map[string]bool{`SELECT read_` + name + `()`: true,
		`WITH r AS (DELETE FROM words_added WHERE false RETURNING 1) SELECT read_` + name + `() FROM pending_work`: false} {
		_, err := db.SQL().QueryContext(ctx, query)
		if err = store.Translate(ctx, err); errors.Is(err, store.ErrAway) != away {
			t.Errorf("%s: %v", query, err)
		}
		statement, err := db.SQL().PrepareContext(ctx, query)
		must(t, err)
		_, err = statement.QueryContext(ctx)
		if err = store.Translate(ctx, err); errors.Is(err, store.ErrAway) != away {
			t.Errorf("prepared, %s: %v", query, err)
		}
		must(t, statement.Close())
	}
}

// The locks of a business are taken at the coordinator, so nothing is written by another way.
func TestNothingIsWrittenStraightToANode(t *testing.T) {
	t.Parallel()
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: one machine stands for a node")
	}
	address, err := url.Parse(storetest.DatabaseURL(t))
	must(t, err)
	network, target := "tcp", address.Host
	if folder := address.Query().Get("host"); folder != "" {
		network, target = "unix", filepath.Join(folder, ".s.PGSQL.5432")
	}
	line := storetest.NewLine(t, network, target)
	failures, err := store.WriteOn(storetest.DB(t), line.Address, `DELETE FROM turns WHERE false`)
	must(t, err)
	for _, failed := range failures {
		var refused *pq.Error
		if !errors.As(failed, &refused) || refused.Code != "25006" { // read_only_sql_transaction
			t.Errorf("a write ends with %v", failed)
		}
	}
}

// alone is a pool of the tests' database for a test that nobody runs beside: it does things for all businesses.
func alone(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{LockTimeout: 200 * time.Millisecond})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// On a database that is spread, what waits is done wherever the business is.
func TestOnSeveralNodesAllThatWaitsIsDone(t *testing.T) {
	if !storetest.OnCitus() {
		t.Skip("NOT TRIED: it needs a Citus")
	}
	db := alone(t)
	for _, l := range loops {
		t.Run(l.name, func(t *testing.T) {
			businesses := []tenant{furnished(t), furnished(t), furnished(t), furnished(t)}
			l.wait(t, businesses...)
			if err := l.through(t, db, businesses...); err != nil {
				t.Error(err)
			}
		})
	}
}
