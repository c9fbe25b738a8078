package apitest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// What the bank took from an answer, the same words give back: they are no repetition of what holds.
func TestAnAnswerThatHoldsNoMoreIsTakenAgainInTheSameWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words, via string
		option     any
		want       []string
	}{
		{"10.00 supplies, rest personal", "-5.00", nil, []string{"expense.supplies -10.00", "personal.living -445.00"}},
		{"60% supplies, rest personal", "5.00", nil, []string{"expense.supplies -273.00", "personal.living -182.00"}},
		{"60% supplies, rest personal", "0.00", nil, []string{"expense.supplies -273.00", "personal.living -182.00"}},
		{"interest 10.00 in 2026", "5.00", nil, []string{"expense.interest.other -10.00",
			"liability.loan_principal -445.00"}},
		{"expense.meals", "5.00", nil, []string{"expense.meals"}},
		{"lunch", "5.00", "expense.meals", []string{"expense.meals"}},
	} {
		t.Run(fmt.Sprint(c.words, " by ", c.via), func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			ids := o.upload(account, eachMonth("l", "2026", "-455.00", loan, 2)...)
			o.process(0)
			id, day := ids["l-0"], o.all()["l-0"]["primaryDate"].(string)
			answers := func() int {
				return o.get(o.path+"/transactions/"+id).want(200).size("transaction", "answers")
			}
			again := func() {
				t.Helper()
				o.answerIssue("t:"+id, c.words, c.option).want(200).wantAt("accepted", "status")
				o.process(0)
				o.wantParts(id, append([]string{"user"}, c.want...)...)
				row := o.get(o.path + "/transactions/" + id).want(200)
				row.wantAt(false, "transaction", "needsAttention")
				row.wantAt(json.Number("0"), "transaction", "issueCount")
			}
			again()
			for n := range 2 {
				for _, amount := range []string{c.via, "-455.00"} {
					o.upload(account, transaction("l-0", amount, day, loan))
					o.process(0)
				}
				again()
				again() // which changes nothing
				if got := answers(); got > n+2 {
					t.Errorf("%d answers are kept", got)
				}
			}
			o.answerIssue("t:"+id, "undo", nil).want(200)
			o.process(0)
			o.wantOpen("", "l-0", "l-1")
		})
	}
}

// The last answer about a row holds: the words of its own hook count again after the bank's change was answered
// otherwise.
func TestARowsOwnAnswerGivenAgainOutranksWhatWasSaidOfItsChange(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	id := o.upload(account, transaction("l", "-455.00", "2026-01-05", loan))["l"]
	o.process(0)
	o.answerIssue("t:"+id, "expense.meals", nil).want(200)
	o.upload(account, transaction("l", "455.00", "2026-01-05", loan))
	o.process(0)
	o.answerIssue(o.questionAbout("is it still").id, "revenue.sales", nil).want(200)
	o.process(0)
	o.wantParts(id, "user", "revenue.sales")
	o.answerIssue("t:"+id, "expense.meals", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantParts(id, "user", "expense.meals")
	o.wantNoQuestions()
}

// What was filed when it was answered takes the same answer once it is not filed any more.
func TestARowThatIsFiledNoMoreTakesTheSameAnswer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("b", 3, "-480.00", blantvik)...)
	o.process(0)
	hook := o.hookOf(ids["b-0"])
	o.answerIssue(hook, "expense.meals", nil).want(200)
	o.file(ids["b-0"], "filed")
	for range 2 {
		o.answerIssue(hook, "expense.supplies", nil).want(200).wantAt("partly", "status")
	}
	o.file(ids["b-0"], "unfiled")
	for range 2 {
		o.answerIssue(hook, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	}
	o.process(0)
	o.wantCategories(map[string]string{"b-0": "expense.supplies", "b-1": "expense.supplies", "b-2": "expense.supplies"})
	if got := o.get(o.path+"/transactions/"+ids["b-0"]).want(200).size("transaction", "answers"); got != 3 {
		t.Errorf("%d answers are kept", got)
	}
}

// What decides nothing holds, too: said again it is nothing new.
func TestAMixSaidAgainIsNothingNew(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	id := o.upload(account, bills("b", 2, "-480.00", blantvik)...)["b-0"]
	o.process(0)
	for _, hook := range []string{"t:" + id, o.hookOf(id)} {
		for range 2 {
			o.answerIssue(hook, "half personal half business", nil).want(200).wantAt("accepted", "status")
			o.process(0)
		}
	}
	if got := o.get(o.path+"/transactions/"+id).want(200).size("transaction", "answers"); got != 2 {
		t.Errorf("%d answers are kept", got)
	}
}
