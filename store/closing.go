package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// aboutCategory is the kind of the questions that the category of a row answers; anyKind is all questions.
const (
	aboutCategory = "category"
	anyKind       = ""
)

// closeQuestions takes rows out of the open questions of a kind. A question whose last row goes closes by itself.
func (o *Organization) closeQuestions(ctx context.Context, tx *sqlx.Tx, now time.Time, transactions []uuid.UUID, kind string) error {
	left, err := o.withdraw(ctx, tx, now, transactions, kind)
	if err != nil {
		return err
	}
	return o.recount(ctx, tx, now, left)
}

// lockQuestions locks the open questions of a kind about rows, or of groups, in the order of their ids. Questions are
// locked after accounts and before rows, as an answer does.
func (o *Organization) lockQuestions(ctx context.Context, tx *sqlx.Tx, transactions []uuid.UUID, groupKeys []string, kind string) ([]uuid.UUID, error) {
	if len(transactions) == 0 && len(groupKeys) == 0 {
		return nil, nil
	}
	var issues []uuid.UUID
	err := tx.SelectContext(ctx, &issues, `
		SELECT id
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND status = 'open'
		  AND $4 IN ('', kind)
		  AND (group_key = ANY ($3::text[]) OR id IN (
		    SELECT issue_id
		    FROM issue_transactions
		    WHERE organization_id = $1
		      AND transaction_id = ANY ($2::uuid[])))
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, uuids(transactions), pq.StringArray(groupKeys), kind)
	return issues, err
}

// withdraw takes rows out of the open questions of a kind, and returns the questions: they are to be recounted. The rows
// need attention where another question about them is open.
func (o *Organization) withdraw(ctx context.Context, tx *sqlx.Tx, now time.Time, transactions []uuid.UUID, kind string) ([]uuid.UUID, error) {
	issues, err := o.lockQuestions(ctx, tx, transactions, nil, kind)
	if err != nil || len(issues) == 0 {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM issue_transactions
		WHERE organization_id = $1
		  AND transaction_id = ANY ($2::uuid[])
		  AND issue_id = ANY ($3::uuid[])`,
		o.ID, uuids(transactions), uuids(issues))
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE transactions t
		SET needs_attention = false,
		    revision = revision + 1,
		    updated_at = $3
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND needs_attention
		  AND NOT EXISTS (
		    SELECT
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = (SELECT $1::uuid)
		      AND it.transaction_id = t.id
		      AND i.status = 'open')`,
		o.ID, uuids(transactions), now)
	return issues, err
}

// recount makes open questions say what their rows add up to, and closes the ones without a row. A question about a
// transaction that left is about the newest that stays.
func (o *Organization) recount(ctx context.Context, tx *sqlx.Tx, now time.Time, issues []uuid.UUID) error {
	if len(issues) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET transaction_count = r.transactions,
		    impact_amount = r.impact,
		    object_id = CASE WHEN i.object_type = 'transaction' AND r.transactions > 0 AND NOT r.has_object THEN r.newest ELSE i.object_id END,
		    status = CASE WHEN r.transactions = 0 THEN 'closed' ELSE i.status END,
		    ended_at = CASE WHEN r.transactions = 0 THEN $3::timestamptz END
		FROM outstanding_issues before
		CROSS JOIN LATERAL (
		  SELECT count(t.id) AS transactions,
		         coalesce(sum(abs(t.amount)) FILTER (WHERE t.currency = before.impact_currency), 0) AS impact,
		         coalesce(bool_or(t.id::text = before.object_id), false) AS has_object,
		         (array_agg(t.id::text ORDER BY t.primary_date DESC, t.id DESC))[1] AS newest
		  FROM issue_transactions it
		  JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		  WHERE it.organization_id = (SELECT $1::uuid)
		    AND it.issue_id = before.id) r
		WHERE before.organization_id = $1
		  AND before.id = ANY ($2::uuid[])
		  AND i.organization_id = $1
		  AND i.id = before.id
		  AND i.status = 'open'`,
		o.ID, uuids(issues), now)
	return err
}
