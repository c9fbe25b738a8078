package categorize

import "bizfin/internal/money"

// SilentThreshold is the confidence from which a decision is applied without
// asking, unless [Decision.Ask] says that the line cannot settle it.
const SilentThreshold money.Ratio = 9000

// Line is one transaction as the bank tells it.
type Line struct {
	Description string
	Amount      money.Amount // positive is incoming; 0 is read as outgoing
	AccountType string       // "depository", "credit", "loan" and so on; "" where not known
	Business    Business     // whose line it is
	Service     string       // who keeps the account and wrote the line, where that is no bank: see ServiceOf
}

// Decision is what a line was understood to be.
type Decision struct {
	CategoryID   int           // of the ontology; 0 where nothing is known
	Source       string        // "rule", "memory" or "merchant"; "" where nothing decided
	Class        string        // of the evidence: the name of the rule or of the tier; "" where nothing decided
	Confidence   money.Ratio   // 0..10000: how often decisions of this kind are right
	Reason       string        // in plain words, from what the line shows
	AnswerID     [16]byte      // of the answer that it is remembered from, where the source is "memory"
	Alternatives []Alternative // at most 4 others, most likely first; shared, not to be modified
	Merchant     string        // display name of the merchant; "" where the line names none
	Counterparty Counterparty  // Key "" where not known
	Channel      string        // how it was paid, in the words of data/channels.csv: "p2p", "check"; "" where not known
	Transfer     bool          // reads like one leg of a transfer between own accounts
	Refund       bool          // money back from somebody who is normally paid
	Ask          bool          // a person should be asked
}

// Silent reports whether the decision is applied without asking.
func (d *Decision) Silent() bool {
	return d.CategoryID != 0 && !d.Ask && d.Confidence >= SilentThreshold
}

// Alternative is a category a line may belong to instead. Categories for what is
// unknown are never among them.
type Alternative struct {
	CategoryID int
	Confidence money.Ratio
}

const maxAlternatives = 4

// The sources of a decision, in the words of the API.
const (
	SourceRule     = "rule"
	SourceMemory   = "memory"
	SourceMerchant = "merchant"
)

// Counterparty is the other side of a line.
type Counterparty struct {
	Key          string // the same for all spellings of a name within a business: its words in lower case
	Name         string // for people to read
	Type         string // in the contract's vocabulary; "" where not known
	Relationship string // in the contract's vocabulary; "unknown" where the line does not tell
	Website      string // host name, "" where not known
	Confidence   money.Ratio
}

// How sure a counterparty is: named in the data files, a person with a given
// name, a person by the payment app alone, a name cut out of the line.
const (
	sureOfName   money.Ratio = 9500
	sureOfPerson money.Ratio = 9000
	likelyPerson money.Ratio = 7500
	nameAsCut    money.Ratio = 6000
)
