package store

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// IndexWordsOf indexes the texts of a business, however few they are.
func IndexWordsOf(ctx context.Context, o *Organization) error {
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error { return indexTexts(ctx, tx, o.ID) })
}

// SearchTransactionsOf is SearchTransactions, or with sums SearchAndSumTransactions, that counts by all rows where
// there are up to few.
func SearchTransactionsOf(ctx context.Context, o *Organization, f TransactionFilter, p Page, few int,
	sums bool) (TransactionPage, error) {
	return o.search(ctx, f, p, few, sums)
}
