package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/server"
)

// correctable is a business with five rows and two questions, and the ids of its hooks by a name that another such
// business has too.
type correctable struct {
	*office
	account string
	hooks   map[string]string
	names   map[string]string // of the hooks, by their ids
}

func correctableOf(t *testing.T) correctable {
	t.Helper()
	c := correctable{hooks: map[string]string{}, names: map[string]string{}}
	c.office, c.account = openPaid(t)
	ids := c.upload(c.account, append(bills("b", 3, "-480.00", blantvik), bills("q", 2, "-350.00", quorvane)...)...)
	c.process(0)
	for name, about := range map[string]string{"b": "Blantvik", "q": "Quorvane"} {
		q := c.questionAbout(about)
		c.hooks["question "+name], c.hooks["all of "+name] = q.id, "c:"+q.objectID+":out"
		c.hooks["row "+name] = "t:" + ids[name+"-0"]
	}
	for name, id := range c.hooks {
		c.names[id] = name
	}
	return c
}

func (c correctable) later() {
	c.t.Helper()
	c.upload(c.account, append(bills("later-b", 2, "-481.00", blantvik),
		bills("later-q", 1, "-351.00", quorvane)...)...)
	c.process(0)
}

// books are what the business reads: its rows by their external ids, its questions by their texts, and its profit.
func (c correctable) books() map[string]string {
	c.t.Helper()
	c.process(0)
	books := map[string]string{}
	rows := c.search("limit", "50").want(200)
	for i := range rows.size("transactions") {
		path := "-"
		if rows.get("transactions", i, "category") != nil {
			path = rows.text("transactions", i, "category", "categoryPath")
		}
		if rows.size("transactions", i, "parts") > 0 {
			path = fmt.Sprint(partsIn(rows, "transactions", i))
		}
		books[rows.text("transactions", i, "externalId")] = fmt.Sprint(path, " ",
			rows.get("transactions", i, "context"), " ",
			rows.get("transactions", i, "needsAttention"), " ", rows.get("transactions", i, "processingStatus"))
	}
	for text, q := range c.questions() {
		books[text] = q.transactions + " " + q.amount
	}
	books["net profit"] = c.get(c.path+"/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200).text("totals",
		"netProfit")
	return books
}

type said struct{ hook, words string }

// effective are the places of the answers that hold in the end: the last different one to each hook, where it was not
// taken back.
func effective(answers []said) []int {
	live := map[string]int{}
	for i, a := range answers {
		at, ok := live[a.hook]
		switch {
		case a.words == "zebra", ok && answers[at].words == a.words:
		case a.words == "undo", a.words == "skip":
			delete(live, a.hook)
		default:
			live[a.hook] = i
		}
	}
	return slices.Sorted(maps.Values(live))
}

// Whatever was answered, replaced and taken back, before and after rows came, the books are those of a business that
// was given the last answers alone.
func TestTheLastAnswersAloneMakeTheBooks(t *testing.T) {
	t.Parallel()
	hooks := []string{"question b", "question q", "all of b", "all of q", "row b", "row q"}
	words := []string{"Meals", "Rent", "Supplies", "half personal half business", "undo", "undo", "skip", "zebra",
		"60% phone, rest personal", "33.33% meals; 10.01 supplies; rest my draw", "interest 100.10 a year"}
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 1))
		var all []said
		for range 2 + random.IntN(7) {
			all = append(all, said{hooks[random.IntN(len(hooks))], words[random.IntN(len(words))]})
		}
		upload := random.IntN(len(all) + 1)
		play := func(answers []said, before int) map[string]string {
			c := correctableOf(t)
			for i, a := range answers {
				if i == before {
					c.later()
				}
				want := "accepted"
				if a.words == "zebra" {
					want = "unclear"
				}
				c.answerIssue(c.hooks[a.hook], a.words, nil).want(200).wantAt(want, "status")
				if random.IntN(2) == 0 {
					c.process(0)
				}
			}
			if before >= len(answers) {
				c.later()
			}
			return c.books()
		}
		var last []said
		before := 0
		for _, i := range effective(all) {
			last = append(last, all[i])
			if i < upload {
				before++
			}
		}
		if diff := cmp.Diff(play(last, before), play(all, upload)); diff != "" {
			t.Errorf("%d: %v, rows at %d, against %v, rows at %d: %s", seed, all, upload, last, before, diff)
		}
	}
}

func TestTheOrderOfUnrelatedAnswersIsIrrelevant(t *testing.T) {
	t.Parallel()
	answers := []said{{"question b", "Rent"}, {"all of q", "Meals"}, {"row q", "Supplies"}}
	var books []map[string]string
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		c := correctableOf(t)
		for _, i := range order {
			c.answerIssue(c.hooks[answers[i].hook], answers[i].words, nil).want(200)
		}
		c.later()
		books = append(books, c.books())
	}
	for _, other := range books[1:] {
		if diff := cmp.Diff(books[0], other); diff != "" {
			t.Error(diff)
		}
	}
}

// log is what was answered, as the details tell it, oldest first.
func (c correctable) log() []said {
	c.t.Helper()
	type at struct {
		said
		when string
	}
	var all []at
	add := func(got answer, path ...any) {
		for i := range got.size(path...) {
			entry := func(member string) string { return got.text(append(slices.Clone(path), i, member)...) }
			a := at{said{c.names[entry("hookId")], entry("answer")}, entry("at")}
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	for _, id := range c.hooks {
		switch kind, rest, _ := strings.Cut(id, ":"); kind {
		case "t":
			add(c.get(c.path+"/transactions/"+rest).want(200), "transaction", "answers")
		case "c":
			of, _, _ := strings.Cut(rest, ":")
			add(c.get(c.path+"/counterparties/"+of).want(200), "counterparty", "hooks", 1, "answers")
		}
	}
	slices.SortFunc(all, func(a, b at) int { return strings.Compare(a.when, b.when) })
	var log []said
	for _, a := range all {
		log = append(log, a.said)
	}
	return log
}

func TestReplayingTheHistoryGivesTheSameBooks(t *testing.T) {
	t.Parallel()
	given := []said{{"question b", "Meals"}, {"row b", "Rent"}, {"all of q", "gas"}, {"all of q", "Supplies"},
		{"question b", "undo"}, {"all of b", "not sure"}, {"row q", "60% fuel, rest personal"}, {"question b", "Rent"},
		{"all of q", "33.33% meals; 10.01 supplies; rest my draw"}, {"question b", "interest 100.10 a year"}}
	c := correctableOf(t)
	for _, g := range given {
		c.answerIssue(c.hooks[g.hook], g.words, nil).want(200)
		c.exec(`UPDATE answers SET answered_at = (answered_at AT TIME ZONE 'UTC' - interval '1 second') AT TIME ZONE 'UTC' WHERE organization_id = $1`, c.organization)
	}
	c.later()
	log := c.log()
	if diff := cmp.Diff(given, log, cmp.AllowUnexported(said{})); diff != "" {
		t.Fatalf("the history is %s", diff)
	}
	again := correctableOf(t)
	for _, g := range log {
		again.answerIssue(again.hooks[g.hook], g.words, nil).want(200)
	}
	again.later()
	if diff := cmp.Diff(c.books(), again.books()); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerThatIsNotUnderstoodChangesNothingAndIsAskedAfter(t *testing.T) {
	t.Parallel()
	c := correctableOf(t)
	before := c.books()
	q := c.hooks["question b"]
	for range 2 { // the second time adds nothing
		c.answerIssue(q, "gas", nil).want(200).wantAt("unclear", "status")
	}
	if diff := cmp.Diff(before, c.books()); diff != "" {
		t.Errorf("it changed %s", diff)
	}
	issue := c.issue(q, "open")
	issue.wantAt(`You wrote "gas". Which of these is it?`, "followUp", "question")
	issue.wantAt("expense.car_truck.fuel", "followUp", "options", 0, "value")
	issue.wantAt("unclear", "answers", 0, "status")
	short := c.get(c.path + "/outstanding-issues?detail=summary").want(200)
	for i := range short.size("summary", "rows") {
		row := short.get("summary", "rows", i).(M)
		if asked := row["followUp"] == true; asked != (row["id"] == q) {
			t.Errorf("something narrower is asked after %v: %v", row["question"], asked)
		}
	}
	if n := len(issue.got["answers"].([]any)); n != 1 {
		t.Errorf("%d answers are kept", n)
	}
	c.answerIssue(q, "that one", "expense.utilities.power_water").want(200).wantAt("accepted", "status")
	c.wantRows("blantvik", 3, "expense.utilities.power_water", "user", false)
	c.issue(q, "answered").wantAt(nil, "followUp")
	c.answerIssue(q, "  \n", nil).want(422)
}

// issueOf is one question of a list.
type issueOf struct {
	t   testing.TB
	got map[string]any
}

func (i issueOf) wantAt(want any, path ...any) {
	i.t.Helper()
	var at any = i.got
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := at.(map[string]any)
			at = m[p]
		case int:
			at = at.([]any)[p]
		}
	}
	if at != want {
		i.t.Errorf("%v is %v, want %v", path, at, want)
	}
}

// issue finds a question among those in a state.
func (o *office) issue(id, status string) issueOf {
	o.t.Helper()
	got := o.get(o.path + "/outstanding-issues?limit=50&status=" + status).want(200)
	for i := range got.size("issues") {
		if got.text("issues", i, "id") == id {
			return issueOf{o.t, got.get("issues", i).(map[string]any)}
		}
	}
	o.t.Fatalf("%s is not among the %s questions: %s", id, status, got.body)
	return issueOf{}
}

func TestFiledRowsNeverMoveAndAreReportedAsAdjustments(t *testing.T) {
	t.Parallel()
	c := correctableOf(t)
	filed := uuid.MustParse(strings.TrimPrefix(c.hooks["row b"], "t:"))
	c.answerIssue(c.hooks["question b"], "Meals", nil).want(200)
	c.must(c.rows().SetFilingState(t.Context(), c.clock.Now(), filed, "filed"))
	row := func() any {
		return c.get(c.path+"/transactions/"+filed.String()).want(200).get("transaction", "category")
	}
	was := row()
	report := func() answer {
		return c.get(c.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200)
	}
	for _, words := range []string{"Owner draw", "Rent", "Rent"} {
		c.answerIssue(c.hooks["question b"], words, nil).want(200).wantAt("partly", "status")
		if diff := cmp.Diff(was, row()); diff != "" {
			t.Errorf("%s moved a filed row: %s", words, diff)
		}
	}
	c.wantRows("blantvik rent", 2, "expense.rent.property", "user", false)
	got := report()
	got.wantAt(1, "adjustmentCount")
	got.wantAt(filed.String(), "adjustments", 0, "transactionId")
	got.wantAt("expense.meals", "adjustments", 0, "filed")
	got.wantAt("expense.rent.property", "adjustments", 0, "nowBelieved")
	got.wantAt(json.Number("0.00"), "adjustments", 0, "netProfitEffect")
	c.answerIssue(c.hooks["row b"], "my draw", nil).want(200).wantAt("partly", "status")
	report().wantAt(json.Number("480.00"), "adjustments", 0, "netProfitEffect")
	for _, hook := range []string{"row b", "question b"} {
		c.answerIssue(c.hooks[hook], "undo", nil).want(200)
	}
	c.process(0)
	if diff := cmp.Diff(was, row()); diff != "" {
		t.Errorf("undo moved a filed row: %s", diff)
	}
	if got := report(); got.size("adjustments") != 0 || got.text("adjustmentCount") != "0" {
		t.Errorf("adjustments are left: %s", got.body)
	}
}

func TestTheHistoryNamesWhoSaidWhatAndWhatFollowed(t *testing.T) {
	t.Parallel()
	c := correctableOf(t)
	hook := c.hooks["all of b"]
	c.answerIssue(hook, "Meals", nil).want(200)
	c.asAgent().answerIssue(hook, "my draw", nil).want(200)
	for _, got := range []issueOf{
		{t, c.get(c.path + "/transactions/" + strings.TrimPrefix(c.hooks["row b"],
			"t:")).want(200).get("transaction").(map[string]any)},
		{t, c.get(c.path+"/counterparties/"+hook[2:38]).want(200).get("counterparty", "hooks", 1).(map[string]any)},
		c.issue(c.hooks["question b"], "answered"),
	} {
		for i, want := range []M{
			{"status": "accepted", "answer": "Meals", "via": "person", "hookId": hook},
			{"status": "accepted", "answer": "my draw", "via": "agent", "hookId": hook, "replacedAt": nil},
		} {
			for member, value := range want {
				got.wantAt(value, "answers", i, member)
			}
			if rows, effect := fmt.Sprint(got.got["answers"].([]any)[i].(map[string]any)["rows"]),
				fmt.Sprint(got.got["answers"].([]any)[i].(map[string]any)["netProfitEffect"]); rows != "3" || i == 1 &&
				effect != "1440.00" {
				t.Errorf("%d: %s rows, effect %s", i, rows, effect)
			}
		}
	}
}

// asAgent is the same person with an OAuth token.
func (o *office) asAgent() *office {
	o.t.Helper()
	agent := *o
	agent.caller = o.withOAuth(o.oauth(o.person, server.Scopes...))
	return &agent
}

func TestTwoDifferentAnswersAtOnceEndInOneOfThem(t *testing.T) {
	t.Parallel()
	c := correctableOf(t)
	words := []string{"Meals", "Rent", "Supplies", "Travel"}
	var calls []func() answer
	for _, w := range words {
		calls = append(calls, func() answer { return c.answerIssue(c.hooks["all of b"], w, nil) })
	}
	for _, got := range together(calls...) {
		got.want(200).wantAt("accepted", "status")
	}
	rows := c.search("query", "blantvik").want(200)
	paths := map[string]bool{}
	for i := range rows.size("transactions") {
		paths[rows.text("transactions", i, "category", "categoryPath")] = true
	}
	if len(paths) != 1 {
		t.Errorf("the rows are %v", paths)
	}
	history := c.issue(c.hooks["question b"], "answered").got["answers"].([]any)
	if len(history) != len(words) {
		t.Errorf("the history has %d answers", len(history))
	}
}

func TestSkippedQuestionsComeLastUntilTheirRowsChange(t *testing.T) {
	t.Parallel()
	c := correctableOf(t)
	first := c.get(c.path+"/outstanding-issues").want(200).text("issues", 0, "id")
	c.answerIssue(first, "not sure", nil).want(200).wantAt("accepted", "status")
	page := c.get(c.path + "/outstanding-issues?limit=1").want(200)
	if page.text("issues", 0, "id") == first {
		t.Error("the skipped question comes first")
	}
	page.wantAt(2, "totalOpen")
	next := c.get(c.path + "/outstanding-issues" + query("limit", "1", "cursor", page.text("nextCursor"))).want(200)
	next.wantAt(first, "issues", 0, "id")
	next.wantAt(nil, "nextCursor")
	c.later()
	c.get(c.path+"/outstanding-issues").want(200).wantAt(first, "issues", 0, "id")
	c.answerIssue(first, "not sure", nil).want(200).wantAt("accepted", "status")
	if c.get(c.path+"/outstanding-issues").want(200).text("issues", 0, "id") == first {
		t.Error("the question comes first that was skipped again")
	}
}

func TestStandingHooksTakeAnyCategoryAndNoOtherBusinesses(t *testing.T) {
	t.Parallel()
	c, other := correctableOf(t), correctableOf(t)
	c.answerIssue(c.hooks["row q"], "x", "expense.legal_professional.legal").want(200).wantAt("accepted", "status")
	c.wantRows("legal", 1, "expense.legal_professional.legal", "user", false)
	c.answerIssue(c.hooks["row q"], "x", "expense").want(422)
	c.answerIssue(c.hooks["question b"], "x", "expense.legal_professional.legal").want(422)
	unknown := c.answerIssue("t:"+uuid.NewString(), "Meals", nil).want(404)
	for name, hook := range other.hooks {
		if got := c.answerIssue(hook, "Meals", nil).want(404); string(got.body) != string(unknown.body) {
			t.Errorf("%s of another business: %s", name, got.body)
		}
	}
	for _, none := range []string{"t:x", "c:" + uuid.NewString(), "c:" + uuid.NewString() + ":up",
		"x:" + uuid.NewString()} {
		c.answerIssue(none, "Meals", nil).want(404)
	}
	deleted := strings.TrimPrefix(c.hooks["row b"], "t:")
	c.send("DELETE", c.path+"/transactions/"+deleted, "", nil).want(200)
	c.answerIssue("t:"+deleted, "Meals", nil).want(404)
}

// What a person says of all that a counterparty is paid outranks what the line says, and what was answered before.
func TestAnAnswerAboutACounterpartyDecidesItsNextRows(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"SBA LOAN PAYMENT 4471", "GUSTO PAYROLL 88213", "BLANTVIK TRADING LLC"} {
		o, account := openPaid(t)
		ids := o.upload(account, bills("first", 2, "-700.00", line)...)
		o.process(0)
		row := o.get(o.path + "/transactions/" + ids["first-0"]).want(200)
		o.answerIssue(row.text("transaction", "issueIds", 0), "Rent", nil).want(200)
		o.process(0)
		party := o.get(o.path+"/transactions/"+ids["first-0"]).want(200).text("transaction", "counterparty", "id")
		o.answerIssue("c:"+party+":out", "Owner draw", nil).want(200).wantAt("accepted", "status")
		o.process(0)
		o.upload(account, bills("next", 1, "-710.00", line)...)
		o.process(0)
		all := o.search().want(200)
		all.wantAt("equity.owner_draw", "transactions", slices.Index(all.found(), "next-0"), "category", "categoryPath")
	}
}

// A row whose money turns round is asked about, whatever its new line says.
func TestARowThatTurnsRoundIsAskedAbout(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, bills("paid", 2, "-300.00", blantvik)...)
	o.process(0)
	o.answerIssue(o.questionAbout("Blantvik").id, "Contract labor", nil).want(200)
	o.process(0)
	o.wantNoQuestions()
	o.upload(account, transaction("paid-0", "300.00", "2026-03-01", blantvik))
	o.process(0)
	row := o.get(o.path + "/transactions/" + ids["paid-0"]).want(200)
	row.wantAt(true, "transaction", "needsAttention")
	if row.size("transaction", "issueIds") != 1 {
		t.Errorf("nothing is asked: %s", row.body)
	}
}

// Words about some of the rows decide none of them.
func TestWordsAboutSomeOfTheRowsAreUnclear(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"anything but rent", "mostly rent", "rent except march",
		"the one on jan 3 is rent", "rent?"} {
		o, account := openPaid(t)
		o.upload(account, bills("first", 3, "-480.00", blantvik)...)
		o.process(0)
		if got := o.answerIssue(o.questionAbout("Blantvik").id, words, nil).want(200).text("status"); got != "unclear" {
			t.Errorf("%q is %s", words, got)
		}
	}
}

// A line that reads like rent is known to be rent from the answer about its landlord, and goes where that goes.
func TestLaterRowsThatAnAnswerConfirmedFollowIt(t *testing.T) {
	t.Parallel()
	const rent = "MILL STREET PROPERTIES LLC DES:RENT ID:1 CCD"
	for words, want := range map[string]string{"Owner draw": "equity.owner_draw", "undo": "", "skip": ""} {
		o, account := openPaid(t)
		ids := o.upload(account, bills("r", 3, "-2500.00", rent)...)
		o.process(0)
		hook := o.hookOf(ids["r-0"])
		o.answerIssue(hook, "Rent", nil).want(200)
		later := o.upload(account, bills("later", 3, "-2500.00", rent)...)
		o.process(0)
		row := func() answer { return o.get(o.path + "/transactions/" + later["later-1"]).want(200) }
		row().wantAt("memory", "transaction", "category", "source")
		o.answerIssue(hook, words, nil).want(200)
		o.process(0)
		if got := o.partsOf(later["later-1"]); want == "" && got[0] != "suggested" {
			t.Errorf("after %q a later row is %q", words, got)
		}
		if want != "" {
			row().wantAt(want, "transaction", "category", "categoryPath")
		}
		o.sums("2026-01-01", "2026-12-31")
	}
}
