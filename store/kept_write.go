package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
)

// keep writes what follows from what a transaction did. Nothing comes after it but the commit.
func (d *DB) keep(ctx context.Context, tx *sqlx.Tx) error {
	for _, l := range d.ledgers.close(tx) {
		if err := d.Organization(l.organization).keep(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}

func (o *Organization) keep(ctx context.Context, tx *sqlx.Tx, l *ledger) error {
	if err := o.readAgain(ctx, tx, l); err != nil {
		return err
	}
	c := l.changes()
	if err := o.checkReferences(ctx, tx, c); err != nil {
		return err
	}
	if err := o.addCounts(ctx, tx, l.added); err != nil {
		return err
	}
	if err := o.addCounterparties(ctx, tx, c.with); err != nil {
		return err
	}
	if err := o.markMonths(ctx, tx, c.months); err != nil {
		return err
	}
	if err := o.listTexts(ctx, tx, c.texts); err != nil {
		return err
	}
	return o.storeEvents(ctx, tx, l)
}

// readAgain reads what the rows became of which no statement said so.
func (o *Organization) readAgain(ctx context.Context, tx *sqlx.Tx, l *ledger) error {
	if len(l.unread) == 0 {
		return nil
	}
	return o.eachRow(ctx, tx, l.unread, "", func(r row) { l.after[r.ID] = r })
}

// errForeignLeg is a fault of ours: callers name counterparties, and nobody names legs.
var errForeignLeg = errors.New("store: a row's other leg is of another organization")

// checkReferences refuses a counterparty or another leg that is not of the business. A foreign key would look up that
// of every row at every change, a tenth of what an upload costs.
func (o *Organization) checkReferences(ctx context.Context, tx *sqlx.Tx, c changes) error {
	for _, r := range []struct {
		table string
		ids   []uuid.UUID
		err   error
	}{{"counterparties", c.counterparties, ErrNotFound}, {"transactions", c.legs, errForeignLeg}} {
		if len(r.ids) == 0 {
			continue
		}
		var found []uuid.UUID
		err := tx.SelectContext(ctx, &found, `
			SELECT r.id
			FROM unnest($2::uuid[]) AS u (id)
			CROSS JOIN LATERAL (
			  SELECT id
			  FROM `+r.table+`
			  WHERE organization_id = (SELECT $1::uuid)
			    AND id = u.id
			  LIMIT 1
			  FOR KEY SHARE) r`,
			o.ID, uuids(inOrder(r.ids)))
		if err != nil {
			return err
		}
		if len(found) < len(r.ids) {
			return r.err
		}
	}
	return nil
}

// addCountsOf is a statement of its own, and part of the one that accepts an upload.
const addCountsOf = `
	INSERT INTO transaction_counts_added (organization_id, account_id, transactions, pending, categorized,
	  needs_attention, limited, queued)`

func (o *Organization) addCounts(ctx context.Context, tx *sqlx.Tx, added map[uuid.UUID]*accountNumbers) error {
	var accounts []uuid.UUID
	var n [6]pq.Int64Array
	for account, c := range added {
		if *c == (accountNumbers{}) {
			continue
		}
		accounts = append(accounts, account)
		for i, number := range []int64{c.Transactions, c.Pending, c.Categorized, c.NeedsAttention, c.Limited,
			c.Queued} {
			n[i] = append(n[i], number)
		}
	}
	if len(accounts) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, addCountsOf+`
		SELECT $1, u.*
		FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
		  $8::bigint[]) AS u`,
		o.ID, uuids(accounts), n[0], n[1], n[2], n[3], n[4], n[5])
	return err
}

func (o *Organization) addCounterparties(ctx context.Context, tx *sqlx.Tx,
	with map[counterpartyKey]*counterpartySums) error {
	var ids []uuid.UUID
	var currencies, inflows, outflows pq.StringArray
	var categories, transactions pq.Int64Array
	add := func(key counterpartyKey, c counterpartySums) {
		ids, currencies, categories = append(ids, key.counterparty), append(currencies, key.currency),
			append(categories, int64(key.category))
		transactions, inflows, outflows = append(transactions, c.transactions), append(inflows, cents(c.inflow)),
			append(outflows, cents(c.outflow))
	}
	for key, c := range with {
		if *c == (counterpartySums{}) {
			continue
		}
		add(key, *c)
		if c.moved && c.transactions != 0 {
			add(key, counterpartySums{}) // a change of no rows says that the newest may be another
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO counterparty_counts_added (organization_id, counterparty_id, currency, category_id, transactions,
		  inflow, outflow)
		SELECT $1, u.*
		FROM unnest($2::uuid[], $3::text[], $4::integer[], $5::bigint[], $6::numeric[], $7::numeric[]) AS u`,
		o.ID, uuids(ids), currencies, categories, transactions, inflows, outflows)
	return err
}

// cents is a total as a number of cents.
func cents(t money.Total) string {
	value, _ := t.Value() // of a Total there is one always
	return fmt.Sprint(value)
}

func (o *Organization) markMonths(ctx context.Context, tx *sqlx.Tx, months map[string]bool) error {
	if len(months) == 0 {
		return nil
	}
	var days pq.StringArray
	for day := range months {
		days = append(days, day)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO report_dirty (organization_id, month)
		SELECT $1, u.month
		FROM unnest($2::date[]) AS u (month)`,
		o.ID, days)
	return err
}

// listTexts adds the texts of rows, some in a list, for IndexWords; until then searches read them one by one. Texts of
// before stay: whether it has a word is judged by the row.
func (o *Organization) listTexts(ctx context.Context, tx *sqlx.Tx, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	ids, texts := make([]uuid.UUID, len(rows)), make(pq.StringArray, len(rows))
	for i, r := range rows {
		ids[i], texts[i] = r.ID, r.Text.String
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
		SELECT $1, false, array_agg(u.id ORDER BY u.place), array_agg(u.text ORDER BY u.place)
		FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS u (id, text, place)
		GROUP BY (u.place - 1) / 16`,
		o.ID, uuids(ids), texts)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO words_added (organization_id) VALUES ($1)`, o.ID)
	return err
}

// storeEvents stores the events that were queued, which it locks in order, all at once.
func (o *Organization) storeEvents(ctx context.Context, tx *sqlx.Tx, l *ledger) error {
	accounts := slices.Collect(maps.Keys(l.events))
	if len(accounts) == 0 {
		return nil
	}
	clear(l.events)
	_, err := tx.ExecContext(ctx, `
		INSERT INTO pending_work AS w (organization_id, account_id, next_at)
		SELECT $1, u.account_id, now()
		FROM unnest($2::uuid[]) WITH ORDINALITY AS u (account_id, place)
		ORDER BY u.place
		ON CONFLICT ON CONSTRAINT pending_work_pkey DO UPDATE
		SET generation = excluded.generation,
		    attempts = 0,
		    next_at = excluded.next_at`,
		o.ID, uuids(inOrder(accounts)))
	return err
}
