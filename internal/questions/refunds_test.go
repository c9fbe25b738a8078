package questions

import (
	"testing"

	"bizfin/internal/ontology"
)

func optionsOfPaths(paths ...string) (options []Option) {
	for _, path := range paths {
		options = append(options, optionOf(mustPath(path)))
	}
	return options
}

// Of money that comes back an owner says what was bought, or that it came back.
func TestMoneyThatComesBackIsAnsweredByWhatWasBought(t *testing.T) {
	t.Parallel()
	const packaging = "cogs.other.packaging"
	incoming := true
	q := Asked{Incoming: &incoming, Question: "What does Webstaurant Store pay you for?",
		Options: optionsOfPaths(packaging, "expense.other.misc", "personal.living", "personal.income")}
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
	q := Asked{Incoming: &out, Question: "What do you pay restaurants, airlines, hotels and the like for?",
		Options: optionsOfPaths("expense.meals", "expense.travel", "asset.reimbursable", "personal.living")}
	if _, _, clear := q.read(words); clear {
		t.Fatalf("%q is clear of these options", words)
	}
	if c := q.Read(words).Category; c == nil || c.Path != "expense.car_truck.fuel" {
		t.Errorf("%q is %v", words, c)
	}
}
