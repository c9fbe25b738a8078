package categorize

import (
	"iter"
	"regexp"
	"strings"
)

// Evidence is how far a line speaks for being one leg of a transfer between own accounts.
type Evidence int8

// From against it to plainly for it. The zero value never makes a pair.
const (
	Against   Evidence = iota // it is something else, or the line names somebody
	Sent                      // it names a person to whom a payment service sent it from an own account there
	Addressed                 // it seems to be of somebody whom it names behind TO or FROM, and would be asked about
	Guessed                   // it seems to be something else, names nobody but a bank, and would be asked about
	Open                      // the line says neither
	Hinted                    // it reads like a transfer, and may be something else
	Plain                     // it says so
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
	case d.Source != SourceRule || d.Silent() || !guessable[r.Channel]:
		return Against
	case d.Counterparty.Key == "" || bank:
		return Guessed
	case (d.Counterparty.Type == "" || d.Counterparty.Type == "company") && addressed.MatchString(l.Description):
		return Addressed
	}
	return Against
}

// guessable are the channels of lines that banks write of moves to other banks as they do of payments.
var guessable = map[string]bool{"": true, ach.String(): true, bill.String(): true, transfer.String(): true}

// addressed is how a line names where money goes or comes from.
var addressed = regexp.MustCompile(`(?i)\b(?:to|from)\b`)

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
	before := strings.TrimRight(text, "0123456789")
	digits := text[len(before):]
	if len(digits) != 4 || strings.HasSuffix(before, " ") && isYear(digits) {
		return ""
	}
	return digits
}

// isYear reports whether digits behind a word are more likely a year: Tax savings 2025.
func isYear(digits string) bool { return "1990" <= digits && digits <= "2049" }

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
