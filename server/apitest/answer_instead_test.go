package apitest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A row that came between an answer and the one that replaces it is what it would be had the last alone been given when
// the row was there: what its line settles, no memory decides.
func TestARowBetweenTwoAnswersIsAsIfTheLastAloneWereGiven(t *testing.T) {
	t.Parallel()
	const hetzner = "HETZNER ONLINE GMBH"
	for _, last := range []string{"personal.living", "expense.other.web_hosting",
		"expense.interest.other 200.01 a year, rest liability.loan_principal", "60% expense.meals, rest personal.living"} {
		play := func(answers ...string) map[string]string {
			c := correctable{}
			c.office, c.account = openPaid(t)
			c.upload(c.account, transaction("asked", "-472.01", "2026-01-28", hetzner))
			c.process(0)
			hook := c.questionAbout("Hetzner").id
			for i, words := range answers {
				if i == min(1, len(answers)-1) {
					c.upload(c.account, transaction("later", "-168.11", "2026-02-05", hetzner))
					c.process(0)
				}
				c.answerIssue(hook, words, nil).want(200).wantAt("accepted", "status")
			}
			return c.books()
		}
		if diff := cmp.Diff(play(last), play("expense.supplies", last)); diff != "" {
			t.Errorf("%s (-alone +after another): %s", last, diff)
		}
		if diff := cmp.Diff(play(last), play("expense.supplies", "expense.meals", last)); diff != "" {
			t.Errorf("%s (-alone +after two others): %s", last, diff)
		}
	}
}
