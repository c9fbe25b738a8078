package categorize

import (
	"fmt"
	"slices"
)

// The contract's vocabularies of counterparties (Filter vocabularies of read resources).
var (
	counterpartyTypes = []string{"company", "person", "government", "non-profit", "educational", "financial",
		"healthcare",
		"religious", "charity", "association", "cooperative", "partnership", "trust", "estate"}
	relationships = []string{"client", "service", "partner", "contractor", "investor", "owner", "lifestyle", "supplier",
		"utility", "landlord", "lender", "insurer", "payment_processor", "marketplace", "regulator", "tax_authority",
		"donation_recipient", "payroll", "unknown"}
)

func checkCounterparty(kind, relationship string) error {
	if !slices.Contains(counterpartyTypes, kind) || !slices.Contains(relationships, relationship) {
		return fmt.Errorf("type %q or relationship %q is not in the contract's vocabulary", kind, relationship)
	}
	return nil
}
