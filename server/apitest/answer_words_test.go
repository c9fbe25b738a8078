package apitest

import (
	"slices"
	"strings"
	"testing"
	"time"

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

func TestWordsThatNameNothingAreRememberedForTheNextRows(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 2, "-480.00", blantvik)...)
	o.process(0)
	const words = "For the zebra mural in the yard"
	o.answerIssue(o.questionAbout("Blantvik").id, words, nil).want(200)
	rows := bills("later", 3, "-490.00", blantvik)
	o.upload(account, rows...)
	o.process(0)
	o.wantNoQuestions()
	o.wantContext("zebra yard", 5, words)
	o.wantRows("blantvik", 5, "cogs.purchases", "rule", false) // the guess of those before
	got := o.search("query", "blantvik").want(200)
	first, later := slices.Index(got.found(), "first-0"), slices.Index(got.found(), "later-0")
	got.wantAt(got.get("transactions", first, "category", "confidence"), "transactions", later, "category", "confidence")
	if reason := got.text("transactions", later, "category", "reason"); !strings.Contains(reason, "did not say which category") {
		t.Errorf("the reason is %q", reason)
	}
	// Rows that are decided again are not told twice, and money in is another matter.
	for i := range rows {
		rows[i]["description"] = blantvik + " 4471"
	}
	o.upload(account, append(rows, transaction("in", "75.00", "2026-03-20", blantvik))...)
	o.process(0)
	o.wantContext("zebra yard", 5, words)
	if q := o.questionAbout("Blantvik"); q.transactions != "1" {
		t.Errorf("the money in is asked about with %s rows", q.transactions)
	}
}

func TestARelationshipThatSaysWhatTheMoneyIsDecidesIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, relationship, category, later string }{
		{"My landlord", "landlord", "expense.rent.property", "memory"},
		{"Freelancer", "contractor", "expense.contract_labor", "memory"},
		{"vendor", "supplier", "cogs.purchases", "rule"}, // of many things: the guess stays one
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
		if c.later == "rule" {
			got.wantAt(c.words, "transactions", later, "context")
		}
		o.wantRows("blantvik", 3, c.category, "*", false)
		got.wantAt(c.later, "transactions", later, "category", "source")
	}
}

func TestASynonymMeansWhatTheDirectionOfTheMoneySays(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, append(bills("out", 2, "-480.00", blantvik), bills("in", 2, "480.00", "QUORVANE TRADING LLC")...)...)
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
	o.upload(account, append(bills("rent", 3, "-2000.00", "ACH DEBIT GROVE PLAZA LP RENT"), transaction("check", "-2100.00", "2026-04-09", "CHECK 1044"))...)
	o.process(0)
	o.wantRows("grove", 3, "expense.rent.property", "rule", false)
	o.answerIssue(o.questionAbout("payment").id, "grove plaza LP", nil).want(200)
	o.wantRows("check", 1, "expense.rent.property", "user", false)
	list := o.counterparties("query", "grove").want(200)
	list.wantAt(4, "counterparties", 0, "stats", 0, "transactionCount")
	o.upload(account, transaction("other", "-2100.00", "2026-05-09", "CHECK 1045"))
	o.process(0)
	if q := o.questionAbout("payment"); q.transactions != "1" {
		t.Errorf("the next check is asked about with %s rows", q.transactions)
	}
}

// A counterparty whose rows are of several categories says only who it is.
func TestANameWithSeveralCategoriesDecidesNone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(bills("known", 2, "-480.00", blantvik), bills("variant", 2, "-350.00", "QUORVANE TRADING LLC")...)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "Meals", nil).want(200)
	o.must(o.rows().SetCategory(t.Context(), o.clock.Now(), uuid.MustParse(ids["known-0"]), store.CategoryChoice{CategoryID: categoryID("expense.supplies"), Source: "user", Confidence: 10_000}))
	o.wantRows("quorvane", 2, "cogs.purchases", "rule", true) // a guess, which the answer leaves as it is
	o.answerIssue(o.questionAbout("Quorvane").id, "Blantvik Trading LLC", nil).want(200)
	o.wantRows("quorvane", 2, "cogs.purchases", "rule", false)
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
	o.answerIssue(q.id, "Blantvik Trading LLC", nil).want(200) // itself
	o.get(o.path + "/counterparties/" + q.objectID).want(200)
	o.wantContext("blantvik", 2, "Blantvik Trading LLC")
	other, elsewhere := openPaid(t)
	other.upload(elsewhere, bills("first", 2, "-480.00", "QUORVANE HOLDINGS 4471")...)
	other.process(0)
	other.answerIssue(other.questionAbout("Quorvane").id, "Blantvik Trading LLC", nil).want(200) // of another business
	other.wantContext("quorvane", 2, "Blantvik Trading LLC")
	other.wantRows("quorvane", 2, "*", "*", false)
}

// A guess that nobody confirmed gives way to an answer that decides, whichever rows it was about.
func TestAnAnswerThatDecidesWinsOverWordsBefore(t *testing.T) {
	t.Parallel()
	o := start(t).openTier("paid")
	account := o.uploadAccount("a")
	o.upload(account, bills("first", 2, "-480.00", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "For the zebra mural", nil).want(200)
	o.remembers(false, -480_00, "expense.meals")
	o.upload(account, bills("later", 1, "-490.00", blantvik)...)
	o.process(0)
	o.wantNoQuestions()
	o.wantRows("meals", 1, "expense.meals", "memory", false)
	o.wantContext("meals", 1, nil)

	// Between two amounts that were answered differently nothing is decided: that is asked, whatever was said before them.
	o.remembers(false, -9000_00, "expense.utilities")
	o.upload(account, bills("between", 1, "-1500.00", blantvik)...)
	o.process(0)
	if q := o.questionAbout("Blantvik"); q.transactions != "1" {
		t.Errorf("asked about %s rows", q.transactions)
	}
}

// remembers makes the business remember an answer about its one counterparty.
func (o *office) remembers(incoming bool, cents int, categoryPath string) {
	o.t.Helper()
	o.clock.Add(time.Second)
	o.exec(`
		INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, category_id, created_at)
		SELECT $1, gen_random_uuid(), key, $2, $3, $4, $5
		FROM counterparties
		WHERE organization_id = $1`,
		o.organization, incoming, cents, categoryID(categoryPath), o.clock.Now())
}
