package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// spread spreads the amounts of each year that an answer says them of over the year's payments that it divides, itself
// or by its memory. What filed ones bear stays with them, and refunds follow their purchases. Payments that moved to
// another year are open again; and so are those of a year that the amounts fit no more, or of which a part would be
// more than an amount can be: what was said of it lapses.
func (o *Organization) spread(ctx context.Context, tx *sqlx.Tx, by way, spec split.Spec) error {
	rows, err := o.dividedBy(ctx, tx, by)
	if err != nil {
		return err
	}
	of := map[int][]splitRow{}
	var all []uuid.UUID
	var again, refunds []splitRow
	for _, r := range rows {
		all = append(all, r.ID)
		switch year := r.Day.Year(); {
		case r.Source == "rule":
			refunds = append(refunds, r)
		case r.Filed:
			of[year] = append(of[year], r)
		case spec.About(r.Currency, year):
			of[year] = append(of[year], r)
		default:
			again = append(again, r)
		}
	}
	kept, err := o.partsOf(ctx, tx, all)
	if err != nil {
		return err
	}
	var parts []dividedRow
	var lapsed []int
	for year, payments := range of {
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
		taken := centsTaken(spec, borne)
		err := o.fitsYear(ctx, tx, by, spec, year, amounts, taken)
		divided := spec.OverYear(amounts, taken)
		if err == nil && slices.ContainsFunc(divided, split.TooLarge) {
			err = split.ErrTooLarge
		}
		switch {
		case errors.Is(err, split.ErrTooSmall), errors.Is(err, split.ErrLeftOver), errors.Is(err, split.ErrTooLarge):
			lapsed, again = append(lapsed, year), append(again, open...)
			continue
		case err != nil:
			return err
		}
		for i, portions := range divided {
			parts = append(parts, dividedRow{id: open[i].ID, answer: by.answer, way: by.number, portions: portions})
		}
	}
	if err := o.writeParts(ctx, tx, parts); err != nil {
		return err
	}
	if len(again) > 0 || !areThese(parts, kept) {
		if err := o.decideFollowers(ctx, tx, refunds); err != nil {
			return err
		}
	}
	if len(again) == 0 {
		return nil
	}
	return o.lapse(ctx, tx, by, spec.Lapses(lapsed), again)
}

// areThese reports whether rows have the parts already that they are divided into.
func areThese(rows []dividedRow, parts map[uuid.UUID][]Part) bool {
	return !slices.ContainsFunc(rows, func(r dividedRow) bool {
		return !slices.Equal(r.portions, portionsOf(parts[r.id]))
	})
}

// decideFollowers has refunds decided anew that are divided like their purchases, which bear something else now.
func (o *Organization) decideFollowers(ctx context.Context, tx *sqlx.Tx, refunds []splitRow) error {
	var ids, accounts []uuid.UUID
	for _, r := range refunds {
		if !r.Filed {
			ids, accounts = append(ids, r.ID), append(accounts, r.Account)
		}
	}
	if err := o.reopen(ctx, tx, ids); err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, accounts...)
}

// dividedBy are the rows that an answer divides in one way, itself or by its memory, and their refunds. They are
// locked.
func (o *Organization) dividedBy(ctx context.Context, tx *sqlx.Tx, by way) (rows []splitRow, err error) {
	var ids []uuid.UUID
	err = tx.SelectContext(ctx, &ids, `
		SELECT DISTINCT transaction_id
		FROM transaction_parts
		WHERE organization_id = $1
		  AND answer_id = $2
		  AND way = $3`,
		o.ID, by.answer, by.number)
	if err != nil {
		return nil, err
	}
	if _, err := o.lockRows(ctx, tx, ids); err != nil {
		return nil, err
	}
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
		  AND t.category_source IN ('user', 'memory', 'rule')
		  AND t.deleted_at IS NULL
		ORDER BY t.primary_date, t.id`,
		o.ID, uuids(ids), split.Category)
	return rows, err
}

// fitsYear reports whether the amounts of a year fit its payments: those that an answer divides, beside others that
// bear the taken cents, and the filed ones that it is about and did not change. ErrTooSmall or ErrLeftOver of package
// split.
func (o *Organization) fitsYear(ctx context.Context, tx *sqlx.Tx, by way, spec split.Spec, year int,
	amounts []money.Amount, taken []uint64) error {
	misfit := spec.FitsYear(amounts, taken)
	if misfit == nil || len(amounts) == 0 {
		return nil
	}
	filed, err := o.filedOfYear(ctx, tx, by, year, spec.Currency)
	switch {
	case err != nil:
		return err
	case len(filed) == 0:
		return misfit
	}
	for _, r := range filed {
		amounts = append(amounts, r.Amount)
	}
	return spec.FitsYear(amounts, taken)
}

// filedOfYear are the filed payments of a year that an answer would divide, and does not as they are filed.
func (o *Organization) filedOfYear(ctx context.Context, q selector, by way, year int,
	currency string) (payments []splitRow, err error) {
	err = q.SelectContext(ctx, &payments, `
		SELECT t.id, t.amount
		FROM answer_rows r
		JOIN answers a ON a.organization_id = r.organization_id AND a.id = r.answer_id
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		WHERE r.organization_id = (SELECT $1::uuid)
		  AND r.answer_id = $2
		  AND r.filed
		  AND coalesce(r.category_id, a.category_id) = -$5::integer
		  AND t.filing_state = 'filed'
		  AND t.deleted_at IS NULL
		  AND t.currency = $4
		  AND date_part('year', t.primary_date) = $3
		  AND NOT EXISTS (
		    SELECT
		    FROM transaction_parts
		    WHERE organization_id = r.organization_id
		      AND transaction_id = t.id
		      AND answer_id = $2)
		ORDER BY t.primary_date, t.id`,
		o.ID, by.answer, year, currency, by.number)
	return payments, err
}

// lapse keeps what an answer still says, and has rows that it divided, and says nothing of any more, decided and asked
// about again.
func (o *Organization) lapse(ctx context.Context, tx *sqlx.Tx, by way, spec split.Spec, rows []splitRow) error {
	for _, kept := range []string{`
		UPDATE answers
		SET split = CASE WHEN $4 > 1 THEN split ELSE $3::jsonb END,
		    further_splits = CASE WHEN $4 > 1 THEN jsonb_set(further_splits, ARRAY[($4 - 2)::text], $3::jsonb)
		      ELSE further_splits END
		WHERE organization_id = $1
		  AND id = $2`, `
		UPDATE business_answers
		SET split = $3
		WHERE organization_id = $1
		  AND answer_id = $2
		  AND way = $4
		  AND split IS NOT NULL`} {
		if _, err := tx.ExecContext(ctx, kept, o.ID, by.answer, spec, by.number); err != nil {
			return err
		}
	}
	var ids, accounts []uuid.UUID
	for _, r := range rows {
		ids, accounts = append(ids, r.ID), append(accounts, r.Account)
	}
	if err := o.reopen(ctx, tx, ids); err != nil {
		return err
	}
	if err := o.answered(ctx, tx); err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, accounts...)
}

// centsTaken are the cents of each amount of a split that parts of payments bear.
func centsTaken(spec split.Spec, parts []Part) []uint64 {
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
func (o *Organization) spreadInTurn(ctx context.Context, now time.Time, turn Turn) error {
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
	return o.inTxFirst(ctx, hold, func(tx *sqlx.Tx, _ []uuid.UUID) error { return o.spreadAnew(ctx, tx, now) })
}

// spreadAnew spreads the amounts of a year anew of which rows came, went or changed since. The rows are locked before
// their answers, as by whoever changes rows: one that changes later is due again. Rows whose parts are others now have
// changed.
func (o *Organization) spreadAnew(ctx context.Context, tx *sqlx.Tx, now time.Time) error {
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
	before, err := o.partsOf(ctx, tx, rows)
	if err != nil {
		return err
	}
	var due []struct {
		ID     uuid.UUID `db:"id"`
		Splits splits    `db:"splits"`
	}
	err = tx.SelectContext(ctx, &due, `
		WITH due AS (
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
		  RETURNING id, split, further_splits)
		SELECT id, jsonb_build_array(split) || coalesce(further_splits, '[]') AS splits
		FROM due`,
		o.ID)
	if err != nil {
		return err
	}
	for _, a := range due {
		for i, spec := range a.Splits {
			if !spec.Yearly {
				continue
			}
			if err := o.spread(ctx, tx, way{a.ID, i + 1}, spec); err != nil {
				return err
			}
		}
	}
	return o.haveOtherParts(ctx, tx, now, rows, before)
}

// haveOtherParts has rows changed that had other parts before.
func (o *Organization) haveOtherParts(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []uuid.UUID,
	before map[uuid.UUID][]Part) error {
	after, err := o.partsOf(ctx, tx, rows)
	if err != nil {
		return err
	}
	changed := slices.DeleteFunc(rows, func(row uuid.UUID) bool { return slices.Equal(before[row], after[row]) })
	if len(changed) == 0 {
		return nil
	}
	_, err = o.writeRows(ctx, tx, changed, `
		UPDATE transactions t
		SET revision = t.revision + 1,
		    updated_at = $3
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(changed), now)
	return err
}
