package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// asked is whether an open question is about row u.
const asked = `EXISTS (
		    SELECT
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = (SELECT $1::uuid)
		      AND it.transaction_id = u.id
		      AND i.status = 'open')`

// settleAttention has rows need attention where an open question is about them, and only there.
func (o *Organization) settleAttention(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET needs_attention = asked.open,
		    revision = t.revision + 1,
		    updated_at = $3
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (SELECT `+asked+` AS open) asked
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id
		  AND t.needs_attention <> asked.open`,
		o.ID, uuids(rows), now)
	return err
}
