package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Rows that name nobody, and were not asked about since words said before what such rows are, are asked about when
// these words are taken back, and follow those that replace them.
func TestARowThatWordsKeptFromBeingAskedAboutFollowsThem(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][2]string{
		"a transfer": {"-300.00", "ONLINE TRANSFER TO SAV ...1234"}, "a transfer back": {"310.00",
			"ONLINE TRANSFER FROM SAV ...1234"},
		"a line that names nobody": {"-300.00", "DEPOSIT"},
	} {
		for _, last := range []string{"undo", "personal.living"} {
			o, account := openPaid(t)
			first := lines[1]
			if name == "a transfer back" {
				first = "ONLINE TRANSFER TO SAV ...1234"
			}
			ids := o.upload(account, transaction("first", "-300.00", "2026-04-04", first))
			o.process(0)
			hook := o.get(o.path+"/transactions/"+ids["first"]).want(200).text("transaction", "issueIds", 0)
			o.answerIssue(hook, "half personal half business", nil).want(200)
			later := o.upload(account, transaction("later", lines[0], "2026-04-20", lines[1]))["later"]
			o.process(0)
			row := func() answer { return o.get(o.path + "/transactions/" + later).want(200) }
			row().wantAt("A mix: half personal half business", "transaction", "context")
			o.answerIssue(hook, last, nil).want(200)
			o.process(0)
			got := row()
			asked := got.size("transaction", "issueIds") == 1
			decided := got.get("transaction", "category") != nil && got.text("transaction", "category",
				"categoryPath") == last
			if !asked && !decided || got.get("transaction", "context") != nil {
				t.Errorf("%s, %s: %s", name, last, strings.TrimSpace(string(got.body)))
			}
		}
	}
}

// Whoever became somebody who became somebody else has its rows again when that is taken back, in whatever order, and
// what was answered about all of them meanwhile moves none.
func TestMergersTakenBackInAnyOrderGiveEachItsRows(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}} {
		o, account := openPaid(t)
		for _, name := range []string{"Jose Nunez", "Marisol Quentin", "Tobias Krahl"} {
			o.upload(account, bills(name, 3, "-300.00", name)...)
		}
		o.process(0)
		hooks := []string{o.questionAbout("Jose").id, o.questionAbout("Marisol").id, ""}
		for i, name := range []string{"Marisol Quentin", "Tobias Krahl"} {
			o.answerIssue(hooks[i], name, nil).want(200).wantAt("accepted", "status")
			o.process(0)
		}
		hooks[2] = o.hookOf(o.search("query", "Tobias").want(200).text("transactions", 0, "id"))
		o.answerIssue(hooks[2], "expense.meals", nil).want(200)
		for _, i := range order {
			o.answerIssue(hooks[i], "undo", nil).want(200)
			o.process(0)
		}
		all := o.counterparties().want(200)
		if all.size("counterparties") != 3 {
			t.Errorf("%v: %s", order, all.body)
		}
		for i := range all.size("counterparties") {
			all.wantAt(3, "counterparties", i, "stats", 0, "transactionCount")
			if n := all.size("counterparties", i, "aliases"); n != 0 {
				t.Errorf("%v: %s has the aliases %v", order, all.text("counterparties", i, "name"),
					all.get("counterparties", i, "aliases"))
			}
		}
		for _, name := range []string{"Jose", "Marisol", "Tobias"} {
			rows := o.search("query", name).want(200)
			for i := range rows.size("transactions") {
				if with := rows.text("transactions", i, "counterparty", "name"); !strings.HasPrefix(with, name) {
					t.Errorf("%v: a row of %s is with %s", order, name, with)
				}
			}
			o.wantAsked(name, 3, "900.00", o.questionAbout(name))
		}
	}
}

// What was answered about somebody who became another decides the other's next rows, and they follow it.
func TestTheRowsOfWhomItBecameFollowAnAnswerThatChanges(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"expense.rent.property", "undo"} {
		o, account := openPaid(t)
		o.upload(account, append(bills("q-out", 2, "-350.00", quorvane), bills("q-in", 2, "90.00", quorvane)...)...)
		o.upload(account, bills("b-in", 2, "500.00", blantvik)...)
		o.process(0)
		hook := o.questionAbout("pay Quorvane").id
		o.answerIssue(hook, "expense.meals", nil).want(200)
		o.answerIssue(o.questionAbout("does Quorvane").id, "Blantvik Trading LLC", nil).want(200)
		o.upload(account, transaction("later", "-350.00", "2026-05-05", blantvik))
		o.process(0)
		later := "/transactions/" + o.all()["later"]["id"].(string)
		o.get(o.path+later).want(200).wantAt("expense.meals", "transaction", "category", "categoryPath")
		o.answerIssue(hook, last, nil).want(200)
		o.process(0)
		got := o.get(o.path + later).want(200)
		if got.get("transaction", "category") != nil && got.text("transaction", "category", "categoryPath") != last {
			t.Errorf("%s: it is %s", last, got.text("transaction", "category", "categoryPath"))
		}
	}
}

// The list is by the newest row that is there, also of a counterparty that comes back without its rows.
func TestACounterpartyThatComesBackIsListedByItsRows(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("j", 20, "-300.00", "Jose Nunez"),
		bills("m", 3, "-300.00", "Marisol Quentin")...)...)
	o.upload(account, bills("t", 5, "-300.00", "Tobias Krahl")...)
	o.process(0)
	hook := o.questionAbout("Jose").id
	o.answerIssue(hook, "Marisol Quentin", nil).want(200).wantAt("accepted", "status")
	for i := range 20 {
		o.delete(o.path + "/transactions/" + ids[fmt.Sprint("j-", i)]).want(200)
	}
	o.answerIssue(hook, "undo", nil).want(200)
	o.process(0)
	if names := o.counterparties().names(); !slices.Equal(names, []string{"Tobias Krahl", "Marisol Quentin",
		"Jose Nunez"}) {
		t.Errorf("listed: %v", names)
	}
}

// Answers to a question are listed in the order in which they took effect, also where one was given at the very time of
// the other, or waited for it.
func TestAnswersAreListedAsTheyTookEffect(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 3, "-480.00", blantvik)...)
	o.process(0)
	asked := o.questionAbout("Blantvik").id
	for range 3 {
		o.answerIssue(asked, "expense.meals", nil).want(200)
		o.answerIssue(asked, "undo", nil).want(200)
	}
	o.process(0)
	list := o.get(o.path + "/outstanding-issues").want(200)
	n := list.size("issues", 0, "answers")
	if n < 2 {
		t.Fatalf("it has %d answers: %s", n, list.body)
	}
	var before time.Time
	for i := range n {
		at := instant(t, list.text("issues", 0, "answers", i, "at"))
		if !at.After(before) {
			t.Errorf("answer %d was given at %v, the one before it at %v", i, at, before)
		}
		replaced, is := list.get("issues", 0, "answers", i, "replacedAt").(string)
		if is && !instant(t, replaced).After(at) {
			t.Errorf("answer %d was given at %v and replaced at %s", i, at, replaced)
		}
		before = at
	}
}

// instant is a time of the API. Its fraction has no trailing zeros, so that texts do not stand in the order of times.
func instant(t *testing.T, written string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, written)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A standing hook has no rows to name: words about others than its own, or about some of them, decide nothing.
func TestWordsAboutOtherRowsAtAStandingHookDecideNothing(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(zelle("JEFF YOUNT", "MARIA LOPEZ", "JEFF YOUNT"),
		transaction("may", "-410.00", "2026-05-14", "ZELLE TO JEFF YOUNT"))...)
	o.process(0)
	row, jeff := "t:"+ids["may"], o.hookOf(ids["may"])
	for hook, all := range map[string][]string{
		row: {"Maria Lopez is contract labor", "rent, but July was personal", "the 950s are rent",
			"contract labor until March"},
		jeff: {"Maria Lopez is contract labor", "rent, May personal", "410 was personal"},
	} {
		for _, words := range all {
			o.answerIssue(hook, words, nil).want(200).wantAt("unclear", "status")
		}
	}
	o.process(0)
	o.wantCategories(map[string]string{"may": "", "z0": "", "z1": "", "z2": ""})
	o.answerIssue(row, "Jeff is my contractor, contract labor", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"may": "expense.contract_labor", "z0": "", "z1": "", "z2": ""})
}
