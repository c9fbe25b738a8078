package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/migrations"
)

// beforeNoted is the last step of programs that told by names, and by what people are told, which answer a row follows.
const beforeNoted = 43

// Rows that were decided before their answer was noted with them are given the newest one that they may follow, and no
// others are.
func TestTheStepNotesTheAnswersBehindRows(t *testing.T) {
	t.Parallel()
	db := emptyDatabase(t).SQL()
	_, err := migrations.UpTo(t.Context(), db, beforeNoted)
	must(t, err)
	for _, statement := range []string{
		`CREATE FUNCTION id(kind text, n text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
		 SELECT md5(kind || n)::uuid $$`,
		`INSERT INTO partners (id, name, created_at) VALUES ('p', 'P', now())`,
		`INSERT INTO organizations (id, partner_id, business_id, name, tier, created_at)
		 SELECT id('o', n), 'p', n, 'B', 'paid', now() FROM unnest(ARRAY ['1', '2']) n`,
		`INSERT INTO sources (organization_id, id, kind, partner_id, state, created_at)
		 SELECT id, id, 'api', 'p', 'connected', now() FROM organizations`,
		`INSERT INTO accounts (organization_id, id, source_id, external_id, name, type, currency,
		    current_balance, status,
		   created_at, updated_at)
		 SELECT id, id, id, 'a', 'A', 'depository', 'USD', 0, 'active', now(), now() FROM organizations`,
		`INSERT INTO counterparties (organization_id, id, key, name, type, relationship, confidence, last_date,
		   created_at, updated_at)
		 SELECT o.id, id('c', n), n, initcap(n), 'merchant', 'vendor', 9000, '2026-01-01', now(), now()
		 FROM organizations o, unnest(ARRAY ['acme', 'bolt']) n WHERE business_id = '1'`,
		`INSERT INTO answers (organization_id, id, hook, level, status, answer, via, answered_at)
		 SELECT id('o', '1'), id('a', n), n, 1, 'accepted', n, 'person', now()
		 FROM unnest(ARRAY ['acme', 'acme again', 'tax', 'checks', 'rents', 'note', 'to savings']) n`,
		`INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, category_id, note,
		   answer_id, created_at)
		 SELECT id('o', '1'), gen_random_uuid(), key, incoming, -100, category, note, id('a', answer),
		        created::timestamptz
		 FROM (VALUES
		   ('acme', false, 3220, NULL, 'acme', '2026-01-01'),
		   ('acme', false, 3220, NULL, 'acme again', '2026-01-02'),
		   ('company:sales_tax', false, 3250, NULL, 'tax', '2026-01-03'),
		   ('lines:checks', false, 3110, NULL, 'checks', '2026-01-04'),
		   ('use:expense.rent:', false, 3200, NULL, 'rents', '2026-01-05'),
		   ('family:people', false, NULL, 'half of it is private', 'note', '2026-01-06'),
		   ('transfer:savings', false, 9100, NULL, 'to savings', '2026-01-07'))
		   AS b (key, incoming, category, note, answer, created)`,
		`INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at,
		   processed_date, external_id, currency, description, processing, category_id, category_confidence,
		   category_source, category_reason, suggested_id, suggested_confidence, suggested_reason, context,
		   counterparty_id, merchant)
		 SELECT id('o', business), id('t', name), id('o', business), id('o', business), amount, now(), now(),
		        '2026-01-01', name, 'USD', name, 'processed', category, CASE WHEN category IS NOT NULL THEN 9000 END,
		        source, reason, suggested, CASE WHEN suggested IS NOT NULL THEN 7000 END, suggestion, context,
		        CASE WHEN party IS NOT NULL THEN id('c', party) END, initcap(party)
		 FROM (VALUES
		   ('1', 'of acme', -100, 3220, 'memory', 'so once', NULL, NULL, NULL, 'acme'),
		   ('1', 'in from acme', 100, 3220, 'memory', 'so once', NULL, NULL, NULL, 'acme'),
		   ('1', 'by rule', -100, 3220, 'rule', 'so it reads', NULL, NULL, NULL, 'acme'),
		   ('1', 'seems', -100, NULL, NULL, NULL, 3220, 'so it reads', NULL, 'acme'),
		   ('1', 'tax', -100, 3250, 'memory',
		    'Sales tax passed on to the state; whether receipts include it was answered before', NULL, NULL,
		    NULL, 'bolt'),
		   ('1', 'rent', -100, 3200, 'memory', 'What payments like it are was answered before', NULL, NULL, NULL,
		    'bolt'),
		   ('1', 'check', -100, NULL, NULL, NULL, 3110,
		    'What was answered of most that are like it; this one was not among them', NULL, NULL),
		   ('1', 'noted', -100, NULL, NULL, NULL, 3110, 'a guess', E'mine\nhalf of it is private', NULL),
		   ('1', 'from savings', 100, 9100, 'memory', 'What payments like it are was answered before', NULL, NULL,
		    NULL, 'bolt'),
		   ('2', 'of another', -100, 3220, 'memory', 'What payments like it are was answered before', NULL, NULL, NULL,
		    NULL))
		   AS t (business, name, amount, category, source, reason, suggested, suggestion, context, party)`,
	} {
		_, err := db.Exec(`SET session_replication_role = replica; ` + statement +
			`; SET session_replication_role = DEFAULT`)
		must(t, err)
	}
	_, err = migrations.UpTo(t.Context(), db, beforeNoted+1)
	must(t, err)
	got := column(t, db, `
		SELECT concat_ws(': ', t.external_id, a.answer)
		FROM transactions t
		LEFT JOIN answers a ON a.id = t.answer_id
		ORDER BY t.external_id`)
	want := []string{"by rule", "check: checks", "from savings: to savings", "in from acme: acme again", "noted: note",
		"of acme: acme again", "of another", "rent: rents", "seems", "tax: tax"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the answers that rows follow, want (-) and got (+):\n%s", diff)
	}
}
