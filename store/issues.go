package store

import (
	"cmp"
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
	ID               uuid.UUID     `db:"id"`
	ObjectType       string        `db:"object_type"` // transaction, counterparty or company
	ObjectID         string        `db:"object_id"`
	Kind             string        `db:"kind"`
	Question         string        `db:"question"`
	Why              string        `db:"why"`
	ImpactAmount     money.Total   `db:"impact_amount"` // in ImpactCurrency
	ImpactCurrency   string        `db:"impact_currency"`
	TransactionCount int64         `db:"transaction_count"`
	Options          IssueOptions  `db:"options"`
	AllowsFreeText   bool          `db:"allows_free_text"`
	Status           string        `db:"status"`
	Answer           *string       `db:"answer"`
	SelectedOption   *string       `db:"selected_option"`
	CreatedAt        time.Time     `db:"created_at"`
	Incoming         *bool         `db:"incoming"` // the direction of the money; nil where it is not about one
	FirstDay         *time.Time    `db:"-"`        // of its rows, as Issues reads them; nil where they are many or Why says it all
	LastDay          *time.Time    `db:"-"`
	Rank             int           `db:"rank"`      // the place among those that wait, coarsely: the lowest comes first
	Skipped          bool          `db:"skipped"`   // nobody knows the answer yet: it comes last
	FollowUp         *FollowUp     `db:"follow_up"` // of words that were not understood
	Answers          []GivenAnswer `db:"-"`
	Lines            []IssueLine   `db:"-"` // as Issues reads them: the largest of the newest
}

// FollowUp asks what words mean that were not understood.
type FollowUp struct {
	Answer  string             `json:"answer"` // the words
	Options []questions.Option `json:"options"`
	Several bool               `json:"several,omitempty"` // they may say several things of rows that are apart
}

// Scan reads the column.
func (f *FollowUp) Scan(src any) error {
	raw, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("store: a follow-up is %T", src)
	}
	return json.Unmarshal(raw, f)
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

// askedIssue is a question with what it is about.
type askedIssue struct {
	Issue
	GroupKey *string `db:"group_key"`
	Apart    bool    `db:"apart"` // it is about many, of whom each is asked about alone, too
}

const issueColumns = `id, object_type, object_id, kind, question, why, impact_amount, impact_currency,
	transaction_count, options,
	allows_free_text, status, answer, selected_option, created_at, incoming, rank, skipped,
	follow_up`

// MostOpen is how many questions are open at a time: a person answers few. The others come up as these are answered.
const MostOpen = 12

// openQuestions are the questions that are open, of an organization by its placeholder.
func openQuestions(organization string) string {
	return fmt.Sprintf(`(
		  SELECT *
		  FROM outstanding_issues
		  WHERE organization_id = %s::uuid
		    AND status = 'open'
		  ORDER BY skipped, rank, id
		  LIMIT %d) asked`, organization, MostOpen)
}

// behindOpen is true of the open questions that wait behind those.
func behindOpen(organization string) string {
	return fmt.Sprintf(`(skipped, rank, id) > (
		  SELECT skipped, rank, id
		  FROM outstanding_issues
		  WHERE organization_id = %s::uuid
		    AND status = 'open'
		  ORDER BY skipped, rank, id
		  OFFSET %d
		  LIMIT 1)`, organization, MostOpen-1)
}

// LoanQuestions are open questions about money that comes in and seems to be lent.
func (o *Organization) LoanQuestions(ctx context.Context) ([]questions.Loan, error) {
	var loans []questions.Loan
	err := o.prepared().SelectContext(ctx, &loans, `
		SELECT group_key,
		       coalesce((
		         SELECT min(t.primary_date)
		         FROM issue_transactions it
		         JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		         WHERE it.organization_id = $1
		           AND it.issue_id = i.id), '0001-01-01') AS since
		FROM outstanding_issues i
		WHERE organization_id = $1
		  AND status = 'open'
		  AND incoming
		  AND group_key IS NOT NULL
		  AND options -> 0 ->> 'value' = 'liability.loan_proceeds'
		ORDER BY group_key
		LIMIT $2`,
		o.ID, mostNames)
	return loans, translate(ctx, err)
}

// CheckQuestions are the keys of open questions about checks of one amount, see questions.Waits.
func (o *Organization) CheckQuestions(ctx context.Context) ([]string, error) {
	var keys []string
	err := o.prepared().SelectContext(ctx, &keys, `
		SELECT group_key
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND status = 'open'
		  AND NOT incoming
		  AND starts_with(group_key, $2)
		ORDER BY group_key
		LIMIT $3`,
		o.ID, questions.OneAmount(), mostNames)
	return keys, translate(ctx, err)
}

// IssueFilter chooses questions; the zero value chooses the open ones that a person is asked.
type IssueFilter struct {
	Status     string `json:",omitempty"` // open where it is empty
	Waiting    bool   `json:",omitempty"` // of the open ones those that wait behind them
	ObjectType string
	ObjectID   string
}

// where are the conditions of the filter.
func (f IssueFilter) where(w statement.Where) statement.Where {
	if f.ObjectType != "" {
		w.And("object_type = ?", f.ObjectType)
	}
	if f.ObjectID != "" {
		w.And("object_id = ?", f.ObjectID)
	}
	return w
}

// IssuePage is one page of a list of questions.
type IssuePage struct {
	List[Issue]
	Total   int64 // of the open ones that match
	Waiting int64 // that come up as open ones are answered, whatever they are about
}

// Issues lists questions and counts the open ones that match. Open ones come by what an answer is worth, then by id,
// those that nobody knows the answer to last; others come oldest first. ErrCursor.
func (o *Organization) Issues(ctx context.Context, f IssueFilter, p Page) (page IssuePage, err error) {
	if page.Total, page.Waiting, err = o.countIssues(ctx, f); err != nil {
		return IssuePage{}, err
	}
	after, err := p.after(o.list(f))
	if err != nil {
		return IssuePage{}, err
	}
	args := new(statement.Arguments)
	organization := args.Add(o.ID)
	from, order, status := "outstanding_issues", "created_at, id", cmp.Or(f.Status, IssueOpen)
	place := func(i Issue) cursor { return cursor{at: i.CreatedAt, id: i.ID} }
	if status == IssueOpen {
		order = "skipped, rank, id"
		place = func(i Issue) cursor { return cursor{at: time.UnixMicro(int64(i.Rank)), id: i.ID, late: i.Skipped} }
	}
	w := f.where(statement.Where{Args: args})
	w.And("organization_id = " + organization + "::uuid")
	w.And("status = ?", status)
	switch {
	case f.Waiting:
		w.And(behindOpen(organization))
	case status == IssueOpen:
		from = openQuestions(organization)
	}
	switch {
	case after != nil && status == IssueOpen:
		w.And("(skipped, rank, id) > (?::boolean, ?::bigint, ?::uuid)", after.late, after.at.UnixMicro(), after.id)
	case after != nil:
		w.And("(created_at, id) > (?::timestamptz, ?::uuid)", after.at, after.id)
	}
	var rows []Issue
	limit := args.Add(p.Limit + 1)
	err = o.prepared().SelectContext(ctx, &rows, fmt.Sprintf(`
		SELECT %s
		FROM %s
		WHERE %s
		ORDER BY %s
		LIMIT %s::integer`, issueColumns, from, w, order, limit), (*args)...)
	if err != nil {
		return IssuePage{}, translate(ctx, err)
	}
	page.List = listOf(rows, p, o.list(f), place)
	if err := o.addLines(ctx, o.prepared(), page.Rows); err != nil {
		return IssuePage{}, err
	}
	return page, o.addAnswers(ctx, page.Rows)
}

// addLines gives questions their lines, and where all of their rows were read for these, says when they were.
func (o *Organization) addLines(ctx context.Context, from selector, issues []Issue) error {
	ids := make([]uuid.UUID, len(issues))
	for i := range issues {
		ids[i] = issues[i].ID
	}
	of, err := o.linesOf(ctx, from, ids)
	for i := range issues {
		issue := &issues[i]
		read := of[issue.ID]
		issue.Lines = read.lines
		if issue.Why == "" && issue.TransactionCount <= mostRead {
			issue.FirstDay, issue.LastDay = read.first, read.last
		}
	}
	return err
}

// countIssues counts the open questions that match, and all that wait behind the open ones.
func (o *Organization) countIssues(ctx context.Context, f IssueFilter) (open, waiting int64, err error) {
	args := new(statement.Arguments)
	organization := args.Add(o.ID)
	w := f.where(statement.Where{Args: args})
	w.And("status = ?", IssueOpen)
	var counts struct {
		Open    int64 `db:"open"`
		Waiting int64 `db:"waiting"`
	}
	err = o.prepared().GetContext(ctx, &counts, fmt.Sprintf(`
		SELECT (SELECT count(*) FROM %s WHERE %s) AS open,
		       greatest(count(*) - %d, 0) AS waiting
		FROM outstanding_issues
		WHERE organization_id = %s::uuid
		  AND status = 'open'`, openQuestions(organization), w, MostOpen, organization), (*args)...)
	return counts.Open, counts.Waiting, translate(ctx, err)
}

func (o *Organization) addAnswers(ctx context.Context, issues []Issue) error {
	ids := make([]uuid.UUID, len(issues))
	for i := range issues {
		ids[i] = issues[i].ID
	}
	of, err := o.answersOfIssues(ctx, ids)
	for i := range issues {
		issues[i].Answers = of[issues[i].ID.String()]
	}
	return err
}
