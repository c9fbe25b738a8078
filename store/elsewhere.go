package store

// The methods of this file have their callers elsewhere in the product: the screens on which people work on their
// books. Nothing here calls them but tests, which hold what the rest of this service does with what they write: what
// people decided outlives uploads, feeds and the worker, and is read, found and counted.

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

// CategoryChoice is a category for a transaction and why.
type CategoryChoice struct {
	CategoryID int
	Source     string // rule, memory, merchant, model or user
	Confidence money.Ratio
	Reason     string
}

// SetCategory stores the user's choice, which nothing but another choice of theirs replaces; it answers what is asked
// about the row. One leg of a transfer that is something else to the user leaves the other to be decided anew.
// ErrNotFound.
func (o *Organization) SetCategory(ctx context.Context, now time.Time, transaction uuid.UUID, c CategoryChoice) error {
	return o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
		account, err := o.lockAccountOf(ctx, tx, transaction)
		if err != nil {
			return err
		}
		byUser := c.Source == "user"
		if byUser {
			if err := o.closeQuestions(ctx, tx, now, []uuid.UUID{transaction}, anyKind); err != nil {
				return err
			}
		}
		l, err := o.noteRows(ctx, tx, []uuid.UUID{transaction})
		if err != nil {
			return err
		}
		var otherLeg *uuid.UUID
		err = tx.GetContext(ctx, &otherLeg, `
			UPDATE transactions t
			SET category_id = $4,
			    category_source = $5,
			    category_confidence = $6,
			    category_reason = $7,
			    answer_id = NULL,
			    processing = 'processed',
			    revision = revision + 1,
			    updated_at = $3
			WHERE organization_id = $1
			  AND id = $2
			  AND deleted_at IS NULL
			RETURNING transfer_id`,
			o.ID, transaction, now, c.CategoryID, c.Source, int64(c.Confidence), c.Reason)
		if err == nil {
			err = o.removeParts(ctx, tx, l, []uuid.UUID{transaction})
		}
		if err != nil || otherLeg == nil || !byUser || categorize.EvidenceOfChoice(c.CategoryID) > categorize.Against {
			return err
		}
		return o.dissolve(ctx, tx, now, locked, account, []uuid.UUID{transaction})
	})
}

// SetContext stores what a person said about a transaction. ErrNotFound.
func (o *Organization) SetContext(ctx context.Context, now time.Time, transaction uuid.UUID, text string) error {
	return o.change(ctx, now, transaction, `context = nullif($4, '')`, text)
}

// SetFilingState says whether a transaction has been filed: unfiled or filed. One that is unfiled was filed as nothing:
// filed again, it is what it is then. ErrNotFound.
func (o *Organization) SetFilingState(ctx context.Context, now time.Time, transaction uuid.UUID, state string) error {
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := o.changeIn(ctx, tx, now, transaction, `filing_state = $4`, state); err != nil || state == "filed" {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE transaction_parts
			SET filed = NULL
			WHERE organization_id = $1
			  AND transaction_id = $2
			  AND filed IS NOT NULL`,
			o.ID, transaction)
		return err
	})
}

// AddComment stores a person's comment. ErrNotFound.
func (o *Organization) AddComment(ctx context.Context, now time.Time, transaction uuid.UUID, author,
	text string) error {
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := o.lockAccountOf(ctx, tx, transaction); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO transaction_comments (organization_id, transaction_id, id, author, text, created_at)
			VALUES ($1, $2, $3, $4, $5, $6)`,
			o.ID, transaction, newID(), author, text, now)
		return err
	})
}

// SaveCounterparty creates or replaces a counterparty. Its LastDate places it in the list.
func (o *Organization) SaveCounterparty(ctx context.Context, now time.Time, c Counterparty) error {
	_, err := o.db.db.ExecContext(ctx, `
		INSERT INTO counterparties (organization_id, id, name, aliases, type, relationship, website, confidence,
		  last_date, created_at, updated_at)
		VALUES ($1, $2, $3, coalesce($4::text[], '{}'), $5, $6, $7, $8, $9, $10, $10)
		ON CONFLICT ON CONSTRAINT counterparties_pkey DO UPDATE
		SET name = excluded.name,
		    aliases = excluded.aliases,
		    type = excluded.type,
		    relationship = excluded.relationship,
		    website = excluded.website,
		    confidence = excluded.confidence,
		    last_date = excluded.last_date,
		    updated_at = excluded.updated_at`,
		o.ID, c.ID, c.Name, c.Aliases, c.Type, c.Relationship, c.Website, int64(c.Confidence),
		c.LastDate.Format(time.DateOnly), now)
	return translate(ctx, err)
}

// SetCounterparty says who the other side of a transaction is. ErrNotFound.
func (o *Organization) SetCounterparty(ctx context.Context, now time.Time, transaction, counterparty uuid.UUID) error {
	return o.change(ctx, now, transaction, `counterparty_id = $4`, counterparty)
}

// OpenIssue stores a new open question about some rows, which need attention from then on.
func (o *Organization) OpenIssue(ctx context.Context, i Issue, transactions []uuid.UUID) error {
	options, err := json.Marshal(i.Options)
	if err != nil {
		return fmt.Errorf("store: options: %w", err)
	}
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := o.shareBusiness(ctx, tx); err != nil {
			return err
		}
		rows, err := o.lockRows(ctx, tx, transactions)
		if err != nil {
			return err
		}
		for _, id := range transactions {
			if _, ok := rows[id]; !ok {
				return ErrNotFound
			}
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why,
			  impact_amount,
			  impact_currency, transaction_count, options, allows_free_text, created_at, worth)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8::numeric, $9, $10, $11::jsonb, $12, $13, $8::numeric)`,
			o.ID, i.ID, i.ObjectType, i.ObjectID, i.Kind, i.Question, i.Why, i.ImpactAmount,
			i.ImpactCurrency, i.TransactionCount, string(options), i.AllowsFreeText, i.CreatedAt)
		if err != nil {
			return err
		}
		asked := make([]askedRow, len(transactions))
		for j, id := range transactions {
			asked[j] = askedRow{issue: i.ID, transaction: id}
		}
		if err := o.saveAsked(ctx, tx, asked); err != nil {
			return err
		}
		if err := o.weigh(ctx, tx, []uuid.UUID{i.ID}); err != nil {
			return err
		}
		return o.settleAttention(ctx, tx, i.CreatedAt, transactions)
	})
}

// change writes columns of one undeleted transaction; assignments number their values from $4.
func (o *Organization) change(ctx context.Context, now time.Time, transaction uuid.UUID, assignments string,
	values ...any) error {
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		return o.changeIn(ctx, tx, now, transaction, assignments, values...)
	})
}

func (o *Organization) changeIn(ctx context.Context, tx *sqlx.Tx, now time.Time, transaction uuid.UUID,
	assignments string, values ...any) error {
	if _, err := o.lockAccountOf(ctx, tx, transaction); err != nil {
		return err
	}
	if _, err := o.noteRows(ctx, tx, []uuid.UUID{transaction}); err != nil {
		return err
	}
	var found uuid.UUID
	return tx.GetContext(ctx, &found, `
		UPDATE transactions t
		SET revision = revision + 1,
		    updated_at = $3,
		    `+assignments+`
		WHERE organization_id = $1
		  AND id = $2
		  AND deleted_at IS NULL
		RETURNING id`,
		append([]any{o.ID, transaction, now}, values...)...)
}
