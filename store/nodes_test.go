package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
)

// What waits is looked for node by node: while one is away, whatever is done for all businesses is done for those
// elsewhere, and those on it are left as they are.
func TestWhileANodeIsAwayTheBusinessesElsewhereAreWorkedOn(t *testing.T) {
	t.Parallel()
	here, away, elsewhere := furnished(t), furnished(t), furnished(t)
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{MaxConnections: 2})
	must(t, err)
	defer db.Close()
	must(t, store.SpreadOver(db, map[string][]uuid.UUID{"here": {here.ID}, store.NobodyThere: {away.ID}}))
	keys, err := seal.ParseKeys(seal.NewKey())
	must(t, err)
	late := noon.AddDate(20, 0, 0)
	for _, c := range []struct {
		name    string
		prepare string // has something wait in business $1
		waits   string // counts what does
		do      func(ctx context.Context) error
	}{
		{"late events", `UPDATE pending_work SET next_at = now() - interval '1 hour', attempts = 0 WHERE organization_id = $1`,
			`SELECT count(*) FROM pending_work WHERE organization_id = $1 AND attempts = 0`,
			func(ctx context.Context) error { _, err := db.LateEvents(ctx, 10); return err }},
		{"events that the queue lost", `UPDATE pending_work SET next_at = now() + interval '1 hour' WHERE organization_id = $1`,
			`SELECT count(*) FROM pending_work WHERE organization_id = $1 AND next_at > now()`, db.RelayAll},
		{"rows that a month released", `INSERT INTO limited_accounts (organization_id, account_id, month)
			SELECT organization_id, id, '2026-01-01' FROM accounts WHERE organization_id = $1`,
			`SELECT count(*) FROM limited_accounts WHERE organization_id = $1`,
			func(ctx context.Context) error { _, err := db.ReleaseMonth(ctx, late); return err }},
		{"rows that are allowed", `INSERT INTO limited_accounts (organization_id, account_id, month)
			SELECT organization_id, id, '2046-01-01' FROM accounts WHERE organization_id = $1 ON CONFLICT DO NOTHING`,
			`SELECT count(*) FROM limited_accounts WHERE organization_id = $1`,
			func(ctx context.Context) error { _, err := db.ReleaseLimited(ctx, noon, 1_000); return err }},
		{"months", `INSERT INTO report_dirty (organization_id, month) VALUES ($1, '2026-01-01')`,
			`SELECT count(*) FROM report_dirty WHERE organization_id = $1`,
			func(ctx context.Context) error { _, err := db.RollUp(ctx, late, []int{1}); return err }},
		{"words", `INSERT INTO words_added (organization_id) VALUES ($1)`,
			`SELECT count(*) FROM words_added WHERE organization_id = $1`,
			func(ctx context.Context) error { _, err := db.IndexWords(ctx, late); return err }},
		{"counts", `INSERT INTO transaction_counts_added SELECT organization_id, id, 0, 0, 0, 0, 0, 0
			FROM accounts WHERE organization_id = $1`,
			`SELECT count(*) FROM transaction_counts_added WHERE organization_id = $1`,
			func(ctx context.Context) error { _, err := db.AddUpCounts(ctx, late); return err }},
		{"rows to be decided anew", `INSERT INTO standing_due (organization_id) VALUES ($1)`,
			`SELECT count(*) FROM standing_due WHERE organization_id = $1
			   AND after = '00000000-0000-0000-0000-000000000000'`,
			func(ctx context.Context) error { _, err := db.Restand(ctx, noon); return err }},
		{"feeds that are due", `UPDATE aggregation_feeds SET state = 'active', next_at = '2026-01-01', attempts = 0
			WHERE organization_id = $1`,
			`SELECT count(*) FROM aggregation_feeds WHERE organization_id = $1 AND attempts = 0`,
			func(ctx context.Context) error { _, err := db.ClaimDueFeeds(ctx, noon, time.Hour, 10); return err }},
		{"questions that closed", `INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind,
			  question, why, impact_amount, impact_currency, transaction_count, options, allows_free_text, status,
			  created_at, ended_at)
			SELECT organization_id, gen_random_uuid(), object_type, 'closed', kind, question, why, impact_amount,
			  impact_currency, 0, options, allows_free_text, 'closed', created_at, '2026-01-01'
			FROM outstanding_issues WHERE organization_id = $1 LIMIT 1`,
			`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND object_id = 'closed'`,
			func(ctx context.Context) error { _, err := db.RemoveQuestions(ctx, late); return err }},
		{"questions that were answered", `UPDATE outstanding_issues
			SET status = 'answered', answer = 'x', answered_by = (SELECT id FROM persons LIMIT 1), ended_at = '2026-01-01'
			WHERE organization_id = $1`,
			`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'answered'`,
			func(ctx context.Context) error { _, err := db.RemoveAnswered(ctx, late); return err }},
		{"texts of before", `INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
			SELECT organization_id, false, ARRAY[id], ARRAY['of before'] FROM transactions WHERE organization_id = $1`,
			`SELECT count(*) FROM transaction_words WHERE organization_id = $1 AND texts @> ARRAY['of before']`,
			func(ctx context.Context) error { _, _, _, err := db.RemoveTexts(ctx, store.TextPlace{}); return err }},
		{"deleted rows", `UPDATE transactions SET deleted_at = '2026-01-01' WHERE organization_id = $1`,
			`SELECT count(*) FROM transactions WHERE organization_id = $1 AND deleted_at IS NOT NULL AND description <> ''`,
			func(ctx context.Context) error { _, _, err := db.EmptyDeleted(ctx, late); return err }},
		{"tokens", `INSERT INTO aggregation_tokens (organization_id, account_id, sealed, updated_at)
			SELECT organization_id, id, 'x', now() FROM accounts WHERE organization_id = $1
			ON CONFLICT (organization_id, account_id) DO UPDATE
			SET joined = false, feed_account = NULL`,
			`SELECT count(*) FROM aggregation_tokens WHERE organization_id = $1 AND NOT joined`,
			func(ctx context.Context) error { _, err := db.EnrolFeeds(ctx, noon, keys); return err }},
	} {
		before := map[uuid.UUID]int{}
		for _, b := range []tenant{here, away, elsewhere} {
			_, err := storetest.DB(t).SQL().Exec(c.prepare, b.ID)
			must(t, err)
			if before[b.ID] = count(t, c.waits, b.ID); before[b.ID] == 0 {
				t.Errorf("%s: nothing waits", c.name)
			}
		}
		err := c.do(t.Context())
		if err != nil && !errors.Is(err, store.ErrAway) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := count(t, c.waits, here.ID); n != 0 {
			t.Errorf("%s: of a business on a node that is there, %d wait afterwards (%v)", c.name, n, err)
		}
		for _, b := range []tenant{away, elsewhere} {
			if n := count(t, c.waits, b.ID); n != before[b.ID] {
				t.Errorf("%s: of a business on another node, %d waited before and %d afterwards", c.name, before[b.ID], n)
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
