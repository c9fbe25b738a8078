package store

import (
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/questions"
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
	Categories []CategorySum // the rows of the report: USD, posted; of those that are several things, their parts
	Again      []AgainSum    // how often rows are counted in Categories beside the first time
	Pending    FlowSum       // USD rows left out because they are pending
	Others     []CurrencySum // posted rows left out because they are in another currency, by currency
	// PendingOthers are rows left out because they are pending and in another currency, by currency.
	PendingOthers []CurrencySum
	Queued        int64 // of the business: undeleted rows that wait for processing; at least 1 where it is Unsettled
	Limited       int64 // of the business: undeleted rows that wait for a new month or a higher tier
	OpenIssues    int64 // of the business
	Changed       int64 // questions whether rows of the range are still what they were
	Unsettled     bool  // rows of the business are gone through for a change, such as an account of others' money
	Reach         Reach
	FiledAnswers  bool // of the business: somebody said something else of rows that are filed, see Adjustments

	Suggested []SuggestedSum // what stands in Categories without a category and has been processed, by its suggestion
	Open      []OpenSum      // the same by question; empty where that is more than reportsql.MostOpen rows
	Questions []OpenSum      // the largest questions then, with all their rows whatever their days
	Missing   []MissingSum   // moves of which one side is seen
	Spread    []SpreadSum    // of a profit and loss without a filter by category: what was said of years

	// Outside sums the rows without a category that a filter by category leaves out, and OutsideSuggested those of them
	// that have been processed, by suggestion.
	Outside          FlowSum
	OutsideSuggested []SuggestedSum
}

// SuggestedSum sums rows that are not established and seem to be of one category, which is one of those of
// uncategorized where nothing is suggested.
type SuggestedSum struct {
	CategoryID int
	FlowSum
}

// SpreadSum is an amount that somebody said of a year, as it is spread over the year's payments.
type SpreadSum struct {
	Of           string // which answer, and of which year: all amounts of it have the same
	CategoryID   int
	Inside, Year money.Total // of the rows of the report, and of all payments of the year
}

// OpenSum sums the rows of a question that have one suggestion and one direction.
type OpenSum struct {
	Issue      *uuid.UUID // nil where nothing is asked about the rows
	Question   string
	Options    []questions.Option
	CategoryID int // that is suggested
	FlowSum
}

// MissingSum sums the moves to and from one account that is not seen.
type MissingSum struct {
	Label       string
	CategoryID  int // established or suggested
	Established bool
	First, Last time.Time
	FlowSum
}

// CategorySum sums the rows of one category in one period.
type CategorySum struct {
	CategoryID *int
	Period     int // index in PeriodStarts, -1 before them
	FlowSum
}

// AgainSum is how often rows of one period are counted again that have several parts.
type AgainSum struct {
	Of     string
	Period int
	Count  int64
}

// What rows of several parts are counted again of.
const (
	AgainOnce     = "again"           // of what is no own transfer
	AgainTransfer = "transfers again" // of own transfers
	AgainBoth     = "both"            // of all, as they have parts of either kind
)

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

// Reach is how far the data of a business go.
type Reach struct {
	Through *time.Time    // the newest day of an undeleted row, by the date of the report; nil without rows
	Sources []SourceReach // the oldest first
}

// SourceReach is how far those of one source go.
type SourceReach struct {
	ID           uuid.UUID  `json:"-"`
	Kind         string     `json:"kind"`
	State        string     `json:"state"`
	LastUploadAt *time.Time `json:"lastUploadAt"` // nil before the first
}
