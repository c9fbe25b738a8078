// Package bankfeed works out what an update of a bank feed makes of the books: which of the provider's accounts are
// whose, and which rows are new, changed or gone. It knows neither the provider's protocol nor the database.
package bankfeed

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"bizfin/internal/money"
)

// Update is what a feed gave after its cursor, up to the next.
type Update struct {
	Whole    bool      // it began at the start: all that the provider has is listed
	Cursor   string    // up to which it goes
	Accounts []Account // all that it shows
	Rows     []Row     // as they are at its end, each ExternalID once
	Removed  []string  // ids of rows that are gone at its end
	Refused  []string  // ids of rows that cannot be kept; what is stored of them stays
	Complete bool      // the provider has nothing more in preparation
	Next     time.Time // when to sync again
}

// Account is an account as the provider shows it.
type Account struct {
	ID   string // the provider's
	Mask string // the last digits of the account number; may be empty
}

// Unseen are the accounts of an update to be matched, given the ids of those that the feed has shown before, and the
// ids of all that it has shown now. An account that was passed over before has lost rows, and is matched only when a
// feed starts anew.
func (u Update) Unseen(seen []string) (fresh []Account, all []string) {
	fresh, all = u.Accounts, slices.Clone(seen)
	if !u.Whole {
		fresh = slices.DeleteFunc(slices.Clone(fresh), func(a Account) bool { return slices.Contains(seen, a.ID) })
	}
	for _, a := range u.Accounts {
		if !slices.Contains(all, a.ID) {
			all = append(all, a.ID)
		}
	}
	return fresh, all
}

// Row is the provider's record of a transaction, by the rules of this service.
type Row struct {
	ExternalID     string // the provider's id of the transaction
	FeedAccount    string // the provider's id of the account
	PendingID      string // of a posted row: the id that it had while it was pending, where the provider knows it
	Amount         money.Amount
	Currency       string // empty for the account's
	ProcessedDate  string // YYYY-MM-DD, a real day
	AuthorizedDate string // likewise, or empty
	Description    string
	Pending        bool
}

// bankText is what a feed says of a row, as Stored.Bank has it.
func (r Row) bankText() string {
	return BankText(r.Amount, r.AuthorizedDate, r.ProcessedDate, r.Pending, r.Currency, r.Description)
}

// BankText is all that a bank says of a row in one text, which compares quicker than six columns: the amount in cents,
// the authorized date or nothing, the processed date, whether it is pending, the currency and the description, a space
// between. Package store has the same in SQL.
func BankText(amount money.Amount, authorized, processed string, pending bool, currency, description string) string {
	return strings.Join([]string{
		strconv.FormatInt(int64(amount), 10), authorized, processed, strconv.FormatBool(pending), currency, description,
	}, " ")
}

// Stored is what must be known of a stored row. The tags are the names that it is read by. Bank is what the bank said
// of it: the amount in cents, the authorized date or nothing, the processed date, whether it is pending, the currency
// and the description, a space between.
type Stored struct {
	ExternalID  string       `db:"external_id"`
	FeedAccount string       `db:"feed_account"`
	Amount      money.Amount `db:"amount"`
	Currency    string       `db:"currency"`
	Day         time.Time    `db:"processed_date"`
	Description string       `db:"description"`
	Bank        string       `db:"bank"`
	Pending     bool         `db:"pending"`
	Deleted     bool         `db:"deleted"`
	Withdrawn   bool         `db:"withdrawn"` // by the provider, which is a deletion too
	Paired      bool         `db:"paired"`    // one leg of a transfer
}
