package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// spokenOf is true of a question i that somebody answered, also where the answer was undone or not understood.
func spokenOf(p piece) string {
	return `(i.answer IS NOT NULL OR i.answered_by IS NOT NULL OR EXISTS (
		    SELECT
		    FROM answers a
		    WHERE a.organization_id = i.organization_id` + p.of("a.organization_id") + `
		      AND a.issue_id = i.id))`
}

// withoutRows is true of a question i that no row is left of.
func withoutRows(p piece) string {
	return `NOT EXISTS (
		    SELECT
		    FROM issue_transactions it
		    WHERE it.organization_id = i.organization_id` + p.of("it.organization_id") + `
		      AND it.issue_id = i.id)`
}

// closedUnspoken is true of a question i that closed by itself before $1 and is nobody's: without rows and answers.
func closedUnspoken(p piece) string {
	return `status = 'closed'
		  AND ended_at < $1
		  AND NOT ` + spokenOf(p) + `
		  AND ` + withoutRows(p)
}

// endedSpoken is true of a question i that was answered before $1, or closed by itself then after somebody had spoken
// of it.
func endedSpoken(p piece) string {
	return `status IN ('answered', 'closed')
		  AND ended_at < $1
		  AND (status = 'answered' OR ` + spokenOf(p) + ` AND ` + withoutRows(p) + `)`
}

// RemoveQuestions removes questions that closed by themselves before a time, that nobody ever spoke of and that no row
// is left of, some at a time, and returns how many, also where others fail.
func (d *DB) RemoveQuestions(ctx context.Context, before time.Time) (removed int64, err error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, min(ended_at) AS since
		FROM outstanding_issues i
		WHERE `+closedUnspoken(piece{})+`
		GROUP BY organization_id`,
		before)
	err = d.inPieces(ctx, "questions that closed", waiting, func(ctx context.Context, p piece) error {
		n, err := d.remove(ctx, `
			DELETE FROM outstanding_issues
			WHERE ctid = ANY (ARRAY (
			  SELECT ctid
			  FROM outstanding_issues i
			  WHERE `+closedUnspoken(p)+p.of("i.organization_id")+`
			  ORDER BY ended_at
			  LIMIT $2
			  FOR UPDATE SKIP LOCKED))`+p.of("organization_id"),
			before)
		removed += n
		return err
	})
	return removed, err
}

// RemoveAnswered removes questions that ended before a time and that somebody spoke of, some at a time, and returns how
// many, also where others fail. What was said stays with the rows it decided; it can be corrected by them and no more
// by the question.
func (d *DB) RemoveAnswered(ctx context.Context, before time.Time) (removed int64, err error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, min(ended_at) AS since
		FROM outstanding_issues i
		WHERE `+endedSpoken(piece{})+`
		GROUP BY organization_id`,
		before)
	err = d.inPieces(ctx, "questions that were answered", waiting, func(ctx context.Context, p piece) error {
		n, err := d.removeAnswered(ctx, p, before)
		removed += n
		return err
	})
	return removed, err
}

func (d *DB) removeAnswered(ctx context.Context, p piece, before time.Time) (removed int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		var questions []struct {
			OrganizationID uuid.UUID `db:"organization_id"`
			ID             uuid.UUID `db:"id"`
		}
		err := tx.SelectContext(ctx, &questions, `
			SELECT organization_id, id
			FROM outstanding_issues i
			WHERE `+endedSpoken(p)+p.of("organization_id")+`
			ORDER BY ended_at
			LIMIT $2
			FOR UPDATE SKIP LOCKED`,
			before, removedAtOnce)
		if err != nil || len(questions) == 0 {
			return err
		}
		removed = int64(len(questions))
		owners, ids := make([]uuid.UUID, len(questions)), make([]uuid.UUID, len(questions))
		for i, q := range questions {
			owners[i], ids[i] = q.OrganizationID, q.ID
		}
		return removeWithAnswers(ctx, tx, p, owners, ids)
	})
	return removed, err
}

// removeWithAnswers removes questions of businesses. Their answers stay, as those of no question.
func removeWithAnswers(ctx context.Context, tx *sqlx.Tx, p piece, owners, ids []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		SELECT
		FROM unnest($1::uuid[], $2::uuid[]) AS u (organization_id, id)
		JOIN answers r ON r.organization_id = u.organization_id AND r.issue_id = u.id
		WHERE true`+p.of("r.organization_id")+`
		ORDER BY r.organization_id, r.id
		FOR NO KEY UPDATE OF r`,
		uuids(owners), uuids(ids))
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`
		UPDATE answers r
		SET issue_id = NULL
		FROM u
		WHERE r.organization_id = u.organization_id
		  AND r.issue_id = u.id`, `
		DELETE FROM issue_transactions r
		USING u
		WHERE r.organization_id = u.organization_id
		  AND r.issue_id = u.id`, `
		DELETE FROM outstanding_issues r
		USING u
		WHERE r.organization_id = u.organization_id
		  AND r.id = u.id`,
	} {
		_, err := tx.ExecContext(ctx, `
		WITH u AS (
		  SELECT *
		  FROM unnest($1::uuid[], $2::uuid[]) AS u (organization_id, id))`+statement+p.of("r.organization_id"),
			uuids(owners), uuids(ids))
		if err != nil {
			return err
		}
	}
	return nil
}
