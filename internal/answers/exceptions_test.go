package answers

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// fiveTransfers is a question about five payments to three people.
func fiveTransfers() Asked {
	q := Asked{Context: wording.Context{Incoming: new(bool), Question: "What are the payments by Zelle for?"}}
	for i, name := range []string{"Carl Dimm", "Carl Dimm", "Dee Marsh", "Dee Marsh", "Eve Roy"} {
		q.Lines = append(q.Lines, AskedLine{N: i + 1, Transaction: uuid.New(), Counterparty: name,
			Amount:      []money.Amount{-950_00, -1950_00, -950_00, -700_00, -40_05}[i],
			Currency:    []string{"USD", "USD", "EUR", "USD", "USD"}[i],
			Description: "ZELLE TO " + strings.ToUpper(name) + " #10" + string(rune('0'+i))})
	}
	return q
}

// A rule is not for whoever it does not name: nothing is decided by references that name no rows.
func TestWhatNamesNoRowsIsRefused(t *testing.T) {
	for _, words := range []string{
		"6: rent", "2-9: personal.living", "2-9999999: expense.rent.property", "1-: personal.living", "2 3: rent",
		"not 1: personal.living", "１: personal.living", "lines 4-6: rent", "5-3: rent", "#999: rent", "951.00: rent",
		"950: rent", "950.00: rent; 950.00: personal.living",
		"Mr. Nobody: personal.living", "Bob Kraus: expense.rent.property", "1: rent; Bob Kraus: expense.meals",
		"1: rent; 1: personal.living", "1-3: rent; 2: personal.living", "1: rent; 2:",
	} {
		if m := Understand(fiveTransfers(), words, nil); m.Problem == "" {
			t.Errorf("%q means %+v, want a problem", words, m)
		}
	}
}

func TestRowsAreNamedAsPeopleWriteThem(t *testing.T) {
	q := fiveTransfers()
	for words, want := range map[string][]int{
		"2: expense.rent.property":                 {2},
		"line 2: expense.rent.property":            {2},
		"Lines 2-4: expense.rent.property":         {2, 3, 4},
		"1 to 3: expense.rent.property":            {1, 2, 3},
		"1..3: expense.rent.property":              {1, 2, 3},
		"2 – 3, 5: expense.rent.property":          {2, 3, 5},
		"#102: expense.rent.property":              {3},
		"Dee Marsh: expense.rent.property":         {3, 4},
		"dee, row 1: expense.rent.property":        {1, 3, 4},
		"950.00: expense.rent.property":            {1, 3},
		"$1,950.00, 40.05: expense.rent.property":  {2, 5},
		"$950.00: expense.rent.property":           {1},
		"950.00: not sure; Carl: rent":             {2},
		"3: not sure; 950.00: rent":                {1},
		"2: expense.rent.property; Carl: not sure": {2},
	} {
		m := Understand(q, words, nil)
		var named []int
		for _, e := range m.Exceptions {
			for _, row := range e.Transactions {
				for _, l := range q.Lines {
					if l.Transaction == row && e.CategoryID > 0 {
						named = append(named, l.N)
					}
				}
			}
		}
		slices.Sort(named)
		if m.Problem != "" || !slices.Equal(named, want) {
			t.Errorf("%q names %v %s, want %v", words, named, m.Problem, want)
		}
	}
}

// Words before a colon may be a name that is not among the rows: then what is behind it is not said of them.
func TestWordsBehindAnotherNameAreUnclear(t *testing.T) {
	for _, words := range []string{"Bob Kraus: rent", "Ann Lee: groceries for my family", "someone else: gas"} {
		if m := Understand(fiveTransfers(), words, nil); !m.Unclear || len(m.Readings) == 0 {
			t.Errorf("%q means %+v, want it to be asked", words, m)
		}
	}
	if m := Understand(fiveTransfers(), "rent: office rent", nil); m.CategoryID == 0 || m.Unclear {
		t.Errorf("what means the same on both sides is %+v", m)
	}
}

// So are the parts of a rule of which one names nobody here, also where the question offers that rows are several
// things, and of a standing hook, which has no rows to name.
func TestARuleForAnotherNameIsUnclear(t *testing.T) {
	of := fiveTransfers()
	of.Options = []questions.Option{{Value: "expense.supplies", Label: "Supplies"},
		{Value: questions.Split, Label: "A mix", Role: questions.RolePart},
		{Value: "personal.living", Label: "Personal spending"}}
	hook := of
	hook.Lines = nil
	for _, words := range []string{"nobody here: rent; rest: personal", "Amazon: rent; rest: personal",
		"Amazon: half personal; rest: rent", "Amazon：rent；rest：personal"} {
		for _, q := range []Asked{of, hook} {
			if m := Understand(q, words, nil); !m.Unclear || m.Mixed || len(m.Exceptions) > 0 {
				t.Errorf("%q means %+v, want it to be asked", words, m)
			}
		}
	}
	for _, q := range []Asked{of, hook} {
		if m := Understand(q, "car: 60%; rest: personal", nil); m.Split == nil {
			t.Errorf("a split with colons means %+v", m)
		}
	}
}

// Where other parts name rows these are decided, and neither what is said of a name that no row has nor the rest is:
// the bank may write that name otherwise.
func TestANameThatNoRowHasLeavesTheOtherParts(t *testing.T) {
	t.Parallel()
	for words, unheard := range map[string][]string{
		"Amazon: rent; Carl Dimm: personal":                  {"Amazon: rent"},
		"Amazon, Carl Dimm: personal":                        {"Amazon: personal"},
		"Via Carota: meals; Carl Dimm: personal; rest: rent": {"Via Carota: meals", "rest: rent"},
	} {
		q := fiveTransfers()
		m := Understand(q, words, nil)
		if m.Unclear || !m.Partial || len(m.Exceptions) != 1 || !slices.Equal(m.Unheard, unheard) {
			t.Errorf("%q means %+v, want %q unheard", words, m, unheard)
		}
	}
}

func TestTwoPathsAreUnclear(t *testing.T) {
	one := fiveTransfers()
	one.Lines = nil
	for _, words := range []string{"expense.meals; personal.living", "expense.rent.property; expense.travel",
		"personal.living expense.meals", "expense.meals, or expense.travel?", "expense.meals/personal.living"} {
		for _, q := range []Asked{fiveTransfers(), one} {
			if m := Understand(q, words, nil); !m.Unclear || m.CategoryID != 0 {
				t.Errorf("%q means %+v, want it to be asked", words, m)
			}
		}
	}
	if m := Understand(one, "expense.meals; 1: personal.living", nil); m.Problem == "" {
		t.Errorf("a line of what has no lines means %+v", m)
	}
	if m := Understand(one, "expense.meals", nil); m.CategoryID == 0 {
		t.Errorf("one path means %+v", m)
	}
}

// Words that the bank writes name rows before a colon as they stand there, others of somebody are all that are with
// them, and what the rest is may be explained behind a colon.
func TestRowsAreNamedByWhatStandsOnTheirLines(t *testing.T) {
	payroll := asksOf(false, "1262.07 Gusto|GUSTO NET 0001", "404.88 Gusto|GUSTO TAX 0002",
		"55.00 Gusto|GUSTO FEE 0003")
	two := asksOf(false, "40.00 Shell|SHELL", "50.00 Shell|SHELL", "70.00 Ann Lee|ZELLE ANN LEE",
		"90.00 T Mobile|T MOBILE")
	for _, c := range []struct {
		of          Asked
		words, want string
	}{
		{payroll, "NET: net pay; TAX: payroll taxes; FEE: payroll fees",
			"1: expense.wages.net_pay; 2: expense.taxes_licenses.payroll; " +
				"3: expense.legal_professional.payroll_service"},
		{payroll, "GUSTO: net pay; FEE: payroll fees",
			"1,2: expense.wages.net_pay; 3: expense.legal_professional.payroll_service"},
		{two, "1 and all other Shell: fuel; rest: personal", "1,2: expense.car_truck.fuel; personal.living"},
		{two, "Ann Lee: personal; everything else is office supplies: paper, ink",
			"3: personal.living; expense.office.supplies"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

// A part that names its rows and is not understood leaves these open, and no others.
func TestAPartThatIsNotUnderstoodLeavesItsRows(t *testing.T) {
	q := fiveTransfers()
	m := Understand(q, "2: zorbs and quaffles; 3: personal; rest: shop rent", nil)
	if got := meant(q, "2: zorbs and quaffles; 3: personal; rest: shop rent"); got !=
		"2: open; 3: personal.living; expense.rent.property" {
		t.Errorf("it means %q", got)
	}
	if !strings.Contains(m.Missed(), "zorbs and quaffles") {
		t.Errorf("it says %q", m.Missed())
	}
}
