package store

import (
	"context"
	"time"

	"bizfin/store/searchsql"
	"bizfin/store/statement"
)

// Counting stops at this many rows, or after this time.
const (
	countLimit  = 1000
	countBudget = 10 * time.Millisecond
)

// newestRows is how many rows a search for words or amounts reads in the order of the list before it turns to their
// index.
const newestRows = 2500

// matchingTransactions finds the first rows of a list, at least limit where there are so many. It looks among the
// newest rows alone first, which finds common words and wide ranges of amounts without asking their index for all their
// rows.
func (o *Organization) matchingTransactions(ctx context.Context, plan *searchsql.Plan, after *searchsql.Place,
	limit int) ([]searchsql.Place, error) {
	if plan.ByOtherIndex() && plan.Filter.DateField == statement.Primary {
		query, args := plan.Newest(after, newestRows, limit)
		keys, err := o.keys(ctx, query, args)
		if err != nil || len(keys) == limit {
			return keys, err
		}
	}
	if plan.ByOtherIndex() && after == nil {
		limit = countLimit + 1 // the index finds them all anyway, which saves counting them
	}
	query, args := plan.Find(after, limit)
	return o.keys(ctx, query, args)
}

func (o *Organization) keys(ctx context.Context, query string, args statement.Arguments) ([]searchsql.Place, error) {
	var keys []searchsql.Place
	err := o.reader().SelectContext(ctx, &keys, query, args...)
	return keys, translate(ctx, err)
}

func (o *Organization) hasFewRows(ctx context.Context, few int) (bool, error) {
	var rows int
	err := o.reader().GetContext(ctx, &rows, `
		SELECT coalesce(sum(transactions), 0)
		FROM (
		  SELECT transactions
		  FROM transaction_counts
		  WHERE organization_id = $1
		  UNION ALL
		  SELECT transactions
		  FROM transaction_counts_added
		  WHERE organization_id = $1) c`,
		o.ID)
	return rows <= few, translate(ctx, err)
}

// looksInAllRows is whether words are looked for in all rows of a business, as it has few: lists of texts count nothing
// before they are read to their end.
func (o *Organization) looksInAllRows(ctx context.Context, plan *searchsql.Plan, few int) (bool, error) {
	if len(plan.Filter.Words) == 0 {
		return false, nil
	}
	return o.hasFewRows(ctx, few)
}
