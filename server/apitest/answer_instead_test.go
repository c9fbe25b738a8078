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
		"expense.interest.other 200.01 a year, rest liability.loan_principal",
		"60% expense.meals, rest personal.living"} {
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

// While a row says something else of itself than a memory, the next rows are asked about; once it does not, they are
// what the memory says.
func TestRowsThatAContradictionKeptOpenFollowTheMemoryWithoutIt(t *testing.T) {
	t.Parallel()
	for _, line := range []string{blantvik, "ATM WITHDRAWAL 0042 TACOMA", "ONLINE TRANSFER TO SAV ...1234"} {
		for _, last := range []string{"", "undo", "skip", "equity.owner_draw"} {
			o, account := openPaid(t)
			ids := o.upload(account, bills("a", 4, "-310.00", line)...)
			o.process(0)
			o.answerIssue(o.questionAbout("").id, "equity.owner_draw", nil).want(200).wantAt("accepted", "status")
			hook := "t:" + ids["a-1"]
			if last != "" {
				o.answerIssue(hook, "expense.meals", nil).want(200).wantAt("accepted", "status")
			}
			o.upload(account, transaction("next", "-311.00", "2026-05-03", line))
			o.process(0)
			if last != "" {
				o.wantCategories(map[string]string{"next": ""})
				o.answerIssue(hook, last, nil).want(200)
				o.process(0)
			}
			o.wantCategories(map[string]string{"a-1": "equity.owner_draw", "next": "equity.owner_draw"})
			o.wantNoQuestions()
		}
	}
}

// Where it says a third thing, they are asked about still.
func TestRowsThatAnotherContradictionKeepsOpenStayOpen(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("a", 4, "-310.00", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("").id, "expense.rent.property", nil).want(200)
	o.answerIssue("t:"+ids["a-1"], "expense.meals", nil).want(200)
	o.upload(account, transaction("next", "-311.00", "2026-05-03", blantvik))
	o.process(0)
	before := o.questionAbout("Blantvik")
	o.answerIssue("t:"+ids["a-1"], "personal.living", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"a-1": "personal.living", "next": ""})
	o.wantAsked("Blantvik", 1, "311.00", before)
}

// So is a row that two answers which say different things kept open, once one of them says something else.
func TestARowThatTwoAnswersKeptOpenIsAsIfTheLastOfThemAloneWereGiven(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"expense.supplies", "12.00 expense.meals, rest personal.living", "undo",
		"100.07 expense.meals a year, rest personal.living"} {
		play := func(before string) map[string]string {
			c := correctableOf(t)
			c.answerIssue(c.hooks["all of b"], "expense.car_truck.fuel", nil).want(200)
			if before != "" {
				c.answerIssue(c.hooks["question b"], before, nil).want(200)
			}
			c.later()
			c.answerIssue(c.hooks["question b"], last, nil).want(200)
			return c.books()
		}
		for _, before := range []string{"personal.living", "60% expense.supplies, rest personal.living"} {
			if diff := cmp.Diff(play(""), play(before)); diff != "" {
				t.Errorf("%s after %s (-alone): %s", last, before, diff)
			}
		}
	}
}

// Nor does a memory keep from being a refund what its purchase would have settled.
func TestARefundBetweenTwoAnswersIsAsIfTheLastAloneWereGiven(t *testing.T) {
	t.Parallel()
	play := func(before string) map[string]string {
		c := correctable{}
		c.office, c.account = openPaid(t)
		c.upload(c.account, transaction("asked", "90.00", "2026-03-01", quorvane))
		c.process(0)
		hook := c.questionAbout("does Quorvane").id
		if before != "" {
			c.answerIssue(hook, before, nil).want(200)
		}
		c.upload(c.account, transaction("bought", "-95.00", "2026-03-02", quorvane), transaction("back", "95.00",
			"2026-03-05", quorvane))
		c.process(0)
		c.answerIssue(c.questionAbout("pay Quorvane").id, "expense.supplies", nil).want(200)
		c.process(0)
		c.answerIssue(hook, "equity.owner_contribution", nil).want(200).wantAt("accepted", "status")
		return c.books()
	}
	if diff := cmp.Diff(play(""), play("revenue.sales")); diff != "" {
		t.Errorf("(-alone +after another): %s", diff)
	}
}
