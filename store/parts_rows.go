package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// splitBy is the answer that divides a transaction t, zero where none does.
const splitBy = `CASE WHEN t.category_id = -1 THEN (
		         SELECT answer_id
		         FROM transaction_parts
		         WHERE organization_id = (SELECT $1::uuid)
		           AND transaction_id = t.id
		         LIMIT 1) ELSE '00000000-0000-0000-0000-000000000000' END AS split_by`

// Part is a part of a row that is several things.
type Part struct {
	TransactionID uuid.UUID    `db:"transaction_id"`
	CategoryID    int          `db:"category_id"`
	Amount        money.Amount `db:"amount"` // in the row's currency and with its sign
	AnswerID      uuid.UUID    `db:"answer_id"`
}

func (p Part) portion() split.Portion { return split.Portion{Category: p.CategoryID, Amount: p.Amount} }

// dividedRow is a row with its new parts.
type dividedRow struct {
	id, answer uuid.UUID
	portions   []split.Portion
}

// partsOf are the parts of rows, in their order, by the row. Rows that are one thing have none.
func (o *Organization) partsOf(ctx context.Context, q selector,
	rows []uuid.UUID) (map[uuid.UUID][]Part, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var parts []Part
	err := q.SelectContext(ctx, &parts, `
		SELECT p.transaction_id, p.category_id, p.amount, p.answer_id
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transaction_parts
		  WHERE organization_id = (SELECT $1::uuid)
		    AND transaction_id = u.id
		  OFFSET 0) p
		ORDER BY p.transaction_id, p.ordinal`,
		o.ID, uuids(rows))
	of := map[uuid.UUID][]Part{}
	for _, p := range parts {
		of[p.TransactionID] = append(of[p.TransactionID], p)
	}
	return of, err
}

func portionsOf(parts []Part) []split.Portion {
	portions := make([]split.Portion, len(parts))
	for i, p := range parts {
		portions[i] = p.portion()
	}
	return portions
}

// writeParts gives rows their parts in place of those they had. Whoever calls it holds the rows.
func (o *Organization) writeParts(ctx context.Context, tx *sqlx.Tx, rows []dividedRow) error {
	if len(rows) == 0 {
		return nil
	}
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return err
	}
	var all, ids, answers []uuid.UUID
	var ordinals, categories, amounts pq.Int64Array
	for _, r := range rows {
		all, l.divided[r.id] = append(all, r.id), true
		for i, p := range r.portions {
			ids, answers, ordinals = append(ids, r.id), append(answers, r.answer), append(ordinals, int64(i+1))
			categories, amounts = append(categories, int64(p.Category)), append(amounts, int64(p.Amount))
		}
	}
	var gone []Part
	err = tx.SelectContext(ctx, &gone, `
		DELETE FROM transaction_parts
		WHERE organization_id = $1
		  AND transaction_id = ANY ($2::uuid[])
		RETURNING transaction_id, answer_id`,
		o.ID, uuids(all))
	if err != nil {
		return err
	}
	if err := o.spreadDue(ctx, tx, leftBy(rows, gone)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO transaction_parts (organization_id, transaction_id, ordinal, category_id, amount, answer_id)
		SELECT $1, u.id, u.ordinal, u.category, u.amount, u.answer
		FROM unnest($2::uuid[], $3::smallint[], $4::integer[], $5::bigint[], $6::uuid[])
		  AS u (id, ordinal, category, amount, answer)`,
		o.ID, uuids(ids), ordinals, categories, amounts, uuids(answers))
	return err
}

// leftBy are the answers that divided rows which another one divides now, by the parts that these had.
func leftBy(rows []dividedRow, had []Part) (answers []uuid.UUID) {
	now := map[uuid.UUID]uuid.UUID{}
	for _, r := range rows {
		now[r.id] = r.answer
	}
	for _, p := range had {
		if p.AnswerID != now[p.TransactionID] {
			answers = append(answers, p.AnswerID)
		}
	}
	return answers
}

// splitRow is a row that an answer divides.
type splitRow struct {
	rowAt
	Amount   money.Amount `db:"amount"`
	Filed    bool         `db:"filed"`
	Source   string       `db:"source"`
	AnswerID uuid.UUID    `db:"answer_id"`
	Spec     split.Spec   `db:"split"`
}

// portions are the parts of a row by itself. Amounts that are none of it divide it in their proportion.
func (r splitRow) portions() []split.Portion {
	if r.Spec.Yearly {
		return r.Spec.Unspread(r.Amount)
	}
	return r.Spec.Proportional(r.Amount)
}

// reopen has rows decided and asked about again that no answer divides any more. Who calls it queues their events.
func (o *Organization) reopen(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET category_id = NULL,
		    category_source = NULL,
		    category_confidence = NULL,
		    category_reason = NULL,
		    answer_id = NULL,
		    processing = 'queued',
		    revision = revision + 1
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(rows))
	return err
}
