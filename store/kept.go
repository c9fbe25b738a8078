package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/split"
)

// keptByProgram tells the triggers that the step of the schema before had, until the end of the transaction, that what
// they do is done; and it fails on an older schema, where both would count.
const keptByProgram = `kept_by_program()`

// ledgerOf opens the ledger of a transaction where it is not open.
func (o *Organization) ledgerOf(ctx context.Context, tx *sqlx.Tx) (*ledger, error) {
	if l := o.db.ledgers.find(tx, o.ID); l != nil {
		return l, nil
	}
	if _, err := tx.ExecContext(ctx, `SELECT `+keptByProgram); err != nil {
		return nil, err
	}
	return o.openLedger(tx), nil
}

// openLedger is ledgerOf for whoever has asked for keptByProgram in a statement of its own.
func (o *Organization) openLedger(tx *sqlx.Tx) *ledger {
	if l := o.db.ledgers.find(tx, o.ID); l != nil {
		return l
	}
	l := &ledger{
		organization: o.ID,
		before:       map[uuid.UUID]row{},
		after:        map[uuid.UUID]row{},
		divided:      map[uuid.UUID]bool{},
		added:        map[uuid.UUID]*accountNumbers{},
		events:       map[uuid.UUID]bool{},
		asked:        map[uuid.UUID]bool{},
	}
	o.db.ledgers.add(tx, l)
	return l
}

// lockRows locks transactions in the order of their ids, as everybody who writes several does, and returns what they
// are now. The ledger of the transaction has them from then on. Who has locked some before, and is not alone with the
// business, does not wait for others: an *unlockedError where somebody has them.
func (o *Organization) lockRows(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) (map[uuid.UUID]row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	lock, later := `FOR NO KEY UPDATE`, len(l.asked) > 0 && !l.alone
	if later {
		lock += ` SKIP LOCKED`
	}
	rows := make(map[uuid.UUID]row, len(ids))
	err = o.eachRow(ctx, tx, ids, lock, func(r row) {
		rows[r.ID] = r
		if _, ok := l.before[r.ID]; !ok {
			l.before[r.ID] = r
		}
	})
	if err != nil {
		return nil, err
	}
	return rows, l.lacks(ids, later)
}

// eachRow gives do what rows are, in the order of their ids. They are looked up one by one: with statistics that are
// not there yet, the planner would read the whole business.
func (o *Organization) eachRow(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID, lock string, do func(row)) error {
	var r row
	return scanned(ctx, tx, append([]any{&r.ID, &r.Revision, &r.NeverDecided, &r.AccountID, &r.Deleted, &r.Pending,
		&r.Amount, &r.Currency, &r.PrimaryDate, &r.ProcessedDate}, r.understood.values()...), func() { do(r) }, `
		SELECT t.id, t.revision, never_decided(t.alternatives), t.account_id, t.deleted_at IS NOT NULL, t.pending,
		       t.amount, t.currency, t.primary_date - date '1970-01-01', t.processed_date - date '1970-01-01',
		       `+understoodValues+`
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1
		  `+lock+`) t`,
		o.ID, uuids(inOrder(ids)))
}

// scanned calls do for each row that a statement returns, with its values where to says.
func scanned(ctx context.Context, by sqlx.QueryerContext, to []any, do func(), query string, args ...any) error {
	rows, err := by.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		do()
	}
	return rows.Err()
}

// writeRows runs a statement that updates what was made of transactions t, all of them among the given ones, and
// returns how many. Rows that the transaction has not locked yet are locked first, in order. A row that is not split
// any more has no parts.
func (o *Organization) writeRows(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID, query string,
	args ...any) (written int64, err error) {
	l, err := o.lockOthers(ctx, tx, ids)
	if err != nil {
		return 0, err
	}
	var id uuid.UUID
	var now understood
	err = scanned(ctx, tx, append([]any{&id}, now.values()...), func() {
		r, ok := l.after[id]
		if !ok {
			r = l.before[id]
		}
		r.understood = now
		l.after[id] = r
		written++
	}, query+`
		RETURNING t.id, `+understoodValues, args...)
	if err != nil {
		return 0, err
	}
	return written, o.removeParts(ctx, tx, l, ids)
}

// writeLines is writeRows for a statement that updates what the bank says of transactions, or deletes them.
func (o *Organization) writeLines(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID, query string, args ...any) error {
	l, err := o.noteRows(ctx, tx, ids)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return err
	}
	return o.removeParts(ctx, tx, l, ids)
}

// noteRows locks rows that a statement of the caller's own is going to write.
func (o *Organization) noteRows(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) (*ledger, error) {
	l, err := o.lockOthers(ctx, tx, ids)
	if err == nil {
		l.unread = append(l.unread, ids...)
	}
	return l, err
}

// lockOthers locks the rows that the transaction has not locked yet.
func (o *Organization) lockOthers(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) (*ledger, error) {
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	var others []uuid.UUID
	for _, id := range ids {
		if _, ok := l.before[id]; !ok {
			others = append(others, id)
		}
	}
	_, err = o.lockRows(ctx, tx, others)
	return l, err
}

// removeParts removes the parts of rows that were several things, or became that in this transaction, and are not now.
// What they bore of a year's amounts others bear.
func (o *Organization) removeParts(ctx context.Context, tx *sqlx.Tx, l *ledger, ids []uuid.UUID) error {
	var were []uuid.UUID
	for _, id := range ids {
		if l.divided[id] || l.before[id].Category == split.Category {
			were = append(were, id)
		}
	}
	if len(were) == 0 {
		return nil
	}
	var answers []uuid.UUID
	err := tx.SelectContext(ctx, &answers, `
		DELETE FROM transaction_parts p
		WHERE p.organization_id = $1
		  AND p.transaction_id = ANY ($2::uuid[])
		  AND NOT EXISTS (
		    SELECT
		    FROM transactions t
		    WHERE t.organization_id = $1
		      AND t.id = p.transaction_id
		      AND t.category_id = $3)
		RETURNING answer_id`,
		o.ID, uuids(were), split.Category)
	if err != nil {
		return err
	}
	return o.spreadDue(ctx, tx, answers)
}

// came notes rows that are inserted into an account.
func (o *Organization) came(ctx context.Context, tx *sqlx.Tx, account uuid.UUID, rows, pending int) error {
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return err
	}
	c := l.of(account)
	c.Transactions += int64(rows)
	c.Pending += int64(pending)
	c.Queued += int64(rows)
	return nil
}

// spreadLater has the worker spread the amounts of a year anew that divide some of the rows.
func (o *Organization) spreadLater(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) error {
	var answers []uuid.UUID
	err := tx.SelectContext(ctx, &answers, `
		SELECT DISTINCT answer_id
		FROM transaction_parts
		WHERE organization_id = $1
		  AND transaction_id = ANY ($2::uuid[])`,
		o.ID, uuids(rows))
	if err != nil {
		return err
	}
	return o.spreadDue(ctx, tx, answers)
}

// spreadDue has the amounts of a year spread anew that answers say: what they divide came, went or changed.
func (o *Organization) spreadDue(ctx context.Context, tx *sqlx.Tx, answers []uuid.UUID) error {
	if len(answers) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE answers
		SET spread_due = true
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT id
		    FROM answers
		    WHERE organization_id = $1
		      AND id = ANY ($2::uuid[])
		      AND ((split ->> 'yearly')::boolean OR further_splits @> '[{"yearly": true}]')
		      AND NOT spread_due
		    ORDER BY id
		    FOR NO KEY UPDATE))`,
		o.ID, uuids(inOrder(answers)))
	return err
}
