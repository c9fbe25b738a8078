package decide

import (
	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/questions"
	"bizfin/internal/split"
)

// Row is a transaction that is to be decided, or that a decision is compared with.
type Row struct {
	questions.Line
	Revision       int
	CategoryID     *int // what was established before an upload changed it; nil for a new row
	SuggestedID    *int // what was suggested where nothing was established
	UserCategory   *int // nil where the user chose none
	Filed          bool // it stays what it was filed as
	NeedsAttention bool // questions about it are open, or may be: what was kept of a payout is asked while it stands
	AccountID      uuid.UUID
	AccountName    string
	AccountType    string
	AccountMask    *string
	// Since is an answer that came after the row: it replaced one whose memory decided the row, or had it asked about.
	// The row is decided as if nobody had given it; nil where there is none, zero where it follows that, too.
	Since *uuid.UUID
	// SaidOf is whom the user's answer was about that decided the row with all others of a counterparty, by its key;
	// empty where nobody's did, and where the row itself was chosen.
	SaidOf string
}

// ofOthers reports whether the row is of an account that holds what belongs to others: it is theirs, whatever its line
// says, and whatever was answered of whom it is with.
func (r Row) ofOthers() bool { return r.Amount != 0 && categorize.HeldForOthers(r.AccountName) }

// Decision is what a row was understood to be: established, or else only suggested. A user's category is never replaced
// by it.
type Decision struct {
	Row Row
	categorize.Decision
	Established bool                // reports count it
	Destination string              // of a move that may be a transfer between own accounts
	Evidence    categorize.Evidence // of a transfer between own accounts
	Question    *questions.Question // what to ask about the row; nil where nothing is to be asked
	Parts       []split.Portion     // of a row that is several things; its category is split.Category then
	SplitBy     uuid.UUID           // the answer that divides it
	Way         int                 // which of the answer's ways does, from 1 on
	Spread      bool                // the answer does by the amounts of a year, to be spread over its payments
	Like        uuid.UUID           // the row whose parts it has in proportion
	ReadsBack   bool                // it may be a refund by its line, where the business answered what it is
	Note        string              // what the business said when it was asked about rows like this; the row's context
}

// MayBeRefund is money from somebody that reads like a refund, or that nothing explains yet. People pay back for other
// reasons. What the business answered decides what it is by itself, and not whether it came back: an answer that is
// taken back, or given anew, leaves that as it is.
func (d Decision) MayBeRefund() bool {
	return d.Row.Amount > 0 && d.Counterparty.Key != "" && d.Counterparty.Type != "person" &&
		d.Row.UserCategory == nil && !d.Row.ofOthers() &&
		(d.ReadsBack || d.Source != categorize.SourceMemory &&
			(d.Refund || d.Question != nil && !d.Question.Kept || d.Note != "" && !d.Established))
}
