package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// spread spreads the amounts of each year that an answer says them of over the year's payments that it divides, itself
// or by its memory. What filed ones bear stays with them.
func (o *Organization) spread(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, spec split.Spec) error {
	var ids []uuid.UUID
	err := tx.SelectContext(ctx, &ids, `
		SELECT DISTINCT transaction_id
		FROM transaction_parts
		WHERE organization_id = $1
		  AND answer_id = $2`,
		o.ID, answer)
	if err != nil {
		return err
	}
	if _, err := o.lockRows(ctx, tx, ids); err != nil {
		return err
	}
	var rows []splitRow
	err = tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.account_id, t.amount, t.currency, t.primary_date, t.filing_state = 'filed' AS filed,
		       t.category_source AS source
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		WHERE t.category_id = $3
		  AND t.category_source IN ('user', 'memory')
		  AND t.deleted_at IS NULL
		ORDER BY t.primary_date, t.id`,
		o.ID, uuids(ids), split.Category)
	if err != nil {
		return err
	}
	type year struct {
		year     int
		currency string
	}
	of := map[year][]splitRow{}
	var filed []uuid.UUID
	for _, r := range rows {
		if !spec.In(r.Currency) {
			continue
		}
		y := year{r.Day.Year(), r.Currency}
		of[y] = append(of[y], r)
		if r.Filed {
			filed = append(filed, r.ID)
		}
	}
	kept, err := o.partsOf(ctx, tx, filed)
	if err != nil {
		return err
	}
	var parts []divided
	for _, payments := range of {
		var borne []Part
		var amounts []money.Amount
		var open []splitRow
		for _, r := range payments {
			if !r.Filed {
				amounts, open = append(amounts, r.Amount), append(open, r)
				continue
			}
			borne = append(borne, kept[r.ID]...)
		}
		for i, portions := range spec.OverYear(amounts, taken(spec, borne)) {
			parts = append(parts, divided{open[i].ID, answer, portions})
		}
	}
	return o.writeParts(ctx, tx, parts)
}

// taken are the cents of each amount of a split that parts of payments bear.
func taken(spec split.Spec, parts []Part) []uint64 {
	cents := make([]uint64, len(spec.Parts))
	for _, p := range parts {
		if i := slices.IndexFunc(spec.Parts, func(s split.Share) bool {
			return s.Cents > 0 && s.Category == p.CategoryID
		}); i >= 0 {
			cents[i] += uint64(max(p.Amount, -p.Amount))
		}
	}
	return cents
}

// spreadInTurn spreads anew what is due, before the event ends that made it so. Mostly there is nothing.
func (o *Organization) spreadInTurn(ctx context.Context, turn Turn) error {
	var due bool
	err := o.reader().GetContext(ctx, &due, `
		SELECT EXISTS (
		  SELECT
		  FROM answers
		  WHERE organization_id = $1
		    AND spread_due)`,
		o.ID)
	if err != nil || !due {
		return translate(ctx, err)
	}
	hold := func(ctx context.Context, tx *sqlx.Tx) error {
		_, err := o.holdTurn(ctx, tx, turn)
		return err
	}
	return o.inTxFirst(ctx, hold, func(tx *sqlx.Tx, _ []uuid.UUID) error { return o.spreadAnew(ctx, tx) })
}

// spreadAnew spreads the amounts of a year anew of which rows came, went or changed since. The rows are locked before
// their answers, as by whoever changes rows: one that changes later is due again.
func (o *Organization) spreadAnew(ctx context.Context, tx *sqlx.Tx) error {
	var rows []uuid.UUID
	err := tx.SelectContext(ctx, &rows, `
		SELECT DISTINCT p.transaction_id
		FROM answers a
		JOIN transaction_parts p ON p.organization_id = a.organization_id AND p.answer_id = a.id
		WHERE a.organization_id = $1
		  AND a.spread_due`,
		o.ID)
	if err != nil {
		return err
	}
	if _, err := o.lockRows(ctx, tx, rows); err != nil {
		return err
	}
	var due []struct {
		ID   uuid.UUID  `db:"id"`
		Spec split.Spec `db:"split"`
	}
	err = tx.SelectContext(ctx, &due, `
		UPDATE answers
		SET spread_due = false
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT id
		    FROM answers
		    WHERE organization_id = $1
		      AND spread_due
		    ORDER BY id
		    FOR NO KEY UPDATE))
		RETURNING id, split`,
		o.ID)
	if err != nil {
		return err
	}
	for _, a := range due {
		if err := o.spread(ctx, tx, a.ID, a.Spec); err != nil {
			return err
		}
	}
	return nil
}

// spreadLater has the worker spread the amounts of a year anew that divide some of the rows.
func (o *Organization) spreadLater(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE answers
		SET spread_due = true
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT id
		    FROM answers
		    WHERE organization_id = $1
		      AND id IN (
		        SELECT answer_id
		        FROM transaction_parts
		        WHERE organization_id = $1
		          AND transaction_id = ANY ($2::uuid[]))
		      AND (split ->> 'yearly')::boolean
		      AND NOT spread_due
		    ORDER BY id
		    FOR NO KEY UPDATE))`,
		o.ID, uuids(rows))
	return err
}
