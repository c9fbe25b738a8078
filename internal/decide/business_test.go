package decide_test

import (
	"path/filepath"
	"slices"
	"testing"

	"bizfin/internal/answers"
	"bizfin/internal/books"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// TestWhatIsToldOfTheBusinessIsWorthWhatItMends has the owners of every other labelled book that may be read tell what
// they do, and whether private things are paid from their accounts, and compares how much truer that makes the profit
// with what the questions are said to be worth. Of those books no owner pays nothing private, which is said to be worth
// the least there is.
func TestWhatIsToldOfTheBusinessIsWorthWhatItMends(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("../books/testdata/[ft]*/*/business.yaml")
	if err != nil || len(folders) < 200 {
		t.Fatalf("%d books, %v", len(folders), err)
	}
	var spent money.Amount
	mended, said := map[string]money.Amount{}, map[string]money.Amount{}
	for i := 0; i < len(folders); i += 2 {
		a := newAsker(t, filepath.Dir(folders[i]))
		var mixed money.Amount
		for _, d := range a.decided {
			if d.Mixed() {
				mixed -= d.Row.Amount
			}
		}
		spent += mixed
		guessed := a.stands().held
		for _, g := range questions.AboutBusiness(money.TotalOf(mixed)) {
			a.answers = []questions.Answered{{CounterpartyKey: g.Key, Note: new(a.tells(g))}}
			a.decide()
			mended[g.Key] += guessed - a.stands().held
			said[g.Key] += amountOf(g.Worth)
		}
	}
	for key, worth := range said {
		got, want := percent(mended[key], spent), percent(worth, spent)
		t.Logf("%s: mends %.2f %% of what is spent in shops of mixed use, and is said to be worth %.2f", key, got, want)
		if got > 2*want || got < want/3 && key == questions.Trade.String() {
			t.Errorf("%s mends %.2f %%, and is said to be worth %.2f", key, got, want)
		}
	}
	if len(said) != 2 {
		t.Errorf("%d questions about the business, want 2", len(said))
	}
}

// tells is what the owner of a book answers a question about the business, and what that says.
func (a *asker) tells(g questions.Group) string {
	words := a.book.Kind
	if g.Key == questions.Private.String() {
		words = "no"
		private := func(p books.Part) bool { return p.Category.Kind == ontology.KindPersonal }
		if slices.ContainsFunc(a.book.Rows, func(r books.Row) bool { return slices.ContainsFunc(r.Truth, private) }) {
			words = "yes"
		}
	}
	about := answers.Asked{
		Company: true,
		Context: wording.Context{Options: g.Question.Options, Question: g.Question.Text},
	}
	return answers.Understand(about, words, nil).Note
}
