package questions

import (
	"strings"
	"time"

	"bizfin/internal/ontology"
)

// LoanProceeds is money that was lent.
var LoanProceeds = ontology.MustPath("liability.loan_proceeds")

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
