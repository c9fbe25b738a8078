package categorize

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// ServiceOf names the payment service that an own account is at, as the account's name begins with it: "Square
// Checking", "My PayPal". "" for all others, and for what is owed to a service: "PayPal Credit".
func ServiceOf(account string) (service string) {
	named := withoutOwner(account)
	for _, name := range load().services {
		if len(name) > len(service) && beginsWith(named, name) {
			service = name
		}
	}
	if service != "" && (atBank.MatchString(named) || owedTo.MatchString(named)) {
		return ""
	}
	return service
}

// owedTo is in the names of accounts that hold no balance of the service, but what is owed to it.
var owedTo = regexp.MustCompile(`(?i)\b(credit|loans?|mastercard|capital)\b`)

// atBank is in the names of banks that are called like a service: Square One Credit Union, Wise County Bank.
var atBank = regexp.MustCompile(`(?i)\b(credit union|f?cu|county|(one|national|state|community|savings) bank)\b`)

// withoutOwner is an account's name without whose it is: My PayPal, Ana Diaz's Venmo.
func withoutOwner(account string) string {
	if strings.ContainsAny(account, "'’") {
		if i := ownersEnd.FindStringIndex(account); i != nil {
			account = account[i[1]:]
		}
	}
	for {
		word, rest, more := strings.Cut(account, " ")
		if !more || !mine[strings.ToLower(word)] {
			return account
		}
		account = rest
	}
}

// ownersEnd ends a name of one to three words that says whose something is.
var ownersEnd = regexp.MustCompile(`(?i)^(\S+ ){0,2}\S+['’]s `)

// mine is what people put before the name of their account at a service.
var mine = map[string]bool{"my": true, "our": true, "the": true, "business": true, "biz": true, "shop": true,
	"store": true, "main": true}

// PaysFrom reports whether a counterparty is a service, or a part of it: Shopify Payments is of Shopify.
func PaysFrom(service string, by Counterparty) bool {
	return by.Relationship == "payment_processor" && beginsWith(by.Name, service)
}

// Names reports whether a description names a service, however its bank writes that: CASH APP*CASH OUT.
func Names(description, service string) bool {
	var line, name line
	line.read(description)
	name.read(service)
	for from := range line.count {
		for to := from + 1; to <= line.count; to++ {
			if bytes.Equal(line.bytes(from, to), name.bytes(0, name.count)) {
				return true
			}
		}
	}
	return false
}

// beginsWith reports whether a name begins with the words of another.
func beginsWith(name, first string) bool {
	return len(name) >= len(first) && strings.EqualFold(name[:len(first)], first) &&
		(len(name) == len(first) || name[len(first)] == ' ')
}

// heldFor is in the names of accounts that hold what belongs to others. "Trust" alone is in the names of banks.
var heldFor = regexp.MustCompile(`(?i)\b(i\.?o\.?l\.?t\.?a|ioltas?|iolas?|coltaf|iota|escrow|held in trust|` +
	`trust (account|acct|funds|ledger)|` +
	`(broker|rental|rents?|re|real estate|property|management|mgmt|pm|deposits?|atty|guest|tuition|pre-?need|patient|` +
	`settlement|funeral) trust|` +
	`(client|owner|tenant|resident|attorney|lawyer|landlord|guest|customer)['\x{2019}]?s?['\x{2019}]? ` +
	`(trust|funds|money|monies|deposits?|retainers?|settlements?)|client['\x{2019}]?s?['\x{2019}]? accounts?|` +
	`(funds|money|rents|deposits) held|held for|(security|sec) deps?(osits?)?|(hoa|association) funds|hoa reserves?|` +
	`earnest money|retainer account|third party funds|fbo|fiduciary|custodial|conservatorship)\b` +
	`|^trust( (checking|savings|chk|-|\W*\d+)|$)`)

// heldWords are pieces of which each such name has one: looking for them is fifteen times as fast, and hardly any other
// account has one.
var heldWords = [...]string{"iol", "i.o.l", "coltaf", "iota", "escrow", "held", "trust", "funds", "money", "monies",
	"dep", "client", "retainer", "hoa", "fbo", "fiduciary", "custodial", "conservatorship"}

// putBy is in the names of accounts where a business puts by what it will owe itself.
var putBy = regexp.MustCompile(
	`(?i)\b(tax|taxes|payroll|mortgage|insurance|operating|family trust|living trust)\b`)

// HeldForOthers reports whether an own account holds what belongs to others, as its name says: a lawyer's or a
// manager's trust account. What moves from there to another own account was earned, or paid for them.
func HeldForOthers(account string) bool {
	var buf [64]byte
	lower := append(buf[:0], account...)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	for _, word := range heldWords {
		if bytes.Contains(lower, []byte(word)) {
			return heldFor.MatchString(account) && !putBy.MatchString(account)
		}
	}
	return false
}

// transferWords are how banks write that money moves.
var transferWords = regexp.MustCompile(`(?i)\b(transfer|tfr|trf|trsf|trnsfr|transf|xfer|xfr)\b`)

// MovesBy reports whether a description says that money moves from or to the account with these last digits.
func MovesBy(description, tail string) bool {
	if tail == "" || !strings.Contains(description, tail) || !transferWords.MatchString(description) {
		return false
	}
	digits := strings.FieldsFunc(description, func(r rune) bool { return r < '0' || r > '9' })
	return slices.Contains(digits, tail)
}
