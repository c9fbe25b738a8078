package store

import (
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store/reportsql"
)

// ReportFilter chooses the undeleted transactions a report is about.
type ReportFilter = reportsql.Filter

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
