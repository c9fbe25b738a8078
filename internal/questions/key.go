package questions

import (
	"strings"

	"github.com/google/uuid"
)

// Key says what a question is about. Rows with the same one, in the same direction, share a question.
type Key struct {
	about subject
	of    string
}

type subject string

// A counterparty's key is words without a colon, so no key of one is taken for another subject.
const (
	counterparty subject = ""
	oneRow       subject = "row"
	likeLines    subject = "lines"
	company      subject = "company"
)

var (
	// Deposits are cash and checks paid in: their lines name nobody, and say the same each time.
	Deposits = Key{likeLines, "deposits"}
	// SalesTax is whether receipts include it. It is one question for the whole business: however many authorities it
	// pays, the answer is about its own books.
	SalesTax = Key{company, "sales_tax"}
)

// AboutCounterparty is the key of all rows with a counterparty, by the counterparty's own key.
func AboutCounterparty(key string) Key { return Key{counterparty, key} }

// AboutRow is the key of a row that has nothing in common with others.
func AboutRow(id uuid.UUID) Key { return Key{oneRow, id.String()} }

// String is the key as it is stored.
func (k Key) String() string {
	if k.about == counterparty {
		return k.of
	}
	return string(k.about) + ":" + k.of
}

// ParseKey reads a stored key.
func ParseKey(stored string) Key {
	if about, of, ok := strings.Cut(stored, ":"); ok {
		return Key{subject(about), of}
	}
	return Key{counterparty, stored}
}

// OfOneRow reports whether the question is about a row and not about who is behind it: its answer teaches nothing.
func (k Key) OfOneRow() bool { return k.about == oneRow }

// OfCompany reports whether the question is about the business itself, whoever its rows are with.
func (k Key) OfCompany() bool { return k.about == company }

// Topic is what an answer is about: a key and the direction of the money.
type Topic struct {
	Key      string // as it is stored
	Incoming bool
}
