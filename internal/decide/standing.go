package decide

import (
	_ "embed" // the figures
	"encoding/csv"
	"fmt"
	"math"
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

// span are the amounts of purchases of which the line settles the use and the line of the form.
type span struct{ from, upto money.Amount }

// settled are the spans by the path of a category, and by that with a colon and the kind of evidence behind it.
var settled = sync.OnceValue(func() map[string]span {
	r := csv.NewReader(strings.NewReader(settledFile))
	r.Comment, r.FieldsPerRecord = '#', 6
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("decide: settled.csv: %v", err)) // the tests rule it out
	}
	spans := map[string]span{}
	for _, row := range rows[1:] {
		if _, ok := ontology.ScheduleC().ByPath(row[0]); !ok {
			panic(fmt.Sprintf("decide: settled.csv: no category %q", row[0]))
		}
		from, errFrom := money.Parse(row[2])
		upto, errUpto := money.Amount(math.MaxInt64), error(nil)
		if row[3] != "" {
			upto, errUpto = money.Parse(row[3])
		}
		if errFrom != nil || errUpto != nil {
			panic(fmt.Sprintf("decide: settled.csv: %s: from %q up to %q", row[0], row[2], row[3]))
		}
		key := row[0]
		if row[1] != "" {
			key += ":" + row[1]
		}
		spans[key] = span{from, upto}
	}
	return spans
})

// leases are vehicles and equipment that are rented: whoever takes the money from the account may as well have lent it.
const leases = "expense.rent.vehicles_equipment"

// settles reports whether a line settles what a purchase is for: what the seller sells is one thing, whether it was for
// the business and where the form has it another. Money off the form and receipts are judged by their class alone, but
// for rents: whether they are on this form at all, and what of them is a tenant's deposit, only the business knows.
func settles(row Row, said categorize.Decision) bool {
	category, ok := ontology.ScheduleC().ByID(said.CategoryID)
	if ok && (category.Is("revenue.sales.rents") || category.Is(leases) && said.Channel != "card") {
		return false
	}
	if !ok || category.Kind != ontology.KindExpense && category.Kind != ontology.KindCOGS {
		return true
	}
	tier, _, _ := strings.Cut(said.Class, ".")
	size := max(row.Amount, -row.Amount)
	for path := category.Path; path != ""; {
		for _, key := range [...]string{path + ":" + said.Class, path + ":" + tier, path} {
			if s, ok := settled()[key]; ok {
				return s.from <= size && size <= s.upto
			}
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return false
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
	return said.Silent() && said.Channel != "p2p" && said.Channel != "check" && said.Counterparty.Type != "person" &&
		mayBeWrong(row.Amount, said.Class) < doubt && settles(row, said)
}

// kind is a kind of row whose truth is not in its line, however well the line is understood: what the business answers
// about it, and how it is asked.
type kind struct {
	key         questions.Key
	ask         func() *questions.Question
	destination string // of a move that may be a transfer
}

// kindOf is the kind of a row that confidence never establishes; ok is false for all others.
func kindOf(row Row, said categorize.Decision) (k kind, ok bool) {
	category, known := ontology.ScheduleC().ByID(said.CategoryID)
	if !known {
		return kind{}, false
	}
	line, by := row.Line, said.Counterparty.Key
	use := func(path string, ask func(questions.Key, questions.Line, categorize.Decision) *questions.Question) kind {
		key := questions.AboutUse(path, by)
		return kind{key: key, ask: func() *questions.Question { return ask(key, line, said) }}
	}
	switch {
	case category.Is("transfer"):
		to := destination(row, said, category)
		return kind{
			questions.AboutTransfer(to),
			func() *questions.Question { return questions.OfTransfer(to, line, said) }, to,
		}, true
	case !said.Silent():
		return kind{}, false
	case category.Is("asset.cash_withdrawal"):
		return kind{questions.Cash, func() *questions.Question { return questions.OfCash(line, said) }, ""}, true
	case category.Is("liability"), category.Is("expense.wages"), category.Is("expense.taxes_licenses.payroll"):
		return use(category.Path, questions.OfPayroll), true
	case row.Amount <= -capital && lasts(category):
		return use("expense.depreciation", questions.OfCapital), true
	default:
		return kind{}, false
	}
}

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
	case category.Path == "transfer.processor_balance":
		return questions.PaymentService
	default:
		return "another account"
	}
}
