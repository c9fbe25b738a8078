package ontology

// Unsplit reports whether the category says that a payment has parts which belong to several categories: pay with its
// taxes, a loan's principal with its interest. It stands until somebody knows the parts.
func (c *Category) Unsplit() bool {
	return c.Path == "liability.loan_payment_unsplit" || c.Path == "expense.wages.provider_funding"
}
