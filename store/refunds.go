package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// matchRefunds gives money that came back the category of its purchase in any account of the business.
func (o *Organization) matchRefunds(ctx context.Context, tx *sqlx.Tx, decided []Decided) error {
	var refunds []*Decided
	for i := range decided {
		if d := &decided[i]; mayBeRefund(d) {
			refunds = append(refunds, d)
		}
	}
	if len(refunds) == 0 {
		return nil
	}
	purchases, err := o.purchases(ctx, tx, refunds)
	if err != nil {
		return err
	}
	for i, d := range refunds {
		bought := purchases[i]
		for _, other := range decided {
			t := other.Transaction
			if t.Amount < 0 && t.Currency == d.Transaction.Currency && other.Counterparty.Key == d.Counterparty.Key {
				bought = append(bought, purchaseOf(other))
			}
		}
		p, exact, found := categorize.PurchaseOf(d.Transaction.Amount, d.Transaction.PrimaryDate, bought)
		if !found || !d.Refund && !exact {
			continue
		}
		d.CategoryID, d.Refund, d.Source = p.CategoryID, true, "rule"
		d.Confidence = min(p.Confidence, refundOfPurchase)
		d.Reason = fmt.Sprintf("Money back from %s, counted like the purchase of %s", d.Counterparty.Name, p.Day.Format(time.DateOnly))
		if d.Confidence >= categorize.SilentThreshold {
			d.Question = nil
		}
	}
	return nil
}

// refundOfPurchase is the most that the category of a purchase is trusted for money that came back.
const refundOfPurchase money.Ratio = 9500

// mayBeRefund is money from somebody that reads like a refund, or that nothing explains yet. People pay back for other
// reasons, and what the business answered decides by itself.
func mayBeRefund(d *Decided) bool {
	return d.Transaction.Amount > 0 && d.Counterparty.Key != "" && d.Counterparty.Type != "person" &&
		d.Transaction.UserCategory == nil && d.Source != "memory" && (d.Refund || d.Question != nil)
}

func purchaseOf(d Decided) categorize.Purchase {
	p := categorize.Purchase{ID: d.Transaction.ID, Amount: d.Transaction.Amount, Day: d.Transaction.PrimaryDate, CategoryID: d.CategoryID, Confidence: d.Confidence}
	if d.Question != nil {
		p.Confidence = min(p.Confidence, categorize.SilentThreshold-1)
	}
	if d.Transaction.UserCategory != nil {
		p.CategoryID, p.Confidence = *d.Transaction.UserCategory, 10_000
	}
	return p
}

// purchases finds what was paid to the counterparty of each refund, newest first, by the place of the refund.
func (o *Organization) purchases(ctx context.Context, tx *sqlx.Tx, refunds []*Decided) (map[int][]categorize.Purchase, error) {
	var keys, days, currencies pq.StringArray
	for _, d := range refunds {
		keys = append(keys, d.Counterparty.Key)
		days = append(days, d.Transaction.PrimaryDate.Format(time.DateOnly))
		currencies = append(currencies, d.Transaction.Currency)
	}
	var rows []struct {
		Place      int          `db:"place"`
		ID         uuid.UUID    `db:"id"`
		Amount     money.Amount `db:"amount"`
		Day        time.Time    `db:"primary_date"`
		CategoryID int          `db:"category_id"`
		Confidence money.Ratio  `db:"confidence"`
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT u.place, t.id, t.amount, t.primary_date, t.category_id,
		       CASE WHEN t.category_source = 'user' THEN 10000 WHEN t.needs_attention THEN least(t.category_confidence, $6) ELSE t.category_confidence END AS confidence
		FROM unnest($2::text[], $3::date[], $4::text[]) WITH ORDINALITY AS u (key, day, currency, place)
		JOIN counterparties c ON c.organization_id = $1 AND c.key = u.key
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = $1
		    AND counterparty_id = c.id
		    AND primary_date BETWEEN u.day - $5::integer AND u.day
		    AND amount < 0
		    AND currency = u.currency
		    AND category_id IS NOT NULL
		    AND processing = 'processed'
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT 200) t`,
		o.ID, keys, days, currencies, categorize.RefundDays, int64(categorize.SilentThreshold-1))
	if err != nil {
		return nil, err
	}
	found := map[int][]categorize.Purchase{}
	for _, r := range rows {
		place := r.Place - 1
		found[place] = append(found[place], categorize.Purchase{ID: r.ID, Amount: r.Amount, Day: r.Day, CategoryID: r.CategoryID, Confidence: r.Confidence})
	}
	return found, nil
}
