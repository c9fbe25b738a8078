package bizfin

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/google/uuid"
)

// The most that one upload takes: records, and bytes with room for the rest of the body (1 MiB in all).
const (
	batchRecords = 500
	batchBytes   = 1_000_000
)

// UploadAll uploads transactions of one account in batches, one after another, and returns the service's ids by
// external_id. Sent again, also after an error half-way, it changes nothing that was saved and gives the same ids.
func UploadAll(
	ctx context.Context, c *ClientWithResponses, organization, account uuid.UUID, rows []UploadedTransaction,
) (map[string]uuid.UUID, error) {
	ids := make(map[string]uuid.UUID, len(rows))
	for len(rows) > 0 {
		n, err := batch(rows)
		if err != nil {
			return ids, err
		}
		upload := TransactionUpload{Transactions: rows[:n]}
		answer, err := c.UploadTransactionsWithResponse(ctx, organization, account, nil, upload)
		if err != nil {
			return ids, err
		}
		if answer.JSON200 == nil {
			return ids, refused(answer.HTTPResponse, answer.Body)
		}
		for _, saved := range answer.JSON200.Transactions {
			ids[saved.ExternalId] = saved.Id
		}
		rows = rows[n:]
	}
	return ids, nil
}

// batch is how many of the rows fit into one upload; at least one, so that a row that is too long is refused with its
// reason.
func batch(rows []UploadedTransaction) (int, error) {
	bytes := 0
	for i, row := range rows[:min(len(rows), batchRecords)] {
		raw, err := json.Marshal(row)
		if err != nil {
			return 0, err
		}
		if bytes += len(raw) + 1; bytes > batchBytes && i > 0 {
			return i, nil
		}
	}
	return min(len(rows), batchRecords), nil
}

// Transactions are all rows that a search finds, page after page as they are asked for, each in full whatever the
// search's detail. An error is the last.
func Transactions(
	ctx context.Context, c *ClientWithResponses, organization uuid.UUID, search SearchTransactionsParams,
) iter.Seq2[Transaction, error] {
	search.Detail = nil // in summary there would be none
	return pages(func(cursor *string) ([]Transaction, *string, error) {
		if cursor != nil {
			search.Cursor = cursor
		}
		answer, err := c.SearchTransactionsWithResponse(ctx, organization, &search)
		if err != nil {
			return nil, nil, err
		}
		if answer.JSON200 == nil {
			return nil, nil, refused(answer.HTTPResponse, answer.Body)
		}
		return answer.JSON200.Transactions, answer.JSON200.NextCursor, nil
	})
}

// Counterparties are all that a search finds, as Transactions are.
func Counterparties(
	ctx context.Context, c *ClientWithResponses, organization uuid.UUID, search SearchCounterpartiesParams,
) iter.Seq2[Counterparty, error] {
	search.Detail = nil
	return pages(func(cursor *string) ([]Counterparty, *string, error) {
		if cursor != nil {
			search.Cursor = cursor
		}
		answer, err := c.SearchCounterpartiesWithResponse(ctx, organization, &search)
		if err != nil {
			return nil, nil, err
		}
		if answer.JSON200 == nil {
			return nil, nil, refused(answer.HTTPResponse, answer.Body)
		}
		return answer.JSON200.Counterparties, answer.JSON200.NextCursor, nil
	})
}

// pages walks through a list by its cursors.
func pages[T any](page func(cursor *string) ([]T, *string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var cursor *string
		for {
			list, next, err := page(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			cursor = next
		}
	}
}
