package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/questions"
	"bizfin/store/statement"
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
	Incoming         *bool        `db:"incoming"`  // the direction of the money; nil where it is not about one
	FirstDay         *time.Time   `db:"first_day"` // of its rows, as OpenIssues reads them; nil where they are very many
	LastDay          *time.Time   `db:"last_day"`
}

// IssueOptions are the answers to choose from.
type IssueOptions []questions.Option

// Scan reads the column.
func (l *IssueOptions) Scan(src any) error {
	raw, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("store: options are %T", src)
	}
	return json.Unmarshal(raw, l)
}

// Answer is what a person answered, and what was understood of it.
type Answer struct {
	questions.Meaning
	Person uuid.UUID
	Text   string
	Option *string // one of the question's options; nil for free text
}

// askedIssue is a question with what it is about.
type askedIssue struct {
	Issue
	GroupKey *string `db:"group_key"`
}

const issueColumns = `id, object_type, object_id, kind, question, why, impact_amount, impact_currency,
	transaction_count, options,
	allows_free_text, status, answer, selected_option, created_at, incoming`

// mostDays are so many rows of a question that a list of questions reads their days.
const mostDays = 1000

// IssueFilter chooses open questions; the zero value chooses all.
type IssueFilter struct {
	ObjectType string
	ObjectID   string
}

// IssuePage is one page of a list of questions.
type IssuePage struct {
	List[Issue]
	Total int64 // of the whole list
}

// OpenIssues lists open questions, oldest first, then by id, and counts all that match. ErrCursor.
func (o *Organization) OpenIssues(ctx context.Context, f IssueFilter, p Page) (page IssuePage, err error) {
	w := statement.Where{Args: new(statement.Arguments)}
	w.And("organization_id = ?::uuid", o.ID)
	w.And("status = 'open'")
	if f.ObjectType != "" {
		w.And("object_type = ?", f.ObjectType)
	}
	if f.ObjectID != "" {
		w.And("object_id = ?", f.ObjectID)
	}
	err = o.db.db.GetContext(ctx, &page.Total, fmt.Sprintf("SELECT count(*)\nFROM outstanding_issues\nWHERE %s",
		w), (*w.Args)...)
	if err != nil {
		return IssuePage{}, translate(ctx, err)
	}
	after, err := p.after(f)
	if err != nil {
		return IssuePage{}, err
	}
	if after != nil {
		w.And("(created_at, id) > (?::timestamptz, ?::uuid)", after.at, after.id)
	}
	var rows []Issue
	err = o.db.db.SelectContext(ctx, &rows, fmt.Sprintf(`
		SELECT %s, days.first_day, days.last_day
		FROM (
		  SELECT *
		  FROM outstanding_issues
		  WHERE %s
		  ORDER BY created_at, id
		  LIMIT %d) i
		CROSS JOIN LATERAL (
		  SELECT min(t.primary_date) AS first_day, max(t.primary_date) AS last_day
		  FROM issue_transactions it
		  JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		  WHERE i.transaction_count <= %d
		    AND it.organization_id = i.organization_id
		    AND it.issue_id = i.id) days
		ORDER BY created_at, id`, issueColumns, w, p.Limit+1, mostDays), (*w.Args)...)
	if err != nil {
		return IssuePage{}, translate(ctx, err)
	}
	page.List = listOf(rows, p, f, func(i Issue) cursor { return cursor{at: i.CreatedAt, id: i.ID} })
	return page, nil
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
