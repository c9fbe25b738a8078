package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
)

// ReportRow is a row as a test counts it by itself.
type ReportRow struct {
	ID             uuid.UUID    `db:"id"`
	Amount         money.Amount `db:"amount"`
	Currency       string       `db:"currency"`
	Pending        bool         `db:"pending"`
	Processing     string       `db:"processing"`
	Date           time.Time    `db:"processed_date"`
	CategoryID     *int         `db:"category_id"`
	CounterpartyID *uuid.UUID   `db:"counterparty_id"`
	TransferID     *uuid.UUID   `db:"transfer_id"`
}

// CashflowSumsWithRows are the sums of a cash flow, and all undeleted rows of the business at the same moment.
func CashflowSumsWithRows(ctx context.Context, o *Organization, f ReportFilter, transfers []int, counterparties int) (sums CashflowSums, rows []ReportRow, err error) {
	err = o.snapshot(ctx, func(tx *sqlx.Tx) error {
		if sums, err = o.cashflowSums(ctx, tx, f, transfers, counterparties); err != nil {
			return err
		}
		return tx.SelectContext(ctx, &rows, `
			SELECT id, amount, currency, pending, processing, processed_date, category_id, counterparty_id, transfer_id
			FROM transactions
			WHERE organization_id = $1
			  AND deleted_at IS NULL`,
			o.ID)
	})
	return sums, rows, err
}
