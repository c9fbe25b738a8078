package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store"
)

func (o *office) openIssue(i store.Issue, transactions ...uuid.UUID) string {
	o.t.Helper()
	o.must(o.rows().OpenIssue(context.Background(), i, transactions))
	return i.ID.String()
}

// answerIssue answers a question; option may be nil.
func (o *office) answerIssue(id, text string, option any) answer {
	o.t.Helper()
	body := M{"answer": text}
	if option != nil {
		body["selectedOption"] = option
	}
	return o.post(o.path+"/outstanding-issues/"+id+"/answers", body)
}

func TestOutstandingIssuesListsOpenOnesByWhatTheyAreWorth(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, now := a.open(), a.clock.Now()
	worth := func(cents money.Amount, i store.Issue) store.Issue {
		i.ImpactAmount = money.TotalOf(cents)
		return i
	}
	third := o.openIssue(worth(500_00, question("transaction", uuid.NewString(), now)))
	first := o.openIssue(question("company", o.organization, now))
	second := o.openIssue(worth(1_000_00, question("counterparty", uuid.NewString(), now.Add(time.Minute))))
	closed := o.openIssue(question("transaction", uuid.NewString(), now))
	o.exec(`UPDATE outstanding_issues SET status = 'closed', ended_at = now() WHERE organization_id = $1 AND id = $2`,
		o.organization, closed)
	o.answerIssue(o.openIssue(question("company", o.organization, now)), "Meals", nil).want(200)
	other := a.open()
	other.openIssue(question("company", other.organization, now))

	for objectType, want := range map[string][]string{
		"": {first, second, third}, "transaction": {third}, "counterparty": {second}, "company": {first},
	} {
		path := o.path + "/outstanding-issues"
		if objectType != "" {
			path += "?objectType=" + objectType
		}
		got := o.get(path).want(200)
		var ids []string
		for i := range got.size("issues") {
			ids = append(ids, got.text("issues", i, "id"))
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("objectType %q: %s", objectType, diff)
		}
		got.wantAt(len(want), "totalOpen")
		got.wantAt(nil, "nextCursor")
	}
	o.get(o.path + "/outstanding-issues?objectType=person").want(422)
	got := o.get(o.path + "/outstanding-issues?limit=1").want(200)
	got.wantAt(M{
		"id": first, "objectType": "company", "objectId": o.organization, "kind": "category", "question": "What is it?",
		"why":            "It could be two things.",
		"impact":         M{"amount": json.Number("2310.40"), "currency": "USD", "transactionCount": 14},
		"allowsFreeText": true, "status": "open", "createdAt": now, "followUp": nil, "lines": []M{}, "answers": []M{},
		"options": []M{{"value": "expense.meals", "label": "Meals", "description": "Half of it is deducted."},
			{"value": "personal", "label": "Personal", "description": "Not the business's."}},
	}, "issues", 0)
}

// A person is asked twelve questions at a time. Each that is answered lets the next one come up at once, and none is
// left out unsaid.
func TestAtMostTwelveQuestionsAreOpenAndTheNextComesUpAtOnce(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, now := a.open(), a.clock.Now()
	const many = 20
	want := map[string]bool{}
	for range many {
		want[o.openIssue(question("company", o.organization, now))] = true
	}
	asked := map[string]bool{}
	for left := many; left > 0; left-- {
		got := o.get(o.path + "/outstanding-issues?limit=50").want(200)
		open := min(left, store.MostOpen)
		if n := got.size("issues"); n != open {
			t.Fatalf("with %d left %d are listed", left, n)
		}
		got.wantAt(open, "totalOpen")
		got.wantAt(left-open, "totalWaiting")
		o.get(o.path+"/profile").want(200).wantAt(open, "coverage", "outstandingIssues")
		first := got.text("issues", 0, "id")
		asked[first] = true
		o.answerIssue(first, "Meals", nil).want(200)
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked: %s", diff)
	}
}

// The questions behind the twelve are listed in the order in which they come up, page by page; each takes an answer,
// and what an answer did not understand is read there.
func TestQuestionsThatWaitAreListedAndTakeAnswers(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, now := a.open(), a.clock.Now()
	const many = 17
	var all []string
	for i := range many {
		q := question("company", o.organization, now)
		q.ImpactAmount = money.TotalOf(1_000_000_00 >> i)
		all = append(all, o.openIssue(q))
	}
	listed := func(params ...string) (ids []string) {
		t.Helper()
		for {
			got := o.get(o.path + "/outstanding-issues" + query(params...)).want(200)
			for i := range got.size("issues") {
				ids = append(ids, got.text("issues", i, "id"))
			}
			if got.get("nextCursor") == nil {
				return ids
			}
			params = append(params[:4:4], "cursor", got.text("nextCursor"))
		}
	}
	want := func(what string, want, got []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	want("waiting", all[store.MostOpen:], listed("waiting", "true", "limit", "2"))
	want("open", all[:store.MostOpen], listed("waiting", "false", "limit", "50"))
	want("of another object", nil, listed("waiting", "true", "objectType", "transaction"))
	o.get(o.path + "/outstanding-issues?waiting=true&status=open").want(200)
	o.get(o.path + "/outstanding-issues?waiting=true&status=answered").want(422)

	last := all[many-1]
	o.answerIssue(last, "qwertz", nil).want(200).wantAt("unclear", "status")
	got := o.get(o.path + "/outstanding-issues?waiting=true&limit=50").want(200)
	got.wantAt("qwertz", "issues", many-store.MostOpen-1, "answers", 0, "answer")
	if got.get("issues", many-store.MostOpen-1, "followUp") == nil {
		t.Error("what it did not understand is not said")
	}
	o.answerIssue(last, "Meals", nil).want(200).wantAt("accepted", "status")
	for _, id := range all[:many-store.MostOpen] {
		o.answerIssue(id, "Meals", nil).want(200)
	}
	want("none waits", nil, listed("waiting", "true", "limit", "50"))
}

// The questions whose answers change most come first, whenever they came up; a cursor neither repeats nor drops one
// while others close and open.
func TestAnIssueCursorWalkIsCompleteWhileIssuesCloseAndOpen(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, now := a.open(), a.clock.Now()
	var want []string
	for i := range store.MostOpen {
		q := question("company", o.organization, now)
		q.ImpactAmount = money.TotalOf(1_000_000_00 >> i)
		want = append(want, o.openIssue(q))
	}
	var seen []string
	cursor := ""
	for {
		params := []string{"objectType", "company", "limit", "5"}
		if cursor != "" {
			params = append(params, "cursor", cursor)
		}
		got := o.get(o.path + "/outstanding-issues" + query(params...)).want(200)
		for i := range got.size("issues") {
			seen = append(seen, got.text("issues", i, "id"))
		}
		got.wantAt(store.MostOpen, "totalOpen")
		if got.get("nextCursor") == nil {
			break
		}
		cursor = got.text("nextCursor")
		o.get(o.path + "/outstanding-issues" + query("cursor", cursor)).want(422)
		// A read one closes and one that is worth more opens; neither disturbs the walk.
		o.answerIssue(got.text("issues", 0, "id"), "Meals", nil).want(200)
		q := question("company", o.organization, now)
		q.ImpactAmount = money.TotalOf(2_000_000_00)
		o.openIssue(q)
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("walked: %s", diff)
	}
}

func TestTheLastAnswerHolds(t *testing.T) {
	t.Parallel()
	a := shared(t)
	business := business(name("b"), "owner")
	o := a.join("ana", business)
	business.Role = "member"
	member := a.join("ben", business)
	row := o.upload(o.uploadAccount("a"), transaction("t1", "-1.00", "2026-03-30", "COFFEE"))["t1"]
	id := o.openIssue(question("company", o.organization, a.clock.Now()), uuid.MustParse(row))
	for _, tc := range []struct{ text, option, stored any }{
		{"Meals", "expense.meals", "Meals|expense.meals"},
		{"a remark", "expense.meals", "Meals|expense.meals"}, // the same again
		{"Personal", nil, "Personal|-"},
		{"zebra", nil, "Personal|-"}, // not understood
		{"Meals", nil, "Meals|-"},
	} {
		got := member.answerIssue(id, tc.text.(string), tc.option).want(200) // a member may answer
		if tc.text != "zebra" && string(got.body) != `{"status":"accepted"}`+"\n" {
			t.Errorf("%s: answered %q", tc.text, got.body)
		}
		stored := o.scalar(`SELECT answer || '|' || coalesce(selected_option, '-') || '|' || answered_by FROM outstanding_issues WHERE organization_id = $1 AND id = $2`, o.organization, id)
		if want := fmt.Sprintf("%s|%s", tc.stored, member.person); stored != want {
			t.Errorf("%s: stored %s, want %s", tc.text, stored, want)
		}
	}
	o.answerIssue(id, "undo", nil).want(200)
	o.get(o.path+"/outstanding-issues").want(200).wantAt(id, "issues", 0, "id")
}

func TestAnswersThatDoNotFitTheQuestionAreRefused(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	open := o.openIssue(question("company", o.organization, a.clock.Now()))
	strict := question("company", o.organization, a.clock.Now())
	strict.AllowsFreeText = false
	optionsOnly := o.openIssue(strict)
	for _, tc := range []struct {
		id    string
		body  any
		issue string
	}{
		{open, M{"answer": "x", "selectedOption": "expense.wages"}, "body /selectedOption enum"},
		{open, M{"answer": "x", "selectedOption": ""}, "body /selectedOption enum"},
		{optionsOnly, M{"answer": "free text"}, "body /selectedOption required"},
		{optionsOnly, M{"answer": "free text", "selectedOption": nil}, "body /selectedOption required"},
		{open, M{"selectedOption": "personal"}, "body /answer required"},
		{open, M{"answer": " "}, "body /answer pattern"},
		{open, M{"answer": nil}, "body /answer nullable"},
		{open, M{"answer": "x", "other": 1}, "body /other additionalProperties"},
	} {
		got := o.post(o.path+"/outstanding-issues/"+tc.id+"/answers", tc.body).want(422).issues()
		if diff := cmp.Diff([]string{tc.issue}, got); diff != "" {
			t.Errorf("%v: %s", tc.body, diff)
		}
	}
	o.get(o.path+"/outstanding-issues").want(200).wantAt(2, "totalOpen")
	o.answerIssue(optionsOnly, "Personal", "personal").want(200)
}

func TestAClosedIssueTakesAnAnswerAndUnknownAndForeignOnesTakeNone(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, other := a.open(), a.open()
	closed := o.openIssue(question("company", o.organization, a.clock.Now()))
	o.exec(`UPDATE outstanding_issues SET status = 'closed', ended_at = now() WHERE organization_id = $1 AND id = $2`,
		o.organization, closed)
	o.answerIssue(closed, "Meals", nil).want(200).wantAt("accepted", "status")
	foreign := other.openIssue(question("company", other.organization, a.clock.Now()))
	unknown := o.answerIssue(uuid.NewString(), "x", nil).want(404)
	for _, id := range []string{foreign, "x"} {
		if got := o.answerIssue(id, "x", nil).want(404); string(got.body) != string(unknown.body) {
			t.Errorf("%s differs from %s", got.body, unknown.body)
		}
	}
	other.get(other.path+"/outstanding-issues").want(200).wantAt(1, "totalOpen")
}
