package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/answers"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// Answer is what a person answered, and what was understood of it.
type Answer struct {
	answers.Meaning
	Person uuid.UUID
	Via    string // ViaPerson or ViaAgent
	Text   string
	Option *string // the chosen one; nil for free text

	// Splits are the ways in which it divides rows, each once. What it does not name is divided by the first, where it
	// divides that. A row of the n-th has -n in the place of a category: split.Category is the first.
	Splits splits
}

// inWays numbers the ways in which an answer divides rows. The amounts of a year are always a way of their own: two
// loans that cost the same cost it twice.
func (a Answer) inWays() Answer {
	a.Splits = nil
	number := func(w *split.Spec) int {
		at := slices.IndexFunc(a.Splits, func(o split.Spec) bool {
			return !w.Yearly && !o.Yearly && o.Currency == w.Currency && slices.Equal(o.Parts, w.Parts)
		})
		if at < 0 {
			at, a.Splits = len(a.Splits), append(a.Splits, *w)
		}
		return split.Category - at
	}
	if a.Split != nil {
		number(a.Split)
	}
	a.Exceptions = slices.Clone(a.Exceptions)
	for i, e := range a.Exceptions {
		if e.Split != nil {
			a.Exceptions[i].CategoryID = number(e.Split)
		}
	}
	return a
}

// netProfitOf is what rows add to the net profit: those in USD that are posted, in categories of the form. Rows that
// are decided anew as an answer is gone are what they were before anybody answered, unless that followed an answer that
// is gone, too.
func (o *Organization) netProfitOf(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID,
	gone uuid.UUID) (money.Total, error) {
	var total money.Total
	err := tx.GetContext(ctx, &total, `
		SELECT coalesce(sum(CASE WHEN t.category_id <> $4 THEN t.amount ELSE (
		         SELECT coalesce(sum(amount), 0)
		         FROM transaction_parts
		         WHERE organization_id = (SELECT $1::uuid)
		           AND transaction_id = t.id
		           AND category_id = ANY ($3)) END), 0)
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT t.id, coalesce(t.category_id, r.before_category) AS category_id, t.amount
		  FROM transactions t
		  LEFT JOIN answer_rows r ON r.organization_id = t.organization_id AND r.transaction_id = t.id
		    AND r.answer_id = $5
		    AND t.processing = 'queued'
		    AND r.before_category <> $4 -- of which parts nobody knows
		    AND NOT EXISTS (
		      SELECT
		      FROM answers
		      WHERE organization_id = (SELECT $1::uuid)
		        AND id = r.before_answer
		        AND replaced_at IS NOT NULL)
		  WHERE t.organization_id = (SELECT $1::uuid)
		    AND t.id = u.id
		    AND t.currency = 'USD'
		    AND NOT t.pending
		    AND t.deleted_at IS NULL
		  LIMIT 1) t
		WHERE t.category_id = ANY ($3) OR t.category_id = $4`,
		o.ID, uuids(inOrder(rows)), onForm(), split.Category, gone)
	return total, err
}

// onForm are the categories whose amounts make up the net profit.
func onForm() pq.Int64Array {
	var ids pq.Int64Array
	for _, c := range ontology.ScheduleC().All() {
		if c.Kind.OnForm() {
			ids = append(ids, int64(c.ID))
		}
	}
	return ids
}
