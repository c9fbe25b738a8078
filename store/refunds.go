package store

import (
	"context"
	"fmt"
	"slices"
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

// bought is a purchase and whom it was from.
type bought struct {
	key, currency string
	categorize.Purchase
}

// purchasesOf are the purchases among decided rows that are known to be something.
func purchasesOf(decided []Decided) []bought {
	var list []bought
	for _, d := range decided {
		if d.Transaction.Amount < 0 && d.Counterparty.Key != "" && (d.CategoryID != 0 || d.Transaction.UserCategory != nil) {
			list = append(list, bought{d.Counterparty.Key, d.Transaction.Currency, purchaseOf(d)})
		}
	}
	return list
}

// earlierRefund is a refund that was decided before its purchase was known.
type earlierRefund struct {
	OpenTransaction
	purchase uuid.UUID
}

// refundsBefore finds refunds that were decided before and that purchases explain better: the rows of a first upload are
// decided newest first. A choice of the user and a memory stand.
func (o *Organization) refundsBefore(ctx context.Context, tx *sqlx.Tx, purchases []bought) ([]earlierRefund, error) {
	type shop struct{ key, currency string }
	of := map[shop][]categorize.Purchase{}
	for _, p := range purchases {
		of[shop{p.key, p.currency}] = append(of[shop{p.key, p.currency}], p.Purchase)
	}
	var keys, currencies, from, to pq.StringArray
	for s, list := range of {
		oldest, newest := list[0].Day, list[0].Day
		for _, p := range list {
			if p.Day.Before(oldest) {
				oldest = p.Day
			}
			if p.Day.After(newest) {
				newest = p.Day
			}
		}
		keys, currencies = append(keys, s.key), append(currencies, s.currency)
		from, to = append(from, oldest.Format(time.DateOnly)), append(to, newest.AddDate(0, 0, categorize.RefundDays).Format(time.DateOnly))
	}
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []struct {
		OpenTransaction
		Key      string `db:"key"`
		IsRefund bool   `db:"is_refund"`
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT u.key, t.is_refund, `+openColumns+`
		FROM unnest($2::text[], $3::text[], $4::date[], $5::date[]) AS u (key, currency, first_day, last_day)
		JOIN counterparties c ON c.organization_id = $1 AND c.key = u.key
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.id
		    AND primary_date BETWEEN u.first_day AND u.last_day
		    AND amount > 0
		    AND currency = u.currency
		    AND (is_refund OR needs_attention)
		    AND coalesce(category_source, '') NOT IN ('user', 'memory')
		    AND transfer_id IS NULL
		    AND processing = 'processed'
		    AND deleted_at IS NULL
		  ORDER BY primary_date, id
		  LIMIT 200) t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE c.type <> 'person'
		ORDER BY t.id`,
		o.ID, keys, currencies, from, to)
	if err != nil {
		return nil, err
	}
	var list []earlierRefund
	for _, r := range rows {
		p, exact, found := categorize.PurchaseOf(r.Amount, r.PrimaryDate, of[shop{r.Key, r.Currency}])
		if !found || !r.IsRefund && !exact {
			continue
		}
		settled := p.Confidence >= categorize.SilentThreshold
		if r.NeedsAttention && settled || r.CategoryID == nil || *r.CategoryID != p.CategoryID {
			list = append(list, earlierRefund{r.OpenTransaction, p.ID})
		}
	}
	return list, nil
}

// refundsOf are the refunds whose purchase is among decided rows.
func refundsOf(decided []Decided, refunds []earlierRefund) []earlierRefund {
	kept := map[uuid.UUID]bool{}
	for _, d := range decided {
		kept[d.Transaction.ID] = true
	}
	return slices.DeleteFunc(refunds, func(r earlierRefund) bool { return !kept[r.purchase] })
}

// rowsOf are refunds as rows.
func rowsOf(refunds []earlierRefund) []OpenTransaction {
	rows := make([]OpenTransaction, len(refunds))
	for i, r := range refunds {
		rows[i] = r.OpenTransaction
	}
	return rows
}

// decideAnew queues decided rows again, whose accounts are locked, save the ones that changed since they were read. The
// account that is being processed needs no event.
func (o *Organization) decideAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []OpenTransaction, processing uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var ids pq.StringArray
	var revisions pq.Int64Array
	var accounts []uuid.UUID
	for _, r := range rows {
		ids, revisions, accounts = append(ids, r.ID.String()), append(revisions, int64(r.Revision)), append(accounts, r.AccountID)
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions t
		SET category_id = NULL,
		    category_source = NULL,
		    category_confidence = NULL,
		    category_reason = NULL,
		    processing = 'queued',
		    revision = t.revision + 1,
		    updated_at = $2
		FROM unnest($3::uuid[], $4::integer[]) AS u (id, revision)
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id
		  AND t.revision = u.revision`,
		o.ID, now, ids, revisions)
	if err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, slices.DeleteFunc(accounts, func(a uuid.UUID) bool { return a == processing })...)
}

// refundOfPurchase is the most that the category of a purchase is trusted for money that came back.
const refundOfPurchase money.Ratio = 9500

// mayBeRefund is money from somebody that reads like a refund, or that nothing explains yet. People pay back for other
// reasons, and what the business answered decides by itself.
func mayBeRefund(d *Decided) bool {
	return d.Transaction.Amount > 0 && d.Counterparty.Key != "" && d.Counterparty.Type != "person" &&
		d.Transaction.UserCategory == nil && d.Source != "memory" && (d.Refund || d.Question != nil || d.Note != "")
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
		Place int `db:"place"`
		purchaseRow
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT u.place, t.id, t.amount, t.primary_date, t.category_id,
		       CASE WHEN t.category_source = 'user' THEN 10000 WHEN t.needs_attention THEN least(t.category_confidence, $6) ELSE t.category_confidence END AS confidence
		FROM unnest($2::text[], $3::date[], $4::text[]) WITH ORDINALITY AS u (key, day, currency, place)
		JOIN counterparties c ON c.organization_id = $1 AND c.key = u.key
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
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
		found[place] = append(found[place], r.purchase())
	}
	return found, nil
}

// purchaseRow is a purchase as it is stored.
type purchaseRow struct {
	ID         uuid.UUID    `db:"id"`
	Amount     money.Amount `db:"amount"`
	Day        time.Time    `db:"primary_date"`
	CategoryID int          `db:"category_id"`
	Confidence money.Ratio  `db:"confidence"`
}

func (r purchaseRow) purchase() categorize.Purchase {
	return categorize.Purchase{ID: r.ID, Amount: r.Amount, Day: r.Day, CategoryID: r.CategoryID, Confidence: r.Confidence}
}
