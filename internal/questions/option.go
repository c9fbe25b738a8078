package questions

import (
	"fmt"
	"slices"
	"sync"

	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
)

// Option is an answer to choose from.
type Option struct {
	Value       string `json:"value"` // a category path where it stands for a category
	Label       string `json:"label"`
	Description string `json:"description"`
	Role        Role   `json:"role,omitempty"` // what choosing it does beside; it is not shown
}

// Role is what an option does beside standing for a category.
type Role string

// The roles of options; most have none.
const (
	RoleYes    Role = "yes"    // what a plain yes means, of a question about the business
	RoleNo     Role = "no"     // what a plain no means
	RoleOthers Role = "others" // it answers about those the rows are with, not about the business
	RoleMix    Role = "mix"    // several of the options at once: the payment is not yet split
	RolePart   Role = "part"   // partly the business's: no one category fits
	RoleReads  Role = "reads"  // each row is what its line reads
)

// Split is the value of the option that no one category fits.
const Split = "split"

// AsRead is the value of the option that each row is what its line reads.
const AsRead = "as_read"

// NoneAtHome is its label where one asks what is used at home, too: rows that are the owner's by their lines stay open.
const NoneAtHome = "None: each is the business's"

// MostOptions are so many that a person still reads all.
const MostOptions = 4

// Categories that options and questions name.
var (
	SalesTaxIncluded  = ontology.MustPath("expense.taxes_licenses.sales_tax")
	SalesTaxCollected = ontology.MustPath("liability.sales_tax_collected")
	otherStateTax     = ontology.MustPath("expense.taxes_licenses.state_business") // the same authorities take it
	cashDeposit       = ontology.MustPath("uncategorized.cash_deposit")
	Sales             = ontology.MustPath("revenue.sales")
	PayrollTaxes      = ontology.MustPath("expense.taxes_licenses.payroll")
	Withheld          = ontology.MustPath("liability.payroll_tax_withheld") // from pay, for the state
	OwnersDraw        = ontology.MustPath("equity.owner_draw")
)

// OnlyOnForm is the category of the form that options name; nil where they name none or several.
func OnlyOnForm(options []Option) *ontology.Category {
	var only *ontology.Category
	for _, o := range options {
		if c, ok := ontology.ScheduleC().ByPath(o.Value); ok && c.Kind.OnForm() {
			if only != nil {
				return nil
			}
			only = c
		}
	}
	return only
}

// IsPayout reports whether a category is what a processor or a marketplace pays out.
func IsPayout(c *ontology.Category) bool {
	return c.Is("revenue.sales.processor_payouts") || c.Is("revenue.sales.marketplace_payouts")
}

// Payouts are the ids of these categories.
func Payouts() (ids []int) {
	for _, c := range ontology.ScheduleC().All() {
		if IsPayout(c) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// OptionOf is a category as an option, with what choosing it does to the tax form.
func OptionOf(c *ontology.Category) Option { return optionOfEach()[c] }

// optionOfEach has the option of every category: rows that are asked about have several each.
var optionOfEach = sync.OnceValue(func() map[*ontology.Category]Option {
	all := map[*ontology.Category]Option{}
	for _, c := range ontology.ScheduleC().All() {
		all[c] = Option{Value: c.Path, Label: c.Name, Description: consequence(c)}
	}
	return all
})

// optionsOf are the best guess, what else was considered, a mix of them, and personal, in this order: 2 to 4 in all.
func optionsOf(d categorize.Decision, incoming bool) []Option {
	categories := considered(d, incoming)
	if most := len(categories) - 1; most+1 == MostOptions && ofMixedUse(categories[0]) { // room for the part option
		categories = slices.Delete(categories, most-1, most)
	}
	mix, mixed := mixOf(categories, incoming)
	if mixed {
		categories = categories[:min(len(categories), MostOptions-1)]
	}
	slices.SortStableFunc(categories[1:], func(a, b *ontology.Category) int { return personal(a) - personal(b) })
	options := make([]Option, len(categories))
	for i, c := range categories {
		options[i] = OptionOf(c)
	}
	if mixed {
		at := len(options)
		if at > 1 && personal(categories[at-1]) == 1 {
			at--
		}
		options = slices.Insert(options, at, mix)
	}
	return options
}

func personal(c *ontology.Category) int {
	if c.Kind == ontology.KindPersonal {
		return 1
	}
	return 0
}

// considered are the best guess, what else the line can be, and what such money usually is. Nobody is paid what they
// earned by paying it out.
func considered(d categorize.Decision, incoming bool) []*ontology.Category {
	var list []*ontology.Category
	add := func(category *ontology.Category, ok bool) {
		earned := ok && category.Is("revenue") && !category.Is("revenue.returns")
		if ok && category.Assignable && !category.Is(ontology.Uncategorized) && len(list) < MostOptions &&
			!slices.Contains(list, category) && (incoming || !earned) {
			list = append(list, category)
		}
	}
	add(ontology.ScheduleC().ByID(d.CategoryID))
	if incoming && d.CategoryID == categorize.UnknownIn { // whoever has a shop may pay for work
		add(ontology.ScheduleC().ByPath(Usual(incoming)[0]))
	}
	for _, a := range d.Alternatives {
		if len(list) < MostOptions-1 {
			add(ontology.ScheduleC().ByID(a.CategoryID))
		}
	}
	paths := Usual(incoming)
	if len(list) >= 2 {
		paths = paths[len(paths)-1:]
	}
	for _, path := range paths {
		add(ontology.ScheduleC().ByPath(path))
	}
	return list
}

// Usual is what money of a direction most often is.
func Usual(incoming bool) []string {
	if incoming {
		return []string{"revenue.sales", "equity.owner_contribution", "personal.income"}
	}
	return []string{"expense.supplies", "expense.contract_labor", "personal.living"}
}

// mixOf is the option that none of the categories fits alone: a debit that pays several things at once, and what is
// bought partly for the business, where there is room to say so.
func mixOf(categories []*ontology.Category, incoming bool) (Option, bool) {
	private := slices.ContainsFunc(categories,
		func(c *ontology.Category) bool { return c.Kind == ontology.KindPersonal })
	business := slices.ContainsFunc(categories,
		func(c *ontology.Category) bool { return c.Kind != ontology.KindPersonal })
	switch {
	case incoming:
		return Option{}, false
	case slices.ContainsFunc(categories, (*ontology.Category).Unsplit):
		return Option{
			Value: Split, Label: "A mix of these", Role: RoleMix,
			Description: "Stays as one payment that is not yet split; this is not asked again.",
		}, true
	case private && business && len(categories) < MostOptions:
		return Option{
			Value: Split, Label: "Part business, part personal", Role: RolePart,
			Description: "Stays uncategorized, so that nothing is deducted that is not the business's; this is " +
				"not asked again.",
		}, true
	default:
		return Option{}, false
	}
}

// consequence says what choosing a category does to the tax form.
func consequence(c *ontology.Category) string {
	switch {
	case c.ScheduleCLine != "" && c.DeductiblePercent < 100:
		return fmt.Sprintf("Schedule C line %s, %d %% of it deductible.", c.ScheduleCLine, c.DeductiblePercent)
	case c.ScheduleCLine != "":
		return fmt.Sprintf("Schedule C line %s.", c.ScheduleCLine)
	default:
		return "Not on Schedule C."
	}
}

// mixedUse are categories of what a small firm's owner uses for the firm and at home alike.
var mixedUse = []string{
	"expense.utilities", "expense.car_truck", "expense.home_office", "expense.rent.property",
}

func ofMixedUse(c *ontology.Category) bool { return slices.ContainsFunc(mixedUse, c.Is) }
