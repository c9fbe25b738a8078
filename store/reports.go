package store

import (
	"context"
	"database/sql"
	"errors"

	"bizfin/store/reportsql"
)

// fewRows is up to how many rows a report adds up by itself, which is faster than to have PostgreSQL sum and print
// them.
const fewRows = 5000

// PnlSums sums what the profit-and-loss report needs.
func (o *Organization) PnlSums(ctx context.Context, f ReportFilter) (ReportSums, error) {
	sums, err := o.report(ctx, reportsql.Report{Filter: f, Few: fewRows})
	return sums.ReportSums, err
}

// CashflowSums sums what the cash-flow report needs, with the largest counterparties. Rows of the transfer categories
// are own transfers, which no counterparty is part of.
func (o *Organization) CashflowSums(ctx context.Context, f ReportFilter, transfers []int,
	counterparties int) (CashflowSums, error) {
	return o.report(ctx, reportsql.Report{Filter: f, Cashflow: true, Transfers: transfers,
		Counterparties: counterparties, Few: fewRows})
}

// report asks everything in one statement, which sees the rows of one moment whatever is written meanwhile.
func (o *Organization) report(ctx context.Context, r reportsql.Report) (CashflowSums, error) {
	if o.db.manyRows.knows(o.ID, r) {
		r.Few = 0
	}
	var sums CashflowSums
	err := o.read(ctx, func(db *DB, on func(string) string) (err error) {
		sums, err = o.askReport(r, func(query string, args []any) (*sql.Rows, error) {
			statement, err := db.prepared(ctx, on(query))
			if err != nil {
				return nil, err
			}
			return statement.QueryContext(ctx, args...)
		})
		return err
	})
	return sums, translate(ctx, err)
}

// askReport asks the statement of a report. Where the form for few rows finds more, its answer is dropped and the other
// form asked.
func (o *Organization) askReport(r reportsql.Report, ask func(query string, args []any) (*sql.Rows,
	error)) (CashflowSums, error) {
	query, args := r.Statement(o.ID)
	rows, err := ask(query, args)
	if err != nil {
		return CashflowSums{}, err
	}
	defer rows.Close()
	sums, err := readReport(rows, r)
	if errors.Is(err, errTooMany) {
		rows.Close()
		o.db.manyRows.note(o.ID, r)
		r.Few = 0
		return o.askReport(r, ask)
	}
	return sums, err
}
