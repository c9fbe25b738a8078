package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/answers"
)

// holdOtherwise makes rows that an answer decided what they are without it: what the best of the other answers about
// them says, or what they were before.
func (o *Organization) holdOtherwise(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []uuid.UUID,
	old uuid.UUID) error {
	args := []any{o.ID, uuids(rows), old, now}
	_, err := o.writeRows(ctx, tx, rows, heldByAnother, append(slices.Clip(args), answers.ReasonOfAnswers)...)
	if err != nil {
		return err
	}
	if _, err := o.writeRows(ctx, tx, rows, heldBefore, args...); err != nil {
		return err
	}
	return o.divide(ctx, tx, rows)
}

// What rows are that an answer decided which is gone.
var (
	// What the best of the other answers about them says.
	heldByAnother = `
		UPDATE transactions t
		SET category_id = CASE WHEN a.said IS NOT NULL THEN a.said WHEN a.mixed THEN NULL
		      ELSE t.category_id END,
		    category_source = CASE WHEN a.said IS NOT NULL THEN 'user' WHEN a.mixed THEN NULL
		      ELSE t.category_source END,
		    category_confidence = CASE WHEN a.said IS NOT NULL THEN 10000 WHEN a.mixed THEN NULL
		      ELSE t.category_confidence END,
		    category_reason = CASE WHEN a.said IS NOT NULL THEN $5::text || a.answer WHEN a.mixed THEN NULL
		      ELSE t.category_reason END,
		    suggested_id = CASE WHEN a.said IS NULL AND a.mixed THEN NULL ELSE t.suggested_id END,
		    context = with_line(` + withoutNote("old.note") + `, a.note),
		    answer_id = a.id,
		    revision = t.revision + 1,
		    updated_at = $4
		FROM (
		  SELECT DISTINCT ON (r.transaction_id) r.transaction_id, a.*,
		         CASE WHEN coalesce(r.category_id, a.category_id) < 0 THEN -1
		           ELSE coalesce(r.category_id, a.category_id) END AS said
		  FROM answer_rows r
		  JOIN answers a ON a.organization_id = r.organization_id AND a.id = r.answer_id
		  WHERE r.organization_id = $1
		    AND r.transaction_id = ANY ($2::uuid[])
		    AND a.id <> $3
		    AND a.replaced_at IS NULL
		    AND a.status IN ('accepted', 'partly')
		    AND (coalesce(r.category_id, a.category_id) IS NOT NULL OR a.mixed)
		  ORDER BY r.transaction_id, a.level DESC, a.answered_at DESC, a.id DESC) a,
		  answers old
		WHERE t.organization_id = $1
		  AND t.id = a.transaction_id
		  AND t.answer_id = $3
		  AND old.organization_id = $1
		  AND old.id = $3`
	// What a person chose before, or what the row was before the bank changed its line, by a memory that still holds or
	// without one.
	heldBefore = `
		UPDATE transactions t
		SET category_id = r.before_category,
		    category_source = r.before_source,
		    category_confidence = r.before_confidence,
		    category_reason = r.before_reason,
		    context = ` + withoutNote("old.note") + `,
		    answer_id = memory.id,
		    revision = t.revision + 1,
		    updated_at = $4
		FROM answer_rows r
		JOIN answers old ON old.organization_id = r.organization_id AND old.id = r.answer_id
		LEFT JOIN outstanding_issues i ON i.organization_id = old.organization_id AND i.id = old.issue_id
		LEFT JOIN answers memory ON memory.organization_id = r.organization_id AND memory.id = r.before_answer
		  AND memory.replaced_at IS NULL
		WHERE r.organization_id = $1
		  AND r.transaction_id = ANY ($2::uuid[])
		  AND r.answer_id = $3
		  AND (r.before_source = 'user'
		    OR i.kind = 'changed' AND (r.before_answer IS NULL OR memory.id IS NOT NULL))
		  AND t.organization_id = $1
		  AND t.id = r.transaction_id
		  AND t.answer_id = $3`
)
