package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/split"
	"bizfin/internal/wording"
)

// Categories that parts of a split have names for which mean more elsewhere.
var (
	principal    = ontology.MustPath("liability.loan_principal")
	loanInterest = ontology.MustPath("expense.interest.other")
	wages        = ontology.MustPath("expense.wages")
	payrollFees  = ontology.MustPath("expense.legal_professional.payroll_service")
	car          = ontology.MustPath("expense.car_truck")
	commissions  = ontology.MustPath("expense.commissions_fees")
)

// partNames are short names of parts, in money that goes out.
var partNames = map[string]*ontology.Category{
	"car": car, "truck": car, "van": car, "vehicle": car, "principal": principal, "loan": principal,
	"interest": loanInterest, "withheld": questions.Withheld, "withheld from pay": questions.Withheld,
}

// payrollNames are those of a payroll.
var payrollNames = map[string]*ontology.Category{
	"wages": wages, "gross": wages, "gross pay": wages, "gross wages": wages, "pay": wages, "salaries": wages,
	"tax": questions.PayrollTaxes, "taxes": questions.PayrollTaxes,
	"payroll taxes": questions.PayrollTaxes, "payroll tax": questions.PayrollTaxes,
	"employer tax": questions.PayrollTaxes, "employer taxes": questions.PayrollTaxes,
	"fee": payrollFees, "fees": payrollFees, "payroll fee": payrollFees, "payroll fees": payrollFees,
	"service fee": payrollFees, "service fees": payrollFees, "provider fee": payrollFees, "provider fees": payrollFees,
}

// feesKept are words for what is kept of a payout.
var feesKept = []string{"fee", "fees", "their fee", "their fees", "its fee", "its fees", "processing fees", "card fees",
	"service fees", "seller fees", "selling fees", "platform fees", "commission", "commissions"}

// business are words for the part that is the business's, which do not say what it is.
var business = []string{"business", "the business", "business use", "for business", "business expense", "work",
	"company", "the company", "shop", "the shop"}

// readSplit reads an answer that is written as a split. ok is false for one that is not. It is unclear where it has a
// share of the business's and nothing says what that is: the shares are not thrown away.
func (q Asked) readSplit(words string) (m Meaning, ok bool) {
	if q.Company || wording.Mixed(words) {
		return Meaning{}, false
	}
	spec, ok, problem := split.Parse(words, q.partNamed)
	switch {
	case !ok, problem != nil && !strings.ContainsAny(words, "0123456789%$") && !twoRests.MatchString(words):
		// half this and half that are words, too
		return Meaning{}, false
	case problem != nil && slices.Contains(business, wording.Fold(problem.Unknown)):
		return Meaning{Unclear: true}, true
	case problem != nil:
		return Meaning{Broken: q.broken(problem)}, true
	default:
		return Meaning{CategoryID: split.Category, Split: &spec}, true
	}
}

// twoRests is what is written as a split of nothing but rests.
var twoRests = regexp.MustCompile(`(?i)^\s*rest\s[^,]+,\s*rest\s[^,]+$`)

// broken says what is wrong with a split, and what it may mean: what the words seem to say of such money, and what is
// written nearly so.
func (q Asked) broken(p *split.Problem) error {
	switch {
	case p.Unknown == "":
		return p
	case q.Direction() == wording.In && slices.Contains(feesKept, wording.Fold(p.Unknown)):
		return fmt.Errorf("%w; what was kept of it has `less` before it: `less 30.50 fees`", p)
	}
	const most = 3
	var near []string
	for _, c := range slices.Concat(q.Read(p.Unknown).Candidates, nearest(p.Unknown, most)) {
		if len(near) < most && !slices.Contains(near, c.Path) {
			near = append(near, c.Path)
		}
	}
	if len(near) == 0 {
		return p
	}
	return fmt.Errorf("%w; nearest: %s", p, strings.Join(near, ", "))
}

// partNamed finds the category of a part: by its path, its name, its line of the form, the label of an option, or words
// whose meaning stands clear. One that is taken off is of money that went the other way.
func (q Asked) partNamed(words string, of split.Context) (int, bool) {
	if of.Off && q.Direction() == wording.In && slices.Contains(feesKept, wording.Fold(words)) {
		return q.feesOf().ID, true
	}
	if of.Off && q.Incoming != nil {
		other := !*q.Incoming
		q.Incoming = &other
	}
	words = strings.Trim(strings.TrimSpace(words), `"'`)
	c, ok := q.categoryOfPart(words, of)
	if !ok || c.Is(ontology.Uncategorized) || !c.Assignable {
		return 0, false
	}
	return c.ID, true
}

// feesOf are fees that were kept of a payout, as far as the question says who pays it.
func (q Asked) feesOf() *ontology.Category {
	switch of, _ := q.paidOut(); {
	case of == nil:
		return commissions
	case of.Is("revenue.sales.marketplace_payouts"):
		return ontology.MustPath("expense.commissions_fees.marketplace")
	default:
		return ontology.MustPath("expense.commissions_fees.payment_processing")
	}
}

// paidOut is what the rows of a question about payouts seem to be.
func (q Asked) paidOut() (*ontology.Category, bool) {
	if len(q.Options) == 0 || q.Direction() != wording.In {
		return nil, false
	}
	c, ok := ontology.ScheduleC().ByPath(q.Options[0].Value)
	if !ok || !questions.IsPayout(c) {
		return nil, false
	}
	return c, true
}

func (q Asked) categoryOfPart(words string, of split.Context) (*ontology.Category, bool) {
	if c, ok := q.named(words, of); ok || misspelledPath(words) {
		return c, ok
	}
	if q.Direction() == wording.In && !of.Off && reimbursedPart.MatchString(words) || q.tellsReimbursed(words) {
		return reimbursable, true
	}
	c := q.Read(words).Category
	return c, c != nil
}

// named is the category that words name, whatever they say beside.
func (q Asked) named(words string, of split.Context) (*ontology.Category, bool) {
	d, folded := q.Direction(), wording.Fold(words)
	if c, ok := ontology.ScheduleC().ByPath(strings.ToLower(words)); ok && c.Assignable {
		return c, true
	}
	if c, ok := payrollNames[folded]; ok && of.Payroll {
		return c, true
	}
	if of.Loan && folded == "interest" {
		return loanInterest, true
	}
	if c, ok := ofLine(folded); ok {
		return c, true
	}
	if slices.Contains(business, folded) {
		return q.ofBusiness()
	}
	for _, o := range q.Options {
		if c, ok := ontology.ScheduleC().ByPath(o.Value); ok && wording.Same(o.Label, words) {
			return c, true
		}
	}
	if c, ok := wording.CategoryNamed(words, d); ok {
		return c, true
	}
	if relationship, ok := wording.RelationshipNamed(words); ok {
		if c, ok := wording.CategoryOf(relationship, d); ok {
			return c, true
		}
	}
	c, ok := partNames[folded]
	return c, ok && d != wording.In
}

// listed are the categories that a bare list names, such as "rent, supplies": nothing else is said, and they are
// several, none of which takes in another.
func (q Asked) listed(words string) (all []*ontology.Category) {
	for _, name := range betweenNames.Split(words, -1) {
		if strings.Trim(name, " .!") == "" {
			continue
		}
		c, ok := q.named(name, split.Context{})
		if !ok {
			return nil
		}
		if !slices.ContainsFunc(all, func(other *ontology.Category) bool { return wording.Related(c, other) }) {
			all = append(all, c)
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// betweenNames is what stands between the names of a list.
var betweenNames = regexp.MustCompile(`(?i)[,;/+&\n]|\b(?:and|plus)\b`)

// ofLine is the category of a whole line of Schedule C: line 9.
func ofLine(folded string) (*ontology.Category, bool) {
	words := strings.Fields(folded)
	if len(words) < 2 || words[len(words)-2] != "line" {
		return nil, false
	}
	var of *ontology.Category
	for _, c := range ontology.ScheduleC().All() {
		switch {
		case c.ScheduleCLine != words[len(words)-1] || !c.Assignable:
		case of == nil:
			of = c
		case !c.Is(of.Path):
			return nil, false // the line has several
		}
	}
	return of, of != nil
}
