package questions_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// A yes or a no, or what begins with a no, answers nothing where something else was asked; shares of the business's
// where nothing says what that is are not thrown away. Of lines that are told apart by what they read it is said by
// percentages, and by amounts of each, and by those of a year where they all read the same.
func TestWhatSaysNothingOfTheMoneyIsUnclear(t *testing.T) {
	t.Parallel()
	out, in := false, true
	away := questions.Question{Key: questions.Away}
	away.AskFamily(questions.Line{Amount: -100}, categorize.Decision{CategoryID: ontology.MustPath("expense.meals").ID})
	for _, words := range []string{
		"no", "No.", "nope", "nah", "yes", "no, travel", "nope; meals", "business 50%, personal 50%",
		"10% business, 90% revenue.sales", "25% business, rest personal", "12.00 business, rest personal",
	} {
		for _, incoming := range []*bool{&out, &in} {
			asked := answers.Asked{
				Context: wording.Context{Question: away.Text, Options: away.Options, Incoming: incoming},
			}
			if m := answers.Understand(asked, words, nil); !m.Unclear {
				t.Errorf("%q, incoming %v: %+v, want unclear", words, *incoming, m)
			}
		}
	}
	phone, power := ontology.MustPath("expense.utilities.phone"), ontology.MustPath("expense.utilities.power_water")
	home := []questions.Option{
		{Value: questions.AsRead, Label: "Each is", Role: questions.RoleReads},
		{Value: "personal.living", Label: "Personal"},
	}
	line := func(n int, name string, reads *ontology.Category) answers.AskedLine {
		return answers.AskedLine{N: n, Transaction: uuid.New(), Counterparty: name, Reads: reads.ID}
	}
	both := answers.Asked{
		Context: wording.Context{Options: home, Incoming: &out},
		Lines:   []answers.AskedLine{line(1, "Verizon", phone), line(2, "Duke", power)},
	}
	for words, parts := range map[string]int{"$12 business, rest personal": 2, "25％ business, rest personal": 2,
		"Verizon: 100 business in 2025, rest personal; rest: business": 2, "Duke: 5.00 business, rest personal": 1} {
		if m := answers.Understand(both, words, nil); m.Unclear || len(m.Exceptions) != parts {
			t.Errorf("%q: %+v, want %d exceptions", words, m, parts)
		}
	}
	if m := answers.Understand(both, "100.00 business in 2025, rest personal", nil); !m.Unclear {
		t.Errorf("the amounts of a year are of two things: %+v", m)
	}
}

// What a question gives as an example can be answered.
func TestTheExamplesOfQuestionsAreUnderstood(t *testing.T) {
	t.Parallel()
	out := false
	for key, parties := range map[questions.Key][]string{
		questions.AtHome: {"Verizon", "Geico", "Duke Energy", "Comcast"},
		questions.Taxes:  {"IRS", "State of Ohio", "City of Tulsa"},
	} {
		q := questions.Question{Key: key}
		q.AskFamily(
			questions.Line{Amount: -100},
			categorize.Decision{CategoryID: ontology.MustPath("expense.utilities.phone").ID},
		)
		asked := answers.Asked{Context: wording.Context{Options: q.Options, Incoming: &out}}
		for i, name := range parties {
			asked.Lines = append(asked.Lines, answers.AskedLine{N: i + 1, Transaction: uuid.New(), Counterparty: name,
				Reads: ontology.MustPath("expense.utilities.phone").ID})
		}
		_, example, _ := strings.Cut(q.Why, "`")
		example, _, _ = strings.Cut(example, "`")
		if m := answers.Understand(asked, example, nil); example == "" || m.Unclear || m.Problem != "" ||
			m.Broken != nil {
			t.Errorf("%q: %+v", example, m)
		}
	}
}
