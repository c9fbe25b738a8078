package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
)

// RefundsOf finds the refunds that were decided before and that purchases explain better than what they were taken
// for. A choice of the user and a memory stand.
func (o *Organization) RefundsOf(ctx context.Context, purchases decide.Purchases) ([]decide.Explained, error) {
	refunds, err := o.refundsOf(ctx, o.reader(), purchases)
	return refunds, translate(ctx, err)
}

func (o *Organization) refundsOf(
	ctx context.Context, q selector, purchases decide.Purchases,
) ([]decide.Explained, error) {
	if len(purchases) == 0 {
		return nil, nil
	}
	var keys, currencies, from, to pq.StringArray
	for shop, list := range purchases {
		oldest, newest := list[0].Day, list[0].Day
		for _, p := range list {
			if p.Day.Before(oldest) {
				oldest = p.Day
			}
			if p.Day.After(newest) {
				newest = p.Day
			}
		}
		keys, currencies = append(keys, shop.Key), append(currencies, shop.Currency)
		from = append(from, oldest.Format(time.DateOnly))
		to = append(to, newest.AddDate(0, 0, categorize.RefundDays).Format(time.DateOnly))
	}
	var rows []struct {
		decide.Row
		Key      string    `db:"key"`
		IsRefund bool      `db:"is_refund"`
		SplitBy  uuid.UUID `db:"split_by"`
	}
	err := q.SelectContext(ctx, &rows, `
		SELECT u.key, t.is_refund, `+splitBy+`, `+rowColumns+`
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
		    AND filing_state <> 'filed'
		    AND processing = 'processed'
		    AND deleted_at IS NULL
		  ORDER BY primary_date, id
		  LIMIT 200) t
		JOIN accounts a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.account_id
		WHERE c.type <> 'person'
		ORDER BY t.id`,
		o.ID, keys, currencies, from, to)
	refunds := make([]decide.Refund, len(rows))
	for i, r := range rows {
		refunds[i] = decide.Refund{Row: r.Row, Shop: decide.Shop{Key: r.Key, Currency: r.Currency},
			IsRefund: r.IsRefund, SplitBy: r.SplitBy}
	}
	return decide.Explain(refunds, purchases), err
}

// refundsLeft has refunds decided anew, from those whom rows are with, that no purchase explains: the one that did
// was deleted, has another day or amount, or what it was is taken back. What is only suggested is decided anew whoever
// suggested it, as a reason is words for people and no state.
func (o *Organization) refundsLeft(ctx context.Context, tx *sqlx.Tx, now time.Time, locked, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var left []decide.Row
	err := tx.SelectContext(ctx, &left, `
		SELECT t.id, t.revision, t.account_id
		FROM (
		  SELECT DISTINCT counterparty_id
		  FROM transactions
		  WHERE organization_id = $1
		    AND id = ANY ($2::uuid[])
		    AND counterparty_id IS NOT NULL) c
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.counterparty_id
		    AND amount > 0
		    AND is_refund
		    AND (category_source = 'rule' OR category_id IS NULL)
		    AND transfer_id IS NULL
		    AND filing_state <> 'filed'
		    AND processing = 'processed'
		    AND deleted_at IS NULL
		  OFFSET 0) t
		WHERE NOT EXISTS (
		  SELECT
		  FROM transactions p
		  WHERE p.organization_id = (SELECT $1::uuid)
		    AND p.counterparty_id = t.counterparty_id
		    AND p.primary_date BETWEEN t.primary_date - $3::integer AND t.primary_date
		    AND p.amount <= -t.amount
		    AND p.currency = t.currency
		    AND (p.category_id = t.category_id
		      OR t.category_id IS NULL AND coalesce(p.category_id, p.suggested_id) = t.suggested_id)
		    AND p.deleted_at IS NULL)
		ORDER BY t.id`,
		o.ID, uuids(rows), categorize.RefundDays)
	if err != nil {
		return err
	}
	if err := mustHave(locked, accountsOf(left)); err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, left, uuid.Nil)
}

// accountsOf are the accounts of rows.
func accountsOf(rows []decide.Row) []uuid.UUID {
	accounts := make([]uuid.UUID, len(rows))
	for i, r := range rows {
		accounts[i] = r.AccountID
	}
	return accounts
}

// rowsOf are refunds as rows.
func rowsOf(refunds []decide.Explained) []decide.Row {
	rows := make([]decide.Row, len(refunds))
	for i, r := range refunds {
		rows[i] = r.Row
	}
	return rows
}

// decideAnew queues decided rows again, whose accounts are locked, save the ones that changed since they were read. The
// account that is being processed needs no event.
func (o *Organization) decideAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []decide.Row,
	processing uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var ids pq.StringArray
	var revisions pq.Int64Array
	var accounts, all []uuid.UUID
	for _, r := range rows {
		all = append(all, r.ID)
		ids, revisions, accounts = append(ids, r.ID.String()), append(revisions, int64(r.Revision)),
			append(accounts, r.AccountID)
	}
	_, err := o.writeRows(ctx, tx, all, `
		UPDATE transactions t
		SET category_id = NULL,
		    category_source = NULL,
		    category_confidence = NULL,
		    category_reason = NULL,
		    answer_id = NULL,
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

// Purchases finds what was paid to the counterparty of each decided row that may be a refund, in any account, newest
// first, by the id of the row.
func (o *Organization) Purchases(
	ctx context.Context, decided []decide.Decision,
) (map[uuid.UUID][]categorize.Purchase, error) {
	var refunds []uuid.UUID
	var keys, days, currencies pq.StringArray
	for _, d := range decided {
		if d.MayBeRefund() {
			refunds, keys = append(refunds, d.Row.ID), append(keys, d.Counterparty.Key)
			days, currencies = append(days, d.Row.PrimaryDate.Format(time.DateOnly)), append(currencies, d.Row.Currency)
		}
	}
	if len(refunds) == 0 {
		return nil, nil
	}
	var rows []struct {
		Place int `db:"place"`
		purchaseRow
	}
	err := o.reader().SelectContext(ctx, &rows, `
		SELECT u.place, t.id, t.amount, t.primary_date, coalesce(t.category_id, t.suggested_id) AS category_id,
		       CASE WHEN t.category_source = 'user' THEN 10000 WHEN t.category_id IS NULL
		         THEN least(t.suggested_confidence, $6) ELSE t.category_confidence END AS confidence,
		       `+splitBy+`
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
		    AND coalesce(category_id, suggested_id) <> 0
		    AND processing = 'processed'
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT 200) t`,
		o.ID, keys, days, currencies, categorize.RefundDays, int64(categorize.SilentThreshold-1))
	found := map[uuid.UUID][]categorize.Purchase{}
	for _, r := range rows {
		refund := refunds[r.Place-1]
		found[refund] = append(found[refund], r.purchase())
	}
	return found, translate(ctx, err)
}

// purchaseRow is a purchase as it is stored.
type purchaseRow struct {
	ID         uuid.UUID    `db:"id"`
	Amount     money.Amount `db:"amount"`
	Day        time.Time    `db:"primary_date"`
	CategoryID int          `db:"category_id"`
	Confidence money.Ratio  `db:"confidence"`
	SplitBy    uuid.UUID    `db:"split_by"` // the answer that divides it; zero where none does
}

func (r purchaseRow) purchase() categorize.Purchase {
	return categorize.Purchase{ID: r.ID, Amount: r.Amount, Day: r.Day, CategoryID: r.CategoryID,
		Confidence: r.Confidence, SplitBy: r.SplitBy}
}
