package questions

import (
	"slices"

	"bizfin/internal/split"
)

// Owed are the categories of what comes in with what customers pay and is owed to them or to others. Whoever pays out
// such money may do so in what nobody was asked about, too.
func Owed() (ids []int) {
	for _, path := range [...]string{"liability.client_funds", "liability.customer_deposit",
		"liability.sales_tax_collected"} {
		ids = append(ids, mustPath(path).ID)
	}
	return ids
}

// owedIn is whether what was answered is owed, or a part of it.
func owedIn(category *int, divided *split.Spec) bool {
	if divided == nil {
		return category != nil && slices.Contains(Owed(), *category)
	}
	return slices.ContainsFunc(divided.Parts, func(p split.Share) bool { return slices.Contains(Owed(), p.Category) })
}
