package apitest

import (
	"testing"

	"bizfin/internal/money"
)

// profit is the net profit of the year, once all is decided.
func (o *office) profit() money.Amount {
	o.t.Helper()
	o.process(0)
	total, err := money.Parse(o.year("pnl").text("totals", "netProfit"))
	o.must(err)
	return total
}

// The effect of an answer is what the net profit moves by: with what it replaces, and with what it takes back.
func TestTheEffectOfAnAnswerIsWhatTheNetProfitMovesBy(t *testing.T) {
	t.Parallel()
	const adobe = "ADOBE *CREATIVE CLOUD 408-536-6000 CA"
	rows := map[string][]M{"asked about": bills("a", 3, "-480.00", blantvik), "known": bills("a", 3, "-54.99", adobe)}
	for name, steps := range map[string][]string{
		"asked about": {"expense.supplies", "undo", "expense.meals", "2: personal.living", "skip",
			"60% expense.supplies, rest personal.living", "3: expense.meals; rest: not sure", "expense.supplies",
			"1-2: expense.supplies", "half personal half business", "expense.meals", "undo"},
		"known": {"personal.living", "undo", "expense.meals", "skip", "60% expense.meals, rest personal.living",
			"not sure", "personal.living", "expense.supplies", "undo"},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, rows[name]...)
		o.process(0)
		hook := "c:" + o.search().want(200).text("transactions", 0, "counterparty", "id") + ":out"
		if name == "asked about" {
			hook = o.questionAbout("Blantvik").id
		}
		var moved []string
		for _, words := range steps {
			before := o.profit()
			o.answerIssue(hook, words, nil).want(200)
			moved = append(moved, (o.profit() - before).String())
		}
		answers := o.get(o.path + "/counterparties/" + o.row(ids["a-0"])["counterparty"].(M)["id"].(string)).want(200)
		if n := answers.size("counterparty", "hooks", 1, "answers"); n != len(steps) {
			t.Fatalf("%s: %d answers are told", name, n)
		}
		for i, words := range steps {
			if got := answers.text("counterparty", "hooks", 1, "answers", i, "netProfitEffect"); got != moved[i] {
				t.Errorf("%s: the effect of %d, %q, is told to be %s: the profit moved by %s", name, i, words, got,
					moved[i])
			}
		}
	}
}

// Also where a row was a choice of another answer, which it is again.
func TestTheEffectOfTakingBackIsThatOfWhatHoldsThen(t *testing.T) {
	t.Parallel()
	c := correctableOf(t)
	c.answerIssue(c.hooks["question b"], "expense.meals", nil).want(200)
	c.answerIssue(c.hooks["row b"], "personal.living", nil).want(200)
	for _, words := range []string{"undo", "expense.supplies", "personal.living", "undo"} {
		before := c.profit()
		c.answerIssue(c.hooks["row b"], words, nil).want(200)
		moved := (c.profit() - before).String()
		row := c.get(c.path + "/transactions/" + c.hooks["row b"][2:]).want(200)
		last := row.size("transaction", "answers") - 1
		if got := row.text("transaction", "answers", last, "netProfitEffect"); got != moved {
			t.Errorf("the effect of %q is told to be %s: the profit moved by %s", words, got, moved)
		}
	}
}
