package questions

import (
	"slices"

	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// Owed are the ids of the categories of what comes in with what customers pay and is owed to them or to others. Whoever
// pays out such money may do so in what nobody was asked about, too.
var Owed = []int{
	ClientFunds.ID,
	ontology.MustPath("liability.customer_deposit").ID,
	SalesTaxCollected.ID,
}

// owedIn is whether what was answered is owed, or a part of it.
func owedIn(category *int, divided *split.Spec) bool { return saidIn(category, divided, Owed) }

// taxIn is whether what was answered says that sales tax is no part of the receipts: of what is paid to the state, or
// of what customers paid, wholly or in part.
func taxIn(category *int, divided *split.Spec) bool {
	return saidIn(category, divided, []int{SalesTaxCollected.ID})
}

// PassesOn is whether an answer about a key that says of money that it is clients' says so of what comes in and names
// nobody, or of large sums of whomever: in what services pay out there may be such money, too.
func PassesOn(key string, incoming bool) bool {
	k := ParseKey(key)
	return incoming && (k.OfLines() || k.OfOneRow() || k == Large || k == Rest ||
		k.about == use && CounterpartyOf(key) == "")
}

// passedOnIn is whether what was answered is such money, or a part of it is.
func passedOnIn(key string, incoming bool, category *int, divided *split.Spec) bool {
	return PassesOn(key, incoming) && saidIn(category, divided, []int{ClientFunds.ID})
}

// saidIn is whether what was answered is one of some categories, or a part of it is.
func saidIn(category *int, divided *split.Spec, some []int) bool {
	if divided == nil {
		return category != nil && slices.Contains(some, *category)
	}
	return slices.ContainsFunc(divided.Parts, func(p split.Share) bool { return slices.Contains(some, p.Category) })
}
