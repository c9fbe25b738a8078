package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
)

// DateField is one of the dates of a transaction.
type DateField string

// The authorized date stands in nowhere: a row without one counts by its processed date, which is its primary date.
const (
	Primary   DateField = "primary_date"
	Processed DateField = "processed_date"
)

// TransactionFilter chooses undeleted transactions; the zero value chooses all.
type TransactionFilter struct {
	Words        []Word
	AccountIDs   []uuid.UUID // with FilterByAccount
	Counterparty *uuid.UUID
	CategoryIDs  []int      // with FilterByCategory
	From, To     *time.Time // inclusive days in UTC, by DateField
	DateField    DateField
	AmountFrom   *money.Amount // inclusive, USD rows only
	AmountTo     *money.Amount
	Attention    *bool

	FilterByAccount  bool // an empty list then chooses none
	FilterByCategory bool
	Uncategorized    bool // with FilterByCategory: rows without a category too
}

// Word must occur in a row's merchant, description or context, or in the name of its category.
type Word struct {
	Text        string
	CategoryIDs []int // the categories whose name contains it
}

// Page is how much of a list to return, and from where.
type Page struct {
	Limit  int
	Cursor string // empty for the start
}

// TransactionPage is one page of a search.
type TransactionPage struct {
	Transactions            []Transaction
	NextCursor              string // empty on the last page
	TotalMatched            int64  // a lower bound where it is not exact
	TotalIsExact            bool
	ExcludedOtherCurrencies *int64 // set with an amount bound: rows in other currencies that match but for it, at most countLimit
}

// Counting stops at this many rows, or after this time.
const (
	countLimit  = 1000
	countBudget = 10 * time.Millisecond
)

// words is the text of a row as the index of words holds it.
const words = `(coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, ''))`

// SearchTransactions lists transactions by the chosen date, newest first, then by id. ErrCursor.
func (o *Organization) SearchTransactions(ctx context.Context, f TransactionFilter, p Page) (TransactionPage, error) {
	var after *cursor
	if p.Cursor != "" {
		place, err := decodeCursor(p.Cursor, f)
		if err != nil {
			return TransactionPage{}, err
		}
		after = &place
	}
	keys, err := o.matchingTransactions(ctx, f, after, p.Limit+1)
	if err != nil {
		return TransactionPage{}, err
	}
	var page TransactionPage
	if len(keys) > p.Limit {
		keys = keys[:p.Limit]
		last := keys[p.Limit-1]
		page.NextCursor = cursor{at: last.Date, id: last.ID}.encode(f)
	}
	if page.Transactions, err = o.transactions(ctx, keys); err != nil {
		return TransactionPage{}, err
	}
	if after == nil && page.NextCursor == "" {
		page.TotalMatched, page.TotalIsExact = int64(len(keys)), true
	} else if page.TotalMatched, page.TotalIsExact, err = o.countMatching(ctx, f); err != nil {
		return TransactionPage{}, err
	}
	page.TotalMatched = max(page.TotalMatched, int64(len(keys)))
	if f.AmountFrom != nil || f.AmountTo != nil {
		excluded, err := o.countOtherCurrencies(ctx, f)
		if err != nil {
			return TransactionPage{}, err
		}
		page.ExcludedOtherCurrencies = &excluded
	}
	return page, nil
}

// key is the place of a row in a list.
type key struct {
	Date time.Time `db:"date"`
	ID   uuid.UUID `db:"id"`
}

// matchingTransactions finds the first rows of the list. Rows that wait for the worker are outside the index of words,
// so a search for words takes the two kinds apart and merges them.
func (o *Organization) matchingTransactions(ctx context.Context, f TransactionFilter, after *cursor, limit int) ([]key, error) {
	w := o.conditions(f)
	if after != nil {
		w.and(fmt.Sprintf("(t.%s, t.id) < (?::date, ?::uuid)", f.DateField), after.at.Format(time.DateOnly), after.id)
	}
	order := fmt.Sprintf("ORDER BY t.%s DESC, t.id DESC LIMIT %s", f.DateField, w.arg(limit))
	branch := func(w where) string {
		return fmt.Sprintf("SELECT t.%s AS date, t.id FROM transactions t\nWHERE %s\n%s", f.DateField, w, order)
	}
	var query string
	switch {
	case len(f.Words) > 0:
		query = fmt.Sprintf("SELECT t.date, t.id FROM ((%s) UNION ALL (%s)) t\nORDER BY t.date DESC, t.id DESC LIMIT %d",
			branch(w.plus("t.processing = 'processed'")), branch(w.plus("t.processing <> 'processed'")), limit)
	case f.FilterByAccount && len(f.AccountIDs) > 1:
		query = o.perGroup(&w, branch, "t.account_id = g.id", "uuid", uuids(f.AccountIDs), limit)
	case f.FilterByCategory && len(f.CategoryIDs) > 1 && !f.Uncategorized:
		query = o.perGroup(&w, branch, "t.category_id = g.id", "integer", pq.Array(f.CategoryIDs), limit)
	default:
		query = branch(w)
	}
	var keys []key
	err := o.db.db.SelectContext(ctx, &keys, query, w.args...)
	return keys, translate(ctx, err)
}

// perGroup takes the newest rows of each account or category by its own index and merges them: the planner would read
// all rows of all groups.
func (o *Organization) perGroup(w *where, branch func(where) string, condition, groupType string, groups any, limit int) string {
	placeholder := w.arg(groups)
	return fmt.Sprintf("SELECT t.date, t.id\nFROM unnest(%s::%s[]) AS g (id)\nCROSS JOIN LATERAL (%s) t\nORDER BY t.date DESC, t.id DESC LIMIT %d",
		placeholder, groupType, branch(w.plus(condition)), limit)
}

// conditions are those of the filter, without the place in the list.
func (o *Organization) conditions(f TransactionFilter) where {
	var w where
	w.and("t.organization_id = ?::uuid", o.ID)
	w.and("t.deleted_at IS NULL")
	if f.FilterByAccount {
		w.and("t.account_id = ANY (?::uuid[])", uuids(f.AccountIDs))
	}
	if f.Counterparty != nil {
		w.and("t.counterparty_id = ?::uuid", *f.Counterparty)
	}
	if f.FilterByCategory {
		condition := "t.category_id = ANY (?::integer[])"
		if f.Uncategorized {
			condition = "(" + condition + " OR t.category_id IS NULL)"
		}
		w.and(condition, pq.Array(f.CategoryIDs))
	}
	if f.From != nil {
		w.and(fmt.Sprintf("t.%s >= ?::date", f.DateField), f.From.Format(time.DateOnly))
	}
	if f.To != nil {
		w.and(fmt.Sprintf("t.%s <= ?::date", f.DateField), f.To.Format(time.DateOnly))
	}
	if f.Attention != nil && *f.Attention {
		w.and("t.needs_attention")
	} else if f.Attention != nil {
		w.and("NOT t.needs_attention")
	}
	for _, word := range f.Words {
		if len(word.CategoryIDs) == 0 {
			w.and(words+" ILIKE ?", likePattern(word.Text))
		} else {
			w.and("("+words+" ILIKE ? OR t.category_id = ANY (?::integer[]))", likePattern(word.Text), pq.Array(word.CategoryIDs))
		}
	}
	if f.AmountFrom != nil || f.AmountTo != nil {
		w.and("t.currency = 'USD'")
	}
	if f.AmountFrom != nil {
		w.and("t.amount >= ?::bigint", int64(*f.AmountFrom))
	}
	if f.AmountTo != nil {
		w.and("t.amount <= ?::bigint", int64(*f.AmountTo))
	}
	return w
}

// countMatching counts the whole list as far as its limits go.
func (o *Organization) countMatching(ctx context.Context, f TransactionFilter) (count int64, exact bool, err error) {
	w := o.conditions(f)
	query := fmt.Sprintf("SELECT count(*)\nFROM (\n  SELECT\n  FROM transactions t\n  WHERE %s\n  LIMIT %d) t", w, countLimit+1)
	err = o.db.once(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", countBudget.Milliseconds())); err != nil {
			return err
		}
		return tx.GetContext(ctx, &count, query, w.args...)
	})
	switch {
	case ctx.Err() == nil && hasState(err, queryCanceled):
		return 0, false, nil
	case err != nil:
		return 0, false, translate(ctx, err)
	case count > countLimit:
		return countLimit, false, nil
	default:
		return count, true, nil
	}
}

// countOtherCurrencies counts what an amount bound leaves out because it is not in USD.
func (o *Organization) countOtherCurrencies(ctx context.Context, f TransactionFilter) (int64, error) {
	f.AmountFrom, f.AmountTo = nil, nil
	w := o.conditions(f)
	w.and("t.currency <> 'USD'")
	query := fmt.Sprintf("SELECT count(*)\nFROM (\n  SELECT\n  FROM transactions t\n  WHERE %s\n  LIMIT %d) t", w, countLimit)
	var count int64
	err := o.db.db.GetContext(ctx, &count, query, w.args...)
	return count, translate(ctx, err)
}

// SplitWords takes a query apart at white space. Equal words, in whatever case, count once.
func SplitWords(query string) []string {
	var list []string
	seen := map[string]bool{}
	for _, word := range strings.Fields(query) {
		if folded := strings.ToLower(word); !seen[folded] {
			seen[folded] = true
			list = append(list, word)
		}
	}
	return list
}
