package decide

import (
	"cmp"
	_ "embed" // the figures
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// doubt is the most that may be wrong, by expectation, about the profit of a row that nobody was asked about: its
// amount times the doubt about its class. So the threshold rises with the amount.
const doubt money.Amount = 25_00

// capital is the price from which goods that last may be equipment, which the form counts apart (IRS Reg.
// 1.263(a)-1(f): up to it a business without audited statements may expense them).
const capital money.Amount = 2_500_00

// rest is how sure the profit is that follows from a class without figures of its own.
const rest money.Ratio = 9500

//go:embed shown.csv
var shownFile string

// shown are the classes of evidence with figures.
var shown = sync.OnceValue(func() map[string]money.Ratio {
	r := csv.NewReader(strings.NewReader(shownFile))
	r.Comment, r.FieldsPerRecord = '#', 5
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("decide: shown.csv: %v", err)) // the tests rule it out
	}
	classes := map[string]money.Ratio{}
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[1])
		if err != nil || n <= 0 || n >= 10_000 {
			panic(fmt.Sprintf("decide: shown.csv: class %s: %q", row[0], row[1]))
		}
		classes[row[0]] = money.Ratio(n)
	}
	return classes
})

//go:embed settled.csv
var settledFile string

// Shown is what labelled books show of the rows of a cell.
type Shown struct {
	From, Upto money.Amount // sizes: what is smaller is something else, what is larger was not seen
	Books      int          // that had such rows on their line
	Rows, Off  int          // of all books, and those of them on another line
}

// Where rows stand: in so many books, each of another owner, and of a hundred rows at most so many on another line.
const (
	independent = 3
	mostOff     = 3
)

// enough reports whether enough books show that such rows are what their lines say.
func (s Shown) enough() bool { return s.Books >= independent && 100*s.Off <= mostOff*s.Rows }

// Of reports whether the books show rows of such an amount.
func (s Shown) Of(amount money.Amount) bool {
	size := max(amount, -amount)
	return s.enough() && s.From <= size && size <= s.Upto
}

// Cell is rows that their lines may settle: of a category, by its path, and by a class of evidence or whoever they are
// with, empty for any.
type Cell struct{ Path, By string }

// CellOf is the cell of a category, by whom its row is with, or else by the class of evidence; ok is false where there
// is none.
func CellOf(path string, said categorize.Decision) (c Cell, ok bool) {
	for _, by := range [...]string{cmp.Or(said.Counterparty.Name, said.Class), said.Class, ""} {
		if _, ok := settled()[Cell{path, by}]; ok {
			return Cell{path, by}, true
		}
	}
	return Cell{}, false
}

// settled is what the books show of each cell.
var settled = sync.OnceValue(func() map[Cell]Shown {
	r := csv.NewReader(strings.NewReader(settledFile))
	r.Comment, r.FieldsPerRecord = '#', 7
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("decide: settled.csv: %v", err)) // the tests rule it out
	}
	cells := map[Cell]Shown{}
	for _, row := range rows[1:] {
		var c Shown
		var errs [5]error
		c.From, errs[0] = money.Parse(row[2])
		c.Upto, errs[1] = money.Parse(row[3])
		for i, n := range [...]*int{&c.Books, &c.Rows, &c.Off} {
			*n, errs[2+i] = strconv.Atoi(row[4+i])
		}
		if _, ok := ontology.ScheduleC().ByPath(row[0]); !ok || errors.Join(errs[:]...) != nil {
			panic(fmt.Sprintf("decide: settled.csv: %q", row))
		}
		cells[Cell{row[0], row[1]}] = c
	}
	return cells
})

// leases are vehicles and equipment that are rented.
const leases = "expense.rent.vehicles_equipment"

// settles reports whether a line settles what money was for: what a seller sells is one thing, whether it was for the
// business and where the form has it another; and what a customer pays may be a deposit, or costs that they pay back.
// Money off the form is judged by its class alone.
func settles(row Row, said categorize.Decision) bool {
	category, ok := ontology.ScheduleC().ByID(said.CategoryID)
	if openByKind(said, category) || askedAhead(row, category) {
		return false
	}
	if !ok || !category.Kind.OnForm() {
		return true
	}
	cell, ok := CellOf(category.Path, said)
	return ok && settled()[cell].Of(row.Amount)
}

// openByKind reports whether no line settles what a row was for: of rents, whether they are on this form at all, and
// what of them is a tenant's deposit, only the business knows; whoever takes a lease's money from the account may have
// lent it; and a business word in a name that nobody knows is right for nine names in ten, which is not enough.
func openByKind(said categorize.Decision, category *ontology.Category) bool {
	return strings.HasPrefix(said.Class, "word.") || category != nil &&
		(category.Is("revenue.sales.rents") || category.Is(leases) && said.Channel != "card")
}

// What customers are asked to pay ahead is a round sum, and not little.
const (
	aheadFrom money.Amount = 1_000_00
	round     money.Amount = 50_00
)

// askedAhead reports whether a payout may be what a customer paid ahead, and their deposit, or is lent: sums of sales
// less fees are seldom round, and who is paid by invoice has both in the same lines.
func askedAhead(row Row, category *ontology.Category) bool {
	return category != nil && category.Path == payouts && row.Amount >= aheadFrom &&
		row.Amount%round == 0
}

// mayBeWrong is what is expected to be wrong about the profit of a row of a class.
func mayBeWrong(amount money.Amount, class string) money.Amount {
	sure, ok := shown()[class]
	if !ok {
		sure = rest
	}
	return money.Amount(int64(max(amount, -amount)) / 10_000 * int64(10_000-sure))
}

// establishes reports whether a decision may stand without anybody's answer: its class has shown what it is worth, the
// amount is small enough for that, and the line settles what it was for. People, payment apps and checks never say what
// for.
func establishes(row Row, said categorize.Decision) bool {
	return mayStand(row, said) && settles(row, said)
}

// mayStand reports whether a decision may stand where its purchase was shown to be what such lines say.
func mayStand(row Row, said categorize.Decision) bool {
	category, _ := ontology.ScheduleC().ByID(said.CategoryID)
	return !openByKind(said, category) && said.Silent() && said.Channel != "p2p" && said.Channel != "check" &&
		said.Counterparty.Type != "person" && mayBeWrong(row.Amount, said.Class) < doubt
}

// kind is a kind of row whose truth is not in its line, however well the line is understood: what the business answers
// about it, and how it is asked.
type kind struct {
	key         questions.Key
	ask         func() *questions.Question
	destination string // of a move that may be a transfer
	capital     bool   // it may be equipment, by its amount
}

// kindOf is the kind of a row that confidence never establishes; ok is false for all others.
func kindOf(row Row, said categorize.Decision) (k kind, ok bool) {
	category, known := ontology.ScheduleC().ByID(said.CategoryID)
	line, by := row.Line, said.Counterparty.Key
	switch {
	case row.ofOthers():
		key := questions.AboutHeld(row.AccountID)
		return kind{key: key, ask: func() *questions.Question {
			return questions.OfHeld(key, row.AccountName, line.Incoming())
		}}, true
	case !known:
		return kind{}, false
	}
	use := func(path string, ask func(questions.Key, questions.Line, categorize.Decision) *questions.Question) kind {
		key := questions.AboutUse(path, by)
		return kind{key: key, ask: func() *questions.Question { return ask(key, line, said) }}
	}
	switch {
	case said.Class == setAside:
		return kind{}, false
	case category.Is("transfer"):
		to := destination(row, said, category)
		return kind{
			key:         questions.AboutTransfer(to),
			ask:         func() *questions.Question { return questions.OfTransfer(to, line, said) },
			destination: to,
		}, true
	case !said.Silent():
		return kind{}, false
	case category.Is("asset.cash_withdrawal"):
		return kind{key: questions.Cash, ask: func() *questions.Question {
			return questions.OfCash(line, said)
		}}, true
	case category.Is("liability"), category.Is("expense.wages"), category.Is("expense.taxes_licenses.payroll"),
		questions.PaysContractors(said.Counterparty, category):
		return use(category.Path, questions.OfPayroll), true
	case row.Amount <= -capital && lasts(category):
		k := use("expense.depreciation", questions.OfCapital)
		k.capital = true
		return k, true
	default:
		return kind{}, false
	}
}

// setAside is the class of what a payment service sets aside and gives free again, which moves to no other account.
const setAside = "balance_hold"

// lasts reports whether what a category buys may be goods that last.
func lasts(c *ontology.Category) bool {
	for _, path := range [...]string{
		"expense.supplies", "expense.office.supplies", "expense.depreciation", "expense.repairs.equipment",
		"expense.car_truck.repairs", "expense.other.misc", "cogs.materials",
	} {
		if c.Is(path) {
			return true
		}
	}
	return c.Path == "expense.office"
}

// destination names where a move goes or comes from, as far as the line says.
func destination(row Row, said categorize.Decision, category *ontology.Category) string {
	switch tail := categorize.OtherAccount(row.Description, tailOf(row)); {
	case tail != "":
		return "the account ending in " + tail
	case said.Counterparty.Name != "" && category.Path == "transfer.credit_card_payment":
		return "the card at " + said.Counterparty.Name
	case said.Counterparty.Name != "":
		return "the account at " + said.Counterparty.Name
	case category.Path == "transfer.credit_card_payment":
		return "a credit card"
	case category.Path == "transfer.savings_sweep", strings.Contains(strings.ToUpper(row.Description), "SAV"):
		return "a savings account"
	case category.Path == "transfer.processor_balance" && categorize.ServiceOf(row.AccountName) != "":
		return "the bank account behind " + row.AccountName
	case category.Path == "transfer.processor_balance":
		return questions.PaymentService
	default:
		return "another account"
	}
}
