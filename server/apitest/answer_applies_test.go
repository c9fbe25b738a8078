package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// openQuestion is an open question as a client sees it.
type openQuestion struct {
	id, text, objectType, objectID string
	options                        []string
	transactions                   string
	amount                         string
}

// questions are all open questions of the office by their text.
func (o *office) questions() map[string]openQuestion {
	o.t.Helper()
	all := map[string]openQuestion{}
	cursor := ""
	for {
		params := []string{"limit", "50"}
		if cursor != "" {
			params = append(params, "cursor", cursor)
		}
		page := o.get(o.path + "/outstanding-issues" + query(params...)).want(200)
		for i := range page.size("issues") {
			q := openQuestion{
				id: page.text("issues", i, "id"), text: page.text("issues", i, "question"),
				objectType: page.text("issues", i, "objectType"), objectID: page.text("issues", i, "objectId"),
				transactions: page.text("issues", i, "impact", "transactionCount"),
				amount:       page.text("issues", i, "impact", "amount"),
			}
			for j := range page.size("issues", i, "options") {
				q.options = append(q.options, page.text("issues", i, "options", j, "value"))
			}
			all[q.text] = q
		}
		if page.get("nextCursor") == nil {
			return all
		}
		cursor = page.text("nextCursor")
	}
}

// questionAbout finds the open question whose text names something.
func (o *office) questionAbout(name string) openQuestion {
	o.t.Helper()
	var found []openQuestion
	for text, q := range o.questions() {
		if strings.Contains(text, name) {
			found = append(found, q)
		}
	}
	if len(found) != 1 {
		o.t.Fatalf("%d questions about %q among %v", len(found), name, o.questions())
	}
	return found[0]
}

// wantRows compares categoryPath, source and needsAttention of all rows that match words with one outcome. The source
// of what is only suggested is "suggested".
func (o *office) wantRows(words string, n int, categoryPath, source string, attention bool) {
	o.t.Helper()
	got := o.search("query", words, "limit", "50").want(200)
	if got.size("transactions") != n {
		o.t.Errorf("%d rows with %q, want %d", got.size("transactions"), words, n)
	}
	for i := range got.size("transactions") {
		path, from := "", ""
		if got.get("transactions", i, "category") != nil {
			path, from = got.text("transactions", i, "category", "categoryPath"),
				got.text("transactions", i, "category", "source")
		} else if got.get("transactions", i, "suggestion") != nil {
			path, from = got.text("transactions", i, "suggestion", "categoryPath"), "suggested"
		}
		if needs := got.get("transactions", i, "needsAttention"); path != categoryPath && categoryPath != "*" ||
			from != source && source != "*" || needs != attention {
			o.t.Errorf("%s is %s (%s), attention %v; want %s (%s), %v", got.text("transactions", i, "externalId"), path,
				from, needs, categoryPath, source, attention)
		}
	}
}

// bills are outgoing payments to one counterparty.
func bills(prefix string, n int, amount, description string) []M {
	rows := make([]M, n)
	for i := range rows {
		rows[i] = transaction(fmt.Sprintf("%s-%d", prefix, i), amount, fmt.Sprintf("2026-03-%02d", 1+i%28), description)
	}
	return rows
}

// openPaid is a business whose rows are all processed, and its account.
func openPaid(t *testing.T) (o *office, account string) {
	o = shared(t).openTier("paid")
	return o, o.uploadAccount("a")
}

const blantvik = "BLANTVIK TRADING LLC"

func TestAnOptionAppliesToItsGroupAndToTheNextUploads(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 6, "-480.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	if q.transactions != "6" || q.amount != "2880.00" {
		t.Errorf("the question is about %s rows of %s", q.transactions, q.amount)
	}
	if len(q.options) < 2 || len(q.options) > 4 {
		t.Errorf("options %v", q.options)
	}
	if q.objectType != "counterparty" {
		t.Errorf("the question is about a %s", q.objectType)
	}
	o.wantRows("blantvik", 6, "*", "*", true)
	o.get(o.path+"/profile").want(200).wantAt(6, "coverage", "transactions", "needsAttention")

	// More rows of the group join the open question.
	o.upload(account, bills("joined", 2, "-500.00", blantvik)...)
	o.process(0)
	if joined := o.questionAbout("Blantvik"); joined.id != q.id || joined.transactions != "8" ||
		joined.amount != "3880.00" {
		t.Errorf("after two more rows the question is %+v", joined)
	}

	chosen := q.options[len(q.options)-1]
	o.answerIssue(q.id, "That one", chosen).want(200)
	o.wantRows("blantvik", 8, chosen, "user", false)
	if left := o.questions(); len(left) != 0 {
		t.Errorf("still asked: %v", left)
	}
	o.answerIssue(q.id, "That one", chosen).want(200)
	o.get(o.path+"/profile").want(200).wantAt(0, "coverage", "transactions", "needsAttention")

	o.upload(account, bills("later", 4, "-510.00", blantvik)...)
	o.process(0)
	o.wantRows("blantvik", 12, chosen, "*", false)
	for i, row := range []string{"later-0", "later-3"} {
		source := o.scalar(`SELECT category_source FROM transactions WHERE organization_id = $1 AND external_id = $2`,
			o.organization, row)
		if source != "memory" {
			t.Errorf("row %d was decided by %q, want memory", i, source)
		}
	}
	if left := o.questions(); len(left) != 0 {
		t.Errorf("asked again: %v", left)
	}
}

func TestAnAnswerAboutLinesThatNameNobodySpeaksForThemAlone(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 1, "-700.00", "CHECK 1044")...)
	o.process(0)
	q := o.questionAbout("payment")
	o.answerIssue(q.id, "Fish", "expense.fish").want(422) // none of the options
	o.answerIssue(q.id, q.options[0], q.options[0]).want(200)
	o.wantRows("check", 1, q.options[0], "user", false)
	o.upload(account, bills("later", 1, "-900.00", "CHECK 1058")...)
	o.process(0)
	if again := o.questionAbout("payment"); again.id == q.id || again.transactions != "1" {
		t.Errorf("the next check is asked about as %+v", again)
	}
}

func TestFreeTextThatNamesACategoryIsUnderstood(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Meals", " meals ", "expense.meals"} {
		o, account := openPaid(t)
		o.upload(account, bills("first", 3, "-480.00", blantvik)...)
		o.process(0)
		o.answerIssue(o.questionAbout("Blantvik").id, text, nil).want(200)
		o.wantRows("blantvik", 3, "expense.meals", "user", false)
		o.upload(account, bills("later", 1, "-470.00", blantvik)...)
		o.process(0)
		o.wantRows("blantvik", 4, "expense.meals", "*", false)
	}
}

func TestFreeTextThatNamesARelationshipIsUnderstood(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 3, "-480.00", blantvik)...)
	o.process(0)
	q := o.questionAbout("Blantvik")
	o.answerIssue(q.id, "Contractor", nil).want(200)
	o.get(o.path+"/counterparties/"+q.objectID).want(200).wantAt("contractor", "counterparty", "relationship")
	o.wantRows("blantvik", 3, "*", "*", false)
	if left := o.questions(); len(left) != 0 {
		t.Errorf("still asked: %v", left)
	}
}

func TestConflictingAnswersNarrowTheMemoryToSimilarAmounts(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	answer := func(prefix, amount, text string) {
		t.Helper()
		o.upload(account, bills(prefix, 1, amount, blantvik)...)
		o.process(0)
		o.answerIssue(o.questionAbout("Blantvik").id, text, nil).want(200)
	}
	answer("small", "-100.00", "Meals")
	// Nothing asks about the counterparty now; a person says otherwise about another question of it.
	other := question("counterparty", o.scalar(`SELECT id FROM counterparties WHERE organization_id = $1`,
		o.organization), o.clock.Now())
	o.upload(account, bills("large", 1, "-9000.00", blantvik)...)
	id := o.openIssue(other)
	o.exec(`UPDATE outstanding_issues SET group_key = (SELECT counterparty_key FROM business_answers WHERE organization_id = $1), incoming = false WHERE organization_id = $1 AND id = $2`, o.organization, id)
	o.exec(`INSERT INTO issue_transactions (organization_id, transaction_id, issue_id) SELECT $1, id, $2 FROM transactions WHERE organization_id = $1 AND external_id = 'large-0'`, o.organization, id)
	o.answerIssue(id, "Utilities", nil).want(200)

	o.upload(account, append(bills("near-small", 1, "-105.00", blantvik),
		bills("near-large", 1, "-8800.00", blantvik)...)...)
	o.upload(account, bills("between", 1, "-1500.00", blantvik)...)
	o.process(0)
	for row, want := range map[string]string{"near-small-0": "expense.meals", "near-large-0": "expense.utilities"} {
		got := o.search("query", "blantvik").want(200)
		at := slices.Index(got.found(), row)
		got.wantAt(want, "transactions", at, "category", "categoryPath")
		got.wantAt("memory", "transactions", at, "category", "source")
	}
	if q := o.questionAbout("Blantvik"); q.transactions != "1" {
		t.Errorf("the row between both is asked about with %s rows", q.transactions)
	} else if len(q.options) < 2 || !slices.Contains(q.options, "expense.meals") ||
		!slices.Contains(q.options, "expense.utilities") {
		t.Errorf("options %v lack the earlier answers", q.options)
	}
}

func TestAnUploadNeverOverwritesAnAnswer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := bills("first", 3, "-480.00", blantvik)
	o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "Meals", nil).want(200)
	for i := range rows {
		rows[i] = transaction(rows[i]["external_id"].(string), "-481.00", "2026-03-09",
			"GUSTO DES:NET ID:6SEMJR00KPQ INDN:JUNIPER BIKES")
	}
	o.upload(account, rows...)
	o.process(0)
	o.wantRows("gusto", 3, "expense.meals", "user", true) // what it is now is asked instead
}

func TestARewordedRowIsCountedOnceInItsQuestion(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 3, "-480.00", blantvik)...)
	o.process(0)
	o.upload(account, bills("first", 3, "-480.00", blantvik+" 4471")...)
	o.process(0)
	if q := o.questionAbout("Blantvik"); q.transactions != "3" || q.amount != "1440.00" {
		t.Errorf("the question is about %s rows of %s, want 3 of 1440.00", q.transactions, q.amount)
	}
}
