package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
)

// checkQuestion is a business with one question about 48 checks, of which 40 are shown: c00 of 600.00 is line 1,
// and each next one is 5.00 smaller.
func checkQuestion(t *testing.T) (o *office, account string, q openQuestion) {
	t.Helper()
	o, account = openPaid(t)
	var rows []M
	for i := range 48 {
		rows = append(rows, transaction(fmt.Sprintf("c%02d", i), fmt.Sprintf("-%d.00", 600-5*i),
			fmt.Sprintf("2026-%02d-11", 1+i%6), fmt.Sprintf("CHECK %d", 2001+i)))
	}
	o.upload(account, rows...)
	o.process(0)
	return o, account, o.questionAbout("checks")
}

// Lines that an answer leaves open and lines that nobody was shown are one question afterwards: none is lost.
func TestLinesLeftOpenAndLinesNotShownAreOneQuestion(t *testing.T) {
	t.Parallel()
	o, _, q := checkQuestion(t)
	o.answerIssue(q.id, "expense.contract_labor; 1: personal.living; 2: not sure", nil).want(200).
		wantAt("partly", "status")
	o.wantCategories(map[string]string{"c00": "personal.living", "c01": "", "c02": "expense.contract_labor",
		"c39": "expense.contract_labor", "c40": "", "c47": ""})
	left := o.questionAbout("checks")
	if left.transactions != "9" || left.amount != "3655.00" {
		t.Errorf("left open: %+v", left)
	}
	o.answerIssue(left.id, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	o.wantCategories(map[string]string{"c01": "expense.supplies", "c47": "expense.supplies",
		"c02": "expense.contract_labor"})
	o.wantNoQuestions()
}

// What an answer leaves open it does not decide as what is remembered of it either: neither where it replaces another
// answer, nor when the bank changes a line later.
func TestAnAnswerDoesNotDecideByMemoryWhatItLeavesOpen(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("b", 4, "-480.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "expense.supplies", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(q.id, "1: expense.rent.property; 3-9: expense.supplies", nil).want(422)
	o.answerIssue(q.id, "expense.meals; 1-2: not sure", nil).want(200).wantAt("partly", "status")
	o.process(0)
	open := 0
	for id, row := range o.all() {
		if row["category"] == nil {
			open++
			o.upload(account, transaction(id, fmt.Sprint(row["amount"]),
				row["primaryDate"].(string)[:10], blantvik+" 7"))
		}
	}
	left := o.questionAbout("Blantvik")
	if open != 2 || left.transactions != "2" || left.id == q.id {
		t.Errorf("%d rows are open, and asked about by %+v", open, left)
	}
	o.process(0)
	if left = o.questionAbout("Blantvik"); left.transactions != "2" {
		t.Errorf("after the bank changed them: %+v", left)
	}
	o.answerIssue(left.id, "expense.rent.property", nil).want(200).wantAt("accepted", "status")
	o.wantNoQuestions()
}

// Nor does an answer that replaces such a one and leaves the same open.
func TestACorrectionLeavesOpenWhatItSaysNothingOf(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("b", 3, "-480.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "expense.meals; 1: not sure", nil).want(200).wantAt("partly", "status")
	o.answerIssue(q.id, "expense.supplies; 1: not sure", nil).want(200).wantAt("partly", "status")
	for id, row := range o.all() {
		if row["category"] == nil {
			o.upload(account, transaction(id, "-480.00", row["primaryDate"].(string)[:10], blantvik+" 7"))
		}
	}
	o.process(0)
	if left := o.questionAbout("Blantvik"); left.transactions != "1" {
		t.Errorf("left open: %+v", left)
	}
}

// An answer that replaces another does not speak for lines that nobody was shown, as the first does not.
func TestACorrectionDoesNotSpeakForLinesThatNobodyWasShown(t *testing.T) {
	t.Parallel()
	o, account, q := checkQuestion(t)
	o.answerIssue(q.id, "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(q.id, "expense.supplies; 2: personal.living", nil).want(200).wantAt("partly", "status")
	o.process(0)
	want := map[string]string{"c00": "expense.supplies", "c01": "personal.living", "c39": "expense.supplies",
		"c40": "", "c47": ""}
	o.wantCategories(want)
	o.search("query", "2047").want(200).wantAt("expense.supplies", "transactions", 0, "suggestion", "categoryPath")
	o.upload(account, transaction("c47", "-365.00", "2026-06-11", "CHECK 2048 PAID"))
	o.process(0)
	o.wantCategories(want)
	if left := o.questionAbout("checks"); left.transactions != "8" {
		t.Errorf("left open: %+v", left)
	}
}

// Who says what some lines are and leaves the others open has not said what the next ones are.
func TestWhatSomeLinesAreSaysNothingOfTheNext(t *testing.T) {
	t.Parallel()
	o, account, q := checkQuestion(t)
	o.answerIssue(q.id, "2: expense.supplies; rest: not sure", nil).want(200).wantAt("partly", "status")
	o.upload(account, transaction("same", "-595.00", "2026-06-30", "CHECK 2095"),
		transaction("other", "-700.00", "2026-06-30", "CHECK 2099"))
	o.process(0)
	o.wantCategories(map[string]string{"c01": "expense.supplies", "same": "", "other": ""})
}

// What an answer leaves that replaces another one is asked about like what a first answer leaves, and taking it back
// makes the question whole.
func TestWhatALaterAnswerLeavesIsOneQuestionThatComesBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []string
		rest    []int
	}{
		"one line":         {[]string{"personal.living", "1: expense.meals"}, []int{2, 3, 4}},
		"all but one":      {[]string{"personal.living", "personal.living; 3: not sure"}, []int{3}},
		"more than before": {[]string{"personal.living; 3: not sure", "2: expense.meals"}, []int{1, 3, 4}},
		"the same again":   {[]string{"1: expense.meals", "1: expense.supplies"}, []int{2, 3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			o.upload(account,
				transaction("a", "-1549.09", "2026-02-07", "ZELLE PAYMENT TO BOB KRAMER 91085"),
				transaction("b", "-1356.68", "2026-01-31", "ZELLE PAYMENT TO DEV PATEL 33893"),
				transaction("c", "-1262.69", "2026-02-26", "ZELLE PAYMENT TO ERIN MOSS 72266"),
				transaction("d", "-449.74", "2026-03-03", "ZELLE PAYMENT TO ERIN MOSS 71427"))
			o.process(0)
			asked := func(n int) (id string, lines []int) {
				t.Helper()
				page := o.get(o.path + "/outstanding-issues?limit=50").want(200)
				for i := range page.size("issues") {
					if page.text("issues", i, "objectType") == "company" {
						continue
					}
					if id != "" {
						t.Errorf("after %d answers several questions are open", n)
					}
					id = page.text("issues", i, "id")
					page.wantAt(json.Number(strconv.Itoa(page.size("issues", i, "lines"))), "issues", i, "impact",
						"transactionCount")
					for k := range page.size("issues", i, "lines") {
						number, err := strconv.Atoi(page.text("issues", i, "lines", k, "n"))
						if err != nil {
							t.Fatal(err)
						}
						lines = append(lines, number)
					}
				}
				slices.Sort(lines)
				return id, lines
			}
			hook, all := asked(0)
			for n, words := range c.answers {
				o.answerIssue(hook, words, nil).want(200)
				o.process(0)
				if n == len(c.answers)-1 {
					if _, rest := asked(n + 1); !slices.Equal(rest, c.rest) {
						t.Errorf("lines %v are asked about, want %v", rest, c.rest)
					}
				}
			}
			o.answerIssue(hook, "undo", nil).want(200)
			o.process(0)
			if id, lines := asked(len(c.answers) + 1); id != hook || !slices.Equal(lines, all) {
				t.Errorf("without the answers it asks about %v, want what it asked: %v", lines, all)
			}
		})
	}
}

// What an answer leaves that replaces another one is not asked about where an answer of its own decides it.
func TestALaterAnswerLeavesNothingOpenThatAnotherDecides(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, zelle("BOB KRAMER", "DEV PATEL", "ERIN MOSS", "PER SOLBERG")...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "personal.living", nil).want(200).wantAt("accepted", "status")
	o.answerIssue("t:"+ids["z1"], "expense.meals", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(q.id, "1: expense.supplies", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "expense.supplies", "z1": "expense.meals", "z2": "", "z3": ""})
	if left := o.questionAbout("people"); left.transactions != "2" {
		t.Errorf("it asks about %s rows, want the two that nobody decided", left.transactions)
	}
	o.get(o.path+"/transactions/"+ids["z1"]).want(200).wantAt(false, "transaction", "needsAttention")
}

// What answers left of many, and is asked about by a question of its own since, is decided by the next answer about all
// of them, as by it alone.
func TestAnAnswerAboutAllDecidesWhatAnswersBeforeItLeft(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	costco := "COSTCO WHSE #1020 TX"
	o.upload(account,
		transaction("c1", "-954.19", "2026-01-18", costco),
		transaction("c2", "-892.16", "2026-02-17", costco),
		transaction("t1", "-738.18", "2026-03-09", "TARGET T-1124 TX"),
		transaction("w1", "-692.24", "2026-04-14", "WALMART SUPERCENTER #2204 TX"),
		transaction("k1", "-561.15", "2026-04-13", "KROGER #441 TX"),
		transaction("s1", "-348.00", "2026-01-04", "SAFEWAY #1592 TX"))
	o.process(0)
	shops := o.questionAbout("shops and firms").id
	for _, words := range []string{"contract labor; 3: not sure", "2: not sure; rest: expense.supplies"} {
		o.answerIssue(shops, words, nil).want(200).wantAt("partly", "status")
		o.process(0)
	}
	alone := o.questionAbout("shops and firms")
	o.answerIssue(shops, "1, 3-6: expense.meals", nil).want(200).wantAt("partly", "status") // it is about all six
	o.process(0)
	if got := o.questions(); len(got) != 1 || got[alone.text].transactions != "1" {
		t.Errorf("asked are %v, want %v alone", got, alone)
	}
	o.answerIssue(shops, "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	is := "expense.contract_labor"
	o.wantCategories(map[string]string{"c1": is, "t1": is, "c2": is, "w1": is, "k1": is, "s1": is})
	if open := o.questions(); len(open) != 0 {
		t.Errorf("%v is still asked", open)
	}
}

// What answers left of many, and is asked about alone since it seems to be what was said of others with the same, is
// decided by the next answer about all of them, as by it alone.
func TestAnAnswerAboutAllDecidesWhatIsAskedAloneSince(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	costco := "COSTCO WHSE #1020 TX"
	o.upload(account,
		transaction("c1", "-954.19", "2026-01-18", costco),
		transaction("c2", "-892.16", "2026-02-17", costco),
		transaction("c3", "-854.10", "2026-03-18", costco),
		transaction("c4", "-802.17", "2026-04-17", costco),
		transaction("c5", "-792.23", "2026-05-17", costco),
		transaction("t1", "-738.18", "2026-03-09", "TARGET T-1124 TX"),
		transaction("w1", "-692.24", "2026-04-14", "WALMART SUPERCENTER #2204 TX"),
		transaction("k1", "-561.15", "2026-04-13", "KROGER #441 TX"),
		transaction("s1", "-348.00", "2026-01-04", "SAFEWAY #1592 TX"))
	o.process(0)
	shops := o.questionAbout("shops and firms").id
	o.answerIssue(shops, "1-4: expense.supplies; 6-9: personal.living", nil).want(200).wantAt("partly", "status")
	o.process(0)
	if alone := o.questionAbout("Costco"); alone.transactions != "1" {
		t.Errorf("%v is asked about, want one row", alone)
	}
	o.answerIssue(shops, "expense.contract_labor", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	is := "expense.contract_labor"
	o.wantCategories(map[string]string{"c1": is, "c2": is, "c3": is, "c4": is, "c5": is, "t1": is, "w1": is, "k1": is,
		"s1": is})
	if open := o.questions(); len(open) != 0 {
		t.Errorf("%v is still asked", open)
	}
}
