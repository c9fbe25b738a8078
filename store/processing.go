package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// OpenTransaction is a row that the worker has still to decide.
type OpenTransaction struct {
	ID             uuid.UUID    `db:"id"`
	Revision       int          `db:"revision"`
	Amount         money.Amount `db:"amount"`
	Currency       string       `db:"currency"`
	Description    string       `db:"description"`
	PrimaryDate    time.Time    `db:"primary_date"`
	CategoryID     *int         `db:"category_id"`     // what it was understood as before an upload changed it; nil for a new row
	UserCategory   *int         `db:"user_category"`   // nil where the user chose none
	NeedsAttention bool         `db:"needs_attention"` // questions about it are open
	AccountID      uuid.UUID    `db:"account_id"`
	AccountName    string       `db:"account_name"`
	AccountType    string       `db:"account_type"`
	AccountMask    *string      `db:"account_mask"`
}

// openColumns are those of an OpenTransaction, of a transaction t and its account a.
const openColumns = `t.id, t.revision, t.amount, t.currency, t.description, t.primary_date, t.needs_attention,
		       t.category_id, CASE WHEN t.category_source = 'user' THEN t.category_id END AS user_category,
		       t.account_id, a.name AS account_name, a.type AS account_type, a.mask AS account_mask`

// Remembered is an earlier answer of the business about a counterparty and direction.
type Remembered struct {
	CounterpartyKey string       `db:"counterparty_key"`
	Incoming        bool         `db:"incoming"`
	Amount          money.Amount `db:"amount"`
	CategoryID      *int         `db:"category_id"`
	Relationship    *string      `db:"relationship"`
	Note            *string      `db:"note"` // the words of an answer without a category

	// The counterparty is another one: its key, and what it is, where it is still there.
	SameAs             *string      `db:"same_as"`
	SameAsName         *string      `db:"same_as_name"`
	SameAsType         *string      `db:"same_as_type"`
	SameAsRelationship *string      `db:"same_as_relationship"`
	SameAsWebsite      *string      `db:"same_as_website"`
	SameAsConfidence   *money.Ratio `db:"same_as_confidence"`
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
	Evidence     categorize.Evidence // of a transfer between own accounts
	Counterparty SeenCounterparty
	Question     *Question // what to ask about the row; nil where nothing is to be asked
	Note         string    // what the business said when it was asked about rows like this; the row's context
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
	Why      string // the reason in words; empty where the money that waits for it is the reason
	Kind     string
	Options  []IssueOption
	Swing    int // percent of the money by which its answers differ on the tax form
}

// Processing is how ProcessAccount decides: a pure function of rows and memory, and how much a business may have.
type Processing struct {
	Decide       func(rows []OpenTransaction, memory []Remembered) []Decided
	BatchSize    int
	MonthlyLimit int64 // new rows a calendar month where the tier is not paid
	// Stored is told of the decisions of each batch once they are stored, those alone, for what is counted. Nil tells nobody.
	Stored func(decided []Decided)
}

// ProcessAccount decides one batch of an account's open rows, newest first, and stores everything that follows from it
// in one transaction: decisions, pairs of transfers, questions. Rows are read and decided before anything is locked; what
// changed meanwhile is left to the next batch. It returns false when nothing of the work is left: the event is then gone,
// unless a newer one came. Repeating it changes nothing.
func (o *Organization) ProcessAccount(ctx context.Context, now time.Time, w Work, p Processing) (more bool, err error) {
	read, again, err := o.nextRows(ctx, w.AccountID, p.BatchSize)
	if err != nil {
		return false, translate(ctx, err)
	}
	memory, err := o.remembered(ctx, o.db.db)
	if err != nil {
		return false, translate(ctx, err)
	}
	var decided []Decided
	if len(read) > 0 {
		decided = p.Decide(read, memory)
	}
	var stored []Decided
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		stored, more, err = o.storeEffects(ctx, tx, now, w, p, slices.Clone(decided), again, memory)
		return err
	})
	if errors.Is(err, errStale) {
		return true, nil
	}
	if err == nil && p.Stored != nil {
		p.Stored(stored)
	}
	return more, err
}

// storeEffects writes what follows from a batch, if it still does, and ends the event where nothing is left.
func (o *Organization) storeEffects(ctx context.Context, tx *sqlx.Tx, now time.Time, w Work, p Processing, decided []Decided, again bool, memory []Remembered) (stored []Decided, more bool, err error) {
	if err := o.lockProcessing(ctx, tx); err != nil {
		return nil, false, err
	}
	transfers, err := o.findTransfers(ctx, tx, decided, memory, p)
	if err != nil {
		return nil, false, err
	}
	refunds, err := o.refundsBefore(ctx, tx, purchasesOf(decided))
	if err != nil {
		return nil, false, err
	}
	if err := o.lockForBatch(ctx, tx, w.AccountID, decided, transfers, refunds); err != nil {
		return nil, false, err
	}
	answers, err := o.remembered(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	if len(answers) != len(memory) {
		return nil, false, errStale
	}
	kept, err := o.stillOpen(ctx, tx, decided)
	if err != nil {
		return nil, false, err
	}
	if again {
		return kept, true, o.saveBatch(ctx, tx, now, w, kept, transfersOf(kept, transfers), refundsOf(kept, refunds), 0)
	}
	allowed, err := o.allowed(ctx, tx, now, p, kept)
	if err != nil {
		return nil, false, err
	}
	changed, exhausted := len(kept) < len(decided), len(allowed) < len(kept)
	kept = allowed
	refunds = refundsOf(kept, refunds)
	if err := o.saveBatch(ctx, tx, now, w, kept, transfersOf(kept, transfers), refunds, len(kept)); err != nil {
		return nil, false, err
	}
	if changed || len(refunds) > 0 || !exhausted && len(decided) == p.BatchSize {
		return kept, true, nil
	}
	return kept, false, o.finishWork(ctx, tx, now, w, exhausted)
}

// stillOpen drops the rows that changed after they were read. It looks them up one by one, as saveDecisions does.
func (o *Organization) stillOpen(ctx context.Context, tx *sqlx.Tx, decided []Decided) ([]Decided, error) {
	if len(decided) == 0 {
		return nil, nil
	}
	var ids []uuid.UUID
	revisions := map[uuid.UUID]int{}
	for _, d := range decided {
		ids = append(ids, d.Transaction.ID)
	}
	var open []OpenTransaction
	err := tx.SelectContext(ctx, &open, `
		SELECT t.id, t.revision
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT id, revision, deleted_at, processing
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		WHERE t.deleted_at IS NULL
		  AND t.processing <> 'processed'`,
		o.ID, uuids(ids))
	for _, t := range open {
		revisions[t.ID] = t.Revision
	}
	return slices.DeleteFunc(decided, func(d Decided) bool { return revisions[d.Transaction.ID] != d.Transaction.Revision }), err
}

// lockForBatch locks the accounts of all rows that a batch may write, the questions about them, and the ones they may
// join: no answer is given to these any more.
func (o *Organization) lockForBatch(ctx context.Context, tx *sqlx.Tx, account uuid.UUID, decided []Decided, transfers []transfer, refunds []earlierRefund) error {
	accounts := []uuid.UUID{account}
	for _, r := range refunds {
		accounts = append(accounts, r.AccountID)
	}
	var asked []uuid.UUID
	var groupKeys []string
	for _, t := range transfers {
		accounts = append(accounts, t.leg.AccountID)
		if t.leg.NeedsAttention {
			asked = append(asked, t.leg.ID)
		}
	}
	for _, d := range decided {
		if d.Transaction.NeedsAttention {
			asked = append(asked, d.Transaction.ID)
		}
		if d.Question != nil {
			groupKeys = append(groupKeys, d.Question.GroupKey)
		}
	}
	if err := o.lockAccounts(ctx, tx, accounts); err != nil {
		return err
	}
	_, err := o.lockQuestions(ctx, tx, asked, groupKeys, aboutCategory)
	return err
}

// allowed are the rows, newest first, that the business may still have processed this month: those among its newest open
// ones, whichever account they are in. The lock of processing keeps workers on several accounts from spending it twice.
func (o *Organization) allowed(ctx context.Context, tx *sqlx.Tx, now time.Time, p Processing, rows []Decided) ([]Decided, error) {
	var paid bool
	err := tx.GetContext(ctx, &paid, `
		SELECT tier IS NOT DISTINCT FROM 'paid'
		FROM organizations
		WHERE id = $1`,
		o.ID)
	if err != nil || paid {
		return rows, err
	}
	var used int64
	err = tx.GetContext(ctx, &used, `
		INSERT INTO processing_months AS m (organization_id, month, processed)
		VALUES ($1, $2, 0)
		ON CONFLICT ON CONSTRAINT processing_months_pkey DO UPDATE
		SET processed = m.processed
		RETURNING processed`,
		o.ID, monthOf(now))
	if err != nil || used >= p.MonthlyLimit {
		return nil, err
	}
	var last []struct {
		Day time.Time `db:"primary_date"`
		ID  uuid.UUID `db:"id"`
	}
	err = tx.SelectContext(ctx, &last, `
		SELECT primary_date, id
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		  AND processing <> 'processed'
		  AND alternatives IS NULL
		ORDER BY primary_date DESC, id DESC
		OFFSET $2
		LIMIT 1`,
		o.ID, p.MonthlyLimit-used-1)
	if err != nil || len(last) == 0 {
		return rows, err
	}
	older := func(d Decided) bool {
		t := d.Transaction
		return t.PrimaryDate.Before(last[0].Day) || t.PrimaryDate.Equal(last[0].Day) && bytes.Compare(t.ID[:], last[0].ID[:]) < 0
	}
	if i := slices.IndexFunc(rows, older); i >= 0 {
		return rows[:i], nil
	}
	return rows, nil
}

func monthOf(now time.Time) string {
	return now.UTC().Format("2006-01") + "-01"
}

// nextRows are the next rows of an account to decide: first those that were decided before and that a change queued
// again, which no month's limit holds up, then new ones, newest first.
func (o *Organization) nextRows(ctx context.Context, account uuid.UUID, limit int) (rows []OpenTransaction, again bool, err error) {
	rows, err = o.openTransactions(ctx, account, limit, "t.processing = 'queued' AND t.alternatives IS NOT NULL")
	if err != nil || len(rows) > 0 {
		return rows, true, err
	}
	rows, err = o.openTransactions(ctx, account, limit, "t.processing <> 'processed'")
	return rows, false, err
}

func (o *Organization) openTransactions(ctx context.Context, account uuid.UUID, limit int, which string) ([]OpenTransaction, error) {
	var rows []OpenTransaction
	err := o.db.db.SelectContext(ctx, &rows, `
		SELECT `+openColumns+`
		FROM transactions t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.account_id = $2
		  AND t.deleted_at IS NULL
		  AND `+which+`
		ORDER BY t.primary_date DESC, t.id DESC
		LIMIT $3`,
		o.ID, account, limit)
	return rows, err
}

// remembered are the answers of the business, oldest first.
func (o *Organization) remembered(ctx context.Context, q sqlx.QueryerContext) ([]Remembered, error) {
	var memory []Remembered
	err := sqlx.SelectContext(ctx, q, &memory, `
		SELECT b.counterparty_key, b.incoming, b.amount, b.category_id, b.relationship, b.note, b.same_as, c.name AS same_as_name,
		       c.type AS same_as_type, c.relationship AS same_as_relationship, c.website AS same_as_website, c.confidence AS same_as_confidence
		FROM business_answers b
		LEFT JOIN counterparties c ON c.organization_id = b.organization_id AND c.key = b.same_as
		WHERE b.organization_id = $1
		ORDER BY b.created_at, b.id`,
		o.ID)
	return memory, err
}

// saveBatch stores what follows from a batch: counterparties, decisions, transfers, questions, refunds to be decided anew,
// and what was used of the month.
func (o *Organization) saveBatch(ctx context.Context, tx *sqlx.Tx, now time.Time, w Work, decided []Decided, transfers []transfer, refunds []earlierRefund, counted int) error {
	if len(decided) == 0 {
		return nil
	}
	counterparties, err := o.saveCounterparties(ctx, tx, now, decided)
	if err != nil {
		return err
	}
	if err := o.matchRefunds(ctx, tx, decided); err != nil {
		return err
	}
	applyTransfers(decided, transfers)
	open, err := o.openGroups(ctx, tx)
	if err != nil {
		return err
	}
	groups := groupQuestions(decided, open)
	if err := o.saveDecisions(ctx, tx, now, decided, counterparties, groups); err != nil {
		return err
	}
	if err := o.saveTransfers(ctx, tx, now, transfers); err != nil {
		return err
	}
	if err := o.askAnew(ctx, tx, now, decided, groups, counterparties); err != nil {
		return err
	}
	if err := o.decideAnew(ctx, tx, now, rowsOf(refunds), w.AccountID); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE processing_months
		SET processed = processed + $3
		WHERE organization_id = $1
		  AND month = $2`,
		o.ID, monthOf(now), counted)
	return err
}

// finishWork ends an event with its last effects, unless a newer one came. Where the month is exhausted, the rows that it
// does not allow are marked.
func (o *Organization) finishWork(ctx context.Context, tx *sqlx.Tx, now time.Time, w Work, exhausted bool) error {
	if exhausted {
		_, err := tx.ExecContext(ctx, `
			UPDATE transactions
			SET processing = 'limited'
			WHERE organization_id = $1
			  AND account_id = $2
			  AND deleted_at IS NULL
			  AND processing = 'queued'
			  AND alternatives IS NULL`,
			o.ID, w.AccountID)
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `
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
		SELECT t.organization_id, t.account_id, $1
		FROM (
		  SELECT DISTINCT organization_id, account_id
		  FROM transactions
		  WHERE deleted_at IS NULL
		    AND processing = 'limited') t
		JOIN organizations o ON o.id = t.organization_id
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
