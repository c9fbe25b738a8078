package questions

import (
	"fmt"
	"slices"

	"bizfin/internal/ontology"
)

// hinted is a question with a hint, where its rows are likely several things at once, that an answer can say which: in
// its reason, and in the option that they are.
func (q *Question) hinted(l Line, guess *ontology.Category) *Question {
	if guess != nil && l.Incoming() && IsPayout(guess) && q.Why == "" {
		q.Why = "A payout is what customers paid less what was kept of it, such as fees or a loan's payment, and may " +
			"hold sales tax. If so, answer in words, as in `less 3% expense.commissions_fees, rest revenue.sales`."
	}
	if l.Incoming() || guess == nil {
		return q
	}
	year := l.PrimaryDate.Year()
	why, how := "", ""
	switch offersTax := slices.ContainsFunc(q.Options, func(o Option) bool { return o.Value == PayrollTaxes.Path }); {
	case guess.Is("liability.loan_payment_unsplit"), guess.Is("liability.credit_line"),
		guess.Is("liability.installment_plan"):
		why = "Of a loan's payments only the interest is a cost, and the rest pays the loan back. The lender's " +
			"statement of the year says how much it was."
		how = fmt.Sprintf("`interest 1,480.00 in %d`", year)
	case guess.Path == "expense.wages.provider_funding":
		why = "Pay, the taxes on it and the provider's fee are different lines of the form. The payroll's report of " +
			"the year has the sums."
		how = fmt.Sprintf("`payroll 52,000 wages, 3,978 taxes in %d, rest payroll fees`", year)
	case guess == PayrollTaxes, guess.Is("uncategorized.tax_payment") && offersTax:
		why = "Of payroll taxes a part was withheld from pay and is wages, too, where pay is net; the rest is " +
			"the business's own. The payroll's report of the year has the sums."
		how = fmt.Sprintf("`3,978.00 payroll taxes in %d, rest wages`", year)
	case ofMixedUse(guess):
		why = "Many use such things for the business and at home."
		how = "`" + q.shares() + "`"
	default:
		how = "`" + q.shares() + "`"
	}
	if why != "" && q.Why == "" {
		q.Why = why + " If so, answer in words, as in " + how + "."
	}
	q.Options = slices.Clone(q.Options)
	for i, o := range q.Options {
		if o.Role == RoleMix || o.Role == RolePart {
			q.Options[i].Description = "Say the parts in words, as in " + how + ". Without them: " + o.Description
		}
	}
	return q
}

// shares is an example of an answer that says shares of the question's options.
func (q *Question) shares() string {
	if OnlyOnForm(q.Options) != nil {
		return "60% business, rest personal"
	}
	for _, o := range q.Options {
		if c, ok := ontology.ScheduleC().ByPath(o.Value); ok && c.Kind.OnForm() {
			return "60% " + c.Path + ", rest personal"
		}
	}
	return "60% expense.supplies, rest personal"
}
