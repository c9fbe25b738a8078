package answers_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/answers"
	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// What yes and no mean is said by the options, in whatever order they stand.
func TestYesAndNoChooseByTheRoleOfAnOption(t *testing.T) {
	options := questions.OfSalesTax().Options
	included, collected := questions.SalesTaxIncluded.ID, questions.SalesTaxCollected.ID
	another := ontology.MustPath("expense.taxes_licenses.state_business").ID
	slices.Reverse(options)
	asked := answers.Asked{Company: true, Context: wording.Context{Options: options}}
	for words, want := range map[string]answers.Meaning{
		"Yes":                {CategoryID: included},
		"nope":               {CategoryID: collected},
		"it was another tax": {CategoryID: another, AboutOthers: true},
		"I put it aside and send it to the state every quarter, it isn't my money": {CategoryID: collected},
		"my prices include it": {CategoryID: included},
		"is it in my prices?":  {Unclear: true},
		"rent":                 {Unclear: true},
	} {
		got := answers.Understand(asked, words, nil)
		got.Readings = nil
		if !cmp.Equal(got, want) {
			t.Errorf("%q means %+v, want %+v", words, got, want)
		}
	}
	asked.Company = false
	if got := answers.Understand(asked, "yes", nil); got.CategoryID != 0 {
		t.Errorf("yes answers a question about rows: %+v", got)
	}
}

func TestASplitKeepsItsWordsAndNoCategory(t *testing.T) {
	d := categorize.Decision{CategoryID: ontology.MustPath("expense.supplies").ID}
	d.Counterparty.Key, d.Counterparty.Name = "costco", "Costco"
	q := questions.Of(questions.Line{Amount: -100_00, Currency: "USD"}, d)
	at := slices.IndexFunc(q.Options, func(o questions.Option) bool { return o.Value == questions.Split })
	if at < 0 || q.Options[at].Role != questions.RolePart {
		t.Fatalf("the options are %+v", q.Options)
	}
	split := questions.Split
	for words, note := range map[string]string{
		q.Options[at].Label:     q.Options[at].Label,
		"the garden is private": q.Options[at].Label + ": the garden is private",
	} {
		got := answers.Understand(answers.Asked{Context: wording.Context{Options: q.Options}}, words, &split)
		if !got.Mixed || got.CategoryID != 0 || got.Note != note {
			t.Errorf("%q means %+v", words, got)
		}
	}
}
