package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// A firm's name alone says whom the money is with, whatever a word of it means; a word of what for beside it is read.
func TestAFirmsNameAloneIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, in := range []bool{true, false} {
		q := AskedAbout()(in, "Harbor Point", "What is it for?")
		for _, words := range []string{"Harbor Point LLC", "Maple Point, LLC", "Sunrise Cleaning Inc.", "Gold Corp"} {
			if m := Understand(q, words, nil); !m.Unclear {
				t.Errorf("%q, incoming %v, is %+v", words, in, m)
			}
		}
	}
	q := AskedAbout()(true, "Harbor Point", "What does Harbor Point pay you for?")
	if m := Understand(q, "it's from Harbor Point LLC for consulting", nil); m.Unclear {
		t.Error("what it is for is not read")
	}
}

// The name of a cost says of money that comes in what was sold, or what was paid back: which is asked, unless the
// question offers it, as of a shop that gives money back.
func TestTheNameOfACostIsAskedAboutOfMoneyThatComesIn(t *testing.T) {
	t.Parallel()
	in := true
	offers := func(paths ...string) Asked {
		q := Asked{Context: wording.Context{Incoming: &in, Question: "What does Ann Lee pay you for?"}}
		for _, path := range paths {
			q.Options = append(q.Options, questions.OptionOf(ontology.MustPath(path)))
		}
		return q
	}
	for _, words := range []string{"supplies", "Meals", "travel", "insurance", "utilities", "wages", "advertising",
		"payroll taxes"} {
		if m := Understand(offers("revenue.sales", "personal.income"), words, nil); !m.Unclear {
			t.Errorf("%q of money in is %+v", words, m)
		}
	}
	if m := Understand(offers("expense.supplies", "personal.income"), "supplies", nil); m.Unclear {
		t.Error("supplies are offered, and not taken")
	}
	if m := Understand(offers("revenue.sales"), "expense.supplies", nil); m.Unclear {
		t.Error("a path is not taken")
	}
}

// What a word alone may mean two ways is asked about, however sure the model is, unless an option or the line says
// which. A word more says it, too.
func TestAWordOfTwoMeaningsIsAskedAboutWhereNothingSaysWhich(t *testing.T) {
	t.Parallel()
	out := false
	asked := func(options ...questions.Option) Asked {
		return Asked{
			Context: wording.Context{
				Incoming: &out,
				Question: "What do you pay Blantvik Trading for?",
				Options:  options,
			},
		}
	}
	unknown := asked(optionsOfPaths("expense.supplies", "expense.contract_labor", "personal.living")...)
	fuel := asked(optionsOfPaths("expense.car_truck.fuel", "personal.living")...)
	reads := asked(questions.Option{Value: questions.AsRead, Label: "As it reads"})
	for _, test := range []struct {
		asked Asked
		words string
		want  string // empty: it is asked about
	}{
		{unknown, "gas", ""}, {unknown, "Gas.", ""}, {unknown, "sales tax", ""},
		{fuel, "gas", "expense.car_truck.fuel"},
		{reads, "gas", "expense.car_truck.fuel"},
		{unknown, "gas for the van", "expense.car_truck.fuel"},
	} {
		m := Understand(test.asked, test.words, nil)
		got := ""
		if c, ok := ontology.ScheduleC().ByID(m.CategoryID); ok && !m.Unclear {
			got = c.Path
		}
		if got != test.want || m.Unclear != (test.want == "") {
			t.Errorf("%q of %v is %q, want %q", test.words, test.asked.Options, got, test.want)
		}
	}
}

// Whom to ask is not what the money is for.
func TestAnAddressOfTheNetworkIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, incoming := range []bool{true, false} {
		q := Asked{Context: wording.Context{Incoming: &incoming, Question: "What is this?"}}
		for _, words := range []string{"books@rental.com", "https://lumber.example/invoice/7",
			"www.plumbing-supply.com"} {
			if m := Understand(q, words, nil); !m.Unclear {
				t.Errorf("%q, incoming %v, is %+v", words, incoming, m)
			}
		}
	}
	if wording.IsAddress("lumber from www.example.com") {
		t.Error("what was bought there is passed over")
	}
}

// The name of what is offered says it, also behind a comma or before an explanation; two names are asked about.
func TestANameThatIsOfferedStandsClearBesideADescription(t *testing.T) {
	t.Parallel()
	out := false
	asked := Asked{Context: wording.Context{Incoming: &out, Question: "What do you pay Blantvik Trading for?",
		Options: optionsOfPaths("expense.other.misc", "expense.depreciation.equipment_purchase", "personal.living")}}
	const equipment = "expense.depreciation.equipment_purchase"
	for words, want := range map[string]string{
		"calibration frame for the cameras after a windshield, equipment": equipment,
		"Equipment purchases: a frame for the cameras":                    equipment,
		"groceries, equipment":                                            "",
	} {
		m := Understand(asked, words, nil)
		got := ""
		if c, ok := ontology.ScheduleC().ByID(m.CategoryID); ok && !m.Unclear {
			got = c.Path
		}
		if got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
}

// A thing that was lent is no money that was: neither a loan nor what the thing costs is read from it.
func TestAThingThatWasLentIsNoLoan(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"Luis borrowed my truck", "he lent me his trailer", "she loaned us some tools"} {
		for _, in := range []bool{true, false} {
			q := AskedAbout()(in, "Luis Ortega", "What is it for?")
			if m := Understand(q, words, nil); !m.Unclear {
				t.Errorf("%q, incoming %v, is %+v", words, in, m)
			}
		}
	}
	if m := Understand(AskedAbout()(true, "Luis Ortega", "What is it for?"), "he lent me money", nil); m.Unclear {
		t.Error("money that was lent is not read")
	}
}
