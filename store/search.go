package store

import (
	"context"
	"slices"

	"github.com/jmoiron/sqlx"

	"bizfin/store/searchsql"
	"bizfin/store/statement"
)

// DateField is one of the dates of a transaction.
type DateField = statement.DateField

// A row without an authorized date counts by its processed date under both.
const (
	Primary   = statement.Primary
	Processed = statement.Processed
)

// TransactionFilter chooses undeleted transactions; the zero value chooses all.
type TransactionFilter = searchsql.Filter

// Word must occur in a row's merchant, description or context, or in the name of its category.
type Word = searchsql.Word

// SplitWords takes a query apart at white space. Equal words, in whatever case, count once.
func SplitWords(query string) []string { return searchsql.SplitWords(query) }

// TransactionPage is one page of a search.
type TransactionPage struct {
	List[Transaction]
	TotalMatched int64 // a lower bound where it is not exact
	TotalIsExact bool
	// set with an amount bound: rows in other currencies that match but for it, at most countLimit
	ExcludedOtherCurrencies *int64
	// Sums of all rows that match, by currency, those with most rows first; nil where they were not asked for, and
	// where they are not known: they are of more than sumLimit rows, or could not be added up in sumBudget.
	Sums []CurrencySum
}

// SearchTransactions lists transactions by the chosen date, newest first, then by id. ErrCursor, ErrSearchTime.
func (o *Organization) SearchTransactions(ctx context.Context, f TransactionFilter, p Page) (TransactionPage, error) {
	return o.searchInTime(ctx, f, p, false)
}

// SearchAndSumTransactions is SearchTransactions with the Sums of all that match.
func (o *Organization) SearchAndSumTransactions(ctx context.Context, f TransactionFilter,
	p Page) (TransactionPage, error) {
	return o.searchInTime(ctx, f, p, true)
}

func (o *Organization) searchInTime(ctx context.Context, f TransactionFilter, p Page,
	sums bool) (page TransactionPage, err error) {
	err = o.db.inSearchTime(ctx, func(ctx context.Context) error {
		page, err = o.search(ctx, f, p, newestRows, sums)
		return err
	})
	return page, err
}

func (o *Organization) search(ctx context.Context, f TransactionFilter, p Page, few int,
	sums bool) (page TransactionPage, err error) {
	var after *searchsql.Place
	if place, err := p.after(o.list(f)); err != nil {
		return TransactionPage{}, err
	} else if place != nil {
		after = &searchsql.Place{Date: place.at, ID: place.id}
	}
	plan := searchsql.Of(o.ID, f)
	keys, err := o.matchingTransactions(ctx, plan, after, p.Limit+1)
	if err != nil {
		return TransactionPage{}, err
	}
	found := len(keys)
	first := listOf(keys, p, o.list(f), func(k searchsql.Place) cursor { return cursor{at: k.Date, id: k.ID} })
	page.NextCursor = first.NextCursor
	if page.Rows, err = o.transactions(ctx, first.Rows); err != nil {
		return TransactionPage{}, err
	}
	isWhole := after == nil && found <= p.Limit
	switch {
	case sums && isWhole && !slices.ContainsFunc(page.Rows, Transaction.isDivided):
		page.Sums = sumsOf(page.Rows)
	case sums:
		if page.Sums, err = o.sumMatching(ctx, plan, few); err != nil {
			return TransactionPage{}, err
		}
	}
	switch {
	case page.Sums != nil:
		page.TotalMatched, page.TotalIsExact = countOf(page.Sums), true
	case isWhole, after == nil && found > p.Limit+1:
		page.TotalMatched, page.TotalIsExact = int64(min(found, countLimit)), found <= countLimit
	default:
		if page.TotalMatched, page.TotalIsExact, err = o.countMatching(ctx, plan, few); err != nil {
			return TransactionPage{}, err
		}
	}
	page.TotalMatched = max(page.TotalMatched, int64(len(first.Rows)))
	if f.AmountFrom != nil || f.AmountTo != nil {
		if page.ExcludedOtherCurrencies, err = o.countOtherCurrencies(ctx, plan); err != nil {
			return TransactionPage{}, err
		}
	}
	return page, nil
}

// countMatching counts the whole list as far as its limits go.
func (o *Organization) countMatching(ctx context.Context, plan *searchsql.Plan, few int) (count int64, exact bool,
	err error) {
	inAllRows, err := o.looksInAllRows(ctx, plan, few)
	if err != nil {
		return 0, false, err
	}
	query, args := plan.Count(inAllRows, countLimit+1)
	counted, err := o.countInTime(ctx, query, args)
	switch {
	case err != nil || counted == nil:
		return 0, false, err
	case *counted > countLimit:
		return countLimit, false, nil
	default:
		return *counted, true, nil
	}
}

// countInTime is nil where the time for counting ran out: then nothing is known.
func (o *Organization) countInTime(ctx context.Context, query string, args []any) (*int64, error) {
	var count int64
	inTime, err := o.inBudget(ctx, countBudget, func(tx *sqlx.Tx, on func(string) string) error {
		return tx.GetContext(ctx, &count, on(query), args...)
	})
	if !inTime {
		return nil, err
	}
	return &count, nil
}

// countOtherCurrencies counts what an amount bound leaves out because it is not in USD, up to countLimit; nil where
// that is not known.
func (o *Organization) countOtherCurrencies(ctx context.Context, plan *searchsql.Plan) (*int64, error) {
	query, args := plan.CountOtherCurrencies(countLimit)
	return o.countInTime(ctx, query, args)
}
