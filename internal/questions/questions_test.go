package questions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

func categoryAt(t *testing.T, path string) int {
	t.Helper()
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok {
		t.Fatalf("no category %s", path)
	}
	return c.ID
}

func TestAKeyIsReadAsItWasWritten(t *testing.T) {
	id := uuid.New()
	for stored, key := range map[string]questions.Key{
		"quorvane trading":   questions.AboutCounterparty("quorvane trading"),
		"row:" + id.String(): questions.AboutRow(id),
		"lines:deposits":     questions.Deposits,
		"company:sales_tax":  questions.SalesTax,
	} {
		if key.String() != stored || questions.ParseKey(stored) != key {
			t.Errorf("%q is written %q and read %+v", stored, key, questions.ParseKey(stored))
		}
		if key.OfOneRow() != strings.HasPrefix(stored, "row:") || key.OfCompany() != strings.HasPrefix(stored,
			"company:") {
			t.Errorf("%q: of one row %v, of the company %v", stored, key.OfOneRow(), key.OfCompany())
		}
	}
}

// However rows come, each is in one group or dropped, the groups add up, and they come by worth.
func TestGatheringLosesNoRowAndNoCent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var asks []questions.Ask
		open := map[questions.Topic]questions.Open{}
		want := map[questions.Topic]money.Total{}
		for i := range rapid.IntRange(0, 40).Draw(t, "rows") {
			key := fmt.Sprint("firm ", rapid.IntRange(0, 5).Draw(t, "firm"))
			amount := money.Amount(rapid.Int64Range(-5_000_00, 5_000_00).Draw(t, "cents"))
			currency := rapid.SampledFrom([]string{"USD", "EUR"}).Draw(t, "currency")
			asks = append(asks, questions.Ask{
				Line: questions.Line{ID: uuid.New(), Amount: amount, Currency: currency,
					PrimaryDate: time.Unix(int64(i), 0)},
				Question:   &questions.Question{Key: questions.AboutCounterparty(key)},
				Confidence: money.Ratio(rapid.Int64Range(0, 10_000).Draw(t, "confidence")),
			})
			if topic := (questions.Topic{Key: key, Incoming: amount > 0}); rapid.Bool().Draw(t, "open") {
				open[topic] = questions.Open{ID: uuid.New(), Currency: "USD"}
			}
		}
		groups := questions.Gather(asks, open)
		rows, small := 0, map[questions.Topic][]questions.Ask{}
		for _, a := range asks {
			topic := questions.Topic{Key: a.Question.Key.String(), Incoming: a.Incoming()}
			small[topic] = append(small[topic], a)
		}
		for _, g := range groups {
			rows += len(g.Rows)
			sum := money.Total{}
			for _, r := range g.Rows {
				sum = sum.Plus(money.TotalOf(r.Amount))
			}
			if g.Amount.Compare(sum) != 0 {
				t.Fatalf("%v is about %s, its rows add up to %s", g.Topic, g.Amount, sum)
			}
			if _, twice := want[g.Topic]; twice {
				t.Fatalf("%v has two groups", g.Topic)
			}
			want[g.Topic] = sum
			if _, joins := open[g.Topic]; joins != g.Joins || joins && g.Currency != "USD" {
				t.Fatalf("%v joins %v in %s", g.Topic, g.Joins, g.Currency)
			}
		}
		for topic, list := range small {
			_, joins := open[topic]
			tiny := max(list[0].Amount, -list[0].Amount) < 10_00 || list[0].Currency != "USD"
			if _, asked := want[topic]; !asked && (joins || len(list) > 1 || !tiny) {
				t.Fatalf("%d rows of %v are not asked about", len(list), topic)
			} else if !asked {
				rows += len(list)
			}
		}
		if rows != len(asks) {
			t.Fatalf("%d of %d rows are in a group, or too small for one", rows, len(asks))
		}
	})
}

// An answer that decided nothing settles later rows, and one that says that nothing fits leaves them without a
// category.
func TestWhatWasAnsweredWithoutACategorySettlesTheNextQuestion(t *testing.T) {
	note, other := "the garden is private", "acme"
	name, kind, relationship, sure := "Acme", "company", "supplier", money.Ratio(9000)
	memory := questions.Remember([]questions.Answered{
		{CounterpartyKey: "costco", Note: &note, Mixed: true},
		{CounterpartyKey: "acme inc", SameAs: &other, SameAsName: &name, SameAsType: &kind,
			SameAsRelationship: &relationship, SameAsConfidence: &sure},
		{CounterpartyKey: "acme inc", Note: &note},
	})
	about := func(key string) *questions.Question {
		return &questions.Question{Key: questions.AboutCounterparty(key), Kind: questions.KindCategory}
	}
	for _, c := range []struct {
		question *questions.Question
		amount   money.Amount
		key      string
		settled  bool
		mixed    bool
	}{
		{about("costco"), -1, "costco", true, true},
		{about("costco"), 1, "costco", false, false},
		{about("acme"), -1, "acme inc", true, false},
		{about("acme"), -1, "acme", false, false},
		{&questions.Question{Key: questions.AboutCounterparty("costco"), Kind: questions.KindChanged}, -1,
			"costco", false, false},
	} {
		words, ok := memory.Settled(c.question, questions.Line{Amount: c.amount}, c.key)
		said, mixed := words.Note, words.Mixed
		if ok != c.settled || mixed != c.mixed || ok && said != note {
			t.Errorf("%s as %q, amount %v: %q, %v, %v", c.question.Key, c.key, c.amount, said, mixed, ok)
		}
	}
	if same, ok := memory.Same("acme inc"); !ok || same.Name != "Acme" {
		t.Errorf("acme inc is %+v", same)
	}
}

// A row that is asked about leaves that question where there are enough like it, and where nobody has tried to answer
// it: whoever does so while others come keeps it, too.
func TestARowLeavesItsQuestionWhereThereAreEnough(t *testing.T) {
	ask := func(name string) questions.Ask {
		narrow := &questions.Question{Key: questions.AboutCounterparty(name)}
		return questions.Ask{
			Line:     questions.Line{ID: uuid.New(), Amount: -300_00, Currency: "USD"},
			Question: &questions.Question{Key: questions.People, Narrow: narrow},
		}
	}
	for name, test := range map[string]struct {
		open   questions.Open
		others int
		leaves bool
	}{
		"enough":                  {questions.Open{}, 2, true},
		"too few":                 {questions.Open{}, 1, false},
		"one that was tried":      {questions.Open{Tried: true}, 3, false},
		"one that has come apart": {questions.Open{Apart: true}, 3, false},
	} {
		first := ask("jeff yount")
		first.Asked = true
		asks := []questions.Ask{first}
		for i := range test.others {
			asks = append(asks, ask(fmt.Sprint("other ", i)))
		}
		open := map[questions.Topic]questions.Open{{Key: "jeff yount"}: test.open}
		left := false
		for _, g := range questions.Gather(asks, open) {
			left = left || slices.ContainsFunc(g.Rows, func(r questions.Impact) bool {
				return r.Transaction == first.ID
			})
		}
		if left != test.leaves {
			t.Errorf("%s: it leaves its question: %v, want %v", name, left, test.leaves)
		}
	}
}
