package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// Of what is used at home, too, the rows of several kinds are what is said of these, and no one cost is said of the
// others, which are of other kinds.
func TestWhatIsSaidOfSomeKindsIsNotSaidOfOthers(t *testing.T) {
	t.Parallel()
	home := asksOf(false, "189.00 Progressive|PROGRESSIVE INS", "128.66 Verizon|VERIZON WIRELESS",
		"89.99 Sparklight|SPARKLIGHT INTERNET", "101.00 Idaho Power|IDAHO POWER", "45.00 Shell|SHELL OIL")
	home.Options = []questions.Option{{Value: questions.AsRead, Role: questions.RoleReads, Label: questions.NoneAtHome}}
	for i, path := range []string{"expense.car_truck.insurance", "expense.utilities.phone",
		"expense.utilities.internet", "expense.utilities.power_water", "expense.car_truck.fuel"} {
		home.Lines[i].Reads = ontology.MustPath(path).ID
	}
	const each = "1: expense.car_truck.insurance; 2: expense.utilities.phone; 3: expense.utilities.internet; " +
		"4: expense.utilities.power_water; 5: expense.car_truck.fuel"
	for words, want := range map[string]string{
		"phone and internet are business": "2: expense.utilities.phone; 3: expense.utilities.internet",
		"Power and phone are personal; rest business": "1: expense.car_truck.insurance; 2,4: personal.living; " +
			"3: expense.utilities.internet; 5: expense.car_truck.fuel",
		"insurance and phone 50% business; the rest business": "1,2: parts; 3: expense.utilities.internet; " +
			"4: expense.utilities.power_water; 5: expense.car_truck.fuel",
		"None of it is used at home": each,
		"business":                   each,
		"Verizon is my own, personal. The rest is the van and the bay":     "2: personal.living",
		"The van, the phone, internet and trash are only for the business": "unclear",
	} {
		if got := meant(home, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// A count of rows is no sum of dollars, an amount has two sides, brackets leave out, and dashes part days.
func TestCountsBandsBracketsAndDashes(t *testing.T) {
	t.Parallel()
	amazon := onDays(asksOf(false, "475.00 Amazon|AMAZON", "310.50 Amazon|AMAZON", "260.00 Amazon|AMAZON",
		"90.00 Amazon|AMAZON"), "01-09", "02-17", "02-24", "05-05")
	const office, rent = "expense.office.supplies", "expense.rent.property"
	for words, want := range map[string]string{
		"office supplies, but the 3 largest were presents for my wife": "unclear",
		"office supplies, 3 of these were for the house":               "unclear",
		"office supplies, 2 times it was mine":                         "unclear",
		"over 200 and under 400 office supplies, others shop rent":     "2,3: " + office + "; " + rent,
		"office supplies, one was for the house, personal":             "unclear",
		"office supplies but the 2 smallest were personal":             "unclear",
		"shop rent (except 475)":                                       "1: open; " + rent,
		"Feb 17 - Mar 8 office supplies; others shop rent":             "2,3: " + office + "; " + rent,
	} {
		if got := meant(amazon, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}
