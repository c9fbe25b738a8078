package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/questions"
)

// asked is whether an open question is about row u.
const asked = `EXISTS (
		    SELECT
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = (SELECT $1::uuid)
		      AND it.transaction_id = u.id
		      AND i.status = 'open')`

// askedOfKept is whether a question i asks what was kept of payouts, which stand meanwhile.
var askedOfKept = `starts_with(i.group_key, '` + strings.Join(questions.KeptKeys(), `')
		         OR starts_with(i.group_key, '`) + `')`

// settleAttention has rows need attention where an open question is about them, and only there: not those that stand.
func (o *Organization) settleAttention(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET needs_attention = asked.otherwise OR asked.kept AND t.category_id IS NULL,
		    revision = t.revision + 1,
		    updated_at = $3
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT coalesce(bool_or(of_kept), false) AS kept, coalesce(bool_or(NOT of_kept), false) AS otherwise
		  FROM (
		    SELECT coalesce(`+askedOfKept+`, false) AS of_kept
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = (SELECT $1::uuid)
		      AND it.transaction_id = u.id
		      AND i.status = 'open') about) asked
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id
		  AND t.needs_attention <> (asked.otherwise OR asked.kept AND t.category_id IS NULL)`,
		o.ID, uuids(rows), now)
	return err
}
