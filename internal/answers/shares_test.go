package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// Words that say how much of the money is the business's, or one of several things, and are no split, are asked about:
// they are not read for the whole.
func TestAShareThatIsNoSplitIsAskedAbout(t *testing.T) {
	out, in := false, true
	loan := []questions.Option{
		questions.OptionOf(ontology.MustPath("liability.loan_payment_unsplit")),
		questions.OptionOf(principal),
	}
	payouts := []questions.Option{
		questions.OptionOf(ontology.MustPath("revenue.sales.processor_payouts")),
		questions.OptionOf(questions.Sales),
	}
	for _, c := range []struct {
		incoming *bool
		options  []questions.Option
		words    string
	}{
		{&out, nil, "Apartment rent, the office room is 18 percent."},
		{&out, nil, "The lease of the RX, four fifths for business by my log."},
		{&out, nil, "phone bill, 60% is business"},
		{&out, loan, "interest is 9.5%"},
		{&out, loan, "interest at 3.75%, the rest principal"},
		{&out, loan, "about 15% of each is interest I guess"},
		{&out, nil, "rent for the flat, a third of it is my office"},
		{&out, nil, "membership dues 335.00 and 65.00 for the PAC"},
		{&out, loan, "Truck loan, interest 163.03."},
		{&out, loan, "paid the line off, 41.18 was interest"},
		{&in, payouts, "sales were 3858.99 before their cut of 136.81"},
		{&in, payouts, "card sales, they kept 12.40"},
	} {
		m := Understand(Asked{Context: wording.Context{Incoming: c.incoming, Options: c.options}}, c.words, nil)
		if !m.Unclear {
			t.Errorf("%q means %+v", c.words, m)
		}
	}
	for words, path := range map[string]string{
		"cell phone bill, it is 100 percent work":       "expense.utilities.phone",
		"electric bill for the shop":                    "expense.utilities.power_water",
		"the whole Creative Cloud suite, 59.99 a month": "expense.other.software",
	} {
		m := Understand(Asked{Context: wording.Context{Incoming: &out}}, words, nil)
		if m.Unclear || m.CategoryID != ontology.MustPath(path).ID {
			t.Errorf("%q means %+v, want %s", words, m, path)
		}
	}
}

// Where one asks whose an account is, "my own" is the owner's, unless it is called the business's.
func TestAnOwnAccountIsTheOwners(t *testing.T) {
	out := false
	draw, text := "equity.owner_draw", "Whose is the account at Chase, which money moves to or from?"
	asked := Asked{Context: wording.Context{Incoming: &out, Question: text, Options: []questions.Option{
		{Value: "transfer.internal", Label: "Another account of the business"},
		{Value: draw, Label: "My own money"},
		{Value: "transfer.credit_card_payment", Label: "A card of the business"},
	}}}
	for words, path := range map[string]string{
		"To my own Chase checking.":   draw,
		"my personal Huntington card": draw,
		"it's our household account":  draw,
		"groceries for the kids":      draw,
		"the family credit card":      draw,
		"my husband's credit card":    draw,
		"it's our family's card":      draw,
	} {
		if m := Understand(asked, words, nil); m.CategoryID != ontology.MustPath(path).ID {
			t.Errorf("%q means %+v, want %s", words, m, path)
		}
	}
	if m := Understand(asked, "my own business savings", nil); m.CategoryID == questions.OwnersDraw.ID {
		t.Errorf("the business's savings mean %+v", m)
	}
}
