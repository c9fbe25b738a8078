package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/categorize"
)

// coverRows notes the rows that an answer is about, with what it says of one that is an exception, and with what they
// were before anybody answered about them, and which memory they followed then.
func (o *Organization) coverRows(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, rows []uuid.UUID,
	exceptions map[uuid.UUID]int) error {
	categories := make(pq.Int64Array, len(rows))
	for i, row := range rows {
		categories[i] = int64(exceptions[row])
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO answer_rows (organization_id, transaction_id, answer_id, filed, category_id, before_category,
		  before_source, before_confidence, before_reason, before_answer)
		SELECT $1, t.id, $2, t.filing_state = 'filed', nullif(u.category_id, 0),
		       CASE WHEN p.answer_id IS NULL THEN t.category_id ELSE p.before_category END,
		       CASE WHEN p.answer_id IS NULL THEN t.category_source ELSE p.before_source END,
		       CASE WHEN p.answer_id IS NULL THEN t.category_confidence ELSE p.before_confidence END,
		       CASE WHEN p.answer_id IS NULL THEN t.category_reason ELSE p.before_reason END,
		       CASE WHEN p.answer_id IS NOT NULL THEN p.before_answer
		         WHEN t.category_source IS DISTINCT FROM 'user' THEN t.answer_id END
		FROM unnest($3::uuid[], $4::integer[]) AS u (id, category_id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		    AND deleted_at IS NULL
		  LIMIT 1) t
		LEFT JOIN answer_rows p ON p.organization_id = $1 AND p.transaction_id = t.id AND p.answer_id = t.answer_id`,
		o.ID, answer, uuids(rows), categories)
	return err
}

// applyAnswer gives the rows of an answer what was understood. What a person chose for one row, or said of it alone,
// stays, unless it is what was asked about. Rows that another open question is about keep asking.
func (o *Organization) applyAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, t target, a Answer,
	force bool) error {
	if a.CategoryID != 0 || a.Mixed || a.Note != "" || len(a.Exceptions) > 0 {
		_, err := o.writeRows(ctx, tx, t.rows, `
			UPDATE transactions t
			SET category_id = CASE WHEN u.said <> 0 THEN u.said WHEN $7 THEN NULL ELSE t.category_id END,
			    category_source = CASE WHEN u.said <> 0 THEN 'user' WHEN $7 THEN NULL ELSE t.category_source END,
			    category_confidence = CASE WHEN u.said <> 0 THEN 10000 WHEN $7 THEN NULL
			      ELSE t.category_confidence END,
			    category_reason = CASE WHEN u.said <> 0 THEN $5::text WHEN $7 THEN NULL ELSE t.category_reason END,
			    suggested_id = CASE WHEN u.said = 0 AND $7 THEN NULL ELSE t.suggested_id END,
			    context = with_line(`+withoutNote("u.note")+`, $6),
			    answer_id = $2,
			    needs_attention = `+asked+`,
			    processing = CASE WHEN never_decided(t.alternatives) AND u.said = 0 THEN t.processing
			      ELSE 'processed' END,
			    revision = t.revision + 1,
			    updated_at = $3
			FROM (
			  SELECT asked.id, held.note, greatest(coalesce(r.category_id, $4::integer), -1) AS said
			  FROM answer_rows r
			  JOIN transactions asked ON asked.organization_id = r.organization_id AND asked.id = r.transaction_id
			  LEFT JOIN answers held ON held.organization_id = r.organization_id AND held.id = asked.answer_id
			  WHERE r.organization_id = (SELECT $1::uuid)
			    AND r.answer_id = $2
			    AND NOT r.filed
			    AND ($9 OR held.level <= $8 OR held.id IS NULL AND asked.category_source IS DISTINCT FROM 'user')
			  ORDER BY asked.id) u
			WHERE t.organization_id = (SELECT $1::uuid)
			  AND t.id = u.id`,
			o.ID, id, now, a.CategoryID, a.Reason(a.Text), a.Note, a.Mixed, t.level, force)
		if err != nil {
			return err
		}
	}
	if len(a.Splits) > 0 {
		if err := o.divide(ctx, tx, t.rows); err != nil {
			return err
		}
	}
	if err := o.settleAttention(ctx, tx, now, t.rows); err != nil {
		return err
	}
	if err := o.weighChanged(ctx, tx, t.rows); err != nil { // no worker decides them anew, which would do this
		return err
	}
	if a.Relationship == "" || t.question == nil || t.question.ObjectType != "counterparty" {
		return nil
	}
	return o.related(ctx, tx, now, id, t.question.ObjectID, a.Relationship)
}

// dissolveAnswered dissolves the pairs of rows that an answer made something else than a transfer.
func (o *Organization) dissolveAnswered(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	answer uuid.UUID, a Answer) error {
	if a.CategoryID == 0 && !a.Mixed && len(a.Exceptions) == 0 {
		return nil
	}
	var rows []uuid.UUID
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id
		FROM answer_rows r
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		WHERE r.organization_id = (SELECT $1::uuid)
		  AND r.answer_id = $2
		  AND t.answer_id = $2
		  AND t.transfer_id IS NOT NULL`,
		o.ID, answer)
	if err != nil || len(rows) == 0 {
		return err
	}
	return o.dissolveAmong(ctx, tx, now, locked, rows, isNoTransfer)
}

// coverFiledRefunds notes what the filed refunds would be that follow the rows of an answer: they are adjustments where
// they were filed as something else. What follows a divided purchase is not told.
func (o *Organization) coverFiledRefunds(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO answer_rows (organization_id, transaction_id, answer_id, filed, category_id)
		SELECT $1, t.id, $2, true, coalesce(said.category_id, a.category_id)
		FROM (
		  SELECT DISTINCT b.counterparty_id, b.currency
		  FROM answer_rows r
		  JOIN transactions b ON b.organization_id = r.organization_id AND b.id = r.transaction_id
		  WHERE r.organization_id = (SELECT $1::uuid)
		    AND r.answer_id = $2
		    AND b.amount < 0
		    AND b.counterparty_id IS NOT NULL) c
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.counterparty_id
		    AND currency = c.currency
		    AND amount > 0
		    AND is_refund
		    AND category_source = 'rule'
		    AND filing_state = 'filed'
		    AND transfer_id IS NULL
		    AND deleted_at IS NULL
		  OFFSET 0) t
		CROSS JOIN LATERAL (
		  SELECT id, amount, min(category_id) OVER () = max(category_id) OVER () AS alike
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.counterparty_id
		    AND currency = c.currency
		    AND amount <= -t.amount
		    AND primary_date BETWEEN t.primary_date - $3::integer AND t.primary_date
		    AND category_id IS NOT NULL
		    AND deleted_at IS NULL
		  ORDER BY amount = -t.amount DESC, primary_date DESC, id DESC
		  LIMIT 1) p
		JOIN answer_rows said ON said.organization_id = $1 AND said.transaction_id = p.id AND said.answer_id = $2
		JOIN answers a ON a.organization_id = $1 AND a.id = $2
		WHERE coalesce(said.category_id, a.category_id) > 0
		  AND (p.alike OR p.amount = -t.amount)
		ON CONFLICT DO NOTHING`,
		o.ID, answer, categorize.RefundDays)
	return err
}
