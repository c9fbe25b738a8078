package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/store/searchsql"
)

// Adding up what a search matches stops at so many rows, or after this time. It is asked for apart, so that a search
// without sums costs what it did.
const (
	sumLimit  = 10_000
	sumBudget = 200 * time.Millisecond
)

// sumMatching adds up all rows of a list by currency, those with most rows first; of rows of several parts it adds up
// the parts that match. nil where that is beyond its limits: sums of some of the rows would say nothing.
func (o *Organization) sumMatching(ctx context.Context, plan *searchsql.Plan, few int) ([]CurrencySum, error) {
	inAllRows, err := o.looksInAllRows(ctx, plan, few)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Currency         string      `db:"currency"`
		TransactionCount int64       `db:"transaction_count"`
		Inflow           money.Total `db:"inflow"`
		Outflow          money.Total `db:"outflow"`
	}
	query, args := plan.Sum(inAllRows, sumLimit+1)
	inTime, err := o.inBudget(ctx, sumBudget, func(tx *sqlx.Tx, on func(string) string) error {
		rows = nil
		return tx.SelectContext(ctx, &rows, on(query), args...)
	})
	if err != nil || !inTime {
		return nil, err
	}
	sums := make([]CurrencySum, len(rows))
	for i, r := range rows {
		sums[i] = CurrencySum{r.Currency, FlowSum{r.TransactionCount, r.Inflow, r.Outflow}}
	}
	if countOf(sums) > sumLimit {
		return nil, nil
	}
	return sums, nil
}

// sumsOf adds up rows without parts as sumMatching does.
func sumsOf(rows []Transaction) []CurrencySum {
	sums := []CurrencySum{}
	for _, r := range rows {
		i := slices.IndexFunc(sums, func(s CurrencySum) bool { return s.Currency == r.Currency })
		if i < 0 {
			i, sums = len(sums), append(sums, CurrencySum{Currency: r.Currency})
		}
		flow := FlowSum{TransactionCount: 1, Inflow: money.TotalOf(r.Amount)}
		if r.Amount < 0 {
			flow = FlowSum{TransactionCount: 1, Outflow: money.TotalOf(r.Amount).Neg()}
		}
		sums[i].add(flow)
	}
	slices.SortFunc(sums, func(a, b CurrencySum) int {
		return cmp.Or(cmp.Compare(b.TransactionCount, a.TransactionCount), cmp.Compare(a.Currency, b.Currency))
	})
	return sums
}

// countOf is how many rows were added up.
func countOf(sums []CurrencySum) (count int64) {
	for _, sum := range sums {
		count += sum.TransactionCount
	}
	return count
}
