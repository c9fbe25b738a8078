package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// Processing is how a batch is decided: a pure function of rows and memory, and how much a business may have.
type Processing struct {
	Decide       func(rows []OpenTransaction, memory []Remembered) []Decided
	BatchSize    int
	MonthlyLimit int64 // new rows a calendar month where the tier is not paid
}

// BatchResult is what became of a batch.
type BatchResult struct {
	Rows    []Decided     // stored
	Limited int           // rows that the month does not allow, newly marked
	More    bool          // something of the event is left
	Ended   bool          // nothing is, and no newer event came
	Waited  time.Duration // of an event that ended: from its acceptance until all its effects were stored
}

// ProcessBatch decides one batch of an account's open rows, newest first, and stores everything that follows from it in
// one transaction: decisions, pairs of transfers, questions. Rows are read and decided before anything is locked; what
// changed meanwhile is left to the next batch. An event of which nothing is left ends, unless a newer one came. Repeating
// it changes nothing. ErrTurnTaken where the turn was lost: nothing is stored then.
func (o *Organization) ProcessBatch(ctx context.Context, now time.Time, turn Turn, e Event, p Processing) (BatchResult, error) {
	b, err := o.nextBatch(ctx, now, e.AccountID, p)
	if err != nil {
		return BatchResult{}, translate(ctx, err)
	}
	done := BatchResult{More: b.more}
	if len(b.rows) > 0 {
		b.decided = p.Decide(b.rows, b.memory)
		err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
			var left bool
			done.Rows, left, err = o.storeEffects(ctx, tx, now, turn, b, slices.Clone(b.decided), p)
			done.More = b.more || left
			return err
		})
		if errors.Is(err, errStale) {
			return BatchResult{More: true}, nil
		}
		if err != nil {
			return BatchResult{}, err
		}
	}
	if b.exhausted && !done.More {
		if done.Limited, err = o.limitRows(ctx, now, e.AccountID, p.BatchSize); err != nil {
			return done, err
		}
		done.More = done.Limited == p.BatchSize
	}
	if !done.More {
		done.Waited, done.Ended, err = o.EndEvent(ctx, now, e)
		done.More = !done.Ended
	}
	return done, err
}

// batch is what is decided at once, and what it is decided by.
type batch struct {
	account   uuid.UUID
	rows      []OpenTransaction
	again     bool // they were decided before; no month's limit holds them up
	more      bool // there may be more rows behind them
	limited   bool // they count for the month
	exhausted bool // the month allows no row behind them
	memory    []Remembered
	answers   int64 // how many the memory knows at least
	decided   []Decided
}

// nextBatch reads the next rows of an account to decide: first those that were decided before and that a change queued
// again, then new ones, newest first, as many as the month allows.
func (o *Organization) nextBatch(ctx context.Context, now time.Time, account uuid.UUID, p Processing) (batch, error) {
	b := batch{account: account, again: true, more: true}
	var err error
	if b.answers, err = o.answersGiven(ctx); err != nil { // before the memory: one that comes now is told apart
		return b, err
	}
	if b.rows, err = o.openTransactions(ctx, account, p.BatchSize, "t.processing = 'queued' AND t.alternatives IS NOT NULL"); err != nil {
		return b, err
	}
	if len(b.rows) == 0 {
		b.again = false
		if err := o.newRows(ctx, now, p, &b); err != nil {
			return b, err
		}
	}
	if len(b.rows) > 0 {
		b.memory, err = o.remembered(ctx)
	}
	return b, err
}

func (o *Organization) newRows(ctx context.Context, now time.Time, p Processing, b *batch) error {
	b.more = false
	left, limited, err := o.allowance(ctx, now, p)
	if err != nil {
		return err
	}
	b.limited = limited
	if limited && left <= 0 {
		b.exhausted = true
		return nil
	}
	if b.rows, err = o.openTransactions(ctx, b.account, p.BatchSize, "t.processing <> 'processed'"); err != nil {
		return err
	}
	b.more = len(b.rows) == p.BatchSize
	if limited {
		read := len(b.rows)
		if b.rows, err = o.allowed(ctx, b.rows, left); err != nil {
			return err
		}
		b.exhausted = len(b.rows) < read
		b.more = b.more && !b.exhausted
	}
	return nil
}

// storeEffects writes what follows from a batch, if it still does. It returns what it wrote, and whether something of the
// batch is left.
func (o *Organization) storeEffects(ctx context.Context, tx *sqlx.Tx, now time.Time, turn Turn, b batch, decided []Decided, p Processing) (kept []Decided, left bool, err error) {
	answers, err := o.holdTurn(ctx, tx, turn)
	if err != nil {
		return nil, false, err
	}
	if answers != b.answers {
		return nil, false, errStale
	}
	transfers, err := o.findTransfers(ctx, tx, decided, b.memory, p)
	if err != nil {
		return nil, false, err
	}
	refunds, err := o.refundsBefore(ctx, tx, purchasesOf(decided))
	if err != nil {
		return nil, false, err
	}
	questions, rows, err := o.lockForBatch(ctx, tx, decided, transfers, refunds)
	if err != nil {
		return nil, false, err
	}
	for _, d := range decided {
		if r := rows[d.Transaction.ID]; r.Open && !r.Deleted && r.Revision == d.Transaction.Revision {
			kept = append(kept, d)
		}
	}
	transfers, refunds = transfersOf(kept, transfers), refundsOf(kept, refunds)
	for _, t := range transfers {
		if rows[t.leg.ID].Revision != t.leg.Revision {
			return nil, false, errStale
		}
	}
	counted := 0
	if b.limited && !b.again {
		counted = len(kept)
	}
	left = len(kept) < len(decided) || len(refunds) > 0
	return kept, left, o.saveBatch(ctx, tx, now, b.account, kept, byGroup(questions), transfers, refunds, counted)
}

// lockForBatch locks the questions about the rows that a batch may write, and the ones these may join, and then all these
// rows: what an upload changed meanwhile is seen, and none changes any more.
func (o *Organization) lockForBatch(ctx context.Context, tx *sqlx.Tx, decided []Decided, transfers []transfer, refunds []earlierRefund) ([]lockedQuestion, map[uuid.UUID]row, error) {
	var rows, asked []uuid.UUID
	var groupKeys []string
	for _, r := range refunds {
		rows = append(rows, r.ID)
	}
	for _, t := range transfers {
		rows = append(rows, t.leg.ID)
		if t.leg.NeedsAttention {
			asked = append(asked, t.leg.ID)
		}
	}
	for _, d := range decided {
		rows = append(rows, d.Transaction.ID)
		if d.Transaction.NeedsAttention {
			asked = append(asked, d.Transaction.ID)
		}
		// Nobody but the row itself joins a question about one row.
		if d.Question != nil && (d.Transaction.NeedsAttention || !aboutOneRow(d.Question.GroupKey)) {
			groupKeys = append(groupKeys, d.Question.GroupKey)
		}
	}
	slices.Sort(groupKeys)
	questions, err := o.lockQuestions(ctx, tx, asked, slices.Compact(groupKeys), aboutCategory)
	if err != nil {
		return nil, nil, err
	}
	locked, err := o.lockRows(ctx, tx, rows)
	return questions, locked, err
}

// allowance is how many new rows the business may still have processed this month; limited is false where it may have all.
// Only who has the turn spends it.
func (o *Organization) allowance(ctx context.Context, now time.Time, p Processing) (left int64, limited bool, err error) {
	var month struct {
		Paid bool  `db:"paid"`
		Used int64 `db:"used"`
	}
	err = o.db.db.GetContext(ctx, &month, `
		SELECT o.tier IS NOT DISTINCT FROM 'paid' AS paid, coalesce(m.processed, 0) AS used
		FROM organizations o
		LEFT JOIN processing_months m ON m.organization_id = o.id AND m.month = $2
		WHERE o.id = $1`,
		o.ID, monthOf(now))
	return p.MonthlyLimit - month.Used, !month.Paid, err
}

// allowed are those of an account's rows, newest first, that are among the newest open ones of the business, whichever
// account they are in. Of each account no more rows are read than the month has left.
func (o *Organization) allowed(ctx context.Context, rows []OpenTransaction, left int64) ([]OpenTransaction, error) {
	var last []struct {
		Day time.Time `db:"primary_date"`
		ID  uuid.UUID `db:"id"`
	}
	err := o.db.db.SelectContext(ctx, &last, `
		SELECT t.primary_date, t.id
		FROM accounts a
		CROSS JOIN LATERAL (
		  SELECT primary_date, id
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND account_id = a.id
		    AND deleted_at IS NULL
		    AND processing <> 'processed'
		    AND alternatives IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT $2) t
		WHERE a.organization_id = $1
		ORDER BY t.primary_date DESC, t.id DESC
		OFFSET $2 - 1
		LIMIT 1`,
		o.ID, left)
	if err != nil || len(last) == 0 {
		return rows, err
	}
	older := func(t OpenTransaction) bool {
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
func (o *Organization) remembered(ctx context.Context) ([]Remembered, error) {
	var memory []Remembered
	err := o.db.db.SelectContext(ctx, &memory, `
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
func (o *Organization) saveBatch(ctx context.Context, tx *sqlx.Tx, now time.Time, account uuid.UUID, decided []Decided, open map[groupID]lockedQuestion, transfers []transfer, refunds []earlierRefund, counted int) error {
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
	if err := o.decideAnew(ctx, tx, now, rowsOf(refunds), account); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO processing_months AS m (organization_id, month, processed)
		VALUES ($1, $2, $3)
		ON CONFLICT ON CONSTRAINT processing_months_pkey DO UPDATE
		SET processed = m.processed + excluded.processed`,
		o.ID, monthOf(now), counted)
	return err
}

// limitRows marks rows of an account that the month does not allow, some at a time, and remembers that the account has
// such. It returns how many. Nothing waits for it but an upload that changes one of these rows.
func (o *Organization) limitRows(ctx context.Context, now time.Time, account uuid.UUID, limit int) (n int, err error) {
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		marked, err := tx.ExecContext(ctx, `
			UPDATE transactions
			SET processing = 'limited'
			WHERE ctid = ANY (ARRAY (
			  SELECT ctid
			  FROM transactions
			  WHERE organization_id = $1
			    AND account_id = $2
			    AND deleted_at IS NULL
			    AND processing = 'queued'
			    AND alternatives IS NULL
			  ORDER BY id
			  LIMIT $3
			  FOR NO KEY UPDATE))`,
			o.ID, account, limit)
		if err != nil {
			return err
		}
		rows, err := marked.RowsAffected()
		if err != nil {
			return err
		}
		n = int(rows)
		_, err = tx.ExecContext(ctx, `
			INSERT INTO limited_accounts (organization_id, account_id, month)
			SELECT $1, $2, $3
			WHERE EXISTS (
			  SELECT
			  FROM transactions
			  WHERE organization_id = $1
			    AND account_id = $2
			    AND deleted_at IS NULL
			    AND processing = 'limited')
			ON CONFLICT ON CONSTRAINT limited_accounts_pkey DO UPDATE
			SET month = excluded.month`,
			o.ID, account, monthOf(now))
		return err
	})
	return n, err
}

// ReleaseLimited sends the events of accounts whose rows the business may have processed now, some at a time, and returns
// how many. monthlyLimit is what a business may have in a month without the paid tier.
func (d *DB) ReleaseLimited(ctx context.Context, now time.Time, monthlyLimit int64) (int64, error) {
	return release(ctx, d.db, `
		    JOIN organizations o ON o.id = l.organization_id
		    LEFT JOIN processing_months m ON m.organization_id = o.id AND m.month = $1
		    WHERE o.tier = 'paid'
		       OR coalesce(m.processed, 0) < $2`,
		monthOf(now), monthlyLimit)
}

// ReleaseMonth does it for the accounts that were limited in an earlier month. It is cheap where there are none.
func (d *DB) ReleaseMonth(ctx context.Context, now time.Time) (int64, error) {
	return release(ctx, d.db, `
		    WHERE l.month < $1`,
		monthOf(now))
}

// releasePaid does it for businesses whose tier rose.
func releasePaid(ctx context.Context, tx *sqlx.Tx, organizations []uuid.UUID) error {
	_, err := release(ctx, tx, `
		    WHERE l.organization_id = ANY ($1::uuid[])`,
		uuids(organizations))
	return err
}

func release(ctx context.Context, q sqlx.QueryerContext, which string, args ...any) (int64, error) {
	const atOnce = 500
	var released []uuid.UUID
	err := sqlx.SelectContext(ctx, q, &released, fmt.Sprintf(`
		WITH released AS (
		  DELETE FROM limited_accounts
		  WHERE ctid = ANY (ARRAY (
		    SELECT l.ctid
		    FROM limited_accounts l%s
		    LIMIT %d
		    FOR UPDATE OF l SKIP LOCKED))
		  RETURNING organization_id, account_id)
		INSERT INTO pending_work (organization_id, account_id, next_at)
		SELECT organization_id, account_id, now()
		FROM released
		ORDER BY organization_id, account_id
		ON CONFLICT ON CONSTRAINT pending_work_pkey DO NOTHING
		RETURNING account_id`, which, atOnce),
		args...)
	return int64(len(released)), translate(ctx, err)
}
