package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/split"
	"bizfin/store/searchsql"
)

// Transaction is one undeleted row of a bank account with what is known about it.
type Transaction struct {
	ID                 uuid.UUID      `db:"id"`
	ExternalID         string         `db:"external_id"`
	AccountID          uuid.UUID      `db:"account_id"`
	AccountName        string         `db:"account_name"`
	Amount             money.Amount   `db:"amount"` // in Currency; positive is incoming
	Currency           string         `db:"currency"`
	PrimaryDate        time.Time      `db:"primary_date"`
	AuthorizedDate     *time.Time     `db:"authorized_date"`
	ProcessedDate      time.Time      `db:"processed_date"`
	Description        string         `db:"description"`
	Merchant           *string        `db:"merchant"`
	Pending            bool           `db:"pending"`
	CategoryID         *int           `db:"category_id"`
	CategorySource     *string        `db:"category_source"`
	CategoryConfidence *money.Ratio   `db:"category_confidence"`
	CategoryReason     *string        `db:"category_reason"`
	SuggestedID        *int           `db:"suggested_id"` // counts where there is no category, and so the next two
	SuggestedSure      *money.Ratio   `db:"suggested_confidence"`
	SuggestedReason    *string        `db:"suggested_reason"`
	Alternatives       alternatives   `db:"alternatives"`
	CounterpartyID     *uuid.UUID     `db:"counterparty_id"`
	CounterpartyName   *string        `db:"counterparty_name"`
	CounterpartyType   *string        `db:"counterparty_type"`
	Relationship       *string        `db:"relationship"`
	TransferID         *uuid.UUID     `db:"transfer_id"`
	IsRefund           bool           `db:"is_refund"`
	NeedsAttention     bool           `db:"needs_attention"`
	Processing         string         `db:"processing"`
	FilingState        string         `db:"filing_state"`
	Context            *string        `db:"context"`
	IssueIDs           pq.StringArray `db:"issue_ids"` // of open questions
	CreatedAt          time.Time      `db:"created_at"`
	UpdatedAt          time.Time      `db:"updated_at"`
	Parts              []Part         `db:"-"` // of a row that is several things: its category is split.Category
	Comments           []Comment      `db:"-"` // the newest, oldest first
	CommentCount       int64          `db:"-"`
}

// Comment is what a person said about a transaction.
type Comment struct {
	TransactionID uuid.UUID `db:"transaction_id"`
	ID            uuid.UUID `db:"id"`
	Author        string    `db:"author"`
	Text          string    `db:"text"`
	CreatedAt     time.Time `db:"created_at"`
	Count         int64     `db:"count"` // of its transaction's
}

// mostOfRow is how many comments and how many questions of a row are read.
const mostOfRow = 50

// Transaction finds one undeleted transaction. ErrNotFound.
func (o *Organization) Transaction(ctx context.Context, id uuid.UUID) (Transaction, error) {
	rows, err := o.transactions(ctx, []searchsql.Place{{ID: id}})
	if err != nil {
		return Transaction{}, err
	}
	if len(rows) == 0 {
		return Transaction{}, ErrNotFound
	}
	return rows[0], nil
}

// transactions reads the rows behind keys, in their order.
func (o *Organization) transactions(ctx context.Context, keys []searchsql.Place) ([]Transaction, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(keys))
	place := make(map[uuid.UUID]int, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
		place[k.ID] = i
	}
	// Row by row and question by question: with statistics from before the business was there, the planner would read
	// all its questions again for each row of the page.
	var rows []Transaction
	err := o.prepared().SelectContext(ctx, &rows, `
		SELECT t.id, t.external_id, t.account_id, a.name AS account_name, t.amount, t.currency, t.primary_date,
		       t.authorized_date, t.processed_date, t.description, t.merchant, t.pending, t.category_id,
		         t.category_source,
		       t.category_confidence, t.category_reason, t.suggested_id, t.suggested_confidence, t.suggested_reason,
		       t.alternatives, t.counterparty_id, c.name AS counterparty_name,
		       c.type AS counterparty_type, c.relationship, t.transfer_id, t.is_refund, t.needs_attention, t.processing,
		       t.filing_state, t.context, t.created_at, t.updated_at,
		       ARRAY (
		         SELECT i.id::text
		         FROM issue_transactions it
		         CROSS JOIN LATERAL (
		           SELECT id, created_at, status
		           FROM outstanding_issues
		           WHERE organization_id = (SELECT $1::uuid)
		             AND id = it.issue_id
		           LIMIT 1) i
		         WHERE it.organization_id = (SELECT $1::uuid)
		           AND it.transaction_id = t.id
		           AND i.status = 'open'
		         ORDER BY i.created_at, i.id) AS issue_ids
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		JOIN accounts a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.account_id
		LEFT JOIN counterparties c ON c.organization_id = (SELECT $1::uuid) AND c.id = t.counterparty_id
		WHERE t.deleted_at IS NULL`,
		o.ID, uuids(ids))
	if err != nil {
		return nil, translate(ctx, err)
	}
	slices.SortFunc(rows, func(a, b Transaction) int { return place[a.ID] - place[b.ID] })
	if err := o.addParts(ctx, rows); err != nil {
		return nil, err
	}
	return rows, o.addComments(ctx, rows, ids)
}

func (t Transaction) isDivided() bool { return len(t.Parts) > 0 }

// addParts gives rows that are several things their parts, and has no category of theirs.
func (o *Organization) addParts(ctx context.Context, rows []Transaction) error {
	var divided []uuid.UUID
	for _, r := range rows {
		if r.CategoryID != nil && *r.CategoryID == split.Category {
			divided = append(divided, r.ID)
		}
	}
	parts, err := o.partsOf(ctx, o.prepared(), divided)
	if err != nil {
		return translate(ctx, err)
	}
	for i := range rows {
		if rows[i].CategoryID != nil && *rows[i].CategoryID == split.Category {
			rows[i].CategoryID, rows[i].Parts = nil, parts[rows[i].ID]
		}
	}
	return nil
}

func (o *Organization) addComments(ctx context.Context, rows []Transaction, ids []uuid.UUID) error {
	var comments []Comment
	err := o.prepared().SelectContext(ctx, &comments, `
		SELECT transaction_id, id, author, text, created_at, count
		FROM (
		  SELECT transaction_id, id, author, text, created_at,
		         count(*) OVER (PARTITION BY transaction_id) AS count,
		         row_number() OVER (PARTITION BY transaction_id ORDER BY created_at DESC, id DESC) AS place
		  FROM transaction_comments
		  WHERE organization_id = $1
		    AND transaction_id = ANY ($2::uuid[])) placed
		WHERE place <= $3
		ORDER BY created_at, id`,
		o.ID, uuids(ids), mostOfRow)
	if err != nil {
		return translate(ctx, err)
	}
	of := map[uuid.UUID][]Comment{}
	for _, c := range comments {
		of[c.TransactionID] = append(of[c.TransactionID], c)
	}
	for i := range rows {
		rows[i].Comments = of[rows[i].ID]
		if len(rows[i].Comments) > 0 {
			rows[i].CommentCount = rows[i].Comments[0].Count
		}
	}
	return nil
}

// DeleteTransaction hides a transaction from everything. Repeating it succeeds. The account's event is sent, so that
// statistics follow; the other leg of a transfer is decided anew, and questions about the row alone close. ErrNotFound.
func (o *Organization) DeleteTransaction(ctx context.Context, now time.Time, id uuid.UUID) error {
	return o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
		account, err := o.lockAccountOf(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := o.lockQuestions(ctx, tx, []uuid.UUID{id}, nil, anyKind); err != nil {
			return err
		}
		var transfer *uuid.UUID
		if _, err := o.noteRows(ctx, tx, []uuid.UUID{id}); err != nil {
			return err
		}
		err = tx.GetContext(ctx, &transfer, `
			UPDATE transactions
			SET deleted_at = $3,
			    revision = revision + 1,
			    updated_at = $3
			WHERE organization_id = $1
			  AND id = $2
			  AND deleted_at IS NULL
			RETURNING transfer_id`,
			o.ID, id, now)
		if errors.Is(err, sql.ErrNoRows) {
			return o.keepDeleted(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		if transfer != nil {
			if err := o.dissolve(ctx, tx, now, locked, account, []uuid.UUID{id}); err != nil {
				return err
			}
		}
		if transfer == nil {
			if err := having(account, o.pairAnew(ctx, tx, now, locked, id)); err != nil {
				return err
			}
		}
		if err := o.spreadLater(ctx, tx, []uuid.UUID{id}); err != nil {
			return err
		}
		if err := having(account, o.refundsLeft(ctx, tx, now, locked, []uuid.UUID{id})); err != nil {
			return err
		}
		if err := o.closeQuestions(ctx, tx, now, []uuid.UUID{id}, anyKind); err != nil {
			return err
		}
		err = o.db.record(ctx, tx, now, act{action: ActDelete, organization: o.ID, objectType: "transaction",
			objectID: id.String(), counts: quantities{"transactions": 1}})
		if err != nil {
			return err
		}
		return o.queueEvents(ctx, tx, account)
	})
}

// keepDeleted makes a row that is deleted already a person's deletion: should its bank bring it back, it stays away.
func (o *Organization) keepDeleted(ctx context.Context, tx *sqlx.Tx, id uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions
		SET withdrawn_at = NULL
		WHERE organization_id = $1
		  AND id = $2
		  AND withdrawn_at IS NOT NULL`,
		o.ID, id)
	return err
}

// lockAccountOf locks the account of a transaction, before the transaction as everywhere.
func (o *Organization) lockAccountOf(ctx context.Context, tx *sqlx.Tx, transaction uuid.UUID) (uuid.UUID, error) {
	var account uuid.UUID
	err := tx.GetContext(ctx, &account, `
		SELECT a.id
		FROM transactions t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.id = $2
		FOR NO KEY UPDATE OF a`,
		o.ID, transaction)
	return account, err
}
