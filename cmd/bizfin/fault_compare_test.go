package main

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// wait fails the test where something does not become true.
func (f *faults) wait(what string, isTrue func() bool) {
	f.t.Helper()
	deadline := time.After(f.patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !isTrue() {
		select {
		case <-deadline:
			f.t.Fatalf("not within %v: %s", f.patience, what)
		case <-tick.C:
		}
	}
}

// drain waits until everything is processed. Events that a relay put off for later are due at once; none is made.
func (f *faults) drain() {
	f.t.Helper()
	f.wait("all events are processed", func() bool {
		if _, err := f.db.SQL().Exec(`UPDATE pending_work SET next_at = now() WHERE next_at > now()`); err != nil {
			return false
		}
		var left int
		err := f.db.SQL().QueryRow(`SELECT count(*) FROM pending_work`).Scan(&left)
		return err == nil && left == 0
	})
}

// compare holds what is stored against the model.
func (f *faults) compare() {
	for _, w := range f.writers {
		f.compareRows(w)
	}
	for i, organization := range f.organizations {
		f.none("rows that are not processed",
			`SELECT count(*) FROM transactions WHERE organization_id = $1 AND processing <> 'processed'`, organization)
		f.none("counterparties that are there twice",
			`SELECT count(*) - count(DISTINCT key) FROM counterparties WHERE organization_id = $1`, organization)
		f.none("questions that are open twice",
			`SELECT count(*) - count(DISTINCT (group_key, incoming)) FROM outstanding_issues
			WHERE organization_id = $1 AND status = 'open'`, organization)
		f.none("rows that need attention without a question, or the reverse", `
			SELECT count(*)
			FROM transactions t
			WHERE organization_id = $1
			  AND needs_attention <> EXISTS (
			    SELECT
			    FROM issue_transactions it
			    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
			    WHERE it.organization_id = $1 AND it.transaction_id = t.id AND i.status = 'open')`, organization)
		f.none("rows whose text no search finds", `
			SELECT count(*)
			FROM transactions t
			WHERE organization_id = $1
			  AND deleted_at IS NULL
			  AND NOT EXISTS (
			    SELECT
			    FROM transaction_words w
			    CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
			    WHERE w.organization_id = $1 AND u.id = t.id
			      AND u.text = lower(concat(t.merchant, E'\n', t.description, E'\n', t.context)))`, organization)
		if i == 0 { // its rows are never reworded, so each is decided once, and no question closes and opens again
			f.none("questions that are asked twice",
				`SELECT count(*) - count(DISTINCT (group_key, incoming)) FROM outstanding_issues
				WHERE organization_id = $1`, organization)
			f.none("rows that were decided twice or never", `
				SELECT (SELECT count(*) FROM transactions WHERE organization_id = $1)
				    - (SELECT sum(processed) FROM processing_months WHERE organization_id = $1)`, organization)
			f.none("questions that count other rows than they have", `
				SELECT count(*)
				FROM outstanding_issues i
				WHERE organization_id = $1
				  AND transaction_count <> (SELECT count(*) FROM issue_transactions it
				                            WHERE it.organization_id = $1 AND it.issue_id = i.id)`, organization)
		}
		f.compareProfile(f.writers[4*i])
	}
}

func (f *faults) compareRows(w *writer) {
	stored := map[string][]content{}
	rows, err := f.db.SQL().Query(`
		SELECT external_id, amount, primary_date::text, description
		FROM transactions
		WHERE organization_id = $1
		  AND account_id = $2
		  AND external_id LIKE $3 || '-%'`, w.organization, w.account, w.prefix)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var c content
		if err := rows.Scan(&id, &c.cents, &c.date, &c.description); err != nil {
			f.t.Fatal(err)
		}
		stored[id] = append(stored[id], c)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	for id, row := range w.rows {
		have := stored[id]
		delete(stored, id)
		switch {
		case len(have) > 1:
			f.t.Errorf("%s is stored %d times", id, len(have))
		case len(have) == 0 && row.acknowledged:
			f.t.Errorf("%s was acknowledged and is not stored", id)
		case len(have) == 1 && !slices.Contains(row.possible, have[0]):
			f.t.Errorf("%s is stored as %v, want one of %v", id, have[0], row.possible)
		}
	}
	if len(stored) > 0 {
		f.t.Errorf("rows that nobody uploaded: %v", stored)
	}
	if len(w.rows) == 0 {
		f.t.Error("a writer uploaded nothing")
	}
}

func (f *faults) compareProfile(w *writer) {
	f.wait("the API answers", func() bool {
		profile, err := w.client.GetProfileWithResponse(f.t.Context(), w.organization, nil)
		if err != nil || profile.JSON200 == nil {
			return false
		}
		got := profile.JSON200
		counts := got.Coverage.Transactions
		f.none("rows that the profile does not count",
			`SELECT count(*) - $2 FROM transactions WHERE organization_id = $1`, w.organization, counts.Total)
		if counts.Queued != 0 || counts.Limited != 0 || got.Processing.Pending != 0 ||
			counts.Categorized+counts.Uncategorized != counts.Total {
			f.t.Errorf("the profile says %+v and %+v", counts, got.Processing)
		}
		return true
	})
}

// none fails the test where a count is not 0.
func (f *faults) none(what, query string, organization uuid.UUID, args ...any) {
	f.t.Helper()
	var n int
	if err := f.db.SQL().QueryRow(query, append([]any{organization}, args...)...).Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	if n != 0 {
		f.t.Errorf("%s: %d", what, n)
	}
}
