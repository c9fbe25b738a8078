package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// splitBy is what divides a transaction t, as decide.WayOf has it; zero where nothing does.
const splitBy = `CASE WHEN t.category_id = -1 THEN (
		         SELECT CASE WHEN way > 1 THEN (left(answer_id::text, -4) || lpad(to_hex(way::integer), 4, '0'))::uuid
		           ELSE answer_id END
		         FROM transaction_parts
		         WHERE organization_id = (SELECT $1::uuid)
		           AND transaction_id = t.id
		         LIMIT 1) ELSE '00000000-0000-0000-0000-000000000000' END AS split_by`

// splits are stored as they are.
type splits []split.Spec

// Value is NULL for none.
func (s splits) Value() (driver.Value, error) {
	if len(s) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(s)
	return string(text), err
}

// Scan reads them.
func (s *splits) Scan(src any) error {
	text, ok := src.([]byte)
	if !ok {
		return errors.New("store: no splits")
	}
	return json.Unmarshal(text, s)
}

// way is one of the ways in which an answer divides rows, by its number from 1 on.
type way struct {
	answer uuid.UUID
	number int
}

// first is the first way, nil where there is none.
func (s splits) first() *split.Spec {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

// further are the ways behind the first.
func (s splits) further() splits { return s[min(1, len(s)):] }

// yearly reports whether a way is by the amounts of a year.
func (s splits) yearly() bool {
	return slices.ContainsFunc(s, func(w split.Spec) bool { return w.Yearly })
}

// splitOf is how an answer divides what is of one of its ways, both as SQL has them.
func splitOf(answer, way string) string {
	return fmt.Sprintf("CASE WHEN %[2]s > 1 THEN %[1]s.further_splits -> (%[2]s - 2) ELSE %[1]s.split END", answer, way)
}

// Part is a part of a row that is several things.
type Part struct {
	TransactionID uuid.UUID    `db:"transaction_id"`
	CategoryID    int          `db:"category_id"`
	Amount        money.Amount `db:"amount"` // in the row's currency and with its sign
	AnswerID      uuid.UUID    `db:"answer_id"`
	Way           int          `db:"way"` // of the answer, from 1 on
}

func (p Part) portion() split.Portion { return split.Portion{Category: p.CategoryID, Amount: p.Amount} }

// filedParts are what a row was filed as; nil where it is that still.
type filedParts []split.Portion

// Value writes them as JSON.
func (p filedParts) Value() (driver.Value, error) {
	if p == nil {
		return nil, nil
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// Scan reads them.
func (p *filedParts) Scan(src any) error {
	*p = nil
	switch text := src.(type) {
	case nil:
		return nil
	case []byte:
		return json.Unmarshal(text, p)
	default:
		return errors.New("store: no JSON")
	}
}

// dividedRow is a row with its new parts.
type dividedRow struct {
	id, answer uuid.UUID
	way        int // of the answer
	portions   []split.Portion
	filed      filedParts // where these are of another amount
}

// partsOf are the parts of rows, in their order, by the row. Rows that are one thing have none.
func (o *Organization) partsOf(ctx context.Context, q selector,
	rows []uuid.UUID) (map[uuid.UUID][]Part, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var parts []Part
	err := q.SelectContext(ctx, &parts, `
		SELECT p.transaction_id, p.category_id, p.amount, p.answer_id, p.way
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transaction_parts
		  WHERE organization_id = (SELECT $1::uuid)
		    AND transaction_id = u.id
		  OFFSET 0) p
		ORDER BY p.transaction_id, p.ordinal`,
		o.ID, uuids(inOrder(rows))) // each once: many refunds may be of one purchase
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
	var ordinals, categories, amounts, ways pq.Int64Array
	var filed []filedParts
	for _, r := range rows {
		all, l.divided[r.id] = append(all, r.id), true
		for i, p := range r.portions {
			ids, answers, ordinals = append(ids, r.id), append(answers, r.answer), append(ordinals, int64(i+1))
			categories, amounts = append(categories, int64(p.Category)), append(amounts, int64(p.Amount))
			ways, filed = append(ways, int64(r.way)), append(filed, r.filed)
			r.filed = nil // with its first part alone
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
		INSERT INTO transaction_parts (organization_id, transaction_id, ordinal, category_id, amount, answer_id, way,
		  filed)
		SELECT $1, u.id, u.ordinal, u.category, u.amount, u.answer, u.way, u.filed
		FROM unnest($2::uuid[], $3::smallint[], $4::integer[], $5::bigint[], $6::uuid[], $7::smallint[], $8::jsonb[])
		  AS u (id, ordinal, category, amount, answer, way, filed)`,
		o.ID, uuids(ids), ordinals, categories, amounts, uuids(answers), ways, pq.Array(filed))
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
	Way      int          `db:"way"`      // of the answer, from 1 on
	Spec     split.Spec   `db:"split"`    // which that way is
	FiledAs  filedParts   `db:"filed_as"` // where its parts are of another amount
}

// portions are the parts of a row by itself. Amounts that are none of it divide it in their proportion.
func (r splitRow) portions() []split.Portion {
	if r.Spec.Yearly {
		return r.Spec.Unspread(r.Amount)
	}
	return r.Spec.Proportional(r.Amount)
}

// into is the row with its parts by the same answer.
func (r splitRow) into(portions []split.Portion) dividedRow {
	return dividedRow{id: r.ID, answer: r.AnswerID, way: r.Way, portions: portions}
}

// asFiled divides a filed row of which the bank changed the amount: as it was filed where the amount is that again, and
// any other in the proportion of that, whatever it was in between.
func (r splitRow) asFiled(parts []split.Portion) dividedRow {
	filed := r.FiledAs
	if filed == nil {
		filed = parts
	}
	if sumOf(filed) == r.Amount {
		return r.into(filed)
	}
	d := r.into(split.Like(r.Amount, filed))
	d.filed = filed
	return d
}

func sumOf(portions []split.Portion) (sum money.Amount) {
	for _, p := range portions {
		sum += p.Amount
	}
	return sum
}

// reopen has rows decided and asked about again that no answer divides any more. Who calls it queues their events.
func (o *Organization) reopen(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET `+notEstablished+`,
		    answer_id = NULL,
		    processing = 'queued',
		    revision = revision + 1
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(rows))
	return err
}
