package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
)

// The states of a question.
const (
	IssueOpen     = "open"
	IssueAnswered = "answered"
	IssueClosed   = "closed" // by itself: its reason went
)

// Issue is a question to the people of a business.
type Issue struct {
	ID               uuid.UUID    `db:"id"`
	ObjectType       string       `db:"object_type"` // transaction, counterparty or company
	ObjectID         string       `db:"object_id"`
	Kind             string       `db:"kind"`
	Question         string       `db:"question"`
	Why              string       `db:"why"`
	ImpactAmount     money.Total  `db:"impact_amount"` // in ImpactCurrency
	ImpactCurrency   string       `db:"impact_currency"`
	TransactionCount int64        `db:"transaction_count"`
	Options          IssueOptions `db:"options"`
	AllowsFreeText   bool         `db:"allows_free_text"`
	Status           string       `db:"status"`
	Answer           *string      `db:"answer"`
	SelectedOption   *string      `db:"selected_option"`
	CreatedAt        time.Time    `db:"created_at"`
}

// IssueOption is an answer to choose from.
type IssueOption struct {
	Value       string `json:"value"` // a category path where it stands for a category
	Label       string `json:"label"`
	Description string `json:"description"`
}

// IssueOptions are the answers to choose from.
type IssueOptions []IssueOption

// Scan reads the column.
func (l *IssueOptions) Scan(src any) error {
	raw, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("store: options are %T", src)
	}
	return json.Unmarshal(raw, l)
}

const issueColumns = `id, object_type, object_id, kind, question, why, impact_amount, impact_currency, transaction_count, options,
	allows_free_text, status, answer, selected_option, created_at`

// IssueFilter chooses open questions; the zero value chooses all.
type IssueFilter struct {
	ObjectType string
	ObjectID   string
}

// OpenIssues lists open questions, oldest first, then by id, and counts all that match; nextCursor is empty on the
// last page. ErrCursor.
func (o *Organization) OpenIssues(ctx context.Context, f IssueFilter, p Page) (list []Issue, total int64, nextCursor string, err error) {
	w := where{args: new(arguments)}
	w.and("organization_id = ?::uuid", o.ID)
	w.and("status = 'open'")
	if f.ObjectType != "" {
		w.and("object_type = ?", f.ObjectType)
	}
	if f.ObjectID != "" {
		w.and("object_id = ?", f.ObjectID)
	}
	err = o.db.db.GetContext(ctx, &total, fmt.Sprintf("SELECT count(*)\nFROM outstanding_issues\nWHERE %s", w), (*w.args)...)
	if err != nil {
		return nil, 0, "", translate(ctx, err)
	}
	if p.Cursor != "" {
		after, err := decodeCursor(p.Cursor, f)
		if err != nil {
			return nil, 0, "", err
		}
		w.and("(created_at, id) > (?::timestamptz, ?::uuid)", after.at, after.id)
	}
	err = o.db.db.SelectContext(ctx, &list, fmt.Sprintf("SELECT %s\nFROM outstanding_issues\nWHERE %s\nORDER BY created_at, id\nLIMIT %d", issueColumns, w, p.Limit+1), (*w.args)...)
	if err != nil {
		return nil, 0, "", translate(ctx, err)
	}
	if len(list) > p.Limit {
		list = list[:p.Limit]
		last := list[p.Limit-1]
		nextCursor = cursor{at: last.CreatedAt, id: last.ID}.encode(f)
	}
	return list, total, nextCursor, nil
}

// Issue finds a question in whatever state. ErrNotFound.
func (o *Organization) Issue(ctx context.Context, id uuid.UUID) (Issue, error) {
	var issue Issue
	err := o.db.db.GetContext(ctx, &issue, `
		SELECT `+issueColumns+`
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, id)
	return issue, translate(ctx, err)
}

// Answer is what a person answered, and what was understood of it.
type Answer struct {
	Person       uuid.UUID
	Text         string
	Option       *string // one of the question's options; nil for free text
	CategoryID   int     // the category it names; 0 where it names none, and the words are kept as context
	Relationship string  // the relationship it names; empty where it names none
}

// AnswerIssue stores the first answer to an open question and what follows from it: the rows of the question take the
// category as the user's, the business remembers it for the next ones, and words that name nothing become context. The
// same answer again succeeds. ErrNotFound, ErrAnswered.
func (o *Organization) AnswerIssue(ctx context.Context, now time.Time, id uuid.UUID, a Answer) error {
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		var issue struct {
			Issue
			GroupKey *string `db:"group_key"`
			Incoming *bool   `db:"incoming"`
		}
		err := tx.GetContext(ctx, &issue, `
			SELECT `+issueColumns+`, group_key, incoming
			FROM outstanding_issues
			WHERE organization_id = $1
			  AND id = $2
			FOR NO KEY UPDATE`,
			o.ID, id)
		if err != nil {
			return err
		}
		if issue.Status != IssueOpen {
			if issue.Status == IssueAnswered && issue.sameAnswer(a) {
				return nil
			}
			return ErrAnswered
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE outstanding_issues
			SET status = 'answered',
			    answer = $3,
			    selected_option = $4,
			    answered_by = $5,
			    ended_at = $6
			WHERE organization_id = $1
			  AND id = $2`,
			o.ID, id, a.Text, a.Option, a.Person, now)
		if err != nil {
			return err
		}
		if err := o.applyAnswer(ctx, tx, now, id, a, issue.Kind == KindChanged); err != nil {
			return err
		}
		if issue.GroupKey == nil || aboutOneRow(*issue.GroupKey) || a.CategoryID == 0 && a.Relationship == "" {
			return nil
		}
		return o.remember(ctx, tx, now, id, *issue.GroupKey, *issue.Incoming, a)
	})
}

// applyAnswer gives the rows of a question what was understood. What a person said of one row alone stays, unless it is
// what was asked about. Rows that another open question is about keep asking.
func (o *Organization) applyAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, issue uuid.UUID, a Answer, override bool) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions t
		SET category_id = CASE WHEN $4 <> 0 AND (t.category_source IS DISTINCT FROM 'user' OR $7) THEN $4 ELSE t.category_id END,
		    category_source = CASE WHEN $4 <> 0 THEN 'user' ELSE t.category_source END,
		    category_confidence = CASE WHEN $4 <> 0 AND (t.category_source IS DISTINCT FROM 'user' OR $7) THEN 10000 ELSE t.category_confidence END,
		    category_reason = CASE WHEN $4 <> 0 AND (t.category_source IS DISTINCT FROM 'user' OR $7) THEN 'Answered: ' || $5::text ELSE t.category_reason END,
		    context = CASE WHEN $4 = 0 AND $6 = '' THEN concat_ws(E'\n', t.context, $5::text) ELSE t.context END,
		    needs_attention = EXISTS (
		      SELECT
		      FROM issue_transactions other
		      JOIN outstanding_issues i ON i.organization_id = other.organization_id AND i.id = other.issue_id
		      WHERE other.organization_id = $1
		        AND other.transaction_id = t.id
		        AND i.status = 'open'),
		    revision = t.revision + 1,
		    updated_at = $3
		FROM issue_transactions it
		WHERE it.organization_id = $1
		  AND it.issue_id = $2
		  AND t.organization_id = $1
		  AND t.id = it.transaction_id`,
		o.ID, issue, now, a.CategoryID, a.Text, a.Relationship, override)
	if err != nil || a.Relationship == "" {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE counterparties c
		SET relationship = $3,
		    updated_at = $4
		FROM outstanding_issues i
		WHERE i.organization_id = $1
		  AND i.id = $2
		  AND i.object_type = 'counterparty'
		  AND c.organization_id = $1
		  AND c.id::text = i.object_id`,
		o.ID, issue, a.Relationship, now)
	return err
}

// remember makes an answer decide the next rows of its group. The amount is that of the group's newest row.
func (o *Organization) remember(ctx context.Context, tx *sqlx.Tx, now time.Time, issue uuid.UUID, groupKey string, incoming bool, a Answer) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, category_id, relationship, created_at)
		SELECT $1, $2, $3, $4, coalesce((
		  SELECT t.amount
		  FROM issue_transactions it
		  JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		  WHERE it.organization_id = $1
		    AND it.issue_id = $5
		  ORDER BY t.primary_date DESC, t.id DESC
		  LIMIT 1), 0), nullif($6, 0), nullif($7, ''), $8`,
		o.ID, newID(), groupKey, incoming, issue, a.CategoryID, a.Relationship, now)
	return err
}

// sameAnswer compares the options, and the words only where no option was chosen: with one they are a remark.
func (i Issue) sameAnswer(a Answer) bool {
	if i.SelectedOption != nil || a.Option != nil {
		return i.SelectedOption != nil && a.Option != nil && *i.SelectedOption == *a.Option
	}
	return i.Answer != nil && *i.Answer == a.Text
}

// OpenIssue stores a new open question about some rows, which need attention from then on.
func (o *Organization) OpenIssue(ctx context.Context, i Issue, transactions []uuid.UUID) error {
	options, err := json.Marshal(i.Options)
	if err != nil {
		return fmt.Errorf("store: options: %w", err)
	}
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why, impact_amount,
			  impact_currency, transaction_count, options, allows_free_text, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8::numeric, $9, $10, $11::jsonb, $12, $13)`,
			o.ID, i.ID, i.ObjectType, i.ObjectID, i.Kind, i.Question, i.Why, i.ImpactAmount,
			i.ImpactCurrency, i.TransactionCount, string(options), i.AllowsFreeText, i.CreatedAt)
		if err != nil {
			return err
		}
		asked := make([]askedRow, len(transactions))
		for j, id := range transactions {
			asked[j] = askedRow{i.ID, id}
		}
		if err := o.saveAsked(ctx, tx, asked); err != nil {
			return err
		}
		return o.markAsked(ctx, tx, asked)
	})
}
