package questions

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// A yes or a no, or what begins with a no, answers nothing where something else was asked; shares of the business's
// where nothing says what that is are not thrown away. Of lines that are told apart by what they read it is said by
// percentages, and by amounts of each, and by those of a year where they all read the same.
func TestWhatSaysNothingOfTheMoneyIsUnclear(t *testing.T) {
	t.Parallel()
	out, in := false, true
	away := Question{Key: Away}
	away.askFamily(Line{Amount: -100}, categorize.Decision{CategoryID: mustPath("expense.meals").ID})
	for _, words := range []string{
		"no", "No.", "nope", "nah", "yes", "no, travel", "nope; meals", "business 50%, personal 50%",
		"10% business, 90% revenue.sales", "25% business, rest personal", "12.00 business, rest personal",
	} {
		for _, incoming := range []*bool{&out, &in} {
			asked := Asked{Question: away.Text, Options: away.Options, Incoming: incoming}
			if m := Understand(asked, words, nil); !m.Unclear {
				t.Errorf("%q, incoming %v: %+v, want unclear", words, *incoming, m)
			}
		}
	}
	phone, power := mustPath("expense.utilities.phone"), mustPath("expense.utilities.power_water")
	home := []Option{{Value: AsRead, Label: "Each is", Role: RoleReads}, optionOf(mustPath("personal.living"))}
	line := func(n int, name string, reads *ontology.Category) AskedLine {
		return AskedLine{N: n, Transaction: uuid.New(), Counterparty: name, Reads: reads.ID}
	}
	both := Asked{Options: home, Incoming: &out, Lines: []AskedLine{line(1, "Verizon", phone), line(2, "Duke", power)}}
	for words, parts := range map[string]int{"$12 business, rest personal": 2, "25％ business, rest personal": 2,
		"Verizon: 100 business in 2025, rest personal; rest: business": 2, "Duke: 5.00 business, rest personal": 1} {
		if m := Understand(both, words, nil); m.Unclear || len(m.Exceptions) != parts {
			t.Errorf("%q: %+v, want %d exceptions", words, m, parts)
		}
	}
	if m := Understand(both, "100.00 business in 2025, rest personal", nil); !m.Unclear {
		t.Errorf("the amounts of a year are of two things: %+v", m)
	}
}

// What a question gives as an example can be answered.
func TestTheExamplesOfQuestionsAreUnderstood(t *testing.T) {
	t.Parallel()
	out := false
	for key, parties := range map[Key][]string{
		AtHome: {"Verizon", "Geico", "Duke Energy", "Comcast"}, Taxes: {"IRS", "State of Ohio", "City of Tulsa"},
	} {
		q := Question{Key: key}
		q.askFamily(Line{Amount: -100}, categorize.Decision{CategoryID: mustPath("expense.utilities.phone").ID})
		asked := Asked{Options: q.Options, Incoming: &out}
		for i, name := range parties {
			asked.Lines = append(asked.Lines, AskedLine{N: i + 1, Transaction: uuid.New(), Counterparty: name,
				Reads: mustPath("expense.utilities.phone").ID})
		}
		_, example, _ := strings.Cut(q.Why, "`")
		example, _, _ = strings.Cut(example, "`")
		if m := Understand(asked, example, nil); example == "" || m.Unclear || m.Problem != "" || m.Broken != nil {
			t.Errorf("%q: %+v", example, m)
		}
	}
}

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
		q := Asked{Incoming: &in, Question: "What does Ann Lee pay you for?"}
		for _, path := range paths {
			q.Options = append(q.Options, optionOf(mustPath(path)))
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

// What moves to an account and from it is one question, whose options fit both ways: nobody is paid by what comes in,
// and nothing is sold by what goes out.
func TestMovesBothWaysOfferWhatFitsBoth(t *testing.T) {
	t.Parallel()
	ask := func(amount money.Amount) Ask {
		l := Line{ID: uuid.New(), Amount: amount, Currency: "USD"}
		return Ask{Line: l, Question: OfTransfer("the account at PayPal", l, categorize.Decision{})}
	}
	in, out := ask(900_00), ask(-900_00)
	for want, asks := range map[string][]Ask{"revenue.sales": {in}, "expense.contract_labor": {out},
		"": {in, out}, " ": {out, in}} {
		groups := Gather(asks, nil)
		var offered []string
		for _, o := range groups[0].Question.Options {
			offered = append(offered, o.Value)
		}
		for _, path := range []string{"revenue.sales", "expense.contract_labor"} {
			if slices.Contains(offered, path) != (path == want) {
				t.Errorf("of %d rows %q is offered, want %q", len(asks), offered, want)
			}
		}
	}
}

// What most of a family is says of a row that was not shown what it can: that all is private, of whatever it reads;
// that it is health insurance, that the others are private; and one cost nothing of another.
func TestWhatIsSaidOfMostOfAFamilySaysOfOthersWhatItCan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about                 Key
		answered, reads, want string
	}{
		{AtHome, "personal.health_insurance", "expense.car_truck.fuel", "personal.living"},
		{AtHome, "personal.health_insurance", "personal.health_insurance", "personal.health_insurance"},
		{AtHome, "equity.owner_draw", "expense.car_truck.fuel", "equity.owner_draw"},
		{Away, "expense.travel.lodging", "expense.meals", "expense.meals"},
		{People, "expense.contract_labor", "expense.rent.property", "expense.contract_labor"},
	} {
		if got := c.about.Seems(mustPath(c.answered), mustPath(c.reads)); got.Path != c.want {
			t.Errorf("answered %s, what reads %s seems %s, want %s", c.answered, c.reads, got.Path, c.want)
		}
	}
}

// What a word alone may mean two ways is asked about, however sure the model is, unless an option or the line says
// which. A word more says it, too.
func TestAWordOfTwoMeaningsIsAskedAboutWhereNothingSaysWhich(t *testing.T) {
	t.Parallel()
	out := false
	asked := func(options ...Option) Asked {
		return Asked{Incoming: &out, Question: "What do you pay Blantvik Trading for?", Options: options}
	}
	unknown := asked(optionsOfPaths("expense.supplies", "expense.contract_labor", "personal.living")...)
	fuel := asked(optionsOfPaths("expense.car_truck.fuel", "personal.living")...)
	reads := asked(Option{Value: AsRead, Label: "As it reads"})
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
		q := Asked{Incoming: &incoming, Question: "What is this?"}
		for _, words := range []string{"books@rental.com", "https://lumber.example/invoice/7",
			"www.plumbing-supply.com"} {
			if m := Understand(q, words, nil); !m.Unclear {
				t.Errorf("%q, incoming %v, is %+v", words, incoming, m)
			}
		}
	}
	if isAddress("lumber from www.example.com") {
		t.Error("what was bought there is passed over")
	}
}
