package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fiveChecks is a business with a question about its checks, of 500 to 900 dollars, and one about a firm of 40.
func fiveChecks(t *testing.T) (o *office, checks openQuestion) {
	t.Helper()
	o, account := openPaid(t)
	for i := range 5 {
		o.upload(account, transaction(fmt.Sprint("c", i), fmt.Sprintf("-%d00.00", 5+i), fmt.Sprintf("2026-0%d-03", i+1),
			fmt.Sprint("CHECK ", 1041+i)))
	}
	o.upload(account, transaction("small", "-40.00", "2026-02-03", "QUORVANE TRADING LLC"))
	o.process(0)
	return o, o.questionAbout("checks for")
}

// suggestionOf is what a row seems to be.
func suggestionOf(row M) string {
	suggestion, _ := row["suggestion"].(map[string]any)
	return fmt.Sprint(suggestion["categoryPath"])
}

// What an answer takes out of what it says seems not to be that either.
func TestWhatAnAnswerLeavesOutIsNoGuessOfIt(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"expense.meals; #1041: not sure", "They are all meals with clients except 1041",
		"Meals with clients. 1041 was a zzyzx of mnemonics"} {
		o, checks := fiveChecks(t)
		was := suggestionOf(o.all()["c0"])
		o.answerIssue(checks.id, words, nil).want(200).wantAt("partly", "status")
		o.process(0)
		row, other := o.all()["c0"], o.all()["c1"]
		if row["category"] != nil || other["category"] == nil {
			t.Errorf("%q: the row that is left out is %v, another %v", words, row["category"], other["category"])
		}
		if is := suggestionOf(row); is != was {
			t.Errorf("%q: what is left out seemed to be %s, and seems to be %s", words, was, is)
		}
	}
}

// What an answer leaves since it was not understood is asked about where it was worth asking before. What nobody knows
// is asked about last.
func TestWhatIsNotUnderstoodWaitsWhereItWas(t *testing.T) {
	t.Parallel()
	for words, last := range map[string]bool{
		"Meals with clients. 1045 was a zzyzx of mnemonics": false,
		"Meals with clients, except 1045":                   false,
		"expense.meals; #1045: not sure":                    true,
	} {
		o, checks := fiveChecks(t)
		o.answerIssue(checks.id, words, nil).want(200).wantAt("partly", "status")
		o.process(0)
		rest, listed := o.questionAbout("checks for"), o.listed()
		if at := slices.Index(listed, rest.id); (at == len(listed)-1) != last {
			t.Errorf("%q: what it left is question %d of %d", words, at+1, len(listed))
		}
	}
}

// Who takes back what was said of some is asked about these again: what was said of the others afterwards was not said
// of them.
func TestWhatIsTakenBackIsNotWhatWasSaidOfTheOthers(t *testing.T) {
	t.Parallel()
	for first, second := range map[string]string{
		"#1041: expense.rent.property; #1042: expense.rent.property": "personal.living",
		"#1045: personal.living":                                     "expense.contract_labor",
	} {
		o, checks := fiveChecks(t)
		before := o.all()
		o.answerIssue(checks.id, first, nil).want(200).wantAt("partly", "status")
		o.process(0)
		said := map[string]bool{}
		for id, row := range o.all() {
			said[id] = row["category"] != nil && before[id]["category"] == nil
		}
		o.answerIssue(o.questionAbout("checks for").id, second, nil).want(200).wantAt("accepted", "status")
		o.process(0)
		o.answerIssue(checks.id, "undo", nil).want(200)
		o.process(0)
		for id, row := range o.all() {
			if said[id] && row["category"] != nil {
				t.Errorf("%q, %q of the others, the first taken back: %s is %v", first, second, id, row["category"])
			}
		}
		if rows := o.questionAbout("check"); rows.id == "" {
			t.Errorf("%q: nothing is asked", first)
		}
	}
}

// What was not understood of an answer is not said of the next one, also where a question says nothing else.
func TestWhatWasMissedIsSaidOnceWhereNothingElseIsSaid(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("few", 4, "-480.00", blantvik)...)
	o.process(0)
	first := o.questionAbout("Blantvik").id
	for _, c := range []struct{ words, missed string }{
		{"1: expense.meals; 2: zorbing", `Not understood of what you wrote: "zorbing".`},
		{"3: expense.supplies; 4: quaffles", `Not understood of what you wrote: "quaffles".`},
	} {
		o.answerIssue(first, c.words, nil).want(200).wantAt("partly", "status")
		o.process(0)
		if first = o.questionAbout("Blantvik").id; !strings.HasSuffix(o.why(first), c.missed) ||
			strings.Count(o.why(first), "Not understood") != 1 || strings.HasPrefix(o.why(first), " ") {
			t.Errorf("after %q it is asked as %q, want %q at its end", c.words, o.why(first), c.missed)
		}
	}
}
