package apitest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

const quorvane = "QUORVANE HOLDINGS 4471"

// wantAsked fails where a question, of the one open in its direction, is about other rows than these.
func (o *office) wantAsked(about string, rows int, amount string, of openQuestion) openQuestion {
	o.t.Helper()
	q := o.questionAbout(about)
	if q.transactions != fmt.Sprint(rows) || q.amount != amount || q.id != of.id {
		o.t.Errorf("%q is asked as %s about %s rows of %s, want %s about %d of %s", q.text, q.id, q.transactions,
			q.amount, of.id, rows, amount)
	}
	return q
}

// twoFirms are asked about in both directions: two rows of each.
func twoFirms(t *testing.T) (o *office, account string) {
	o, account = openPaid(t)
	o.upload(account, append(bills("b-out", 2, "-480.00", blantvik), bills("b-in", 2, "500.00", blantvik)...)...)
	o.upload(account, append(bills("q-out", 2, "-350.00", quorvane), bills("q-in", 2, "90.00", quorvane)...)...)
	o.process(0)
	if len(o.questions()) != 4 {
		t.Fatalf("asked: %v", o.questions())
	}
	return o, account
}

func TestTheQuestionsOfMergedCounterpartiesJoinInBothDirections(t *testing.T) {
	t.Parallel()
	o, account := twoFirms(t)
	out, in := o.questionAbout("pay Blantvik"), o.questionAbout("does Blantvik")
	named, other := o.questionAbout("pay Quorvane"), o.questionAbout("does Quorvane")
	for range 2 {
		o.answerIssue(named.id, "Blantvik Trading LLC", nil).want(200)
		if n := len(o.questions()); n != 2 {
			t.Fatalf("%d questions, want one in each direction: %v", n, o.questions())
		}
		o.wantAsked("pay Blantvik", 4, "1660.00", out)
		o.wantAsked("does Blantvik", 4, "1180.00", in)
		o.wantRows("quorvane", 4, "*", "*", true)
	}
	_ = other

	o.upload(account, append(bills("later-in", 1, "10.00", quorvane), bills("later-out", 1, "-10.00", quorvane)...)...)
	o.process(0)
	o.wantAsked("pay Blantvik", 5, "1670.00", out)
	o.wantAsked("does Blantvik", 5, "1190.00", in)
	o.answerIssue(out.id, "Meals", nil).want(200)
	o.answerIssue(in.id, "Other income", nil).want(200)
	o.wantNoQuestions()
	o.wantRows("meals", 5, "expense.meals", "user", false)
	o.wantRows("other income", 5, "revenue.other", "user", false)
	o.get(o.path+"/profile").want(200).wantAt(0, "coverage", "transactions", "needsAttention")
}

func TestAQuestionOfTheMergedCounterpartyAloneIsAboutTheOneThatStays(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("b-out", 2, "-480.00", blantvik)...)
	o.upload(account, append(bills("q-out", 2, "-350.00", quorvane), bills("q-in", 2, "90.00", quorvane)...)...)
	o.process(0)
	known, in := o.questionAbout("Blantvik"), o.questionAbout("does Quorvane")
	o.answerIssue(known.id, "Meals", nil).want(200)
	o.answerIssue(o.questionAbout("pay Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	q := o.wantAsked("What does Blantvik Trading LLC pay you for?", 2, "180.00", in)
	if q.objectID != known.objectID {
		t.Errorf("the question is about %s, want %s", q.objectID, known.objectID)
	}
	o.upload(account, append(bills("later-b", 1, "500.00", blantvik), bills("later-q", 1, "10.00", quorvane)...)...)
	o.process(0)
	o.wantAsked("Blantvik", 4, "690.00", in)
	o.answerIssue(in.id, "Other income", nil).want(200)
	o.wantRows("other income", 4, "revenue.other", "user", false)
	o.wantNoQuestions()
}

// What the business answered about the one that stays is not asked about the rows that come to it.
func TestAnAnswerAboutTheCounterpartyThatStaysDecidesTheRowsThatComeToIt(t *testing.T) {
	t.Parallel()
	o, _ := twoFirms(t)
	o.answerIssue(o.questionAbout("pay Blantvik").id, "Meals", nil).want(200)
	o.answerIssue(o.questionAbout("does Blantvik").id, "Other income", nil).want(200)
	o.answerIssue(o.questionAbout("pay Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	o.process(0)
	o.wantNoQuestions()
	o.wantRows("meals", 4, "expense.meals", "user", false)
	o.wantRows("quorvane other income", 2, "revenue.other", "memory", false)
}

// What was answered about one name before it was known to be another's stays said: about that name, and about the
// other where nothing else is.
func TestAnswersBeforeAMergerStay(t *testing.T) {
	t.Parallel()
	o, account := twoFirms(t)
	o.answerIssue(o.questionAbout("does Quorvane").id, "Other income", nil).want(200)
	in := o.questionAbout("does Blantvik")
	o.answerIssue(o.questionAbout("pay Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	o.wantAsked("does Blantvik", 2, "1000.00", in)
	o.upload(account, append(bills("later-q", 1, "95.00", quorvane), bills("later-b", 1, "310.00", blantvik)...)...)
	o.process(0)
	o.wantRows("other income", 4, "revenue.other", "*", false)
	o.answerIssue(in.id, "Sales", nil).want(200)
	o.upload(account, append(bills("last-q", 1, "95.00", quorvane), bills("last-b", 1, "510.00", blantvik)...)...)
	o.process(0)
	for row, want := range map[string]string{"last-q-0": "1060",
		"last-b-0": o.scalar(`SELECT category_id FROM transactions WHERE organization_id = $1 AND external_id = 'b-in-0'`, o.organization)} {
		if got := o.scalar(`SELECT category_id FROM transactions WHERE organization_id = $1 AND external_id = $2`,
			o.organization, row); got != want {
			t.Errorf("%s is %s, want %s", row, got, want)
		}
	}
}

// A row that names nobody is asked about with the counterparty that the answer names, where nothing is known of that
// one.
func TestARowJoinsTheQuestionOfWhomTheAnswerNames(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("b-out", 2, "-480.00", blantvik), transaction("check", "-2100.00", "2026-04-09",
		"CHECK 1044"))...)
	o.process(0)
	out := o.questionAbout("Blantvik")
	o.answerIssue(o.questionAbout("payment of April 9").id, "blantvik trading LLC", nil).want(200)
	o.wantAsked("Blantvik", 3, "3060.00", out)
	o.wantRows("check", 1, "*", "*", true)
	o.answerIssue(out.id, "Meals", nil).want(200)
	o.wantRows("meals", 3, "expense.meals", "user", false)
	o.wantNoQuestions()
}

// However answers and uploads meet, there is one question for a direction, and it counts its rows.
func TestAnswersAndUploadsDuringAMerger(t *testing.T) {
	t.Parallel()
	for range 5 {
		o, _ := twoFirms(t)
		more := o.uploadAccount("b")
		words := map[string]string{}
		for about, answer := range map[string]string{"pay Quorvane": "Blantvik Trading LLC",
			"does Quorvane": "Blantvik Trading LLC", "pay Blantvik": "Meals", "does Blantvik": "zebra"} {
			words[o.questionAbout(about).id] = answer
		}
		var all sync.WaitGroup
		for id, answer := range words {
			all.Go(func() {
				if got := o.answerIssue(id, answer, nil); got.status != 200 && got.status != 400 {
					t.Errorf("%q is answered %d %s", answer, got.status, got.body)
				}
			})
		}
		all.Go(func() {
			o.upload(more, append(bills("later-q", 2, "-35.00", quorvane),
				bills("later-b", 2, "51.00", blantvik)...)...)
			o.process(0)
		})
		all.Wait()
		o.process(0)
		if names := o.counterparties().names(); len(names) != 1 {
			t.Errorf("counterparties %v, want one", names)
		}
		if n := o.scalar(`
			SELECT count(*)
			FROM outstanding_issues i
			WHERE organization_id = $1
			  AND status = 'open'
			  AND (object_id <> (SELECT id::text FROM counterparties WHERE organization_id = $1)
			    OR (transaction_count, impact_amount) <> (
			      SELECT count(*), sum(abs(t.amount))
			      FROM issue_transactions it
			      JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
			      WHERE it.organization_id = $1
			        AND it.issue_id = i.id
			        AND t.needs_attention))`, o.organization); n != "0" {
			t.Errorf("%s questions are about another counterparty, or count other rows than theirs", n)
		}
		if n := o.scalar(`
			SELECT count(*)
			FROM transactions t
			WHERE organization_id = $1
			  AND needs_attention <> EXISTS (
			    SELECT
			    FROM issue_transactions it
			    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
			    WHERE it.organization_id = $1
			      AND it.transaction_id = t.id
			      AND i.status = 'open')`, o.organization); n != "0" {
			t.Errorf("%s rows need attention without a question, or the reverse", n)
		}
	}
}

// A guess that words left is nobody's choice: it does not become the user's for others.
func TestAGuessOfTheCounterpartyThatIsNamedDecidesNothing(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("person", 2, "-480.00", "ZELLE TO MIGUEL SANTOS"),
		transaction("check", "-2100.00", "2026-04-09", "CHECK 1044"))...)
	o.upload(account, append(bills("b", 2, "-480.00", blantvik), bills("q", 2, "-350.00", quorvane)...)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Miguel").id, "zebra", nil).want(200)
	o.answerIssue(o.questionAbout("Blantvik").id, "For the zebra mural", nil).want(200)
	o.answerIssue(o.questionAbout("CHECK 1044").id, "Miguel Santos", nil).want(200)
	o.answerIssue(o.questionAbout("Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	o.wantRows("1044", 1, "expense.contract_labor", "suggested", true) // as most checks are
	o.wantRows("quorvane", 2, "expense.rent.property", "suggested", true)
	o.counterparties("query", "miguel").want(200).wantAt(3, "counterparties", 0, "stats", 0, "transactionCount")
}

// Rows that are said to be with somebody of whom nothing is known in their direction are still asked about; of whom a
// family of rows is, no one name says.
func TestRowsOfWhomIsNamedAreAskedAboutWhereNothingIsKnown(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("deposit", 1, "603.41", "MOBILE DEPOSIT 8812"),
		bills("person", 1, "-50.00", "ZELLE TO MARIA LOPEZ")...)...)
	o.process(0)
	o.answerIssue(o.questionAbout("cash and checks").id, "Maria Lopez", nil).want(200)
	o.process(0)
	o.wantRows("8812", 1, "revenue.sales.cash_deposits", "suggested", true)
	if q := o.questionAbout("cash and checks"); q.transactions != "1" {
		t.Errorf("%+v, want the deposit", q)
	}

	o.upload(account, append(bills("cash", 2, "700.00", "CASH DEPOSIT"),
		bills("bare", 3, "820.00", "MOBILE DEPOSIT")...)...)
	o.process(0)
	q := o.questionAbout("cash and checks")
	o.answerIssue(q.id, "Maria Lopez", nil).want(200).wantAt("unclear", "status")
	if again := o.questionAbout("cash and checks"); again.transactions != q.transactions {
		t.Errorf("%+v, want %s rows", again, q.transactions)
	}
}

func TestMergersTakenBackInAnyOrderLeaveNoNames(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		o, account := openPaid(t)
		for _, name := range []string{"Jose Nunez", "Marisol Quentin", "Tobias Krahl"} {
			o.upload(account, bills(name, 3, "-300.00", name)...)
		}
		o.process(0)
		questions := []string{o.questionAbout("Jose").id, o.questionAbout("Marisol").id}
		for i, name := range []string{"Marisol Quentin", "Tobias Krahl"} {
			o.answerIssue(questions[i], name, nil).want(200).wantAt("accepted", "status")
			o.process(0)
		}
		for _, i := range order {
			o.answerIssue(questions[i], "undo", nil).want(200)
			o.process(0)
		}
		all := o.get(o.path + "/counterparties").want(200)
		if all.size("counterparties") != 3 {
			t.Errorf("%v: %s", order, all.body)
		}
		for i := range all.size("counterparties") {
			if n := all.size("counterparties", i, "aliases"); n != 0 {
				t.Errorf("%v: %s has the aliases %v", order, all.text("counterparties", i, "name"),
					all.get("counterparties", i, "aliases"))
			}
		}
	}
}

// What was answered of the other since is about its own rows alone, once the two are two again.
func TestAMergerTakenBackTakesBackWhatSpreadThroughIt(t *testing.T) {
	t.Parallel()
	const merged = "BLOOMSWORTH GROUP LLC"
	for name, c := range map[string]struct {
		steps []string // answers to the question about the one that goes, "alone" to its row, "other" about the other
		rows  int      // of it that are open in the end
	}{
		"before the answer was taken back": {[]string{"merge", "other", "undo"}, 2},
		"with a row that came since":       {[]string{"merge", "later", "other", "undo"}, 3},
		"with a row that came at last":     {[]string{"merge", "other", "later", "undo"}, 3},
		"without what was said of a row":   {[]string{"merge", "other", "alone", "undo"}, 1},
		"merged again":                     {[]string{"merge", "other", "undo", "merge", "undo"}, 2},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, append(bills("q", 2, "-350.00", quorvane), bills("b", 2, "-480.00", merged)...)...)
		o.process(0)
		goes, stays := o.questionAbout("Bloomsworth"), o.questionAbout("Quorvane")
		for _, step := range c.steps {
			switch step {
			case "merge":
				o.answerIssue(goes.id, "Quorvane Holdings", nil).want(200)
			case "undo":
				o.answerIssue(goes.id, "undo", nil).want(200)
			case "other":
				o.answerIssue(stays.id, "personal.living", nil).want(200)
			case "alone":
				o.answerIssue("t:"+ids["b-0"], "expense.meals", nil).want(200)
			case "later":
				ids["b-later"] = o.upload(account, bills("b-later", 1, "-490.00", merged)...)["b-later-0"]
			}
			o.process(0)
		}
		o.wantRows("quorvane", 2, "personal.living", "user", false)
		for row, id := range ids {
			is := o.get(o.path + "/transactions/" + id).want(200)
			switch {
			case row == "b-0" && c.rows == 1:
				is.wantAt("expense.meals", "transaction", "category", "categoryPath")
			case row[0] == 'b':
				is.wantAt(nil, "transaction", "category")
				is.wantAt(json.Number("1"), "transaction", "issueCount")
				is.wantAt("Bloomsworth Group LLC", "transaction", "counterparty", "name")
			}
		}
		q := o.questionAbout("Bloomsworth")
		if q.id != goes.id || q.transactions != fmt.Sprint(c.rows) {
			t.Errorf("asked is %+v, want the question of before", q)
		}
		o.answerIssue(stays.id, "undo", nil).want(200)
		o.process(0)
		if n := len(o.questions()); n != 2 || o.questionAbout("Quorvane").transactions != "2" {
			t.Errorf("without any answer asked is %v", o.questions())
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
