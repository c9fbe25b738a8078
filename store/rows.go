package store

import (
	"context"
	"encoding/json"
	"fmt"

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
	Deleted    bool          `db:"deleted"`
	TransferID uuid.NullUUID `db:"transfer_id"` // its other leg
}

// lockRows locks transactions in the order of their ids, as everybody who writes several does, and returns what they
// are now. They are looked up one by one: with statistics that are not there yet, the planner would read the whole
// business.
func (o *Organization) lockRows(ctx context.Context, tx *sqlx.Tx, ids []uuid.UUID) (map[uuid.UUID]row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []row
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.revision, t.processing <> 'processed' AS open, t.deleted_at IS NOT NULL AS deleted, t.transfer_id
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT id, revision, processing, deleted_at, transfer_id
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1
		  FOR NO KEY UPDATE) t`,
		o.ID, uuids(inOrder(ids)))
	locked := make(map[uuid.UUID]row, len(rows))
	for _, r := range rows {
		locked[r.ID] = r
	}
	return locked, err
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
