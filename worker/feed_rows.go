package worker

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/worker/aggregation"
)

// feedUpdateOf turns the provider's terms into this service's.
func feedUpdateOf(pulled aggregation.Update) store.FeedUpdate {
	u := store.FeedUpdate{Whole: pulled.Whole, Cursor: pulled.Cursor, Removed: pulled.Removed,
		Refused: pulled.Unreadable, Complete: pulled.Ready}
	for _, a := range pulled.Accounts {
		u.Accounts = append(u.Accounts, store.FeedAccount{ID: a.ID, Mask: a.Mask})
	}
	for _, t := range pulled.Transactions {
		if row, ok := feedRowOf(t); ok {
			u.Rows = append(u.Rows, row)
		} else {
			u.Refused = append(u.Refused, t.ID)
		}
	}
	return u
}

// The bounds of an upload (contract, Limits) hold for a feed too.
const (
	mostID          = 256
	mostDescription = 4096
)

// feedRowOf turns the sign: the provider counts what leaves an account as positive. Fractions of a cent are rounded
// half to even. False for a row that cannot be kept without saying something else than the bank: no exact amount
// within the bounds, no real day, or a currency without a code of three characters. A row without a currency has the
// account's.
func feedRowOf(t aggregation.Transaction) (store.FeedRow, bool) {
	amount, err := money.ParseRounded(string(t.Amount))
	currency := cmp.Or(t.Currency, t.UnofficialCurrency)
	if err != nil || len(t.ID) > mostID || !storable(t.ID+t.AccountID+currency) || !day(t.Date) ||
		currency != "" && utf8.RuneCountInString(currency) != 3 {
		return store.FeedRow{}, false
	}
	row := store.FeedRow{
		ExternalID: t.ID, FeedAccount: t.AccountID, Amount: -amount, Currency: currency,
		ProcessedDate: t.Date, Description: description(t), Pending: t.Pending,
	}
	if !t.Pending && storable(t.PendingID) {
		row.PendingID = t.PendingID
	}
	if day(t.AuthorizedDate) {
		row.AuthorizedDate = t.AuthorizedDate
	}
	return row, true
}

// day reports whether a text is a real day that PostgreSQL can hold: it has no year zero.
func day(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil && !strings.HasPrefix(text, "0000")
}

// storable reports whether PostgreSQL can hold a text. NUL is the one character of JSON that it cannot.
func storable(text string) bool { return !strings.Contains(text, "\x00") }

// description is the bank's own line where the provider has it: that is what categorization reads.
func description(t aggregation.Transaction) string {
	for _, text := range []string{t.OriginalDescription, t.Name, t.MerchantName} {
		text = strings.TrimSpace(strings.ReplaceAll(text, "\x00", " "))
		if text == "" {
			continue
		}
		if characters := []rune(text); len(characters) > mostDescription {
			text = string(characters[:mostDescription])
		}
		return text
	}
	return "No description"
}
