package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/split"
)

// divide divides the rows of those given that an answer says are several things. Filed ones stay.
func (o *Organization) divide(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var list []splitRow
	err := tx.SelectContext(ctx, &list, `
		SELECT t.id, t.account_id, t.amount, t.currency, t.primary_date, false AS filed, t.category_source AS source,
		       t.answer_id, w.way, `+splitOf("a", "w.way")+` AS split
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.answer_id
		CROSS JOIN LATERAL (
		  SELECT coalesce((
		           SELECT greatest(-coalesce(category_id, -1), 1)
		           FROM answer_rows
		           WHERE organization_id = (SELECT $1::uuid)
		             AND transaction_id = t.id
		             AND answer_id = t.answer_id), (
		           SELECT b.way -- by its memory
		           FROM counterparties c
		           JOIN business_answers b ON b.organization_id = c.organization_id AND b.counterparty_key = c.key
		           WHERE c.organization_id = (SELECT $1::uuid)
		             AND c.id = t.counterparty_id
		             AND b.answer_id = t.answer_id
		             AND b.category_id = $3
		           LIMIT 1), 1) AS way) w
		WHERE t.category_id = $3
		  AND t.filing_state <> 'filed'
		  AND a.split IS NOT NULL`,
		o.ID, uuids(inOrder(rows)), split.Category)
	if err != nil {
		return err
	}
	var parts []dividedRow
	years := map[way]split.Spec{}
	for _, r := range list {
		if r.Spec.Yearly {
			years[way{r.AnswerID, r.Way}] = r.Spec
		}
		parts = append(parts, r.into(r.portions()))
	}
	if err := o.writeParts(ctx, tx, parts); err != nil {
		return err
	}
	for by, spec := range years {
		if err := o.spread(ctx, tx, by, spec); err != nil {
			return err
		}
	}
	return nil
}

// newlyDivided is whether a decision divides a row: one that was divided before was divided anew by what changed it.
func newlyDivided(d decide.Decision) bool {
	return d.CategoryID == split.Category && d.Established && d.Row.CategoryID == nil
}

// saveParts stores the parts of decided rows: those of an earlier answer, and of refunds those of their purchases.
func (o *Organization) saveParts(ctx context.Context, tx *sqlx.Tx, decided []decide.Decision) error {
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return err
	}
	decided = slices.DeleteFunc(slices.Clone(decided), func(d decide.Decision) bool { // what was filed is not divided
		return l.after[d.Row.ID].Category != split.Category
	})
	var own, like []dividedRow
	var purchases, spread []uuid.UUID
	for _, d := range decided {
		switch {
		case !newlyDivided(d):
		case d.Like != uuid.Nil:
			purchases = append(purchases, d.Like)
		default:
			own = append(own, dividedRow{id: d.Row.ID, answer: d.SplitBy, way: d.Way, portions: d.Parts})
			if d.Spread {
				spread = append(spread, d.Row.ID)
			}
		}
	}
	if err := o.writeParts(ctx, tx, own); err != nil {
		return err
	}
	of, err := o.partsOf(ctx, tx, purchases)
	if err != nil {
		return err
	}
	for _, d := range decided {
		if !newlyDivided(d) || d.Like == uuid.Nil {
			continue
		}
		if len(of[d.Like]) == 0 {
			return errStale // the purchase is another thing since it was read
		}
		by := of[d.Like][0]
		like = append(like, dividedRow{id: d.Row.ID, answer: by.AnswerID, way: by.Way,
			portions: split.Like(d.Row.Amount, portionsOf(of[d.Like]))})
	}
	if err := o.writeParts(ctx, tx, like); err != nil || len(spread) == 0 {
		return err
	}
	return o.spreadLater(ctx, tx, spread)
}

// redivide divides rows anew whose amount the bank changed. What was divided by amounts that are none of the new one is
// asked about again: such rows are queued, and so are refunds, which are divided like their purchases again. Filed rows
// keep the proportions that they were filed in. The rows are locked.
func (o *Organization) redivide(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var list []splitRow
	err := tx.SelectContext(ctx, &list, `
		SELECT t.id, t.account_id, t.amount, t.currency, t.primary_date, t.filing_state = 'filed' AS filed,
		       t.category_source AS source, p.answer_id, p.way, p.filed AS filed_as,
		       coalesce(`+splitOf("a", "p.way")+`, '{}') AS split
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		CROSS JOIN LATERAL (
		  SELECT answer_id, way, filed
		  FROM transaction_parts
		  WHERE organization_id = (SELECT $1::uuid)
		    AND transaction_id = t.id
		  ORDER BY ordinal
		  LIMIT 1) p
		LEFT JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.id = p.answer_id
		WHERE t.category_id = $3`,
		o.ID, uuids(inOrder(rows)), split.Category)
	if err != nil || len(list) == 0 {
		return err
	}
	if err := o.spreadLater(ctx, tx, rows); err != nil {
		return err
	}
	parts, err := o.partsOf(ctx, tx, rows)
	if err != nil {
		return err
	}
	var changed []dividedRow
	var again []uuid.UUID
	for _, r := range list {
		old := portionsOf(parts[r.ID])
		before := sumOf(old)
		turned := (before > 0) != (r.Amount > 0)
		switch {
		case !r.Filed && r.Source != "rule" && !r.Spec.About(r.Currency, r.Day.Year()):
			again = append(again, r.ID)
		case before == r.Amount:
		case r.Filed:
			changed = append(changed, r.asFiled(old))
		case !turned && r.Source != "rule" && r.Spec.Yearly:
			changed = append(changed, r.into(split.Like(r.Amount, old))) // until the year is spread anew
		case turned || r.Source == "rule" || r.Spec.Fits(r.Amount) != nil:
			again = append(again, r.ID)
		default:
			changed = append(changed, r.into(r.portions()))
		}
	}
	if err := o.writeParts(ctx, tx, changed); err != nil {
		return err
	}
	return o.reopen(ctx, tx, again)
}
