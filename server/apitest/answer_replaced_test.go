package apitest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// twelveChecks is a business with one question about twelve checks: c01 of 284.00 is line 1, and each next one is 7.00
// smaller.
func twelveChecks(t *testing.T) (c correctable, q openQuestion) {
	t.Helper()
	c.office, c.account = openPaid(t)
	var rows []M
	for i := range 12 {
		rows = append(rows, transaction(fmt.Sprintf("c%02d", i+1), fmt.Sprintf("-%d.00", 284-7*i),
			fmt.Sprintf("2026-%02d-11", 1+i), fmt.Sprintf("CHECK %d", 2001+i)))
	}
	c.upload(c.account, rows...)
	c.process(0)
	if q = c.questionAbout("checks"); q.transactions != "12" {
		t.Fatalf("asked: %v", c.questions())
	}
	return c, q
}

// An answer that replaces one which left rows open is about these, too: the books are those of a business that was
// given it alone. Taken back, it leaves the question as it was before any answer.
func TestAnAnswerAfterAPartialOneIsAsIfItWereGivenAlone(t *testing.T) {
	t.Parallel()
	for _, answers := range [][2]string{
		{"3: not sure; rest: personal", "expense.supplies"},
		{"3: personal", "expense.supplies"},
		{"3: not sure; rest: personal", "expense.supplies; 3: not sure"},
		{"1-3: personal", "60% car, rest personal"},
		{"3: personal", "interest 100.33 a year"},
		{"1-3: personal", "1200.00 meals in 2026, rest car"},
		{"1-3: personal", "3-5: expense.supplies"},
		{"1-3: personal", "4-12: expense.supplies"},
		{"1-3: personal", "2: expense.meals; #2007: 60% car, rest personal; rest: expense.supplies"},
	} {
		t.Run(fmt.Sprint(answers), func(t *testing.T) {
			t.Parallel()
			c, q := twelveChecks(t)
			before, lines := c.books(), c.linesOf(q.id)
			c.answerIssue(q.id, answers[0], nil).want(200).wantAt("partly", "status")
			c.process(0)
			left := c.questionAbout("checks")
			got := c.answerIssue(q.id, answers[1], nil).want(200)
			alone, other := twelveChecks(t)
			want := alone.answerIssue(other.id, answers[1], nil).want(200).text("status")
			got.wantAt(want, "status")
			if diff := cmp.Diff(alone.books(), c.books()); diff != "" {
				t.Errorf("not as if it were given alone (-alone +after): %s", diff)
			}
			if want == "partly" {
				c.issue(left.id, "open")
			} else {
				c.issue(left.id, "closed")
			}
			c.answerIssue(q.id, answers[1], nil).want(200).wantAt(want, "status")
			if diff := cmp.Diff(alone.books(), c.books()); diff != "" {
				t.Errorf("the same again changed the books: %s", diff)
			}
			c.answerIssue(q.id, "undo", nil).want(200)
			if diff := cmp.Diff(before, c.books()); diff != "" {
				t.Errorf("not as if it had never been answered: %s", diff)
			}
			if diff := cmp.Diff(lines, c.linesOf(q.id)); diff != "" {
				t.Errorf("the lines, undone: %s", diff)
			}
			c.issue(left.id, "closed")
		})
	}
}

// What a later or narrower answer says of a row that the first one left stays, and so does a row that came since: the
// question about the rest goes on about it alone.
func TestAnAnswerAfterAPartialOneLeavesWhatWasSaidOfItsRestSince(t *testing.T) {
	t.Parallel()
	c, q := twelveChecks(t)
	row := c.linesOf(q.id)["5"]
	c.answerIssue(q.id, "1-3: personal.living", nil).want(200).wantAt("partly", "status")
	rest := c.questionAbout("checks")
	c.answerIssue(rest.id, "4: expense.meals", nil).want(200).wantAt("partly", "status")
	c.answerIssue("t:"+row, "expense.rent.property", nil).want(200).wantAt("accepted", "status")
	c.upload(c.account, transaction("late", "-900.00", "2026-12-30", "CHECK 2099"))
	c.process(0)
	open := c.questionAbout("checks")
	if open.transactions != "8" {
		t.Fatalf("waiting: %+v", open)
	}
	c.answerIssue(q.id, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	c.process(0)
	want := map[string]string{"c01": "expense.supplies", "c03": "expense.supplies", "c04": "expense.meals",
		"c05": "expense.rent.property", "c06": "expense.supplies", "c12": "expense.supplies", "late": ""}
	c.wantCategories(want)
	if now := c.questionAbout("checks"); now.id != open.id || now.transactions != "1" || now.amount != "900.00" {
		t.Errorf("it asks about %+v, want %s about the row that came since", now, open.id)
	}
	c.answerIssue(rest.id, "undo", nil).want(200)
	c.answerIssue(q.id, "undo", nil).want(200)
	c.process(0)
	if now := c.questionAbout("checks"); now.id != q.id || now.transactions != "12" {
		t.Errorf("undone: %+v", now)
	}
	c.wantCategories(map[string]string{"c01": "", "c04": "", "c05": "expense.rent.property", "c12": ""})
}

// Of more rows than a question shows, an answer after a partial one speaks for those that it would speak for alone.
func TestAnAnswerAfterAPartialOneSpeaksForTheLinesThatWereShown(t *testing.T) {
	t.Parallel()
	o, _, q := checkQuestion(t)
	lines := o.linesOf(q.id)
	o.answerIssue(q.id, "1-39: personal.living", nil).want(200).wantAt("partly", "status")
	left := o.questionAbout("checks")
	o.answerIssue(q.id, "expense.supplies; 2: personal.living", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantCategories(map[string]string{"c00": "expense.supplies", "c01": "personal.living", "c39": "expense.supplies",
		"c40": "", "c47": ""})
	if now := o.questionAbout("checks"); now.id != left.id || now.transactions != "8" {
		t.Errorf("left open: %+v", now)
	}
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	if now := o.questionAbout("checks"); now.id != q.id || now.transactions != "48" || now.amount != q.amount {
		t.Errorf("undone: %+v, want %+v", now, q)
	}
	if diff := cmp.Diff(lines, o.linesOf(q.id)); diff != "" {
		t.Errorf("undone: %s", diff)
	}
}

// Nor is what is remembered of it less than what is remembered of an answer that was given alone.
func TestAnAnswerAfterAPartialOneIsRememberedAsIfItWereGivenAlone(t *testing.T) {
	t.Parallel()
	books := map[string]map[string]string{}
	for name, answers := range map[string][]string{
		"alone": {"expense.supplies"},
		"after": {"3: not sure; rest: personal.living", "expense.supplies"},
		"twice": {"1-3: personal.living", "4: expense.meals", "expense.supplies"},
	} {
		c, q := twelveChecks(t)
		for _, words := range answers {
			c.answerIssue(q.id, words, nil).want(200)
			c.process(0)
		}
		c.upload(c.account, transaction("next", "-250.00", "2026-12-30", "CHECK 2040"),
			transaction("larger", "-2250.00", "2026-12-30", "CHECK 2041"))
		books[name] = c.books()
	}
	for _, name := range []string{"after", "twice"} {
		if diff := cmp.Diff(books["alone"], books[name]); diff != "" {
			t.Errorf("%s (-alone): %s", name, diff)
		}
	}
}

// Filed rows stay what they are, also where the first answer left them.
func TestAnAnswerAfterAPartialOneLeavesFiledRows(t *testing.T) {
	t.Parallel()
	file := func(c correctable, row string) {
		c.must(c.rows().SetFilingState(t.Context(), c.clock.Now(), uuid.MustParse(row), "filed"))
	}
	c, q := twelveChecks(t)
	lines := c.linesOf(q.id)
	c.answerIssue(q.id, "1-3: personal.living", nil).want(200).wantAt("partly", "status")
	c.process(0)
	file(c, lines["5"])
	c.answerIssue(q.id, "expense.supplies", nil).want(200).wantAt("partly", "status")
	alone, other := twelveChecks(t)
	file(alone, alone.linesOf(other.id)["5"])
	alone.answerIssue(other.id, "expense.supplies", nil).want(200).wantAt("partly", "status")
	if diff := cmp.Diff(alone.books(), c.books()); diff != "" {
		t.Errorf("not as if it were given alone (-alone +after): %s", diff)
	}
	c.wantCategories(map[string]string{"c04": "expense.supplies", "c05": "", "c06": "expense.supplies"})
}

// Whatever was answered to a question, of all of its rows or of some, the last answer alone makes the books, and none
// of them does once that is taken back.
func TestOfAnyAnswersToAQuestionTheLastAloneMakesTheBooks(t *testing.T) {
	t.Parallel()
	words := []string{"3: not sure; rest: personal", "expense.supplies", "1-3: personal", "60% car, rest personal",
		"interest 100.33 a year", "1200.00 meals in 2026, rest car", "4-12: expense.supplies; 1: 30 meals, rest car",
		"1-11: half personal half business", "2: expense.meals; #2007: rent; rest: expense.supplies", "undo", "skip"}
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 20261127))
		c, q := twelveChecks(t)
		want, lines := c.books(), c.linesOf(q.id)
		before, last, all := want, "", []string{}
		for range 2 + random.IntN(5) {
			said := words[random.IntN(len(words))]
			all = append(all, said)
			if c.answerIssue(q.id, said, nil).want(200).text("status") != "unclear" {
				last = said
			}
			if random.IntN(2) == 0 {
				c.process(0)
			}
		}
		if last != "undo" && last != "" {
			alone, other := twelveChecks(t)
			alone.answerIssue(other.id, last, nil).want(200)
			want = alone.books()
		}
		if diff := cmp.Diff(want, c.books()); diff != "" {
			t.Errorf("%d: %q (-the last alone): %s", seed, all, diff)
		}
		c.answerIssue(q.id, "undo", nil).want(200)
		if diff := cmp.Diff(before, c.books()); diff != "" {
			t.Errorf("%d: %q, undone: %s", seed, all, diff)
		}
		if diff := cmp.Diff(lines, c.linesOf(q.id)); diff != "" {
			t.Errorf("%d: %q, undone, has the lines %s", seed, all, diff)
		}
	}
}

// Rows of a year whose figure they fit no more are asked about again, and may be answered there or where they were.
func TestAnAnswerAfterALapsedYearLeavesWhatItSaysNothingOf(t *testing.T) {
	t.Parallel()
	c, q := twelveChecks(t)
	first := c.linesOf(q.id)["1"]
	c.answerIssue(q.id, "interest 2900 a year", nil).want(200).wantAt("accepted", "status")
	c.delete(c.path + "/transactions/" + first).want(200)
	c.process(0)
	again := c.questionAbout("checks")
	c.answerIssue(q.id, "2: personal.living", nil).want(200).wantAt("partly", "status")
	c.process(0)
	c.wantCategories(map[string]string{"c02": "personal.living", "c03": "", "c12": ""})
	if now := c.questionAbout("checks"); now.id != again.id || now.transactions != "10" {
		t.Errorf("left open: %+v, want 10 of %+v", now, again)
	}
}

// An answer in place of another one is as if that had never been given: of a row that was not shown, and seems to be
// what the other said of most, it says what the row's line reads.
func TestTheLastAnswerStandsAsIfItWereTheOnlyOne(t *testing.T) {
	t.Parallel()
	for _, before := range [][]string{nil, {"personal.living"}, {"as_read", "undo", "personal.living"}} {
		o, _ := openPaid(t)
		card := account("card")
		card["type"] = "credit"
		cards := o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{card}}).want(200)
		var rows []M
		for i := range 41 {
			rows = append(rows, transaction(fmt.Sprint("fuel", i), fmt.Sprintf("-%d.%02d", 40+i/3, 37*i%81),
				fmt.Sprintf("2025-%02d-%02d", 1+i%12, 1+i%27),
				[]string{"SHELL OIL 5744", "CHEVRON 0094", "MEIJER GAS 12"}[i%3]))
		}
		rows = append(rows, transaction("small", "-15.74", "2025-03-03", "ELLIS PARKING 616-4587275 MI"))
		small := o.upload(cards.text("accounts", 0, "id"), rows...)["small"]
		o.process(0)
		question := o.questionAbout("used at home").id
		for _, words := range append(before, "as_read") {
			o.answerIssue(question, words, nil).want(200)
			o.process(0)
		}
		o.get(o.path+"/transactions/"+small).want(200).
			wantAt("expense.car_truck.parking_tolls", "transaction", "category", "categoryPath")
		if open := o.asked(); len(open) > 0 {
			t.Errorf("after %q and as_read there are %q open", before, open)
		}
	}
}
