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

// All days that a row may have.
const (
	firstDay = "0001-01-01"
	lastDay  = "9999-12-31"
)

// dealt is between which days one has dealt with counterparties, by their keys.
type dealt struct {
	keys, from, to pq.StringArray
}

func (d *dealt) add(key, from, to string) {
	d.keys, d.from, d.to = append(d.keys, key), append(d.from, from), append(d.to, to)
}

// between widens the days of a key.
type between map[string][2]time.Time

func (b between) add(key string, day time.Time) {
	days, ok := b[key]
	if !ok {
		days = [2]time.Time{day, day}
	}
	if day.Before(days[0]) {
		days[0] = day
	}
	if day.After(days[1]) {
		days[1] = day
	}
	b[key] = days
}

// dealt are the days of all keys, and some before and after them.
func (b between) dealt(before, after int) (d dealt) {
	for key, days := range b {
		d.add(key, days[0].AddDate(0, 0, -before).Format(time.DateOnly),
			days[1].AddDate(0, 0, after).Format(time.DateOnly))
	}
	return d
}

// Dealings finds what decided rows may have to do with, of whom they are with, in any account: purchases, and what came
// back. It looks back far enough that which purchases refunds took which took none of these hardly matters.
func (o *Organization) Dealings(ctx context.Context, decided []decide.Decision) (map[decide.Shop]decide.Dealings,
	error) {
	shops, refunds := between{}, between{}
	for shop, places := range decide.Shops(decided) {
		for _, i := range places {
			d := decided[i]
			shops.add(shop.Key, d.Row.PrimaryDate)
			if d.MayBeRefund() {
				refunds.add(shop.Key, d.Row.PrimaryDate)
			}
		}
	}
	of, err := o.dealings(ctx, o.reader(), shops.dealt(2*categorize.RefundDays, categorize.RefundDays), refunds)
	return of, translate(ctx, err)
}

// So much is read of what was dealt with one counterparty, the newest: a processor may take a fee of each sale.
const (
	mostPurchases = 5_000
	mostRefunds   = 2_500
)

// dealings are refunds that were decided before, within days, with the purchases that they and other refunds may be of.
// A choice of the user and a memory stand, and so does what was filed: they are known by themselves.
func (o *Organization) dealings(ctx context.Context, q selector, shops dealt, refunds between) (
	map[decide.Shop]decide.Dealings, error) {
	of := map[decide.Shop]decide.Dealings{}
	if len(shops.keys) == 0 {
		return of, nil
	}
	var back []struct {
		decide.Row
		Key      string    `db:"key"`
		IsRefund bool      `db:"is_refund"`
		SplitBy  uuid.UUID `db:"split_by"`
	}
	err := q.SelectContext(ctx, &back, `
		SELECT u.key, t.is_refund, `+splitBy+`, `+rowColumns+`
		FROM unnest($2::text[], $3::date[], $4::date[]) AS u (key, first_day, last_day)
		JOIN counterparties c ON c.organization_id = $1 AND c.key = u.key
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.id
		    AND primary_date BETWEEN u.first_day AND u.last_day
		    AND amount > 0
		    AND (is_refund OR needs_attention)
		    AND coalesce(category_source, '') NOT IN ('user', 'memory')
		    AND transfer_id IS NULL
		    AND filing_state <> 'filed'
		    AND processing = 'processed'
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT $5) t
		JOIN accounts a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.account_id
		WHERE c.type <> 'person'
		ORDER BY t.id`,
		o.ID, shops.keys, shops.from, shops.to, mostRefunds)
	if err != nil {
		return nil, err
	}
	came := extents{}
	for _, r := range back {
		came.add(r.Key, r.PrimaryDate)
		shop := decide.Shop{Key: r.Key, Currency: r.Currency}
		s := of[shop]
		s.Refunds = append(s.Refunds, decide.Refund{Row: r.Row, IsRefund: r.IsRefund, Reads: r.IsRefund,
			SplitBy: r.SplitBy})
		of[shop] = s
		refunds.add(r.Key, r.PrimaryDate)
	}
	bought, known, err := o.addPurchases(ctx, q, refunds.dealt(categorize.RefundDays, categorize.RefundDays), of)
	for shop, s := range of {
		s.Since = slices.MaxFunc([]time.Time{came.cut(shop.Key, mostRefunds), known.cut(shop.Key, mostRefunds),
			bought.cut(shop.Key, mostPurchases)}, time.Time.Compare)
		of[shop] = s
	}
	return of, err
}

// extents are how much of one kind was read of counterparties, by their keys, in whatever currency.
type extents map[string]extent

type extent struct {
	rows   int
	oldest time.Time
}

func (e extents) add(key string, day time.Time) {
	of, ok := e[key]
	if of.rows++; !ok || day.Before(of.oldest) {
		of.oldest = day
	}
	e[key] = of
}

// cut is the last day of which some was not read, as no more than most is; zero where all was.
func (e extents) cut(key string, most int) time.Time {
	if e[key].rows < most {
		return time.Time{}
	}
	return e[key].oldest
}

// addPurchases adds what was bought of counterparties, newest first, and what is known to have come back, and returns
// how much it read of both. A row that is to be decided again keeps the category that it has.
func (o *Organization) addPurchases(ctx context.Context, q selector, shops dealt,
	of map[decide.Shop]decide.Dealings) (bought, known extents, err error) {
	bought, known = extents{}, extents{}
	if len(shops.keys) == 0 {
		return bought, known, nil
	}
	var rows []struct {
		ID         uuid.UUID    `db:"id"`
		Key        string       `db:"key"`
		Currency   string       `db:"currency"`
		Amount     money.Amount `db:"amount"`
		Day        time.Time    `db:"primary_date"`
		CategoryID int          `db:"category_id"`
		Confidence money.Ratio  `db:"confidence"`
		SplitBy    uuid.UUID    `db:"split_by"` // the answer that divides it; zero where none does
		Account    string       `db:"account"`
	}
	err = q.SelectContext(ctx, &rows, `
		SELECT u.key, a.name AS account, t.id, t.currency, t.amount, t.primary_date,
		       coalesce(t.category_id, t.suggested_id) AS category_id,
		       CASE WHEN t.category_source = 'user' THEN 10000 WHEN t.category_id IS NULL
		         THEN least(t.suggested_confidence, $5) ELSE t.category_confidence END AS confidence,
		       `+splitBy+`
		FROM unnest($2::text[], $3::date[], $4::date[]) AS u (key, first_day, last_day)
		JOIN counterparties c ON c.organization_id = $1 AND c.key = u.key
		CROSS JOIN LATERAL ((
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.id
		    AND primary_date BETWEEN u.first_day AND u.last_day
		    AND amount < 0
		    AND coalesce(category_id, suggested_id) <> 0
		    AND (category_id IS NOT NULL OR processing = 'processed')
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT $6) UNION ALL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.id
		    AND primary_date BETWEEN u.first_day AND u.last_day
		    AND amount > 0
		    AND category_id IS NOT NULL
		    AND (category_source IN ('user', 'memory') OR filing_state = 'filed')
		    AND transfer_id IS NULL
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT $7)) t
		JOIN accounts a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.account_id
		WHERE c.type <> 'person'`,
		o.ID, shops.keys, shops.from, shops.to, int64(categorize.SilentThreshold-1), mostPurchases, mostRefunds)
	for _, r := range rows {
		shop := decide.Shop{Key: r.Key, Currency: r.Currency}
		s, others := of[shop], categorize.HeldForOthers(r.Account) // whose money bought it, or came back
		if r.Amount > 0 {
			known.add(r.Key, r.Day)
		} else {
			bought.add(r.Key, r.Day)
		}
		switch {
		case others:
		case r.Amount > 0:
			s.Known = append(s.Known, categorize.Return{ID: r.ID, Amount: r.Amount, Day: r.Day, Known: r.CategoryID})
		default:
			s.Purchases = append(s.Purchases, categorize.Purchase{ID: r.ID, Amount: r.Amount, Day: r.Day,
				CategoryID: r.CategoryID, Confidence: r.Confidence, SplitBy: r.SplitBy})
		}
		of[shop] = s
	}
	return bought, known, err
}

// refundsLeft has refunds decided anew that rows which are something else now bear on: those that were refunds
// themselves, those that no purchase explains, and those that purchases, or other refunds of them, explain otherwise.
func (o *Organization) refundsLeft(ctx context.Context, tx *sqlx.Tx, now time.Time, locked, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	for _, find := range []func(context.Context, *sqlx.Tx, []uuid.UUID) ([]decide.Row, error){
		o.refundsChanged, o.refundsUnexplained, o.refundsExplained,
	} {
		refunds, err := find(ctx, tx, rows)
		if err != nil {
			return err
		}
		if err := mustHave(locked, accountsOf(refunds)); err != nil {
			return err
		}
		if err := o.decideAnew(ctx, tx, now, refunds, uuid.Nil); err != nil {
			return err
		}
	}
	return nil
}

// refundsChanged are those of changed rows that a purchase explained, and that are to be decided again: what they were
// does not stand by itself.
func (o *Organization) refundsChanged(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) (changed []decide.Row,
	err error) {
	err = tx.SelectContext(ctx, &changed, `
		SELECT id, revision, account_id
		FROM transactions
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND amount > 0
		  AND is_refund
		  AND category_source = 'rule'
		  AND filing_state <> 'filed'
		  AND processing = 'queued'
		  AND deleted_at IS NULL
		ORDER BY id`,
		o.ID, uuids(rows))
	return changed, err
}

// refundsExplained are refunds, from those whom rows are with, that are something else by what is known now.
func (o *Organization) refundsExplained(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) ([]decide.Row, error) {
	var keys []string
	err := tx.SelectContext(ctx, &keys, `
		SELECT DISTINCT c.key
		FROM transactions t
		JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = ANY ($2::uuid[])
		  AND c.key IS NOT NULL`,
		o.ID, uuids(rows))
	if err != nil {
		return nil, err
	}
	var shops dealt
	for _, key := range keys {
		shops.add(key, firstDay, lastDay)
	}
	of, err := o.dealings(ctx, tx, shops, between{})
	return rowsOf(decide.Explain(of)), err
}

// refundsUnexplained are refunds, from those whom rows are with, that no purchase explains: the one that did was
// deleted, has another day or amount, or what it was is taken back. What is only suggested is decided anew whoever
// suggested it, as a reason is words for people and no state.
func (o *Organization) refundsUnexplained(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) (left []decide.Row,
	err error) {
	err = tx.SelectContext(ctx, &left, `
		WITH c AS (
		  SELECT DISTINCT counterparty_id
		  FROM transactions
		  WHERE organization_id = $1
		    AND id = ANY ($2::uuid[])
		    AND counterparty_id IS NOT NULL),
		bought AS MATERIALIZED ( -- the largest of each day: a shop may have thousands
		  SELECT p.counterparty_id, p.primary_date, p.currency, p.category_id, p.suggested_id, min(p.amount) AS amount
		  FROM c
		  CROSS JOIN LATERAL (
		    SELECT *
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND counterparty_id = c.counterparty_id
		      AND amount < 0
		      AND deleted_at IS NULL
		    OFFSET 0) p
		  GROUP BY p.counterparty_id, p.primary_date, p.currency, p.category_id, p.suggested_id),
		gone AS MATERIALIZED (
		  SELECT counterparty_id, primary_date, currency, amount
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = ANY ($2::uuid[])
		    AND amount < 0
		    AND deleted_at IS NOT NULL)
		SELECT t.id, t.revision, t.account_id
		FROM c
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
		  FROM bought p
		  WHERE p.counterparty_id = t.counterparty_id
		    AND p.primary_date BETWEEN t.primary_date - $3::integer AND t.primary_date
		    AND p.amount <= -t.amount
		    AND p.currency = t.currency
		    AND (p.category_id = t.category_id
		      OR t.category_id IS NULL AND coalesce(p.category_id, p.suggested_id) = t.suggested_id))
		   OR t.category_id IS NULL AND EXISTS ( -- it may name the purchase that is gone
		        SELECT
		        FROM gone p
		        WHERE p.counterparty_id = t.counterparty_id
		          AND p.primary_date BETWEEN t.primary_date - $3::integer AND t.primary_date
		          AND p.amount <= -t.amount
		          AND p.currency = t.currency)
		ORDER BY t.id`,
		o.ID, uuids(rows), categorize.RefundDays)
	return left, err
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
		SET `+notEstablished+`,
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
