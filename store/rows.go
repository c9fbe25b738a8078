package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// The states of rows that are to be decided.
const (
	newlyQueued = "processing = 'queued' AND never_decided(alternatives)"
	heldBack    = "processing = 'limited' AND never_decided(alternatives)" // by the month's limit
	queuedAgain = "processing = 'queued' AND NOT never_decided(alternatives)"
)

// rowColumns are those of a decide.Row, of a transaction t and its account a.
const rowColumns = `t.id, t.revision, t.amount, t.currency, t.description, t.primary_date, t.needs_attention,
		       t.category_id, t.suggested_id,
		       CASE WHEN t.category_source = 'user' THEN t.category_id END AS user_category,
		       t.account_id, a.name AS account_name, a.type AS account_type, a.mask AS account_mask`

// bankText is bankfeed.BankText of a stored transaction t, byte for byte.
const bankText = `t.amount || ' ' || coalesce(t.authorized_date::text, '') || ' ' || t.processed_date || ' '
	         || t.pending || ' ' || t.currency || ' ' || t.description`

// row is what a transaction is when it is locked.
type row struct {
	ID         uuid.UUID     `db:"id"`
	Revision   int           `db:"revision"`
	Open       bool          `db:"open"` // it is to be decided
	New        bool          `db:"new"`  // and was never decided
	Deleted    bool          `db:"deleted"`
	TransferID uuid.NullUUID `db:"transfer_id"` // its other leg
	state
}

// state is what something is kept of beside the rows.
type state struct {
	AccountID      uuid.UUID     `db:"account_id"`
	Processing     string        `db:"processing"`
	Pending        bool          `db:"pending"`
	NeedsAttention bool          `db:"needs_attention"`
	Amount         money.Amount  `db:"amount"` // in Currency
	Currency       string        `db:"currency"`
	CategoryID     *int          `db:"category_id"`
	SuggestedID    *int          `db:"suggested_id"`
	CounterpartyID uuid.NullUUID `db:"counterparty_id"`
	PrimaryDate    time.Time     `db:"primary_date"`
	ProcessedDate  time.Time     `db:"processed_date"`
	OneDay         bool          `db:"one_day"` // by either date
	Text           *string       `db:"text"`    // that words are looked for in; of processed rows that are not deleted
}

// category is 0 for none.
func (s state) category() int {
	if s.CategoryID == nil {
		return 0
	}
	return *s.CategoryID
}

// selectRows looks rows up one by one: with statistics that are not there yet, the planner would read the whole
// business.
func selectRows(lock string) string {
	return `
	SELECT t.id, t.revision, t.processing <> 'processed' AS open, t.deleted_at IS NOT NULL AS deleted, t.transfer_id,
	       t.processing = 'queued' AND never_decided(t.alternatives) AS new, t.account_id, t.processing, t.pending,
	       t.needs_attention, t.amount, t.currency, t.category_id, t.suggested_id, t.counterparty_id, t.primary_date,
	       t.processed_date, t.processed_date = t.primary_date AS one_day,
	       CASE WHEN t.processing = 'processed' AND t.deleted_at IS NULL
	         THEN searched_text(t.merchant, t.description, t.context) END AS text
	FROM unnest($2::uuid[]) AS u (id)
	CROSS JOIN LATERAL (
	  SELECT *
	  FROM transactions
	  WHERE organization_id = (SELECT $1::uuid)
	    AND id = u.id
	  LIMIT 1` + lock + `) t`
}

// lockRows locks transactions in the order of their ids, as everybody who writes several does, and returns what they
// are now. The ledger of the transaction has them from then on.
func (o *Organization) lockRows(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) (map[uuid.UUID]row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := o.rowsBy(ctx, tx, selectRows(`
	  FOR NO KEY UPDATE`), ids)
	for id, r := range rows {
		if _, ok := l.before[id]; !ok {
			l.before[id] = r
		}
	}
	return rows, err
}

// readRows reads what rows are now, without a lock.
func (o *Organization) readRows(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) (map[uuid.UUID]row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return o.rowsBy(ctx, tx, selectRows(""), ids)
}

func (o *Organization) rowsBy(ctx context.Context, tx *sqlx.Tx, query string, ids []uuid.UUID) (map[uuid.UUID]row,
	error) {
	var list []row
	err := tx.SelectContext(ctx, &list, query, o.ID, uuids(inOrder(ids)))
	rows := make(map[uuid.UUID]row, len(list))
	for _, r := range list {
		rows[r.ID] = r
	}
	return rows, err
}

func storedAlternatives(list []categorize.Alternative) []Alternative {
	out := make([]Alternative, 0, len(list))
	for _, a := range list {
		if a.CategoryID > 0 { // others are answers that divide rows
			out = append(out, Alternative{CategoryID: a.CategoryID, Parts: int(a.Confidence)})
		}
	}
	return out
}

// Alternative is a category that was considered.
type Alternative struct {
	CategoryID int         `json:"category"`
	Confidence money.Ratio `json:"-"`
	Parts      int         `json:"confidence"` // the confidence in ten-thousandths
}

type alternatives []Alternative

// Scan reads the column; NULL is none.
func (a *alternatives) Scan(src any) error {
	*a = nil
	raw, ok := src.([]byte)
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, a); err != nil {
		return fmt.Errorf("store: alternatives: %w", err)
	}
	for i := range *a {
		(*a)[i].Confidence = money.Ratio((*a)[i].Parts)
	}
	return nil
}
