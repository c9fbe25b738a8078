package answers_test

import (
	"slices"
	"strings"
	"testing"

	"bizfin/internal/answers"
	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// askedOf are what a standing hook asks, and questions about lines as banks write them.
func askedOf(incoming bool, lines ...string) []answers.Asked {
	all := []answers.Asked{{Context: wording.Context{Incoming: &incoming}}}
	engine := categorize.New()
	for _, text := range lines {
		line := questions.Line{Description: text, Amount: money.Amount(-100_00), Currency: "USD"}
		if incoming {
			line.Amount = -line.Amount
		}
		d := engine.Decide(categorize.Line{Description: text, Amount: line.Amount}, categorize.Memory{})
		q := questions.Of(line, d)
		all = append(
			all,
			answers.Asked{Context: wording.Context{Incoming: &incoming, Question: q.Text, Options: q.Options}},
		)
		if q = q.Narrow; q != nil {
			all = append(
				all,
				answers.Asked{Context: wording.Context{Incoming: &incoming, Question: q.Text, Options: q.Options}},
			)
		}
	}
	return all
}

// What is asked about such lines has options of all kinds, of which sales are mostly the first where money comes in.
var bankLines = []string{"BARTON HOLLOW", "ZELLE FROM ANN LEE", "ZELLE TO ANN LEE", "MOBILE DEPOSIT", "CHECK 1041",
	"STRIPE PAYOUT", "DEPOSIT", "WIRE IN QUORVANE", "COSTCO WHSE 112", "VERIZON WIRELESS", "SHELL OIL",
	"ATM WITHDRAWAL"}

// What money mostly is does not decide what words mean that say nothing.
func TestAnAnswerOfUnknownWordsIsUnclear(t *testing.T) {
	t.Parallel()
	anyway := []string{"no", "none", "hello", "nonsense", "-1", "foo bar", "undo now", ".", "...", `\`, "(((", "%s%s%n",
		"<script>alert(1)</script>", strings.Repeat("a", 4096), "kjhg lkjh", "uncategorized", "expense..rent",
		"expense.depletion", "expense..meals", "rest: undo", "undo; rest: rent", "not sure, rent",
		"nope", "nothing", "never", "n/a", "who knows", "same", "ok", "yes", "yeah", "sure", "no thanks", "nah",
		"none of these", "none of the above", "not this", "not that", "not mine", "nothing to say", "i refuse",
		"stop asking", "go away", "why", "what", "huh", "whatever", "anything", "all", "it", "the usual", "see above",
		"as before", "same as last time", "see attached", "ask bob", "forgot", "can't say", "no comment", "pending",
		"tbd", "todo", "unknown", "other", "null", "undefined", "NaN", "true", "false", "0", "1", "42", "100", "x",
		"abc", "asdf", "asdf asdf", "qwerty", "lorem ipsum", "blah blah blah", "hmm", "um", "lol", "wtf", "hey", "hi",
		"good morning", "thanks", "please help", "sorry", "!", "---", "***", "()", "{}", "${7*7}",
		"../../etc/passwd", "select * from users", "1=1", "🙂", "日本語", "привет", "مرحبا", "xyzzy", "not correct",
		"incorrect", "not income", "not revenue", "skip now", "delete", "next", "foo@example.com",
		"http://example.com", "#1", "1.", "one two three"}
	come := append([]string{"cat", "table", "'; DROP TABLE transactions; --", "not a sale", "it wasn't a sale",
		"this is not income", "bar", "tree",
		"<b>x</b>"}, anyway...)
	for incoming, all := range map[bool][]string{true: come, false: anyway} {
		for _, q := range askedOf(incoming, bankLines...) {
			for _, words := range all {
				m := answers.Understand(q, words, nil)
				if m.CategoryID != 0 || m.Mixed || !m.Unclear {
					c, _ := ontology.ScheduleC().ByID(m.CategoryID)
					t.Errorf("%.40q in answer to %q is read as %v", words, q.Question, c)
				}
			}
		}
	}
}

// One word is enough that says what it is.
func TestAShortAnswerIsReadByItsWord(t *testing.T) {
	t.Parallel()
	for incoming, all := range map[bool]map[string]string{
		true: {"haircuts": "revenue.sales", "lessons": "revenue.sales", "rent": "revenue.sales",
			"the pension": "personal", "tips": "revenue.sales", "candles": "revenue.sales",
			"lawn mowing": "revenue.sales"},
		false: {"diesel": "expense.car_truck", "haircut": "personal", "tires": "expense.car_truck",
			"dog food": "personal", "stamps": "expense.office"},
	} {
		for words, path := range all {
			m := answers.Understand(answers.Asked{Context: wording.Context{Incoming: &incoming}}, words, nil)
			if c, ok := ontology.ScheduleC().ByID(m.CategoryID); !ok || !c.Is(path) {
				t.Errorf("%q is read as %+v, want %s", words, m, path)
			}
		}
	}
}

// What is put off or taken back is no category, however it is written.
func TestReservedWordsAreKnownHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]wording.Reserved{"notsure": wording.Skip, "not-sure": wording.Skip,
		"Don't know": wording.Skip, "dontknow": wording.Skip, "please skip": wording.Skip,
		"undo please": wording.Undo, "Undo!": wording.Undo} {
		for _, q := range slices.Concat(askedOf(true), askedOf(false)) {
			if m := answers.Understand(q, words, nil); m.Reserved != want {
				t.Errorf("%q is read as %+v, want %s", words, m, want)
			}
		}
	}
}

// What is written as a path and is none may be meant for others, which are offered.
func TestAMisspelledPathIsUnclear(t *testing.T) {
	t.Parallel()
	for words, near := range map[string]string{"expense.advertizing": "expense.advertising",
		"Expense..Meals": "expense.meals", "revenue.sale.rents": "revenue.sales.rents"} {
		for _, q := range slices.Concat(askedOf(true), askedOf(false)) {
			m := answers.Understand(q, words, nil)
			is := func(o questions.Option) bool { return o.Value == near }
			if !m.Unclear || !slices.ContainsFunc(m.Readings, is) {
				t.Errorf("%q is read as %+v, want %s among what it may mean", words, m, near)
			}
		}
	}
}

// A part of a split is named, or the split is refused: what is said of nothing is not what money mostly is.
func TestAPartOfUnknownWordsIsRefused(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"10% meals, rest nonsense", "60% foo bar, rest sales", "60% sales, rest table"} {
		for _, q := range askedOf(true, bankLines...) {
			if m := answers.Understand(q, words, nil); m.Broken == nil {
				t.Errorf("%q in answer to %q is read as %+v", words, q.Question, m)
			}
		}
	}
}
