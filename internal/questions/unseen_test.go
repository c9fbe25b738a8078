package questions_test

import (
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// An answer speaks for lines that were not shown where it says one thing of all that were, with whom it is or else of
// anybody, and for purchases from half to twice as large.
func TestAnAnswerSpeaksForLinesLikeThoseThatWereShown(t *testing.T) {
	t.Parallel()
	type rows = []questions.AskedRow
	shop, loan := questions.AboutCounterparty("store"), questions.AboutUse("liability", "bank")
	out := questions.AskedRow{Party: "a", Amount: -100_00, Shown: true}
	in, other, apart, otherApart := out, out, out, out
	in.Amount, other.Party, apart.Apart, otherApart.Party, otherApart.Apart = 100_00, "b", true, "b", true
	for name, c := range map[string]struct {
		about questions.Key
		shown rows
		party string
		size  money.Amount
		speak bool
	}{
		"one thing of all":             {shop, rows{out, out}, "a", -60_00, true},
		"half as large":                {shop, rows{out, out}, "a", -50_00, true},
		"less than half":               {shop, rows{out, out}, "a", -49_99, false},
		"twice as large":               {shop, rows{out, out}, "a", -200_00, true},
		"more than twice":              {shop, rows{out, out}, "a", -200_01, false},
		"a quarter less than the one":  {shop, rows{out}, "a", -75_00, true},
		"less than that":               {shop, rows{out}, "a", -74_99, false},
		"a third more than the one":    {shop, rows{out}, "a", -133_33, true},
		"more than that":               {shop, rows{out}, "a", -133_34, false},
		"small money in":               {shop, rows{in}, "a", 1_00, true},
		"a small payment of a use":     {loan, rows{out}, "a", -1_00, true},
		"a line of theirs apart":       {shop, rows{out, apart}, "a", -95_00, false},
		"somebody else's line apart":   {questions.People, rows{out, otherApart}, "a", -95_00, true},
		"one not shown, and one apart": {questions.People, rows{out, otherApart}, "c", -95_00, false},
		"one not shown, and none":      {questions.People, rows{out, other}, "c", -95_00, true},
	} {
		hidden := questions.AskedRow{Transaction: uuid.New(), Party: c.party, Amount: c.size}
		unseen := questions.Unseen(c.about, append(c.shown, hidden))
		if speaks := len(unseen) == 0; speaks != c.speak {
			t.Errorf("%s: the answer speaks for it: %v", name, speaks)
		}
		hidden.Apart = true
		if len(questions.Unseen(c.about, append(c.shown, hidden))) > 0 {
			t.Errorf("%s: a row that the answer names is left out", name)
		}
	}
}
