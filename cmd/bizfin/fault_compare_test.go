package main

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/store/storetest"
)

// drain waits until everything is processed, without a hand in it, and returns how long that took.
func (f *faults) drain() time.Duration {
	f.t.Helper()
	began, told := time.Now(), time.Now()
	f.wait("all events and snapshots are processed", 3*time.Minute, func() bool {
		if time.Since(told) > 3*time.Second {
			told = time.Now()
			f.tellWaiting(time.Since(began))
		}
		var left int
		err := f.db.SQL().QueryRow(`
			SELECT (SELECT count(*) FROM pending_work)
			     + (SELECT count(*) FROM account_snapshots WHERE state = 'pending')`).Scan(&left)
		return err == nil && left == 0
	})
	return time.Since(began)
}

// tellWaiting logs what is not processed yet, and what it waits for.
func (f *faults) tellWaiting(since time.Duration) {
	var waiting string
	err := f.db.SQL().QueryRow(`
		SELECT concat_ws('; ', (SELECT count(*) FROM account_snapshots WHERE state = 'pending') || ' snapshots',
		         string_agg(format(
		           'an account of %s: due in %s s, sent %s times; turn %s leased for %s s, %s failures', o.name,
		           round(extract(epoch FROM w.next_at - now()), 1), w.attempts, t.number,
		           coalesce(round(extract(epoch FROM t.leased_until - now()), 1), 0), t.failures), '; '))
		FROM pending_work w
		JOIN organizations o ON o.id = w.organization_id
		LEFT JOIN turns t ON t.organization_id = w.organization_id`).Scan(&waiting)
	f.t.Logf("%v after the last fault wait %s (%v)", since.Round(time.Second), waiting, err)
}

// compare holds what is stored against the model, and what is kept beside the rows against the rows.
func (f *faults) compare() {
	for _, w := range f.writers {
		f.compareRows(w)
	}
	f.webhook.compare()
	for _, b := range []*business{f.limited, f.paid, f.raised} {
		f.compareProcessing(b)
		f.compareQuestions(b)
		f.compareProfile(b)
		f.compareReports(b)
	}
	f.compareMonth()
	if err := storetest.CountsAreExact(f.t.Context(), f.db.SQL()); err != nil {
		f.t.Error(err)
	}
	f.compareAnswers()
}

func (f *faults) compareProcessing(b *business) {
	f.none(b, "rows that are not processed", `
		SELECT count(*)
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		  AND processing <> 'processed'
		  AND (processing <> 'limited' OR $2)`, b != f.limited)
	f.none(b, "counterparties that are there twice",
		`SELECT count(*) - count(DISTINCT key) FROM counterparties WHERE organization_id = $1`)
	f.none(b, "pairs of transfers of which one leg does not know the other", `
		SELECT count(*)
		FROM transactions t
		JOIN transactions other ON other.organization_id = t.organization_id AND other.id = t.transfer_id
		WHERE t.organization_id = $1
		  AND (other.transfer_id IS DISTINCT FROM t.id OR t.amount <> -other.amount OR other.deleted_at IS NOT NULL)`)
	f.none(b, "rows whose text no search finds", `
		SELECT count(*)
		FROM transactions t
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		  AND processing = 'processed'
		  AND NOT EXISTS (
		    SELECT
		    FROM transaction_words w
		    CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
		    WHERE w.organization_id = $1 AND u.id = t.id
		      AND u.text = lower(concat(t.merchant, E'\n', t.description, E'\n', t.context)))`)
}

func (f *faults) compareQuestions(b *business) {
	f.none(b, "questions that are open twice", `
		SELECT count(*) - count(DISTINCT (group_key, incoming))
		FROM outstanding_issues
		WHERE organization_id = $1 AND status = 'open'`)
	// What was kept of payouts is asked while they stand: they need no attention for it.
	f.none(b, "rows that need attention without a question, or the reverse", `
		SELECT count(*)
		FROM transactions t
		WHERE organization_id = $1
		  AND needs_attention <> EXISTS (
		    SELECT
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = $1 AND it.transaction_id = t.id AND i.status = 'open'
		      AND (t.category_id IS NULL OR coalesce(i.group_key, '') NOT LIKE 'use:revenue.sales.%\_payouts:%'))`)
	f.none(b, "open questions that count other rows or amounts than they have", `
		SELECT count(*)
		FROM outstanding_issues i
		CROSS JOIN LATERAL (
		  SELECT count(*) AS rows, coalesce(sum(abs(t.amount)), 0) AS amount
		  FROM issue_transactions it
		  JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		  WHERE it.organization_id = $1 AND it.issue_id = i.id) r
		WHERE i.organization_id = $1
		  AND i.status = 'open'
		  AND (i.transaction_count <> r.rows OR i.impact_amount <> r.amount)`)
	f.none(b, "open questions without a row, but for those about the business, or about deleted rows", `
		SELECT count(*)
		FROM outstanding_issues i
		WHERE organization_id = $1
		  AND status = 'open'
		  AND (object_type <> 'company' AND NOT EXISTS (
		      SELECT
		      FROM issue_transactions it
		      WHERE it.organization_id = $1 AND it.issue_id = i.id)
		    OR EXISTS (
		      SELECT
		      FROM issue_transactions it
		      JOIN transactions t ON t.organization_id = $1 AND t.id = it.transaction_id
		      WHERE it.organization_id = $1 AND it.issue_id = i.id AND t.deleted_at IS NOT NULL))`)
	if !b.rewords && !b.deletes { // each row is decided once, and no question closes and opens again
		f.none(b, "questions that are asked twice", `
			SELECT count(*) - count(DISTINCT (group_key, incoming))
			FROM outstanding_issues
			WHERE organization_id = $1`)
	}
}

// compareMonth holds the business that does not pay against its month: each row was spent once, and no row that fits
// was left. A run at the turn of a month has two.
func (f *faults) compareMonth() {
	var spent, months, decided, open int64
	err := f.db.SQL().QueryRow(`
		SELECT coalesce(sum(processed), 0), count(*),
		       (SELECT count(*)
		        FROM transactions
		        WHERE organization_id = $1 AND NOT never_decided(alternatives)),
		       (SELECT count(*)
		        FROM transactions
		        WHERE organization_id = $1 AND never_decided(alternatives) AND deleted_at IS NULL)
		FROM processing_months
		WHERE organization_id = $1`, f.limited.id).Scan(&spent, &months, &decided, &open)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Logf("the month allows %d rows: %d were decided, %d were not", f.month, decided, open)
	if decided != spent || spent > f.month*months || open > 0 && spent < f.month {
		f.t.Errorf("%d rows were decided, %d were spent of %d, and %d are left", decided, spent, f.month, open)
	}
}

// compareAnswers looks for each acknowledged answer, and for what follows from it.
func (f *faults) compareAnswers() {
	for id, a := range f.person.answered {
		var status, text, option string
		err := f.db.SQL().QueryRow(`
			SELECT status, coalesce(answer, ''), coalesce(selected_option, '')
			FROM outstanding_issues
			WHERE organization_id = $1 AND id = $2`, f.paid.id, id).Scan(&status, &text, &option)
		if err != nil {
			f.t.Fatal(err)
		}
		if status != "answered" || text != a.text || option != a.option {
			f.t.Errorf("the answer %q was acknowledged, and the question is %s by %q %q", a, status, text, option)
		}
		if node, ok := ontology.ScheduleC().ByPath(a.option); ok && node.Assignable {
			f.none(f.paid, "rows of an answered question that are not the user's", `
				SELECT count(*)
				FROM issue_transactions it
				JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
				WHERE it.organization_id = $1
				  AND it.issue_id = $2
				  AND t.category_source IS DISTINCT FROM 'user'`, id)
		}
	}
	for id, a := range f.person.kept {
		var kept, repeated int // who says something else in between may say it again
		err := f.db.SQL().QueryRow(`
			SELECT count(*), count(*) FILTER (WHERE status = status_before AND answer = answer_before)
			FROM (
			  SELECT status, answer, lag(status) OVER (ORDER BY answered_at, id) AS status_before,
			         lag(answer) OVER (ORDER BY answered_at, id) AS answer_before
			  FROM answers
			  WHERE organization_id = $1
			    AND issue_id = $2) a
			WHERE answer = $3
			  AND status = 'unclear'`, f.paid.id, id, a.text).Scan(&kept, &repeated)
		if err != nil || kept == 0 || repeated > 0 {
			f.t.Errorf("the words %q were acknowledged, and are kept %d times, %d of them again, %v", a.text, kept,
				repeated, err)
		}
	}
	f.none(f.paid, "answers that are remembered twice", `
		SELECT count(*) - count(DISTINCT (counterparty_key, incoming, created_at))
		FROM business_answers
		WHERE organization_id = $1`)
}

func (f *faults) compareRows(w *writer) {
	type storedRow struct {
		content
		id      uuid.UUID
		deleted bool
	}
	stored := map[string][]storedRow{}
	rows, err := f.db.SQL().Query(`
		SELECT id, external_id, amount, primary_date::text, description, deleted_at IS NOT NULL
		FROM transactions
		WHERE organization_id = $1
		  AND account_id = $2
		  AND external_id LIKE $3 || '-%'`, w.business.id, w.account, w.prefix)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var external string
		var r storedRow
		if err := rows.Scan(&r.id, &external, &r.cents, &r.date, &r.description, &r.deleted); err != nil {
			f.t.Fatal(err)
		}
		stored[external] = append(stored[external], r)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	for external, row := range w.rows {
		have := stored[external]
		delete(stored, external)
		switch {
		case len(have) > 1:
			f.t.Errorf("%s is stored %d times", external, len(have))
		case len(have) == 0 && row.acknowledged:
			f.t.Errorf("%s was acknowledged and is not stored", external)
		case len(have) == 0:
		case row.acknowledged && have[0].id != row.id:
			f.t.Errorf("%s has another id", external)
		case !slices.ContainsFunc(row.possible, func(a attempt) bool { return a.content == have[0].content }):
			f.t.Errorf("%s is stored as %v, want one of %v", external, have[0].content, row.possible)
		case have[0].deleted && row.deletion == notDeleted:
			f.t.Errorf("%s is deleted, and nobody did that", external)
		case !have[0].deleted && row.deletion == isDeleted:
			f.t.Errorf("%s was deleted and is back", external)
		}
	}
	if len(stored) > 0 {
		f.t.Errorf("rows that nobody uploaded: %v", stored)
	}
	if len(w.known) == 0 {
		f.t.Error("a writer uploaded nothing")
	}
}

// none fails the test where a count is not 0.
func (f *faults) none(b *business, what, query string, args ...any) {
	f.t.Helper()
	var n int
	if err := f.db.SQL().QueryRow(query, append([]any{b.id}, args...)...).Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	if n != 0 {
		f.t.Errorf("%s: %s: %d", b.name, what, n)
	}
}
