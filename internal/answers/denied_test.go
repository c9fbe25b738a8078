package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

var crew = onDays(asksOf(false, "1100.00 |CHECK 1213", "900.00 |CHECK 1203", "745.50 |CHECK 1204", "600.00 |CHECK 1205",
	"240.00 |CHECK 1201", "230.00 |CHECK 1202", "125.00 |CHECK 1214"),
	"08-06", "03-26", "03-04", "04-25", "02-23", "02-08", "08-21")

var hashed = asksOf(false, "900.00 |PAYMENT #4", "700.00 |PAYMENT #12", "600.00 |PAYMENT #31", "500.00 |PAYMENT #7")

// bills are read apart, as those are of which some are used at home.
var bills = func() Asked {
	q := asksOf(false, "120.00 Verizon|VERIZON WRLS", "80.00 T-Mobile|TMOBILE")
	q.Options = []questions.Option{{Value: questions.AsRead, Label: questions.NoneAtHome, Role: questions.RoleReads}}
	for i := range q.Lines {
		q.Lines[i].Reads = ontology.MustPath("expense.utilities.phone").ID
	}
	return q
}()

// What denies something else than what is said adds nothing to it: it is neither taken for what it denies, nor makes
// the others unclear. That something is not the business's says what it is.
func TestWhatOnlyDeniesSomethingElseAddsNothing(t *testing.T) {
	t.Parallel()
	const labor, own = "expense.contract_labor", "personal.living"
	for words, want := range map[string]string{
		"contract labor, none of it personal":          labor,
		"contract labor, not wages":                    labor,
		"contract labor - nothing private":             labor,
		"contract labor; none was a vacation":          labor,
		"Carlos contract labor, Ann personal, no rent": "1,2,3: " + labor + "; 4,5: " + own,
		"personal, not business":                       own,
		"contract labor, not Ann":                      "4,5: open; " + labor,
	} {
		if got := meant(friends, words); !sameParts(got, want) {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// Each of these had decided a row otherwise: another outsider wrote them to be misread.
func TestWhatAnotherOutsiderWroteIsNotMisread(t *testing.T) {
	t.Parallel()
	const labor, rent = "expense.contract_labor", "expense.rent.property"
	const own, lent = "personal.living", "asset.loan_given"
	for _, c := range []struct {
		of          Asked
		words, want string
	}{
		{friends, "3/12 was a loan to Carlos, Ann is shop rent, rest contract labor",
			"1: " + lent + "; 4,5: " + rent + "; " + labor},
		{friends, "Ann is family. Everybody else is a contractor, Kim too",
			"4,5: " + own + "; 6: " + labor + "; " + labor},
		{friends, "Pedro is a contractor, Ann is shop rent", "4,5: " + rent},
		{friends, "Ann lends me her truck, Kim is shop rent", "4,5: open; 6: " + rent},
		{friends, "Carlos is shop rent until April; everybody else is contract labor",
			"1: " + rent + "; 2,3: open; " + labor},
		{friends, "Ann is shop rent and 50 of it electricity, others contract labor", "4,5: parts; " + labor},
		{friends, "all contract labor except the 440 and the 999 ones", "unclear"},
		{friends, "over 700 are loans to them, Carlos's are not", "unclear"},
		{friends, "contract labor, except Ann (shop rent) and Kim, she is family",
			"4,5: " + rent + "; 6: " + own + "; " + labor},
		{friends, "Carlos Ruiz - contractor. Ann Lee - shop rent. Kim Park - personal.",
			"1,2,3: " + labor + "; 4,5: " + rent + "; 6: " + own},
		{friends, "Ann is personal. The rest is rent and contract labor", "4,5: " + own},
		{paidIn, "Customers paying for jobs, that's all of them but the insurance one", "unclear"},
		{friends, "1 2 3 contract labor, others personal", "1,2,3: " + labor + "; " + own},
		{friends, "Carlos personal, otherwise contract labor", "1,2,3: " + own + "; " + labor},
		{crew, "Over 800 shop rent, 200 to 799 contract labor, under 200 personal",
			"1,2: " + rent + "; 3,4,5,6: " + labor + "; 7: " + own},
		{friends, "payments on the 12th are shop rent, rest contract labor", "1,2,3: " + rent + "; " + labor},
		{friends, "the 12th of the month is shop rent, rest contract labor", "1,2,3: " + rent + "; " + labor},
		{hashed, "#4 is shop rent, others contract labor", "1: " + rent + "; " + labor},
		{bills, "Verizon 3/5 business, rest personal", "1: parts"},
		{bills, "as they read", "1,2: expense.utilities.phone"},
		{crew, "contract labor, but the biggest was for my own house", "1: " + own + "; " + labor},
		{crew, "1203-05 shop rent, rest contract labor", "2,3,4: " + rent + "; " + labor},
		{crew, "1203, 4 and 5 shop rent, rest contract labor", "2,3,4: " + rent + "; " + labor},
		{crew, "#1201 #1202 shop rent, others contract labor", "5,6: " + rent + "; " + labor},
		{crew, "first two of the year were shop rent, rest contract labor", "5,6: " + rent + "; " + labor},
		{crew, "contract labor, except check 1213 (shop rent) and #1214, that one was for my mom",
			"1: " + rent + "; 7: " + own + "; " + labor},
		{crew, "over 500 is contract labor except March, which was shop rent", "1,4: " + labor + "; 2,3: " + rent},
	} {
		if got := meant(c.of, c.words); !sameParts(got, c.want) {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}
