package apitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bizfin/server"
)

// batched is a body of the revisions that have batches.
func batched(messages ...string) []byte { return []byte("[" + strings.Join(messages, ",") + "]") }

func pings(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	return list
}

func TestABatchHasAtMostTenMessages(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	header := bearing(o.oauth(o.person))
	if got := o.postMCP(header, batched(pings(10)...)).want(200).size(); got != 10 {
		t.Errorf("%d answers", got)
	}
	for name, raw := range map[string][]byte{"eleven": batched(pings(11)...), "none": batched(),
		"a thousand": batched(pings(1000)...)} {
		if got := o.postMCP(header, raw).want(400); !strings.Contains(got.text("error", "message"), "one to 10") {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

func TestABatchAnswersEachRequestInOrder(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	got := o.postMCP(bearing(o.oauth(o.person)), batched(
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"getProfile","arguments":{"organization_id":"`+o.organization+`"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"b","method":"no/such"}`,
		`7`,
		`[]`,
		`{"jsonrpc":"2.0","id":"c","method":"ping"}`,
	)).want(200)
	var answers []struct {
		ID    any
		Error *struct{ Code int }
	}
	if err := json.Unmarshal(got.body, &answers); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	var seen []string
	for _, a := range answers {
		code := 0
		if a.Error != nil {
			code = a.Error.Code
		}
		seen = append(seen, fmt.Sprint(a.ID, " ", code))
	}
	if want := []string{"a 0", "b -32601", "<nil> -32600", "<nil> -32600", "c 0"}; !slices.Equal(want, seen) {
		t.Errorf("answered %q, want %q: %s", seen, want, got.body)
	}
	o.postMCP(bearing(o.oauth(o.person)), batched(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)).want(202)
}

// The attack: twelve of these took 1.5 GB and 81 seconds, and were answered 200 with nothing.
func TestABatchIsBoundedInBytesAndSaysWhatItLeftOut(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.uploadAccount("a")
	var rows []M
	for i := range 400 {
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 5*i).Format(time.DateOnly)
		rows = append(rows, transaction(fmt.Sprint(i), "-1.00", day, "COFFEE"))
	}
	o.upload(account, rows...)
	var list []string
	for i := range 10 {
		list = append(list, fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"getCashflowReport","arguments":`+
				`{"organization_id":%q,"startDate":"2020-01-01","endDate":"2029-12-31","periodGrouping":"day","periodLimit":3653}}}`, i, o.organization))
	}
	got := o.postMCP(bearing(o.oauth(o.person)), batched(list...)).want(200)
	if got.size() != 10 || len(got.body) > 12<<20 {
		t.Fatalf("%d answers of %d bytes", got.size(), len(got.body))
	}
	if last := got.text(9, "error", "message"); !strings.Contains(last, "send this message alone") {
		t.Errorf("the last answer is %q", last)
	}
}

func TestACallThatRunsOutOfTimeIsAnsweredAsSuch(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.RequestTimeout = 2 * time.Second })
	o := a.open()
	calls := o.callsFor(o.furnish())
	answering := calls[slices.IndexFunc(calls, func(c call) bool { return c.id == "answerOutstandingIssue" })]
	lock, err := a.db.SQL().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }()
	if _, err := lock.Exec(`SELECT FROM outstanding_issues WHERE organization_id = $1 FOR UPDATE`,
		o.organization); err != nil {
		t.Fatal(err)
	}
	call, err := json.Marshal(M{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": M{"name": answering.id, "arguments": answering.given()}})
	if err != nil {
		t.Fatal(err)
	}
	header := bearing(o.oauth(o.person))
	for _, raw := range [][]byte{call, batched(string(call), string(call))} {
		if got := o.postMCP(header, raw).want(200); !strings.Contains(string(got.body), "retry it with backoff") &&
			!strings.Contains(string(got.body), "Retry the same request") {
			t.Errorf("answered %q", got.body)
		}
	}
}

// An answer names what it answers: an id that cannot be given back as it came is refused, and nothing is done.
func TestAMessageWithAnIDThatIsNoTextAndNoIntegerIsRefused(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	header := bearing(o.oauth(o.person))
	for _, id := range []string{`1.5`, `1e3`, `9007199254740992`, `123456789012345678901`, `true`, `{"a":1}`, `[1]`} {
		got := o.postMCP(header, []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)).want(200)
		got.wantAt(-32600, "error", "code")
		if strings.Contains(string(got.body), `"id"`) {
			t.Errorf("%s is answered as %s", id, got.body)
		}
	}
	for _, id := range []string{`0`, `-9007199254740991`, `9007199254740991`, `"1.5"`, `""`} {
		got := o.postMCP(header, []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)).want(200)
		got.wantAt(json.RawMessage(id), "id")
		got.wantAt(M{}, "result")
	}
	got := o.postMCP(header, batched(`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`)).want(200)
	got.wantAt(-32600, 0, "error", "code")
	got.wantAt(2, 1, "id")
}
