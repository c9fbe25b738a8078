package apitest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/store"
)

// wantContext compares the context of all rows that match words.
func (o *office) wantContext(words string, n int, want any) {
	o.t.Helper()
	got := o.search("query", words, "limit", "50").want(200)
	if got.size("transactions") != n {
		o.t.Errorf("%d rows with %q, want %d", got.size("transactions"), words, n)
	}
	for i := range got.size("transactions") {
		got.wantAt(want, "transactions", i, "context")
	}
}

// wantNoQuestions fails where anything is asked.
func (o *office) wantNoQuestions() {
	o.t.Helper()
	if left := o.questions(); len(left) != 0 {
		o.t.Errorf("asked: %v", left)
	}
}

func TestARelationshipThatSaysWhatTheMoneyIsDecidesIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, relationship, category, later string }{
		{"My landlord", "landlord", "expense.rent.property", "memory"},
		{"Freelancer", "contractor", "expense.contract_labor", "memory"},
	} {
		o, account := openPaid(t)
		o.upload(account, bills("first", 2, "-480.00", blantvik)...)
		o.process(0)
		q := o.questionAbout("Blantvik")
		o.answerIssue(q.id, c.words, nil).want(200)
		o.get(o.path+"/counterparties/"+q.objectID).want(200).wantAt(c.relationship, "counterparty", "relationship")
		o.upload(account, bills("later", 1, "-490.00", blantvik)...)
		o.process(0)
		o.wantNoQuestions()
		o.get(o.path+"/counterparties/"+q.objectID).want(200).wantAt(c.relationship, "counterparty", "relationship")
		got := o.search("query", "blantvik").want(200)
		later := slices.Index(got.found(), "later-0")
		o.wantRows("blantvik", 3, c.category, "*", false)
		if c.later == "suggested" {
			got.wantAt(c.words, "transactions", later, "context")
			continue
		}
		got.wantAt(c.later, "transactions", later, "category", "source")
	}
}

func TestASynonymMeansWhatTheDirectionOfTheMoneySays(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("out", 2, "-480.00", blantvik), bills("in", 2, "480.00",
		"QUORVANE TRADING LLC")...)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "Rent", nil).want(200)
	o.answerIssue(o.questionAbout("Quorvane").id, "Rent", nil).want(200)
	o.wantRows("blantvik", 2, "expense.rent.property", "user", false)
	o.wantRows("quorvane", 2, "revenue.sales.rents", "user", false)
}

func TestTheNameOfAnotherCounterpartyMergesTheTwo(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	const other, firm = "QUORVANE HOLDINGS 4471", "Blantvik Trading LLC"
	o.upload(account, append(bills("known", 2, "-480.00", blantvik), bills("variant", 3, "-350.00", other)...)...)
	o.process(0)
	known, variant := o.questionAbout("Blantvik"), o.questionAbout("Quorvane")
	o.answerIssue(known.id, "Meals", nil).want(200)
	o.answerIssue(variant.id, " blantvik   TRADING llc", nil).want(200)
	o.wantRows("quorvane", 3, "expense.meals", "user", false)

	o.upload(account, bills("next", 2, "-360.00", other)...)
	o.process(0)
	o.wantNoQuestions()
	o.wantRows("quorvane", 5, "expense.meals", "*", false)
	list := o.counterparties().want(200)
	if names := list.names(); len(names) != 1 || names[0] != firm {
		t.Fatalf("counterparties %v, want %s alone", names, firm)
	}
	list.wantAt(known.objectID, "counterparties", 0, "id")
	list.wantAt([]string{"Quorvane Holdings"}, "counterparties", 0, "aliases")
	list.wantAt(7, "counterparties", 0, "stats", 0, "transactionCount")
	o.get(o.path + "/counterparties/" + variant.objectID).want(404)

	// What is answered about the one later is about both.
	o.upload(account, bills("in", 1, "900.00", other)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	if q.objectID != known.objectID {
		t.Errorf("the question is about %s", q.objectID)
	}
	o.answerIssue(q.id, "Other income", nil).want(200)
	o.upload(account, bills("again", 1, "910.00", blantvik)...)
	o.upload(account, bills("too", 1, "920.00", other)...)
	o.process(0)
	o.wantNoQuestions()
	for _, row := range []string{"again-0", "too-0"} {
		if source := o.scalar(`SELECT category_source || ' ' || category_id FROM transactions WHERE organization_id = $1 AND external_id = $2`, o.organization, row); source != "memory 1060" {
			t.Errorf("%s was decided by %s", row, source)
		}
	}
}

func TestARowThatNamesNobodyIsWithWhomTheAnswerNames(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("rent", 3, "-700.00", "ACH DEBIT GROVE PLAZA LP RENT"),
		transaction("check", "-2100.00", "2026-04-09", "CHECK 1044"))...)
	o.process(0)
	o.answerIssue(o.questionAbout("Grove Plaza").id, "expense.rent.property", nil).want(200)
	o.wantRows("grove", 3, "expense.rent.property", "user", false)
	o.answerIssue(o.questionAbout("payment").id, "grove plaza LP", nil).want(200)
	o.wantRows("check", 1, "expense.rent.property", "user", false)
	list := o.counterparties("query", "grove").want(200)
	list.wantAt(4, "counterparties", 0, "stats", 0, "transactionCount")
	o.upload(account, transaction("other", "-2150.00", "2026-05-09", "CHECK 1045"))
	o.process(0)
	if q := o.questionAbout("payment"); q.transactions != "1" {
		t.Errorf("the next check is asked about with %s rows", q.transactions)
	}
}

// A counterparty whose rows are of several categories says only who it is.
func TestANameWithSeveralCategoriesDecidesNone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("known", 2, "-480.00", blantvik),
		bills("variant", 2, "-350.00", "QUORVANE TRADING LLC")...)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "Meals", nil).want(200)
	o.must(o.rows().SetCategory(t.Context(), o.clock.Now(), uuid.MustParse(ids["known-0"]),
		store.CategoryChoice{CategoryID: categoryID("expense.supplies"), Source: "user", Confidence: 10_000}))
	o.wantRows("quorvane", 2, "cogs.purchases", "suggested", true) // a guess, which the answer leaves as it is
	o.answerIssue(o.questionAbout("Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	o.wantRows("quorvane", 2, "cogs.purchases", "suggested", false)
	if names := o.counterparties().names(); len(names) != 1 {
		t.Errorf("counterparties %v, want one", names)
	}
}

// A name that nobody of the business has, or that two have, is no name.
func TestOtherNamesAreWords(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 2, "-480.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "Blantvik Trading LLC", nil).want(200).wantAt("unclear", "status") // itself
	o.get(o.path + "/counterparties/" + q.objectID).want(200)
	other, elsewhere := openPaid(t)
	other.upload(elsewhere, bills("first", 2, "-480.00", "QUORVANE HOLDINGS 4471")...)
	other.process(0)
	// of another business
	other.answerIssue(other.questionAbout("Quorvane").id, "Blantvik Trading LLC", nil).want(200).wantAt("unclear",
		"status")
	other.wantRows("quorvane", 2, "*", "*", true)
}

// What is said of the rest of a question whose lines are all named is about nothing: whoever wrote it meant other
// lines.
func TestTheRestOfLinesThatAreAllNamedIsRefused(t *testing.T) {
	t.Parallel()
	for n, refused := range map[int][]string{
		1: {"1: not sure; rest: expense.meals", "1: not sure; expense.meals",
			"1: personal.living; all others: expense.meals", "Blantvik: personal.living; rest: not sure"},
		3: {"1-3: not sure; rest: expense.meals", "1: personal.living; 2, 3: not sure; rest: expense.meals"},
	} {
		o, account := openPaid(t)
		o.upload(account, bills("b", n, "-480.00", blantvik)...)
		o.process(0)
		q := o.questionAbout("Blantvik")
		for _, words := range refused {
			got := o.answerIssue(q.id, words, nil).want(422)
			got.wantAt("/answer", "issues", 0, "path")
			if text := got.text("issues", 0, "message"); !strings.Contains(text, "leave the rest out") {
				t.Errorf("%q: %q", words, text)
			}
		}
		if again := o.questionAbout("Blantvik"); again.id != q.id || again.transactions != q.transactions {
			t.Errorf("%d lines: asked as %v, was %v", n, again, q)
		}
		o.answerIssue(q.id, fmt.Sprintf("1-%d: personal.living", n), nil).want(200)
		o.wantRows("blantvik", n, "personal.living", "user", false)
	}
}

// Who sends an answer again gets what the first sending got, though the lines that it names went with that.
func TestTheSameWordsAgainChangeNothing(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("b", 3, "-480.00", blantvik)...)
	o.upload(account, bills("q", 2, "-310.00", "QUORVANE HOLDINGS 4471")...)
	o.process(0)
	lines, name := o.questionAbout("Blantvik"), o.questionAbout("Quorvane")
	for range 2 {
		o.answerIssue(lines.id, "1: not sure; 2-3: expense.meals", nil).want(200).wantAt("partly", "status")
	}
	if left := o.questionAbout("Blantvik"); left.transactions != "1" {
		t.Errorf("%s rows are open, want the one that nobody knows", left.transactions)
	}
	for range 2 {
		o.answerIssue(name.id, "Blantvik Trading LLC", nil).want(200).wantAt("accepted", "status")
	}
	answered := o.get(o.path + "/outstanding-issues?status=answered").want(200)
	for i := range answered.size("issues") {
		if n := answered.size("issues", i, "answers"); n != 1 {
			t.Errorf("question %d has %d answers, want one", i, n)
		}
		answered.wantAt(nil, "issues", i, "followUp")
	}
}

// What is wrong with a request is told before whether what it is about is there.
func TestABlankAnswerToNothingIsBlank(t *testing.T) {
	t.Parallel()
	o, _ := openPaid(t)
	o.answerIssue(uuid.NewString(), "  ", nil).want(422).wantAt("/answer", "issues", 0, "path")
	o.answerIssue(uuid.NewString(), "rent", nil).want(404)
}

// The words that the document gives as examples are understood.
func TestTheWordsOfTheDocumentAreUnderstood(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../openapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o, account := openPaid(t)
	ids := o.upload(account, bills("zelle", 3, "-900.00", "ZELLE PAYMENT TO ANN LEE 17712345678")...)
	o.process(0)
	for words, want := range map[string]string{
		"gas for the van":   "expense.car_truck.fuel",
		"paid myself":       "equity.owner_draw",
		"she's my landlord": "expense.rent.property",
	} {
		if !bytes.Contains(document, []byte(strconv.Quote(words))) {
			t.Errorf("the document does not say %q", words)
		}
		row := ids["zelle-0"]
		o.answerIssue(o.hookOf(row), words, nil).want(200).wantAt("accepted", "status")
		o.wantParts(row, "user", want)
	}
}

// Words mean the same at a row's hook, at that of whom it is with, and at the question about both.
func TestWordsMeanTheSameAtEachHook(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(numbered("in", 3, "1200.40", "ACH HARLAN LUMBER CO 88%d"),
		numbered("out", 3, "-310.20", "ACH HARLAN LUMBER CO 77%d")...)...)
	o.process(0)
	party := o.get(o.path+"/transactions/"+ids["in-0"]).want(200).text("transaction", "counterparty", "id")
	for _, of := range []struct{ row, direction, words, want string }{
		{"in-0", "in", "sold lumber to them", "revenue.sales.products"},
		{"in-0", "in", "the deck job", "revenue.sales.services"},
		{"out-0", "out", "lumber for the deck job", "expense.supplies.materials"},
	} {
		asked := o.get(o.path+"/transactions/"+ids[of.row]).want(200).text("transaction", "issueIds", 0)
		for _, hook := range []string{"t:" + ids[of.row], "c:" + party + ":" + of.direction, asked} {
			o.answerIssue(hook, of.words, nil).want(200).wantAt("accepted", "status")
			o.wantParts(ids[of.row], "user", of.want)
			o.answerIssue(hook, "undo", nil).want(200)
			o.process(0)
		}
	}
}
