package questions

import (
	"regexp"
	"strings"
	"time"
)

// loanProceeds is money that was lent.
var loanProceeds = mustPath("liability.loan_proceeds")

// loanGiven is money that the business lends: a loan that they pay back, not I.
var (
	loanGiven   = mustPath("asset.loan_given")
	theyPayBack = regexp.MustCompile(`(?i)\b(?:loan|advance)\b[^.;]*\b(?:he|she|they|who)(?:['’](?:s|re|ll)|` +
		`\s+(?:is|are|will))?` +
		`\s+(?:pay|give)(?:s|ing)?\s+(?:it|me|us|that)\s+(?:all\s+)?back\b`)
)

// LoanProceeds is its id.
var LoanProceeds = loanProceeds.ID

// Loan is an open question about money that seems to be lent, by its key, and the first day of it.
type Loan struct {
	Key   string    `db:"group_key"`
	Since time.Time `db:"since"`
}

// BrandOf is the word that the parts of a firm share: Square lends as Square Financial.
func BrandOf(counterpartyKey string) string {
	brand, _, _ := strings.Cut(counterpartyKey, " ")
	if brand == "quickbooks" {
		return "intuit" // whose that is
	}
	return brand
}

// CounterpartyOf is the counterparty's own part of a question's key; empty where it is about no one counterparty.
func CounterpartyOf(key string) string {
	switch k := ParseKey(key); k.about {
	case counterparty:
		return k.of
	case use:
		_, of, _ := strings.Cut(k.of, Mark)
		return of
	default:
		return ""
	}
}
