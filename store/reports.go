package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

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
	TransactionCount int64
	Inflow           money.Total
	Outflow          money.Total
}

// ReportSums is what both reports are made of. All of it, and what CashflowSums adds, is of one moment.
type ReportSums struct {
	Categories []CategorySum // the rows of the report: USD, posted
	Pending    FlowSum       // USD rows left out because they are pending
	Others     []CurrencySum // rows left out because they are in another currency, pending ones too, by currency
	Queued     int64         // of the business: undeleted rows that wait for processing
	Limited    int64         // of the business: undeleted rows that wait for a new month or a higher tier
	OpenIssues int64         // of the business
}

// CategorySum sums the rows of one category in one period.
type CategorySum struct {
	CategoryID *int
	Period     int // index in PeriodStarts, -1 before them
	FlowSum
}

// CurrencySum sums the rows of one currency.
type CurrencySum struct {
	Currency string
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
	CounterpartyID *uuid.UUID
	Name           *string
	Period         int
	FlowSum
}

// PnlSums sums what the profit-and-loss report needs.
func (o *Organization) PnlSums(ctx context.Context, f ReportFilter) (ReportSums, error) {
	sums, err := o.report(ctx, reportStatement{ReportFilter: f})
	return sums.ReportSums, err
}

// CashflowSums sums what the cash-flow report needs, with the largest counterparties. Rows of the transfer categories
// are own transfers, which no counterparty is part of.
func (o *Organization) CashflowSums(ctx context.Context, f ReportFilter, transfers []int, counterparties int) (CashflowSums, error) {
	return o.report(ctx, reportStatement{ReportFilter: f, cashflow: true, transfers: transfers, counterparties: counterparties})
}

// report asks everything in one statement, which sees the rows of one moment whatever is written meanwhile.
func (o *Organization) report(ctx context.Context, r reportStatement) (CashflowSums, error) {
	query, args := r.build(o.ID)
	statement, err := o.db.prepared(ctx, query)
	if err != nil {
		return CashflowSums{}, translate(ctx, err)
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return CashflowSums{}, translate(ctx, err)
	}
	sums, err := readReport(rows)
	return sums, translate(ctx, err)
}

// readReport reads the answer of a reportStatement, whose rows say what they sum. Several may sum parts of the same.
func readReport(rows *sql.Rows) (CashflowSums, error) {
	defer rows.Close()
	var sums CashflowSums
	categories, counterparties := map[groupKey]int{}, map[groupKey]int{}
	for rows.Next() {
		var (
			of             string
			category       *int
			counterparty   *uuid.UUID
			name, currency *string
			period         int
			flow           FlowSum
			sizes          money.Total
		)
		err := rows.Scan(&of, &category, &counterparty, &name, &currency, &period, &flow.TransactionCount, &flow.Inflow, &flow.Outflow, &sizes)
		if err != nil {
			return sums, err
		}
		switch of {
		case "category", "category without leg":
			if of == "category without leg" {
				sums.Unmatched.add(flow)
			}
			key := groupKey{period: period}
			if category != nil {
				key.category = *category
			}
			i, known := categories[key]
			if !known {
				i = len(sums.Categories)
				categories[key] = i
				sums.Categories = append(sums.Categories, CategorySum{CategoryID: category, Period: period})
			}
			sums.Categories[i].add(flow)
		case "counterparty":
			key := groupKey{period: period}
			if counterparty != nil {
				key.counterparty = *counterparty
			}
			i, known := counterparties[key]
			if !known {
				i = len(sums.Counterparties)
				counterparties[key] = i
				sums.Counterparties = append(sums.Counterparties, CounterpartySum{CounterpartyID: counterparty, Name: name, Period: period})
			}
			sums.Counterparties[i].add(flow)
			sums.Sizes = sizes
		case "deleted leg":
			sums.Unmatched.add(flow)
		case "left out":
			if *currency == "USD" {
				sums.Pending = flow
			} else {
				sums.Others = append(sums.Others, CurrencySum{Currency: *currency, FlowSum: flow})
			}
		case "queued":
			sums.Queued = flow.TransactionCount
		case "limited":
			sums.Limited = flow.TransactionCount
		case "issues":
			sums.OpenIssues = flow.TransactionCount
		}
	}
	return sums, rows.Err()
}

// groupKey tells the groups of a report apart. No category has the id 0.
type groupKey struct {
	category     int
	counterparty uuid.UUID
	period       int
}

func (s *FlowSum) add(part FlowSum) {
	s.TransactionCount += part.TransactionCount
	s.Inflow = s.Inflow.Plus(part.Inflow)
	s.Outflow = s.Outflow.Plus(part.Outflow)
}
