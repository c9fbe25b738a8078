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
	use          subject = "use"
	transfer     subject = "transfer"
	family       subject = "family"
	held         subject = "held"
)

var (
	// Deposits are cash and checks paid in: their lines name nobody, and say the same each time.
	Deposits = Key{likeLines, "deposits"}
	// Cash is what is taken out of cash machines: the lines do not say what for.
	Cash = Key{likeLines, "cash"}
	// SalesTax is whether receipts include it. It is one question for the whole business: however many authorities it
	// pays, the answer is about its own books.
	SalesTax = Key{company, "sales_tax"}
)

// AboutCounterparty is the key of all rows with a counterparty, by the counterparty's own key.
func AboutCounterparty(key string) Key { return Key{counterparty, key} }

// AboutUse is the key of the rows of one category with a counterparty, which may be nobody: what an answer about a
// provider's payroll says is not said of its fees.
func AboutUse(categoryPath, counterpartyKey string) Key {
	return Key{use, categoryPath + ":" + counterpartyKey}
}

// AboutTransfer is the key of the rows that seem to move money between the business and one destination, both ways.
func AboutTransfer(destination string) Key { return Key{transfer, strings.ToLower(destination)} }

// AboutHeld is the key of what comes into, or goes out of, an account that holds what belongs to others.
func AboutHeld(account uuid.UUID) Key { return Key{held, account.String()} }

// AboutMoved is the key of what comes from such an account, or may, or goes to it, by what the line calls it.
func AboutMoved(destination string, incoming bool) Key {
	if incoming {
		return Key{held, "from " + strings.ToLower(destination)}
	}
	return Key{held, "to " + strings.ToLower(destination)}
}

// AboutRow is the key of a row that has nothing in common with others.
func AboutRow(id uuid.UUID) Key { return Key{oneRow, id.String()} }

// Mark stands behind the subject in the stored keys of all that are not about a counterparty alone.
const Mark = ":"

// String is the key as it is stored.
func (k Key) String() string {
	if k.about == counterparty {
		return k.of
	}
	return string(k.about) + Mark + k.of
}

// ParseKey reads a stored key.
func ParseKey(stored string) Key {
	if about, of, ok := strings.Cut(stored, Mark); ok {
		return Key{subject(about), of}
	}
	return Key{counterparty, stored}
}

// aboutLines is the key of lines that name nobody and say the same; of checks it is the amount that they share.
func aboutLines(words string) Key { return Key{likeLines, words} }

// checksOf begins the key of checks, before their amount.
const checksOf = "check of "

// OneAmount begins the stored keys of checks of one amount.
func OneAmount() string { return aboutLines(checksOf).String() }

// OfLines reports whether the question is about lines alike and not about who is behind them.
func (k Key) OfLines() bool { return k.about == likeLines }

// Reads reports whether an answer about the key decides rows by itself, beside what is known of their counterparty.
func (k Key) Reads() bool { return k.about == likeLines || k.about == use }

// OfOneRow reports whether the question is about a row and not about who is behind it: its answer teaches nothing.
func (k Key) OfOneRow() bool { return k.about == oneRow }

// OfCompany reports whether the question is about the business itself, whoever its rows are with.
func (k Key) OfCompany() bool { return k.about == company }

// OfCounterparty reports whether the question is about all rows with a counterparty in its direction.
func (k Key) OfCounterparty() bool { return k.about == counterparty }

// Narrow reports whether the question is about something else than who is behind its rows.
func (k Key) Narrow() bool {
	return k.about == company || k.about == use || k.about == transfer || k.about == family || k.about == held
}

// BothWays reports whether one answer is about what comes in and what goes out.
func (k Key) BothWays() bool { return k.about == transfer }

// Incoming is the direction of the money that an answer is about: for most questions that of the row, and none, false,
// for those about both.
func (k Key) Incoming(l Line) bool { return l.Incoming() && !k.BothWays() }

// Topic is what an answer is about: a key and the direction of the money.
type Topic struct {
	Key      string // as it is stored
	Incoming bool
}

// Kind names what keys of its kind are about.
func (k Key) Kind() string {
	if k.about == counterparty {
		return "counterparty"
	}
	return string(k.about)
}
