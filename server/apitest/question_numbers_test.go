package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows that are asked about again keep their numbers and use up no others: the next row has the next one.
func TestTheNextRowOfAQuestionHasTheNextNumber(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")...)
	o.process(0)
	people := o.questionAbout("people").id
	was := o.linesOf(people)
	for _, words := range []string{"skip", "undo", "skip", "undo"} {
		o.answerIssue(people, words, nil).want(200)
		o.process(0)
	}
	was["5"] = o.upload(account, transaction("more", "-250.00", "2026-03-05", "ZELLE PAYMENT TO HANS GRUBER"))["more"]
	o.process(0)
	if is := o.linesOf(people); !reflect.DeepEqual(is, was) {
		t.Errorf("the lines are numbered %v, want %v", is, was)
	}
}

// paymentsTo are five payments by an app to three people, the largest first.
func paymentsTo() (rows []M) {
	for i, name := range []string{"ANN LEE", "BOB KRAMER", "DEV PATEL", "ANN LEE", "BOB KRAMER"} {
		rows = append(rows, transaction(fmt.Sprint("p", i), fmt.Sprintf("-%d.00", 900-17*i),
			fmt.Sprintf("2026-01-1%d", i), "ZELLE PAYMENT TO "+name))
	}
	return rows
}

// A row that left a question and comes back to it is named as before: who read the list meanwhile means the same rows.
func TestARowComesBackToItsQuestionByItsNumber(t *testing.T) {
	t.Parallel()
	changed := func(of M, amount any, description string) M {
		of = maps.Clone(of)
		of["amount"], of["description"] = amount, description
		return of
	}
	rows := paymentsTo()
	for name, step := range map[string]func(o *office, account, question string, ids map[string]string){
		"an answer about it alone is taken back": func(o *office, _, _ string, ids map[string]string) {
			o.answerIssue("t:"+ids["p1"], "expense.meals", nil).want(200).wantAt("accepted", "status")
			o.answerIssue("t:"+ids["p1"], "undo", nil).want(200)
		},
		"an answer about it alone is taken back, later": func(o *office, _, _ string, ids map[string]string) {
			o.answerIssue("t:"+ids["p1"], "expense.meals", nil).want(200).wantAt("accepted", "status")
			o.process(0)
			o.answerIssue("t:"+ids["p1"], "undo", nil).want(200)
		},
		"an answer about whom it is with is taken back": func(o *office, _, _ string, ids map[string]string) {
			hook := "c:" + fmt.Sprint(o.row(ids["p1"])["counterparty"].(map[string]any)["id"]) + ":out"
			o.answerIssue(hook, "expense.meals", nil).want(200).wantAt("accepted", "status")
			o.process(0)
			o.answerIssue(hook, "undo", nil).want(200)
		},
		"its line changes and changes back": func(o *office, account, _ string, _ map[string]string) {
			o.upload(account, changed(rows[1], rows[1]["amount"], "CHECK 3001"))
			o.process(0)
			o.upload(account, rows[1])
		},
		"it turns round and back": func(o *office, account, _ string, _ map[string]string) {
			o.upload(account, changed(rows[1], json.Number("883.00"), "ZELLE PAYMENT FROM BOB KRAMER"))
			o.process(0)
			o.upload(account, rows[1])
		},
		"an answer about some is taken back": func(o *office, _, question string, _ map[string]string) {
			o.answerIssue(question, "3: expense.meals; 5: not sure", nil).want(200)
			o.process(0)
			o.answerIssue(question, "undo", nil).want(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			ids := o.upload(account, rows...)
			o.process(0)
			people := o.questionAbout("people").id
			was := o.linesOf(people)
			step(o, account, people, ids)
			o.process(0)
			if diff := cmp.Diff(was, o.linesOf(people)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A number is one row's for good, whichever of the answers about it and others are taken back first.
func TestNoNumberOfAQuestionPassesToAnotherRow(t *testing.T) {
	t.Parallel()
	for _, questionFirst := range []bool{true, false} {
		for _, line := range []string{loan, blantvik, "ZELLE PAYMENT TO ANN LEE"} {
			o, account := openPaid(t)
			var rows []M
			for i := range 5 {
				rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("-%d.00", 900-17*i),
					fmt.Sprintf("2026-0%d-1%d", i+1, i), line))
			}
			ids := o.upload(account, rows...)
			o.process(0)
			question := fmt.Sprint(o.row(ids["r0"])["issueIds"].([]any)[0])
			hook := "c:" + fmt.Sprint(o.row(ids["r0"])["counterparty"].(map[string]any)["id"]) + ":out"
			named := map[string]string{}
			look := func(when string) {
				t.Helper()
				for _, q := range o.questions() {
					for n, row := range o.linesOf(q.id) {
						if was, is := named[q.id+" "+n]; is && was != row {
							t.Errorf("%s, %s: %s of %q was %s, is %s", line, when, n, q.text, was, row)
						}
						named[q.id+" "+n] = row
					}
				}
			}
			look("at first")
			o.answerIssue(question, "3: personal.living; 4: my draw; rest: not sure", nil).want(200).
				wantAt("partly", "status")
			o.process(0)
			look("answered in part")
			o.answerIssue(hook, "expense.supplies", nil).want(200)
			o.process(0)
			undo := []string{hook, question}
			if questionFirst {
				undo = []string{question, hook}
			}
			for _, of := range undo {
				o.answerIssue(of, "undo", nil).want(200)
				look("undone")
				o.process(0)
				look("undone and processed")
			}
		}
	}
}

// What was asked about the rest of a question does not stand in for it once all answers are taken back.
func TestTheFirstQuestionComesBackAndNotTheOneAboutItsRest(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"SHELL OIL 5744", blantvik, "ZELLE PAYMENT TO ANN LEE"} {
		for _, processed := range []bool{false, true} {
			o, account := openPaid(t)
			ids := o.upload(account, transaction("a", "-900.00", "2026-01-10", line),
				transaction("b", "-883.00", "2026-02-10", line), transaction("c", "-866.00", "2026-03-10", line))
			o.process(0)
			was := o.questions()
			question := fmt.Sprint(o.row(ids["a"])["issueIds"].([]any)[0])
			lines := o.linesOf(question)
			hook := "c:" + fmt.Sprint(o.row(ids["a"])["counterparty"].(map[string]any)["id"]) + ":out"
			o.answerIssue(question, "expense.meals; 2: not sure", nil).want(200).wantAt("partly", "status")
			o.process(0)
			o.answerIssue(hook, "expense.supplies", nil).want(200)
			o.process(0)
			o.answerIssue(question, "undo", nil).want(200)
			if processed {
				o.process(0)
			}
			o.answerIssue(hook, "undo", nil).want(200)
			o.process(0)
			if now := o.questions(); !reflect.DeepEqual(now, was) {
				t.Errorf("%s: the questions were %v, are %v", line, was, now)
			}
			if diff := cmp.Diff(lines, o.linesOf(question)); diff != "" {
				t.Errorf("%s: %s", line, diff)
			}
		}
	}
}

// What a question says of itself follows from its rows alone: an answer about one of them that is taken back leaves its
// words and whom it is about as they were.
func TestAQuestionReadsTheSameOnceAnAnswerAboutOneOfItsRowsIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"WITHDRAWAL %d CTR", "CHECK %d"} {
		o, account := openPaid(t)
		var rows []M
		for i := range 6 {
			rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("-%d.00", 200+100*(i%3)),
				fmt.Sprintf("2026-01-1%d", 5-i), fmt.Sprintf(line, 2000+i)))
		}
		ids := o.upload(account, rows...)
		o.process(0)
		was := o.questions()
		for external, id := range ids {
			o.answerIssue("t:"+id, "expense.meals", nil).want(200).wantAt("accepted", "status")
			o.process(0)
			o.answerIssue("t:"+id, "undo", nil).want(200)
			o.process(0)
			if now := o.questions(); !reflect.DeepEqual(now, was) {
				t.Errorf("%s, after %s: the questions were %v, are %v", line, external, was, now)
			}
		}
	}
}

// What is left open seems to be what is known by then, at once and not only when something else decides it anew.
func TestWhatAnAnswerLeavesOpenSeemsWhatIsKnownSince(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i := range 5 {
		rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("-%d.00", 900-17*i),
			fmt.Sprintf("2026-0%d-10", i+1), "ZELLE PAYMENT TO ANN LEE"))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	first := fmt.Sprint(o.row(ids["r0"])["issueIds"].([]any)[0])
	o.answerIssue(first, "1: expense.supplies", nil).want(200).wantAt("partly", "status")
	o.process(0)
	was := o.row(ids["r3"])["suggestion"]
	rest := fmt.Sprint(o.row(ids["r3"])["issueIds"].([]any)[0])
	o.answerIssue(rest, "2: expense.meals", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.answerIssue(rest, "undo", nil).want(200)
	o.process(0)
	if now := o.row(ids["r3"])["suggestion"]; !reflect.DeepEqual(now, was) {
		t.Errorf("the suggestion was %v, is %v", was, now)
	}
}
