package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

func optionsOfPaths(paths ...string) (options []questions.Option) {
	for _, path := range paths {
		options = append(options, questions.OptionOf(ontology.MustPath(path)))
	}
	return options
}

// Of money that comes back an owner says what was bought, or that it came back.
func TestMoneyThatComesBackIsAnsweredByWhatWasBought(t *testing.T) {
	t.Parallel()
	const packaging = "cogs.other.packaging"
	incoming := true
	q := Asked{
		Context: wording.Context{
			Incoming: &incoming,
			Question: "What does Webstaurant Store pay you for?",
			Options:  optionsOfPaths(packaging, "expense.other.misc", "personal.living", "personal.income"),
		},
	}
	for words, want := range map[string]string{
		"packaging": packaging, "refund of packaging": packaging, "refund": packaging, "returned goods": packaging,
		"a return": packaging, "we sent it back": packaging,
		"sales": "revenue.sales", "client paid an invoice": "revenue.sales",
	} {
		c, ok := ontology.ScheduleC().ByID(Understand(q, words, nil).CategoryID)
		if !ok || c.Path != want {
			t.Errorf("%q is %v, want %s", words, c, want)
		}
	}
}

// What is clear of any question is clear where the options are about something else.
func TestWordsAreClearWhateverTheOptionsAreAbout(t *testing.T) {
	t.Parallel()
	const words = "gas for the van"
	out := false
	q := Asked{
		Context: wording.Context{
			Incoming: &out,
			Question: "What do you pay restaurants, airlines, hotels and the like for?",
			Options:  optionsOfPaths("expense.meals", "expense.travel", "asset.reimbursable", "personal.living"),
		},
	}
	if c := q.Read(words).Category; c == nil || c.Path != "expense.car_truck.fuel" {
		t.Errorf("%q is %v", words, c)
	}
}

// Money that comes in is a cost that was paid back only where somebody says so: a customer pays for lumber, too.
func TestMoneyInIsNoCostUnlessItIsSaidToComeBack(t *testing.T) {
	t.Parallel()
	about := AskedAbout()
	for _, test := range []struct {
		counterparty, question, words string
		paidBack                      bool
	}{
		{"REMOTE DEPOSIT", "What was this deposit?", "lumber for the deck job", false},
		{"WIRE IN BRIGHTWELL CAPITAL LLC", "What does Brightwell pay you for?", "lumber for the deck job", false},
		{"REMOTE DEPOSIT", "What was this deposit?", "workers comp", false},
		{"REMOTE DEPOSIT", "What was this deposit?", "sent some lumber back", true},
		{"REMOTE DEPOSIT", "What was this deposit?", "overpaid workers comp", true},
		{"REMOTE DEPOSIT", "What was this refund?", "workers comp", true},
	} {
		m := Understand(about(true, test.counterparty, test.question), test.words, nil)
		c, ok := ontology.ScheduleC().ByID(m.CategoryID)
		if cost := ok && c.Kind.Cost(); cost != test.paidBack {
			t.Errorf("%q to %q is %v: a cost is %v, want %v", test.words, test.question, c, cost, test.paidBack)
		}
	}
}

// What an insurer pays for lowers the cost that words name; elsewhere money that comes in for it is asked about.
func TestAnInsurerPaysForTheCostThatIsNamed(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{
		"revenue.other.insurance_proceeds": "expense.supplies.tools",
		"revenue.sales":                    "",
	} {
		in := true
		q := Asked{Context: wording.Context{
			Incoming: &in,
			Question: "What does Auto-Owners pay you for?",
			Options:  optionsOfPaths(first, "revenue.sales.services", "personal.income"),
		}}
		got := ""
		if c, ok := ontology.ScheduleC().ByID(Understand(q, "small tools", nil).CategoryID); ok {
			got = c.Path
		}
		if got != want {
			t.Errorf("beside %s it is %q, want %q", first, got, want)
		}
	}
}
