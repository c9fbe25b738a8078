package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// lockTakenFrom locks the questions that closed by themselves when answers to standing hooks, or to the questions about
// each of whom one about a family was about, took rows out of them that are asked about again: they were taken back
// since. Where none like it is open, the rows open the first again: by its id, and some of them alone would not show
// that they are of a family.
func (o *Organization) lockTakenFrom(ctx context.Context, tx *sqlx.Tx, decided []decide.Decision) ([]lockedQuestion,
	error) {
	var rows []uuid.UUID
	var keys pq.StringArray
	var incoming pq.BoolArray
	for _, d := range decided {
		if d.Question != nil && !d.Question.Key.OfOneRow() {
			topic := d.Ask().Topic()
			rows, keys, incoming = append(rows, d.Row.ID), append(keys, topic.Key), append(incoming, topic.Incoming)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	var closed []lockedQuestion
	err := tx.SelectContext(ctx, &closed, `
		SELECT id, group_key, incoming, impact_currency, coalesce(options #>> '{0,value}', '') AS guess, apart
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT i.id
		    FROM unnest($2::uuid[], $3::text[], $4::boolean[]) AS u (id, group_key, incoming)
		    CROSS JOIN LATERAL (
		      SELECT answer_id
		      FROM answer_rows
		      WHERE organization_id = (SELECT $1::uuid)
		        AND transaction_id = u.id
		      OFFSET 0) r
		    JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.id = r.answer_id
		    JOIN outstanding_issues i ON i.organization_id = a.organization_id AND i.group_key = u.group_key
		      AND i.incoming = u.incoming
		    WHERE (a.issue_id IS NULL OR i.apart)
		      AND a.replaced_at IS NOT NULL
		      AND i.status = 'closed'
		      AND a.answered_at BETWEEN i.created_at AND i.ended_at))
		  AND status = 'closed'
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, uuids(rows), keys, incoming)
	return closed, err
}

// openTaken opens the questions again that closed and that groups join.
func (o *Organization) openTaken(ctx context.Context, tx *sqlx.Tx, groups []questions.Group,
	open map[questions.Topic]questions.Open) error {
	var ids, about []uuid.UUID
	for _, g := range groups {
		if q := open[g.Topic]; q.Closed {
			ids, about = append(ids, q.ID), append(about, g.First)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET status = 'open',
		    ended_at = NULL,
		    object_id = CASE WHEN i.object_type = 'transaction' THEN u.about::text ELSE i.object_id END
		FROM unnest($2::uuid[], $3::uuid[]) AS u (id, about)
		WHERE i.organization_id = $1
		  AND i.id = u.id`,
		o.ID, uuids(ids), uuids(about))
	return err
}
