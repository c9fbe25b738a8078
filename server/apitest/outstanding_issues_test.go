package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

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

func TestOutstandingIssuesListsOpenOnesOldestFirst(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, now := a.open(), a.clock.Now()
	third := o.openIssue(question("transaction", uuid.NewString(), now.Add(2*time.Minute)))
	first := o.openIssue(question("company", o.organization, now))
	second := o.openIssue(question("counterparty", uuid.NewString(), now.Add(time.Minute)))
	closed := o.openIssue(question("transaction", uuid.NewString(), now))
	o.exec(`UPDATE outstanding_issues SET status = 'closed', ended_at = now() WHERE organization_id = $1 AND id = $2`, o.organization, closed)
	o.answerIssue(o.openIssue(question("company", o.organization, now)), "done", nil).want(200)
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
		"id": first, "objectType": "company", "objectId": o.organization, "kind": "category", "question": "What is it?", "why": "It could be two things.",
		"impact": M{"amount": json.Number("2310.40"), "currency": "USD", "transactionCount": 14}, "allowsFreeText": true, "status": "open", "createdAt": now,
		"options": []M{{"value": "expense.meals", "label": "Meals", "description": "Half of it is deducted."}, {"value": "personal", "label": "Personal", "description": "Not the business's."}},
	}, "issues", 0)
}

func TestAnIssueCursorWalkIsCompleteWhileIssuesCloseAndOpen(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, now := a.open(), a.clock.Now()
	want := map[string]bool{}
	for i := range 47 { // many in one instant, so that ids decide
		want[o.openIssue(question("company", o.organization, now.Add(time.Duration(i%3)*time.Microsecond)))] = true
	}
	seen := map[string]bool{}
	cursor := ""
	for {
		params := []string{"objectType", "company", "limit", "11"}
		if cursor != "" {
			params = append(params, "cursor", cursor)
		}
		got := o.get(o.path + "/outstanding-issues" + query(params...)).want(200)
		for i := range got.size("issues") {
			id := got.text("issues", i, "id")
			if seen[id] {
				t.Errorf("%s came twice", id)
			}
			seen[id] = true
		}
		got.wantAt(47, "totalOpen")
		if got.get("nextCursor") == nil {
			break
		}
		cursor = got.text("nextCursor")
		o.get(o.path + "/outstanding-issues" + query("cursor", cursor)).want(422)
		// A read one closes and an earlier one opens; neither disturbs the walk.
		o.answerIssue(got.text("issues", 0, "id"), "done", nil).want(200)
		o.openIssue(question("company", o.organization, now.Add(-time.Hour)))
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("walked: %s", diff)
	}
}

func TestTheFirstAnswerWins(t *testing.T) {
	t.Parallel()
	a := shared(t)
	business := business(name("b"), "owner")
	o := a.join("ana", business)
	business.Role = "member"
	member := a.join("ben", business)
	for _, tc := range []struct {
		what           string
		text, option   any
		again, differs [][2]any
	}{
		{"option", "Meals", "expense.meals", [][2]any{{"Meals", "expense.meals"}, {"a remark", "expense.meals"}}, [][2]any{{"Meals", "personal"}, {"Meals", nil}}},
		{"free text", "It was a gift", nil, [][2]any{{"It was a gift", nil}}, [][2]any{{"It was not", nil}, {"It was a gift", "personal"}}},
	} {
		id := o.openIssue(question("company", o.organization, a.clock.Now()))
		got := member.answerIssue(id, tc.text.(string), tc.option).want(200) // a member may answer
		if string(got.body) != `{"status":"accepted"}`+"\n" {
			t.Errorf("%s: answered %q", tc.what, got.body)
		}
		for _, same := range tc.again {
			o.answerIssue(id, same[0].(string), same[1]).want(200)
		}
		for _, other := range tc.differs {
			o.answerIssue(id, other[0].(string), other[1]).want(400)
		}
		stored := o.scalar(`SELECT answer || '|' || coalesce(selected_option, '-') || '|' || answered_by FROM outstanding_issues WHERE organization_id = $1 AND id = $2`, o.organization, id)
		option := tc.option
		if option == nil {
			option = "-"
		}
		if want := fmt.Sprintf("%s|%s|%s", tc.text, option, member.person); stored != want {
			t.Errorf("%s: stored %s, want %s", tc.what, stored, want)
		}
	}
}

func TestOneOfManyAnswersAtOnceWins(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	id := o.openIssue(question("company", o.organization, a.clock.Now()))
	var calls []func() answer
	for i := range 10 {
		calls = append(calls, func() answer { return o.answerIssue(id, fmt.Sprint(i), nil) })
	}
	var statuses []int
	for _, got := range together(calls...) {
		statuses = append(statuses, got.status)
	}
	slices.Sort(statuses)
	if want := []int{200, 400, 400, 400, 400, 400, 400, 400, 400, 400}; !slices.Equal(statuses, want) {
		t.Errorf("statuses %v, want %v", statuses, want)
	}
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
		{open, M{"answer": ""}, "body /answer minLength"},
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

func TestClosedUnknownAndForeignIssuesTakeNoAnswer(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, other := a.open(), a.open()
	closed := o.openIssue(question("company", o.organization, a.clock.Now()))
	o.exec(`UPDATE outstanding_issues SET status = 'closed', ended_at = now() WHERE organization_id = $1 AND id = $2`, o.organization, closed)
	o.answerIssue(closed, "x", nil).want(400)
	foreign := other.openIssue(question("company", other.organization, a.clock.Now()))
	unknown := o.answerIssue(uuid.NewString(), "x", nil).want(404)
	for _, id := range []string{foreign, "x"} {
		if got := o.answerIssue(id, "x", nil).want(404); string(got.body) != string(unknown.body) {
			t.Errorf("%s differs from %s", got.body, unknown.body)
		}
	}
	other.get(other.path+"/outstanding-issues").want(200).wantAt(1, "totalOpen")
}
