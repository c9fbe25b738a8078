package answers

import (
	"strings"
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// What is wrong with a split is what is said of it, and what is suggested would be taken.
func TestWhatIsWrongWithASplitIsSaid(t *testing.T) {
	for words, says := range map[string]string{
		"60% uncategorized.out, rest personal":    "which names no category",
		"60% expense.advertizing, rest personal":  "nearest: expense.advertising",
		"-60% car, rest personal":                 `takes off "car"`,
		"60% car, less 10% car, rest personal":    `takes off "car"`,
		"60% car":                                 "say what the rest is",
		"60% car, 40% meals, rest office rent":    "for which nothing is left",
		"60% car, less 10% nonsense, rest travel": "which names no category",
	} {
		m := Understand(Asked{Context: wording.Context{Incoming: new(bool)}}, words, nil)
		if m.Broken == nil || !strings.Contains(m.Broken.Error(), says) {
			t.Errorf("%q means %+v", words, m)
			continue
		}
		if _, near, _ := strings.Cut(m.Broken.Error(), "nearest: "); strings.Contains(near, "uncategorized") {
			t.Errorf("%q is to be %s", words, near)
		}
	}
}

// A bare list of names says several things, and not how much of each.
func TestAListOfSeveralThingsIsUnclear(t *testing.T) {
	for words, paths := range map[string][]string{
		"car, personal":           {"expense.car_truck", "personal.living"},
		"rent, supplies":          {"expense.rent.property", "expense.supplies"},
		"Rent / Supplies.":        {"expense.rent.property", "expense.supplies"},
		"rent, personal, meals":   {"expense.rent.property", "personal.living", "expense.meals"},
		"personal, car and truck": {"personal.living", "expense.car_truck"},
		"rent & advertising":      {"expense.rent.property", "expense.advertising"},
	} {
		m := Understand(Asked{Context: wording.Context{Incoming: new(bool)}}, words, nil)
		if !m.Unclear || len(m.Readings) < len(paths) {
			t.Errorf("%q means %+v", words, m)
			continue
		}
		for i, path := range paths {
			if m.Readings[i].Value != path {
				t.Errorf("%q may mean %s, want %s", words, m.Readings[i].Value, path)
			}
		}
	}
	for words, path := range map[string]string{
		"Equipment, electronics and furniture": "expense.depreciation.equipment_purchase",
		"car and truck expenses":               "expense.car_truck",
		"electricity, gas, water & waste":      "expense.utilities.power_water",
		"paper and ink":                        "expense.office.supplies",
	} {
		m := Understand(Asked{Context: wording.Context{Incoming: new(bool)}}, words, nil)
		if m.CategoryID != ontology.MustPath(path).ID {
			t.Errorf("%q means %+v, want %s", words, m, path)
		}
	}
}

// What is said of a part, or of how much, is not read as if it were said of the whole: it is unclear, or a split that
// is wrong.
func TestAShareThatIsNoSplitSaysNothingOfTheWhole(t *testing.T) {
	t.Parallel()
	in, out := true, false
	for words, incoming := range map[string]*bool{
		"interest 20%": &out, "interest rate 5%": &out, "interest is 20": &out, "interest 5% APR": &out,
		"interest 60% a year": &out, "interest -5.00 a year": &out, "interest-free loan": &out, "rent 50%": &out,
		"car 60, personal 40": &out, "1/2 car, rest personal": &out, "30.00€ car, rest personal": &out,
		"€30 car, rest personal": &out, "10.000 car, rest personal": &out, "60/40": &in, "2/3 car, rest personal": &in,
		"interest (20%)": &out, "interest, 20 %": &out, "interest 1/5": &out, "interest one fifth": &out,
		"rent (50%)": &out, "rent, 50%": &out, "rent 1/2": &out, "half the rent": &out, "rent minus 50": &out,
		"rent less 50.00": &out, "1500 eur rent": &out, "phone (60%)": &out, "phone, 60 percent": &out,
		"phone sixty percent": &out, "phone bill, 60% of it": &out, "phone, 1/2": &out, "phone minus 40%": &out,
		"1/2 car": &in, "1/2 rent": &in, "sales (90%)": &in, "sales 9/10": &in, "500 eur sales": &in,
		"sales 500 euros": &in, "sales less 3%": &in, "sales less 3% fees": &in, "as_read, personal": &out,
		"60% car & 40% personal": &in, "less 3% fees": &in, "minus 3% fees": &in, "fee 3%": &in, "3% fee": &in,
	} {
		m := Understand(
			Asked{Context: wording.Context{Incoming: incoming, Question: "What do you pay Quorvane Holdings for?"}},
			words,
			nil,
		)
		if !m.Unclear && m.Broken == nil {
			t.Errorf("%q is category %d, split %v", words, m.CategoryID, m.Split)
		}
	}
	m := Understand(
		Asked{Context: wording.Context{Incoming: &out, Question: "What is it?"}},
		"the interest on my 2019 truck loan",
		nil,
	)
	if c, _ := ontology.ScheduleC().ByID(m.CategoryID); c == nil || !c.Is("expense.interest") {
		t.Errorf("interest on a loan is %+v", m)
	}
	m = Understand(Asked{Context: wording.Context{Incoming: &out, Question: "What is it?"}}, "rent $50", nil)
	if m.Split == nil || len(m.Split.Parts) != 1 || m.Split.Parts[0].Cents != 5000 {
		t.Errorf("rent $50 is %+v, want fifty dollars of rent", m)
	}
}

// What was kept of a payout is taken off of it, by the words that owners have for it; how much it was is not lost.
func TestWhatWasKeptOfAPayoutIsTakenOff(t *testing.T) {
	incoming := true
	for payouts, fees := range map[string]string{
		"revenue.sales.marketplace_payouts": "expense.commissions_fees.marketplace",
		"revenue.sales.processor_payouts":   "expense.commissions_fees.payment_processing",
		"revenue.sales.services":            "expense.commissions_fees",
	} {
		asked := Asked{
			Context: wording.Context{
				Incoming: &incoming,
				Question: "What does Etsy pay you for, and what did it keep of that?",
				Options: []questions.Option{
					questions.OptionOf(ontology.MustPath(payouts)),
					questions.OptionOf(questions.Sales),
				},
			},
		}
		for _, words := range []string{
			"less 3% fees, rest sales", "less 1,310.00 fees, rest sales in 2025", "less 12% their fees, rest sales",
			"less 12% commission, rest sales",
		} {
			m := Understand(asked, words, nil)
			if m.Split == nil || !m.Split.Parts[0].Off || m.Split.Parts[0].Category != ontology.MustPath(fees).ID {
				t.Errorf("%s: %q means %+v", payouts, words, m.Split)
			}
		}
		if m := Understand(asked, "97% sales, 3% fees", nil); m.Broken == nil ||
			!strings.Contains(m.Broken.Error(), "less 30.50 fees") {
			t.Errorf("%s: fees as a part of what came in: %+v", payouts, m)
		}
	}
	asked := Asked{
		Context: wording.Context{
			Incoming: &incoming,
			Question: "What does Etsy pay you for, and what did it keep of that?",
			Options: []questions.Option{
				questions.OptionOf(ontology.MustPath("revenue.sales.marketplace_payouts")),
				questions.OptionOf(questions.Sales),
			},
		},
	}
	for _, words := range []string{"they take 15% plus ads", "card sales, it keeps 2.9%", "they keep 3%", "fees"} {
		if m := Understand(asked, words, nil); !m.Unclear {
			t.Errorf("%q means %+v, want to ask how much", words, m)
		}
	}
	if m := Understand(asked, "sales of my shop", nil); m.CategoryID == 0 || m.Unclear {
		t.Errorf("sales are %+v", m)
	}
	for _, words := range []string{
		"nothing", "nothing was kept", "it kept nothing", "no fees", "nobody knows how much",
	} {
		if m := Understand(asked, words, nil); m.CategoryID != ontology.MustPath(
			"revenue.sales.marketplace_payouts",
		).ID {
			t.Errorf("%q means %+v, want what they came as", words, m)
		}
	}
}

// How much interest is in a year's payments of a loan is told in sentences that have other numbers, too.
func TestAYearsInterestIsToldBesideOtherNumbers(t *testing.T) {
	loan := asksOf(false, "812.45 Ally|ALLY AUTO PAYMENT", "812.45 Ally|ALLY AUTO PAYMENT")
	loan.Options = []questions.Option{{Value: "liability.loan_payment_unsplit"}, {Value: "liability.loan_principal"}}
	lease := loan
	lease.Options = []questions.Option{{Value: "expense.rent.vehicles_equipment"}}
	for _, words := range []string{
		"That's the loan on the F-150, it's only for work. The interest was 1,547.38 for the year, the rest principal.",
		"F-150 loan: interest 1,547.38 in 2025, rest principal",
		"the loan on the 250, the statement says I paid 1,547.38 interest this year, rest was principal",
		"A loan for the F250. Interest was 1547 in 2025.",
	} {
		for _, q := range []Asked{loan, lease} {
			m := Understand(q, words, nil)
			if m.Split == nil || !m.Split.Yearly || m.Split.Parts[0].Category != loanInterest.ID {
				t.Errorf("%q means %+v", words, m)
			}
		}
	}
	for words, want := range map[string]string{
		"Loan. 1: 250.45 interest, rest principal; 2: 247.08 interest, rest principal": "1,2: parts",
		"1: 250.45 interest, rest principal; 2: 247.08 interest, rest principal":       "1,2: parts",
		"Loan. 1: 250.45 interest, rest principal":                                     "1: parts",
	} {
		if got := meant(loan, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
	if got := saidOf(t, Understand(loan, "1: 250.45 interest, rest principal", nil), loan.Lines[0]); got !=
		"250.45 expense.interest.other 562.00 liability.loan_principal" {
		t.Errorf("interest beside principal is %s", got)
	}
}
