package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
)

// OpenTransaction is a row that the worker has still to decide.
type OpenTransaction struct {
	ID          uuid.UUID    `db:"id"`
	Revision    int          `db:"revision"`
	Amount      money.Amount `db:"amount"`
	Currency    string       `db:"currency"`
	Description string       `db:"description"`
	PrimaryDate time.Time    `db:"primary_date"`
	AccountType string       `db:"account_type"`
}

// Remembered is an earlier answer of the business about a counterparty and direction.
type Remembered struct {
	CounterpartyKey string       `db:"counterparty_key"`
	Incoming        bool         `db:"incoming"`
	Amount          money.Amount `db:"amount"`
	CategoryID      *int         `db:"category_id"`
	Relationship    *string      `db:"relationship"`
}

// Decided is what a row was understood to be. A user's category is never replaced by it.
type Decided struct {
	Transaction  OpenTransaction
	CategoryID   int // 0 leaves the row uncategorized
	Source       string
	Confidence   money.Ratio
	Reason       string
	Alternatives []Alternative
	Merchant     string
	Refund       bool
	Counterparty SeenCounterparty
	Question     *Question // what to ask about the row; nil where nothing is to be asked
}

// SeenCounterparty is the other side of a row; without a Key it is unknown.
type SeenCounterparty struct {
	Key, Name, Type, Relationship, Website string
	Confidence                             money.Ratio
}

// Question is asked once for all rows of a group.
type Question struct {
	GroupKey string // rows with the same one, in the same direction, share the question
	Text     string
	Kind     string
	Options  []IssueOption
}

// Processing is how ProcessAccount decides: a pure function of rows and memory, and how much a business may have.
type Processing struct {
	Decide       func(rows []OpenTransaction, memory []Remembered) []Decided
	BatchSize    int
	MonthlyLimit int64 // new rows a calendar month where the tier is not paid
}

// ProcessAccount decides one batch of an account's open rows, newest first, and stores everything that follows from it
// in one transaction. It returns false when nothing of the work is left: the event is then gone, unless a newer one came.
// Repeating it changes nothing.
func (o *Organization) ProcessAccount(ctx context.Context, now time.Time, w Work, p Processing) (more bool, err error) {
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := o.lockAccount(ctx, tx, w.AccountID); err != nil {
			return err
		}
		allowed, err := o.allowance(ctx, tx, now, p)
		if err != nil {
			return err
		}
		rows, err := o.openTransactions(ctx, tx, w.AccountID, min(int64(p.BatchSize), allowed))
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			if err := o.decide(ctx, tx, now, rows, p); err != nil {
				return err
			}
		}
		if len(rows) == p.BatchSize {
			more = true
			return nil
		}
		return o.finishWork(ctx, tx, now, w)
	})
	return more, err
}

func (o *Organization) lockAccount(ctx context.Context, tx *sqlx.Tx, account uuid.UUID) error {
	var found uuid.UUID
	return tx.GetContext(ctx, &found, `
		SELECT id
		FROM accounts
		WHERE organization_id = $1
		  AND id = $2
		FOR NO KEY UPDATE`,
		o.ID, account)
}

// allowance is how many rows the business may still have processed this month. The month's row is locked until the end,
// so that workers on several accounts do not spend it twice.
func (o *Organization) allowance(ctx context.Context, tx *sqlx.Tx, now time.Time, p Processing) (int64, error) {
	var paid bool
	err := tx.GetContext(ctx, &paid, `
		SELECT tier IS NOT DISTINCT FROM 'paid'
		FROM organizations
		WHERE id = $1`,
		o.ID)
	if err != nil || paid {
		return int64(p.BatchSize), err
	}
	var used int64
	err = tx.GetContext(ctx, &used, `
		INSERT INTO processing_months AS m (organization_id, month, processed)
		VALUES ($1, $2, 0)
		ON CONFLICT ON CONSTRAINT processing_months_pkey DO UPDATE
		SET processed = m.processed
		RETURNING processed`,
		o.ID, monthOf(now))
	return max(0, p.MonthlyLimit-used), err
}

func monthOf(now time.Time) string {
	return now.UTC().Format("2006-01") + "-01"
}

func (o *Organization) openTransactions(ctx context.Context, tx *sqlx.Tx, account uuid.UUID, limit int64) ([]OpenTransaction, error) {
	var rows []OpenTransaction
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.revision, t.amount, t.currency, t.description, t.primary_date, a.type AS account_type
		FROM transactions t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.account_id = $2
		  AND t.deleted_at IS NULL
		  AND t.processing <> 'processed'
		ORDER BY t.primary_date DESC, t.id DESC
		LIMIT $3`,
		o.ID, account, limit)
	return rows, err
}

// decide stores what follows from a batch: counterparties, decisions, questions, and what was used of the month.
func (o *Organization) decide(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []OpenTransaction, p Processing) error {
	var memory []Remembered
	err := tx.SelectContext(ctx, &memory, `
		SELECT counterparty_key, incoming, amount, category_id, relationship
		FROM business_answers
		WHERE organization_id = $1
		ORDER BY created_at, id`,
		o.ID)
	if err != nil {
		return err
	}
	decided := p.Decide(rows, memory)
	counterparties, err := o.saveCounterparties(ctx, tx, now, decided)
	if err != nil {
		return err
	}
	open, err := o.openGroups(ctx, tx)
	if err != nil {
		return err
	}
	groups := groupQuestions(decided, open)
	if err := o.saveDecisions(ctx, tx, now, decided, counterparties); err != nil {
		return err
	}
	if err := o.ask(ctx, tx, now, groups, counterparties); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE processing_months
		SET processed = processed + $3
		WHERE organization_id = $1
		  AND month = $2`,
		o.ID, monthOf(now), len(rows))
	return err
}

// saveCounterparties creates the ones that are new and moves the others up the list, in the order of their keys.
func (o *Organization) saveCounterparties(ctx context.Context, tx *sqlx.Tx, now time.Time, decided []Decided) (map[string]uuid.UUID, error) {
	newest := map[string]Decided{}
	for _, d := range decided {
		key := d.Counterparty.Key
		if known, ok := newest[key]; key != "" && (!ok || d.Transaction.PrimaryDate.After(known.Transaction.PrimaryDate)) {
			newest[key] = d
		}
	}
	var ids, keys, names, types, relationships, websites, days pq.StringArray
	var confidences pq.Int64Array
	for _, d := range newest {
		keys = append(keys, d.Counterparty.Key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		c := newest[key].Counterparty
		ids = append(ids, newID().String())
		names = append(names, c.Name)
		types = append(types, c.Type)
		relationships = append(relationships, c.Relationship)
		websites = append(websites, c.Website)
		days = append(days, newest[key].Transaction.PrimaryDate.Format(time.DateOnly))
		confidences = append(confidences, int64(c.Confidence))
	}
	var rows []struct {
		ID  uuid.UUID `db:"id"`
		Key string    `db:"key"`
	}
	err := tx.SelectContext(ctx, &rows, `
		INSERT INTO counterparties AS c (organization_id, id, key, name, type, relationship, website, confidence, last_date, created_at, updated_at)
		SELECT $1, u.id, u.key, u.name, u.type, u.relationship, nullif(u.website, ''), u.confidence, u.day, $2, $2
		FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[], $10::date[])
		  WITH ORDINALITY AS u (id, key, name, type, relationship, website, confidence, day, place)
		ORDER BY u.place
		ON CONFLICT (organization_id, key) WHERE key IS NOT NULL DO UPDATE
		SET last_date = greatest(c.last_date, excluded.last_date),
		    aliases = CASE
		      WHEN excluded.name = c.name OR excluded.name = ANY (c.aliases) OR cardinality(c.aliases) >= 20 THEN c.aliases
		      ELSE c.aliases || excluded.name
		    END,
		    updated_at = excluded.updated_at
		RETURNING id, key`,
		o.ID, now, ids, keys, names, types, relationships, websites, confidences, days)
	if err != nil {
		return nil, err
	}
	byKey := make(map[string]uuid.UUID, len(rows))
	for _, row := range rows {
		byKey[row.Key] = row.ID
	}
	return byKey, nil
}

// saveDecisions writes each decision only over the revision it was made for, and no category over the user's.
func (o *Organization) saveDecisions(ctx context.Context, tx *sqlx.Tx, now time.Time, decided []Decided, counterparties map[string]uuid.UUID) error {
	var ids, sources, reasons, merchants, others, considered pq.StringArray
	var revisions, categories, confidences pq.Int64Array
	var refunds pq.BoolArray
	for _, d := range decided {
		text, err := json.Marshal(storedAlternatives(d.Alternatives))
		if err != nil {
			return fmt.Errorf("store: alternatives: %w", err)
		}
		other := ""
		if id, ok := counterparties[d.Counterparty.Key]; ok {
			other = id.String()
		}
		ids = append(ids, d.Transaction.ID.String())
		revisions = append(revisions, int64(d.Transaction.Revision))
		categories = append(categories, int64(d.CategoryID))
		sources = append(sources, d.Source)
		confidences = append(confidences, int64(d.Confidence))
		reasons = append(reasons, d.Reason)
		considered = append(considered, string(text))
		merchants = append(merchants, d.Merchant)
		refunds = append(refunds, d.Refund)
		others = append(others, other)
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions t
		SET category_id = CASE WHEN t.category_source = 'user' THEN t.category_id ELSE nullif(u.category, 0) END,
		    category_source = CASE WHEN t.category_source = 'user' THEN t.category_source WHEN u.category <> 0 THEN u.source END,
		    category_confidence = CASE WHEN t.category_source = 'user' THEN t.category_confidence WHEN u.category <> 0 THEN u.confidence END,
		    category_reason = CASE WHEN t.category_source = 'user' THEN t.category_reason WHEN u.category <> 0 THEN u.reason END,
		    alternatives = u.alternatives::jsonb,
		    merchant = nullif(u.merchant, ''),
		    counterparty_id = coalesce(t.counterparty_id, nullif(u.counterparty, '')::uuid),
		    is_refund = u.refund,
		    processing = 'processed',
		    revision = t.revision + 1,
		    updated_at = $2
		FROM unnest($3::uuid[], $4::integer[], $5::integer[], $6::text[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::boolean[], $12::text[])
		  AS u (id, revision, category, source, confidence, reason, alternatives, merchant, refund, counterparty)
		WHERE t.organization_id = $1
		  AND t.id = u.id
		  AND t.revision = u.revision`,
		o.ID, now, ids, revisions, categories, sources, confidences, reasons, considered, merchants, refunds, others)
	return err
}

func storedAlternatives(list []Alternative) []Alternative {
	out := make([]Alternative, len(list))
	for i, a := range list {
		out[i] = Alternative{CategoryID: a.CategoryID, Parts: int(a.Confidence)}
	}
	return out
}

// finishWork ends an event with its last effects, unless a newer one came: rows the month does not allow are marked.
func (o *Organization) finishWork(ctx context.Context, tx *sqlx.Tx, now time.Time, w Work) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions
		SET processing = 'limited'
		WHERE organization_id = $1
		  AND account_id = $2
		  AND deleted_at IS NULL
		  AND processing = 'queued'`,
		o.ID, w.AccountID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		WITH ended AS (
		  DELETE FROM pending_work
		  WHERE organization_id = $1
		    AND account_id = $2
		    AND generation = $3
		  RETURNING account_id)
		UPDATE accounts a
		SET last_processed_at = $4
		FROM ended
		WHERE a.organization_id = $1
		  AND a.id = ended.account_id`,
		o.ID, w.AccountID, w.Generation, now)
	return err
}

// ReleaseLimited sends the events of accounts whose rows wait for a new month or a higher tier, of businesses that may
// have more processed now. It returns how many it sent.
func (d *DB) ReleaseLimited(ctx context.Context, now time.Time, monthlyLimit int64) (int64, error) {
	result, err := d.db.ExecContext(ctx, `
		INSERT INTO pending_work AS w (organization_id, account_id, next_at)
		SELECT DISTINCT t.organization_id, t.account_id, $1::timestamptz
		FROM organizations o
		JOIN accounts a ON a.organization_id = o.id
		JOIN LATERAL (
		  SELECT organization_id, account_id
		  FROM transactions
		  WHERE organization_id = a.organization_id
		    AND account_id = a.id
		    AND deleted_at IS NULL
		    AND processing = 'limited'
		  LIMIT 1) t ON true
		LEFT JOIN processing_months m ON m.organization_id = o.id AND m.month = $2
		WHERE o.tier = 'paid'
		   OR coalesce(m.processed, 0) < $3
		ON CONFLICT ON CONSTRAINT pending_work_pkey DO NOTHING`,
		now, monthOf(now), monthlyLimit)
	if err != nil {
		return 0, translate(ctx, err)
	}
	return result.RowsAffected()
}
