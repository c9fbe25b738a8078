package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store/reportsql"
)

// ReportRow is a row as a test counts it by itself.
type ReportRow struct {
	ID             uuid.UUID    `db:"id"`
	Amount         money.Amount `db:"amount"`
	Currency       string       `db:"currency"`
	Pending        bool         `db:"pending"`
	Processing     string       `db:"processing"`
	Processed      time.Time    `db:"processed_date"`
	Primary        time.Time    `db:"primary_date"`
	CategoryID     *int         `db:"category_id"`
	CounterpartyID *uuid.UUID   `db:"counterparty_id"`
	TransferID     *uuid.UUID   `db:"transfer_id"`
	SuggestedID    *int         `db:"suggested_id"`
	Parts          []Part       `db:"-"`
}

// FewRows is up to how many rows a report adds up by itself.
const FewRows = fewRows

// PnlSumsOf is PnlSums that adds up rows by itself where there are up to few.
func PnlSumsOf(ctx context.Context, o *Organization, f ReportFilter, few int) (ReportSums, error) {
	sums, err := o.report(ctx, reportsql.Report{Filter: f, Few: few})
	return sums.ReportSums, err
}

// CashflowSumsWithRows are the sums of a cash flow, and all undeleted rows of the business at the same moment.
func CashflowSumsWithRows(ctx context.Context, o *Organization, f ReportFilter, transfers []int, counterparties,
	few int) (CashflowSums, []ReportRow, error) {
	sums, rows, _, err := RolledUpSumsWithRows(ctx, o, f, transfers, counterparties, few)
	return sums, rows, err
}

// RolledUpSumsWithRows says, too, how many months were rolled up and clean.
func RolledUpSumsWithRows(ctx context.Context, o *Organization, f ReportFilter, transfers []int, counterparties,
	few int) (sums CashflowSums, rows []ReportRow, clean int, err error) {
	tx, err := o.db.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return sums, nil, 0, err
	}
	defer tx.Rollback()
	r := reportsql.Report{Filter: f, Cashflow: true, Transfers: transfers, Counterparties: counterparties, Few: few}
	sums, err = o.askReport(r, func(query string, args []any) (*sql.Rows,
		error) {
		return tx.QueryContext(ctx, query, args...)
	})
	if err != nil {
		return sums, nil, 0, err
	}
	err = tx.SelectContext(ctx, &rows, `
		SELECT id, amount, currency, pending, processing, processed_date, primary_date, category_id, counterparty_id,
		  transfer_id, suggested_id
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL`,
		o.ID)
	if err != nil {
		return sums, nil, 0, err
	}
	var ids []uuid.UUID
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	parts, err := o.partsOf(ctx, tx, ids)
	if err != nil {
		return sums, nil, 0, err
	}
	for i := range rows {
		rows[i].Parts = parts[rows[i].ID]
	}
	err = tx.GetContext(ctx, &clean, `
		SELECT count(*)
		FROM report_months m
		WHERE organization_id = $1
		  AND NOT EXISTS (SELECT FROM report_dirty d WHERE d.organization_id = m.organization_id AND d.month = m.month)`,
		o.ID)
	return sums, rows, clean, err
}

// RollUpFrom is RollUp with another size from which months are rolled up.
func RollUpFrom(ctx context.Context, d *DB, before time.Time, transfers []int, from int) (bool, error) {
	return d.rollUp(ctx, before, transfers, from)
}

// ReportStatement is the statement of a report, of a cash flow where there are transfers, for its plan.
func ReportStatement(o *Organization, f ReportFilter, transfers []int, counterparties, few int) (string, []any) {
	return reportsql.Report{Filter: f, Cashflow: transfers != nil, Transfers: transfers, Counterparties: counterparties,
		Few: few}.Statement(o.ID)
}
