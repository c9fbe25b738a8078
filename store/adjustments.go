package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// Adjustment is a filed row that stayed what it was filed as, though an answer says otherwise.
type Adjustment struct {
	TransactionID   uuid.UUID    `db:"transaction_id"`
	PrimaryDate     time.Time    `db:"primary_date"`
	Amount          money.Amount `db:"amount"`
	Currency        string       `db:"currency"`
	Filed           *int         `db:"filed"`             // the category; nil for none
	Believed        *int         `db:"believed"`          // the category by the answer; nil where no one fits
	FiledParts      []Part       `db:"-"`                 // of one that was filed as several things
	BelievedParts   []Part       `db:"-"`                 // of one that the answer says is several things
	NetProfitEffect money.Total  `db:"net_profit_effect"` // of changing it, in USD; 0 in another currency
	Answer          string       `db:"answer"`
	AnsweredAt      time.Time    `db:"answered_at"`
}

// Adjustments lists the filed rows of a range of days, by a date field, that answers say something else of, the oldest
// up to limit, and says how many there are. Of several answers about a row the one that would decide it counts.
func (o *Organization) Adjustments(ctx context.Context, field DateField, from, to time.Time,
	limit int) (list []Adjustment, total int64, err error) {
	day := "t.processed_date"
	if field == Primary {
		day = "t.primary_date"
	}
	var rows []adjusted
	err = o.prepared().SelectContext(ctx, &rows, fmt.Sprintf(`
		SELECT count(*) OVER () AS total, t.id AS transaction_id, t.primary_date, t.amount, t.currency,
		       t.category_id AS filed,
		       a.category_id AS believed, a.answer, a.answered_at,
		       a.id AS answer_id, a.split, a.way, t.currency = 'USD' AND NOT t.pending AS counted,
		       CASE WHEN t.currency = 'USD' AND NOT t.pending
		         THEN (coalesce(a.category_id = ANY ($4), false)::integer
		           - coalesce(t.category_id = ANY ($4), false)::integer) * t.amount::numeric
		         ELSE 0 END AS net_profit_effect
		FROM (
		  SELECT DISTINCT ON (r.transaction_id) r.transaction_id,
		         CASE WHEN w.way IS NULL THEN coalesce(r.category_id, nullif(a.category_id, 0))
		           ELSE -1 END AS category_id,
		         a.answer, a.answered_at, a.id, coalesce(w.way, 1) AS way, `+splitOf("a", "w.way")+` AS split
		  FROM (
		    SELECT DISTINCT transaction_id
		    FROM answer_rows
		    WHERE organization_id = $1
		      AND filed) f
		  JOIN answer_rows r ON r.organization_id = $1 AND r.transaction_id = f.transaction_id
		  JOIN answers a ON a.organization_id = r.organization_id AND a.id = r.answer_id
		  CROSS JOIN LATERAL (
		    SELECT CASE WHEN coalesce(r.category_id, a.category_id) < 0
		           THEN -coalesce(r.category_id, a.category_id) END AS way) w
		  WHERE a.replaced_at IS NULL
		  ORDER BY r.transaction_id, a.level DESC, a.answered_at DESC, a.id DESC) a
		JOIN transactions t ON t.organization_id = $1 AND t.id = a.transaction_id
		WHERE t.filing_state = 'filed'
		  AND t.deleted_at IS NULL
		  AND (t.category_id IS DISTINCT FROM a.category_id
		    OR t.category_id = -1 AND a.id <> (
		      SELECT answer_id
		      FROM transaction_parts
		      WHERE organization_id = $1
		        AND transaction_id = t.id
		      LIMIT 1))
		  AND (a.category_id IS DISTINCT FROM -1 -- a year's amounts are about the payments of their years
		    OR (a.split ->> 'yearly') IS NULL
		    OR coalesce(a.split -> 'years', '[]') @> to_jsonb(date_part('year', t.primary_date)::integer))
		  AND %s BETWEEN $2 AND $3
		ORDER BY t.primary_date, t.id
		LIMIT $5`, day),
		o.ID, from.Format(time.DateOnly), to.Format(time.DateOnly), onForm(), limit)
	if err == nil {
		err = o.addAdjustedParts(ctx, rows)
	}
	for _, row := range rows {
		list, total = append(list, row.Adjustment), row.Total
	}
	return list, total, translate(ctx, err)
}

// adjusted is an adjustment with what its parts follow from.
type adjusted struct {
	Adjustment
	Total    int64       `db:"total"`
	AnswerID uuid.UUID   `db:"answer_id"`
	Split    *split.Spec `db:"split"`
	Way      int         `db:"way"`     // which of the answer's ways that is
	Counted  bool        `db:"counted"` // it is part of a net profit
}

// addAdjustedParts gives adjustments the parts that rows were filed as, and those that answers make of them.
func (o *Organization) addAdjustedParts(ctx context.Context, rows []adjusted) error {
	var filed []uuid.UUID
	for _, r := range rows {
		if r.Adjustment.Filed != nil && *r.Adjustment.Filed == split.Category {
			filed = append(filed, r.TransactionID)
		}
	}
	parts, err := o.partsOf(ctx, o.reader(), filed)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if list, ok := parts[r.TransactionID]; ok {
			r.Adjustment.Filed, r.FiledParts = nil, list
			r.count(list, -1)
		}
		if r.Believed == nil || *r.Believed != split.Category { // the answer may divide others, and this is one thing
			continue
		}
		portions, err := o.believed(ctx, r)
		if err != nil {
			return err
		}
		for _, p := range portions {
			r.BelievedParts = append(r.BelievedParts, Part{r.TransactionID, p.Category, p.Amount, r.AnswerID, r.Way})
		}
		r.Believed = nil
		r.count(r.BelievedParts, 1)
	}
	return nil
}

// count adds parts to the effect on the net profit, or takes them off.
func (a *adjusted) count(parts []Part, times int) {
	for _, p := range parts {
		c, ok := ontology.ScheduleC().ByID(p.CategoryID)
		if a.Counted && ok && c.Kind.OnForm() {
			a.NetProfitEffect = a.NetProfitEffect.Plus(money.TotalOf(p.Amount * money.Amount(times)))
		}
	}
}

// believed is how an answer divides a filed row. Of the amounts of a year it is what the payments that the answer did
// divide do not bear, since the books have that already: so the books and the adjustments come to the answer's amounts.
func (o *Organization) believed(ctx context.Context, a *adjusted) ([]split.Portion, error) {
	if !a.Split.Yearly {
		return splitRow{Amount: a.Amount, Spec: *a.Split}.portions(), nil
	}
	payments, err := o.filedOfYear(ctx, o.reader(), way{a.AnswerID, a.Way}, a.PrimaryDate.Year(), a.Currency)
	if err != nil {
		return nil, err
	}
	taken, err := o.borne(ctx, a)
	if err != nil {
		return nil, err
	}
	amounts := make([]money.Amount, len(payments))
	for i, p := range payments {
		amounts[i] = p.Amount
	}
	at := slices.IndexFunc(payments, func(p splitRow) bool { return p.ID == a.TransactionID })
	if at < 0 {
		return nil, nil // it was deleted, or is filed no more, since it was listed
	}
	return a.Split.OverYear(amounts, taken)[at], nil
}

// borne are the cents of each amount of a year that the payments bear which the answer did divide.
func (o *Organization) borne(ctx context.Context, a *adjusted) ([]uint64, error) {
	var parts []Part
	err := o.reader().SelectContext(ctx, &parts, `
		SELECT p.transaction_id, p.category_id, p.amount, p.answer_id, p.way
		FROM transaction_parts p
		JOIN transactions t ON t.organization_id = p.organization_id AND t.id = p.transaction_id
		WHERE p.organization_id = (SELECT $1::uuid)
		  AND p.answer_id = $2
		  AND p.way = $5
		  AND t.category_source IN ('user', 'memory')
		  AND t.deleted_at IS NULL
		  AND t.currency = $4
		  AND date_part('year', t.primary_date) = $3`,
		o.ID, a.AnswerID, a.PrimaryDate.Year(), a.Currency, a.Way)
	if err != nil {
		return nil, err
	}
	return centsTaken(*a.Split, parts), nil
}
