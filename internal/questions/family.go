package questions

import (
	"fmt"
	"slices"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// A family is rows that one question is about, whoever they are with: what is paid by check, what people send by an
// app, what customers pay, large receipts, what one kind of shop sells. Its answer is a rule with exceptions; about
// somebody whom it did not name it only suggests.

var (
	// Checks are those that the business wrote: their lines name nobody.
	Checks = Key{likeLines, "checks"}
	// People pay, or are paid, by an app.
	People = Key{family, "people"}
	// Customers seem to pay for what the business sells.
	Customers = Key{family, "customers"}
	// AtHome is what an owner of a small firm often uses at home, too: telephone, internet, power, the car, insurance.
	AtHome = Key{family, "at home"}
	// Away is what is paid where people eat and travel.
	Away = Key{family, "away"}
	// Taxes are what authorities take, who seldom say on which tax.
	Taxes = Key{family, "taxes"}
	// Large receipts of which nothing more is known; each is another matter, so that none decides what the next is.
	Large = Key{family, "large"}
	// Rest are small rows that name nobody and are like no others: what one of them is says nothing of the next.
	Rest = Key{family, "rest"}
)

// shopsLike is the family of shops that seem to sell one kind of thing.
func shopsLike(c *ontology.Category) Key { return Key{family, like + c.Path} }

// readsOf are the categories that lines of a family read which is about several, whatever the line is like.
var readsOf = map[Key][]string{
	AtHome: {"expense.utilities", "expense.car_truck", "expense.insurance", "personal.health_insurance"},
	Away:   {"expense.meals", "expense.travel"},
	Taxes:  {"uncategorized.tax_payment", "expense.taxes_licenses", "tax"},
}

// familyReading is the family of those that lines of a category are one of.
func familyReading(c *ontology.Category) (Key, bool) {
	for _, k := range [...]Key{AtHome, Away, Taxes} {
		if slices.ContainsFunc(readsOf[k], c.Is) {
			return k, true
		}
	}
	return Key{}, false
}

// SaysOf reports whether what is answered of a family may be said of another row of it, whose line reads a category:
// where the lines of a family read several things, none of these is said of a line that reads another one, nor parts
// of which they are, for which answered is nil.
func (k Key) SaysOf(answered, reads *ontology.Category) bool {
	switch {
	case k.OfPayroll(), k == Taxes:
		return false
	case readsOf[k] != nil:
		return answered != nil && (!answered.Kind.OnForm() || answered == reads)
	default:
		return true
	}
}

// Seems is what another row of a family seems to be, of which an answer says something. That most of it is the owner's
// own in one way, as health insurance is, says of a line that reads otherwise that it is private; that most is one cost
// says nothing of a line that reads another, which seems to be what it reads.
func (k Key) Seems(answered, reads *ontology.Category) *ontology.Category {
	switch {
	case answered == reads || !slices.ContainsFunc(readsOf[k], answered.Is):
		return answered
	case answered.Kind.OnForm():
		return reads
	default:
		return privateLiving
	}
}

const like = "like "

// reads are what the lines of a family read that is one by them; nil for other keys.
func (k Key) reads() []string {
	path, ok := strings.CutPrefix(k.of, like)
	switch {
	case readsOf[k] != nil:
		return readsOf[k]
	case ok && k.about == family:
		return []string{path}
	default:
		return nil
	}
}

var (
	advertising   = ontology.MustPath("expense.advertising")
	privateLiving = ontology.MustPath("personal.living")
)

// payrollOf is the family of what a payroll provider takes and its lines name: pay, the taxes on it, what it passes on,
// its fee.
func payrollOf(counterpartyKey string) Key { return Key{family, payroll + counterpartyKey} }

// unnamedPayrollOf is the family of what it takes by lines that do not say what: of these there is no word to name the
// taxes by, so that nothing could be said that is true of both.
func unnamedPayrollOf(counterpartyKey string) Key {
	return Key{family, unnamedPayroll + counterpartyKey}
}

const (
	payroll        = "payroll "
	unnamedPayroll = payroll + "unnamed "
)

// OfPayroll reports whether the key is that of what a payroll provider takes. Its members are told apart by what their
// lines read, and not by whom they are with.
func (k Key) OfPayroll() bool { return k.about == family && strings.HasPrefix(k.of, payroll) }

// PaysContractors reports whether a payroll provider takes what it pays contractors: that is no wage, and belongs to
// what else it takes.
func PaysContractors(party categorize.Counterparty, c *ontology.Category) bool {
	return party.Relationship == "payroll" && c.Is("expense.contract_labor")
}

// isPayroll reports whether money that goes out is what a payroll provider takes.
func isPayroll(c *ontology.Category) bool {
	return slices.ContainsFunc([]string{"expense.wages", PayrollTaxes.Path, Withheld.Path, "liability.garnishment",
		"expense.legal_professional.payroll_service"}, c.Is)
}

// p2p is the engine's word for how such money moved.
const p2p = "p2p"

// deposit is its word for what is paid in at the bank.
const deposit = "deposit"

// wire is its word for money by wire: of a firm's it is what a customer pays, and of anybody else's as often what is
// lent, given or paid ahead.
const wire = "wire"

// oneReading is how sure the reading of a shop is at least, to be asked about with others that read alike: of firms
// that nothing is known of the guess is one, and it is not about them.
const oneReading money.Ratio = 6000

// enough are so many members that one question with exceptions is less work than a question for each.
const enough = 3

// least is how many members a family has at least: what one payroll provider takes belongs together.
func (k Key) least() int {
	if k.OfPayroll() {
		return 2
	}
	return enough
}

// often is how many checks of one small amount are worth a question: one is worth none.
const often = 3

// FamilyOf is the family of a row, where it has one.
func FamilyOf(l Line, d categorize.Decision) (Key, bool) {
	category, known := ontology.ScheduleC().ByID(d.CategoryID)
	named := d.Counterparty.Key != ""
	several, ofSeveral := Key{}, false
	if known && named && !l.Incoming() {
		several, ofSeveral = familyReading(category)
	}
	switch {
	case PaidIn(l, d), !named && d.Channel == deposit && l.Incoming():
		return Deposits, true
	case !named && d.Channel == check && !l.Incoming():
		return Checks, true
	case !named && known && d.Channel == wire && standsAlone(l, d):
		return Large, true
	case !named || !known || d.Refund:
		return Key{}, false
	case d.Channel == p2p:
		return People, true
	case !l.Incoming() && category.Is("expense.wages.provider_funding"):
		return unnamedPayrollOf(d.Counterparty.Key), true
	case !l.Incoming() && (isPayroll(category) || PaysContractors(d.Counterparty, category)):
		return payrollOf(d.Counterparty.Key), true
	case l.Incoming() && category.Is("revenue.sales.rents"):
		return Key{}, false // tenants are no customers: the form may not have their rents at all
	case l.Incoming() && (IsPayout(category) || d.Counterparty.Relationship == "payment_processor"):
		return Key{}, false // nor is a processor: what it pays out is many customers', less what it keeps
	case l.Incoming() && d.Counterparty.Relationship == "tax_authority":
		return Key{}, false // nor is a state, which pays back
	case d.CategoryID == categorize.UnknownIn && l.Amount >= alone:
		return Large, true
	case l.Incoming() && (category.Is("revenue.sales") || d.CategoryID == categorize.UnknownIn):
		return Customers, d.Channel != wire || d.Confidence >= categorize.SilentThreshold
	case ofSeveral:
		return several, true
	case !l.Incoming() && d.Confidence >= oneReading &&
		(d.Source == categorize.SourceMerchant || d.Channel == "card") &&
		!category.Is(ontology.Uncategorized) && !category.Is("tax") && !category.Is("liability"):
		return shopsLike(category), true
	default:
		return Key{}, false
	}
}

// OneOfMany reports whether a row that names nobody can be asked about among others like it, however small it is.
func OneOfMany(l Line, d categorize.Decision) bool {
	family, ok := FamilyOf(l, d)
	return ok && family == Checks
}

// OfFamily reports whether the key is that of a family.
func (k Key) OfFamily() bool { return k.about == family || k == Checks || k == Deposits }

// Teaches reports whether an answer about a family decides the next rows of each of those that its rows were with.
func (k Key) Teaches() bool { return k.OfFamily() && k != Large && k != Rest }

// withFamily makes a question the family's of its row, if it has one, with the row's own for where it stays alone.
func withFamily(q *Question, l Line, d categorize.Decision) *Question {
	key, ok := FamilyOf(l, d)
	if !ok {
		return q
	}
	example := "expense.contract_labor; 3: personal.living; Ann Lee: expense.rent.property"
	if l.Incoming() {
		example = "revenue.sales; 3: personal.income; Ann Lee: equity.owner_contribution"
	}
	named := "the number of the check or the name"
	switch key { // their lines name nobody
	case Checks:
		named, example = "that of the check behind # or their amount", "expense.contract_labor; 3: personal.living; "+
			"#2041: expense.taxes_licenses; 950.00: expense.rent.property"
	case Deposits:
		named, example = "or their amount", "revenue.sales; 3: personal.income; 5,000.00: equity.owner_contribution"
	}
	f := &Question{Key: key, Kind: KindCategory, Narrow: q, Options: q.Options, Why: "One answer for all of them is " +
		"enough. Where some differ, name them by the number of their line, " + named + ": `" + example + "`."}
	if key == q.Key { // there is nothing narrower
		f.Narrow = nil
	}
	f.askFamily(l, d)
	return f
}

// choose has categories as the options.
func (q *Question) choose(paths ...string) {
	q.Options = nil
	for _, path := range paths {
		q.Options = append(q.Options, OptionOf(ontology.MustPath(path)))
	}
}

// askFamily words the question about the family of a row, and gives it the options that fit all of it.
func (q *Question) askFamily(l Line, d categorize.Decision) {
	key := q.Key
	category, _ := ontology.ScheduleC().ByID(d.CategoryID)
	switch {
	case strings.HasPrefix(key.of, unnamedPayroll) && key.OfPayroll():
		q.Text = fmt.Sprintf("What does %s take where its line does not say: pay, the taxes on it, its fee?",
			d.Counterparty.Name)
		q.Why = fmt.Sprintf("They are on different lines of the form. Name some by the number of their line, and "+
			"divide what is several things by the payroll's report of the year: `net pay; 2, 4: 3,978.00 payroll "+
			"taxes in %d, rest wages`. What was withheld from pay is wages, too, where pay is net.",
			l.PrimaryDate.Year())
		q.choose("expense.wages.net_pay", PayrollTaxes.Path, "expense.legal_professional.payroll_service")
	case key.OfPayroll():
		q.Text = fmt.Sprintf("What does %s take: pay, the taxes on it, its fee?", d.Counterparty.Name)
		q.Why = fmt.Sprintf("They are on different lines of the form, and of taxes a part was withheld from "+
			"pay: that is wages, too, as pay is net. Name some by a word of their lines, and divide them by the "+
			"payroll's report of the year: `net pay; #TAX: 3,978.00 payroll taxes in %d, rest wages; #FEE: payroll "+
			"service fees`.", l.PrimaryDate.Year())
		q.choose("expense.wages.net_pay", PayrollTaxes.Path, "expense.legal_professional.payroll_service")
		q.Options = slices.Insert(q.Options, 0, Option{
			Value: AsRead, Label: "Each is what its line reads", Role: RoleReads,
			Description: "Pay is net pay, tax debits are payroll taxes in whole, fees are fees.",
		})
	case key == Deposits:
		q.Text = "What are the cash and checks that you pay in?"
		q.choose("revenue.sales", "liability.customer_deposit", "equity.owner_contribution", "personal.income")
	case key == Checks:
		q.Text = "What are the checks for that you write?"
		q.choose("expense.contract_labor", "expense.supplies.materials", "expense.rent.property", "personal.living")
	case key == People && l.Incoming():
		q.Text = "What do people pay you for by Zelle, Venmo and the like?"
		q.choose("revenue.sales", "revenue.sales.rents", "equity.owner_contribution", "personal.income")
	case key == People:
		q.Text = "What do you pay people for by Zelle, Venmo and the like?"
		q.choose("expense.contract_labor", "equity.owner_draw", "expense.rent.property", "personal.living")
	case key == Large:
		q.Text = "What are these large payments for that come in?"
		q.choose("revenue.sales", "liability.customer_deposit", "liability.loan_proceeds", "equity.owner_contribution")
	case key == Customers:
		q.Text = "What do these pay you for, each of whom seems to be a customer?"
		q.choose("revenue.sales.services", "revenue.sales.products", "liability.customer_deposit",
			"equity.owner_contribution")
	case key == AtHome:
		q.Text = "Which of these are used at home, too: telephone, internet, power, the car, insurance?"
		q.Why = "What is used at home, too, is a cost by the share that is the business's. One answer for all of " +
			"them is enough. Say each share, by the name or the number of its line: `Verizon: 60% business, " +
			"rest personal; 2, 3: personal; rest: business`."
		q.choose("personal.living")
		q.Options[0].Label = "All of it is private"
		q.Options = slices.Insert(q.Options, 0, Option{
			Value: AsRead, Label: NoneAtHome, Role: RoleReads,
			Description: "Each is the cost that its line reads.",
		})
	case key == Away:
		q.Text = "What do you pay restaurants, airlines, hotels and the like for?"
		q.choose("expense.meals", "expense.travel", "asset.reimbursable", "personal.living")
	case key == Taxes:
		q.Text = "What do these authorities take: which tax, or a license?"
		q.Why = "Taxes on income are the owner's own; those on sales, pay and property, and licenses, are the " +
			"business's. Name some by whom they are with or by the number of their line: `tax.estimated_income; 3: " +
			"payroll taxes; State of Ohio: liability.sales_tax_collected`."
		q.choose("tax.estimated_income", "tax.state_income", PayrollTaxes.Path, otherStateTax.Path)
	case category.Is(advertising.Path):
		q.Text = "What are the ads for that you buy?"
		q.choose(category.Path, "asset.reimbursable", "personal.living")
		q.Options[1].Description = "Customers pay it back. " + q.Options[1].Description
	default:
		q.Text = fmt.Sprintf("What do you pay these shops and firms for, which read like %q?", category.Name)
		if ofMixedUse(category) {
			q.Why = "What is used at home, too, can be divided: `" + q.Narrow.shares() + "`. " + q.Why
		}
	}
}
