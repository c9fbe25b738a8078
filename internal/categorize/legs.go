package categorize

import (
	"iter"
	"strings"
)

// Evidence is how far a line speaks for being one leg of a transfer between own accounts.
type Evidence int8

// From against it to plainly for it. The zero value never makes a pair.
const (
	Against Evidence = iota // it is something else, or the line names somebody
	Guessed                 // it seems to be something else, which would be asked about
	Open                    // the line says neither
	Hinted                  // it reads like a transfer, and may be something else
	Plain                   // it says so
)

// Evidence reads a decided line. An equal amount coming in elsewhere is weak evidence: purchases and payouts have round
// amounts too. So a line that names anybody but a bank, and a check or cash, is against it.
func (e *Engine) Evidence(l Line, d *Decision) Evidence {
	bank := d.Counterparty.Type == "financial"
	switch {
	case isTransfer(d.CategoryID) && d.Silent():
		return Plain
	case isTransfer(d.CategoryID):
		return Hinted
	case bank && isRevenue(d.CategoryID) && !d.Silent(): // unexplained money from a bank
		return Open
	}
	r := Normalize(l.Description)
	known := d.CategoryID != 0 && d.CategoryID != UnknownIn && d.CategoryID != UnknownOut
	switch {
	case r.Channel == check.String(), r.Channel == atm.String(), r.Channel == card.String(), r.Person != "":
		return Against
	case !known && (d.Counterparty.Key == "" || bank):
		return Open
	case d.Source == SourceRule && !d.Silent() && guessable[r.Channel]:
		return Guessed
	}
	return Against
}

// guessable are the channels of lines that banks write of moves to other banks as they do of payments.
var guessable = map[string]bool{"": true, ach.String(): true, bill.String(): true, transfer.String(): true}

// EvidenceOfChoice is the evidence of a category that the user chose.
func EvidenceOfChoice(categoryID int) Evidence {
	if isTransfer(categoryID) {
		return Plain
	}
	return Against
}

// AccountTail returns the last four digits of an account's number as its mask or name ends with them, or "".
func AccountTail(text string) string {
	text = strings.TrimRight(text, " )].")
	digits := text[len(strings.TrimRight(text, "0123456789")):]
	if len(digits) != 4 {
		return ""
	}
	return digits
}

// accountWords stand before the last digits of an account.
var accountWords = map[string]bool{
	"CHK": true, "CHECKING": true, "SAV": true, "SAVINGS": true, "ACCT": true, "ACCOUNT": true, "MMA": true,
	"DDA": true, "MBR": true, "MEMBER": true,
	"CARD": true, "CRD": true, "ENDING": true, "IN": true,
}

// OtherAccount is the first account that a description names by its last digits, other than the one with tail; "" where
// it names none.
func OtherAccount(description, tail string) string {
	for digits := range accountsNamed(description) {
		if digits != tail {
			return digits
		}
	}
	return ""
}

// namesAccount reports whether a description names accounts by their last digits, and whether the one with tail is
// among them.
func namesAccount(description, tail string) (some, this bool) {
	for digits := range accountsNamed(description) {
		some, this = true, this || digits == tail
	}
	return some, this
}

// accountsNamed are the last digits by which a description names accounts.
func accountsNamed(description string) iter.Seq[string] {
	return func(yield func(string) bool) {
		before := ""
		for word := range strings.FieldsSeq(strings.ToUpper(description)) {
			word = strings.Trim(word, "()[],;:")
			digits := strings.TrimLeft(word, ".*#X-_")
			mask := word[:len(word)-len(digits)]
			masked := strings.ContainsAny(mask, ".*X") || strings.Contains(mask, "##") // #1044 is a check
			if (masked || accountWords[before]) && len(digits) == 4 && AccountTail(digits) != "" && !yield(digits) {
				return
			}
			before = word
		}
	}
}

// Categories that pairing itself needs to know.
var (
	transferInternal  = mustID("transfer.internal")
	transferCard      = mustID("transfer.credit_card_payment")
	transferProcessor = mustID("transfer.processor_balance")
)
