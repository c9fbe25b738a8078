package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
)

// ReportFilter chooses the undeleted transactions a report is about.
type ReportFilter struct {
	DateField DateField
	From, To  time.Time // inclusive days in UTC

	// PeriodStarts are the first days of the periods to break down, ascending and without gaps; the last period ends
	// with To or later. A row before the first of them counts in period -1.
	PeriodStarts []time.Time

	CategoryIDs     []int       // with FilterByCategory
	CounterpartyIDs []uuid.UUID // with FilterByCounterparty

	FilterByCategory     bool // an empty list then chooses none
	Uncategorized        bool // with FilterByCategory: rows without a category too
	FilterByCounterparty bool
}

// FlowSum sums rows; outflow is positive.
type FlowSum struct {
	TransactionCount int64       `db:"transaction_count"`
	Inflow           money.Total `db:"inflow"`
	Outflow          money.Total `db:"outflow"`
}

// ReportSums is what both reports are made of. All of it, and what CashflowSums adds, is of one moment.
type ReportSums struct {
	Categories []CategorySum // the rows of the report: USD, posted
	Pending    FlowSum       // USD rows left out because they are pending
	Others     []CurrencySum // rows left out because they are in another currency, pending ones too, by currency
	Queued     int64         `db:"queued"`      // of the business: undeleted rows that wait for processing
	Limited    int64         `db:"limited"`     // of the business: undeleted rows that wait for a new month or a higher tier
	OpenIssues int64         `db:"open_issues"` // of the business
}

// CategorySum sums the rows of one category in one period.
type CategorySum struct {
	CategoryID *int `db:"category_id"`
	Period     int  `db:"period"` // index in PeriodStarts, -1 before them
	FlowSum
}

// CurrencySum sums the rows of one currency.
type CurrencySum struct {
	Currency string `db:"currency"`
	FlowSum
}

// CashflowSums is what the cash-flow report is made of.
type CashflowSums struct {
	ReportSums
	Counterparties []CounterpartySum // by the size of their net, the largest first; each in all its periods
	Sizes          money.Total       // sum of the sizes of the nets of all counterparties, unlisted ones too
	Unmatched      FlowSum           // transfers whose other leg is not among the undeleted rows
}

// CounterpartySum sums the rows of one counterparty, or of none, in one period, without transfers.
type CounterpartySum struct {
	CounterpartyID *uuid.UUID `db:"counterparty_id"`
	Name           *string    `db:"name"`
	Period         int        `db:"period"`
	FlowSum
}

// PnlSums sums what the profit-and-loss report needs.
func (o *Organization) PnlSums(ctx context.Context, f ReportFilter) (ReportSums, error) {
	var sums ReportSums
	err := o.snapshot(ctx, func(tx *sqlx.Tx) (err error) {
		sums, err = o.reportSums(ctx, tx, f)
		return err
	})
	return sums, err
}

// CashflowSums sums what the cash-flow report needs, with the largest counterparties. Rows of the transfer categories
// are own transfers, which no counterparty is part of.
func (o *Organization) CashflowSums(ctx context.Context, f ReportFilter, transfers []int, counterparties int) (CashflowSums, error) {
	var sums CashflowSums
	err := o.snapshot(ctx, func(tx *sqlx.Tx) (err error) {
		sums, err = o.cashflowSums(ctx, tx, f, transfers, counterparties)
		return err
	})
	return sums, err
}

// snapshot runs fn over the rows as they are at its first statement, whatever is written meanwhile.
func (o *Organization) snapshot(ctx context.Context, fn func(tx *sqlx.Tx) error) error {
	tx, err := o.db.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return translate(ctx, err)
	}
	defer tx.Rollback() // it has written nothing
	return translate(ctx, fn(tx))
}

func (o *Organization) cashflowSums(ctx context.Context, tx *sqlx.Tx, f ReportFilter, transfers []int, counterparties int) (CashflowSums, error) {
	var sums CashflowSums
	var err error
	if sums.ReportSums, err = o.reportSums(ctx, tx, f); err != nil {
		return sums, err
	}
	if err := o.sumCounterparties(ctx, tx, f, transfers, counterparties, &sums); err != nil {
		return sums, err
	}
	w := o.reportRows(f)
	w.and("t.category_id = ANY (?::integer[])", pq.Array(transfers))
	err = tx.GetContext(ctx, &sums.Unmatched, fmt.Sprintf(`
		SELECT %s
		FROM transactions t
		WHERE %s
		  AND NOT coalesce((
		    SELECT leg.deleted_at IS NULL
		    FROM transactions leg
		    WHERE leg.organization_id = t.organization_id
		      AND leg.id = t.transfer_id), false)`, flow, w),
		(*w.args)...)
	return sums, err
}

func (o *Organization) reportSums(ctx context.Context, tx *sqlx.Tx, f ReportFilter) (ReportSums, error) {
	var sums ReportSums
	w := o.reportRows(f)
	query := fmt.Sprintf(`
		SELECT t.category_id, %s AS period, %s
		FROM %s
		GROUP BY 1, 2`, f.period(w), flow, f.rows(w))
	if err := tx.SelectContext(ctx, &sums.Categories, query, (*w.args)...); err != nil {
		return sums, err
	}
	if err := o.sumLeftOut(ctx, tx, f, &sums); err != nil {
		return sums, err
	}
	err := tx.GetContext(ctx, &sums, `
		SELECT count(*) FILTER (WHERE processing = 'queued') AS queued,
		       count(*) FILTER (WHERE processing = 'limited') AS limited,
		       (SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'open') AS open_issues
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		  AND processing <> 'processed'`,
		o.ID)
	return sums, err
}

// sumLeftOut sums what the same range and filters hold beside the rows of the report. With these, every row counts once.
func (o *Organization) sumLeftOut(ctx context.Context, tx *sqlx.Tx, f ReportFilter, sums *ReportSums) error {
	w := o.filteredRows(f)
	w.and("(t.pending OR t.currency <> 'USD')")
	var byCurrency []CurrencySum
	err := tx.SelectContext(ctx, &byCurrency, fmt.Sprintf(`
		SELECT t.currency, %s
		FROM transactions t
		WHERE %s
		GROUP BY t.currency
		ORDER BY t.currency`, flow, w),
		(*w.args)...)
	for _, sum := range byCurrency {
		if sum.Currency == "USD" {
			sums.Pending = sum.FlowSum
		} else {
			sums.Others = append(sums.Others, sum)
		}
	}
	return err
}

// sumCounterparties finds the counterparties with the largest nets, and sums each by period. Equal ones are listed by id.
func (o *Organization) sumCounterparties(ctx context.Context, tx *sqlx.Tx, f ReportFilter, transfers []int, limit int, sums *CashflowSums) error {
	w := o.reportRows(f)
	w.and("(t.category_id IS NULL OR t.category_id <> ALL (?::integer[]))", pq.Array(transfers))
	var rows []struct {
		Sizes money.Total `db:"sizes"`
		CounterpartySum
	}
	// Rows without a counterparty have the zero id here, which no counterparty has: keys that may be null do not hash.
	const id = "coalesce(t.counterparty_id, '00000000-0000-0000-0000-000000000000')"
	query := fmt.Sprintf(`
		WITH nets AS (
		  SELECT %[1]s AS id, abs(sum(t.amount)) AS size
		  FROM %[2]s
		  GROUP BY 1),
		largest AS MATERIALIZED (
		  SELECT id, size, sum(size) OVER () AS sizes
		  FROM nets
		  ORDER BY size DESC, id
		  LIMIT %[3]d)
		SELECT l.sizes, c.id AS counterparty_id, c.name, s.period, s.transaction_count, s.inflow, s.outflow
		FROM largest l
		JOIN (
		  SELECT %[1]s AS id, %[4]s AS period, %[5]s
		  FROM %[2]s
		  WHERE %[1]s IN (SELECT id FROM largest)
		  GROUP BY 1, 2) s ON s.id = l.id
		LEFT JOIN counterparties c ON c.organization_id = %[6]s::uuid AND c.id = l.id
		ORDER BY l.size DESC, l.id, s.period`, id, f.rows(w), limit, f.period(w), flow, w.args.add(o.ID))
	err := tx.SelectContext(ctx, &rows, query, (*w.args)...)
	for _, row := range rows {
		sums.Sizes = row.Sizes
		sums.Counterparties = append(sums.Counterparties, row.CounterpartySum)
	}
	return err
}

// flow are the columns of a FlowSum. sum of bigint is exact at any size.
const flow = `count(*) AS transaction_count,
		       coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow,
		       coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow`

// period is the index of a row's period. Where periods begin is decided in one place, which is not SQL.
func (f ReportFilter) period(w where) string {
	starts := make(pq.StringArray, len(f.PeriodStarts))
	for i, start := range f.PeriodStarts {
		starts[i] = start.Format(time.DateOnly)
	}
	return fmt.Sprintf("width_bucket(t.date, %s::date[]) - 1", w.args.add(starts))
}

// rows are those under the conditions of reportRows: processed ones by the index that holds all a report needs, and the
// others, which are outside of it so that an upload does not pay for it.
func (f ReportFilter) rows(w where) string {
	return fmt.Sprintf(`(
		    SELECT t.%[1]s AS date, t.category_id, t.counterparty_id, t.amount
		    FROM transactions t
		    WHERE %[2]s
		      AND t.processing = 'processed'
		    UNION ALL
		    SELECT t.%[1]s AS date, t.category_id, t.counterparty_id, t.amount
		    FROM transactions t
		    WHERE %[2]s
		      AND t.processing <> 'processed') t`, f.DateField, w)
}

// reportRows are the rows that a report counts.
func (o *Organization) reportRows(f ReportFilter) where {
	w := o.filteredRows(f)
	w.and("NOT t.pending")
	w.and("t.currency = 'USD'")
	return w
}

// filteredRows are the undeleted rows of the range and the filters.
func (o *Organization) filteredRows(f ReportFilter) where {
	w := where{args: new(arguments)}
	w.and("t.organization_id = ?::uuid", o.ID)
	w.and("t.deleted_at IS NULL")
	w.and(fmt.Sprintf("t.%s >= ?::date", f.DateField), f.From.Format(time.DateOnly))
	w.and(fmt.Sprintf("t.%s <= ?::date", f.DateField), f.To.Format(time.DateOnly))
	if f.FilterByCategory {
		condition := "t.category_id = ANY (?::integer[])"
		if f.Uncategorized {
			condition = "(" + condition + " OR t.category_id IS NULL)"
		}
		w.and(condition, pq.Array(f.CategoryIDs))
	}
	if f.FilterByCounterparty {
		w.and("t.counterparty_id = ANY (?::uuid[])", uuids(f.CounterpartyIDs))
	}
	return w
}
