package mcp

import (
	"io"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/gen/api"
	"bizfin/openapi"
)

// made are the tools of the document, which takes longer to read than a test does.
var made = sync.OnceValues(func() ([]Tool, error) {
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	return Tools(doc)
})

func toolOf(t *testing.T, name string) Tool {
	t.Helper()
	list, err := made()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return Tool{}
}

func TestArgumentsTravelAsTheyWereSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, arguments, target, body string }{
		{"getProfile", `{"organization_id":"o"}`, "/b/organizations/o/profile", ""},
		{"searchTransactions", `{"organization_id":"o","query":"50% \"off\" & more"}`,
			"/b/organizations/o/transactions?query=50%25+%22off%22+%26+more", ""},
		{"searchTransactions", `{"organization_id":"o","query":"\u00e9\ud83d\ude00"}`,
			"/b/organizations/o/transactions?query=%C3%A9%F0%9F%98%80", ""},
		{"searchTransactions", `{"organization_id":"o","amountFrom":-9999999999999.99,"limit":5,"needsAttention":true}`,
			"/b/organizations/o/transactions?amountFrom=-9999999999999.99&limit=5&needsAttention=true", ""},
		{"searchTransactions", `{"organization_id":"o","limit":1e1,"amountTo":1.10}`,
			"/b/organizations/o/transactions?amountTo=1.10&limit=1e1", ""},
		{"searchTransactions", `{"organization_id":"o","limit":"5","amountTo":null,"query":null,"accountIds":null}`,
			"/b/organizations/o/transactions?limit=%225%22", ""},
		{"searchTransactions", `{"organization_id":"o","limit":5.0,"amountTo":7.0,"query":"5.0"}`,
			"/b/organizations/o/transactions?amountTo=7.0&limit=5&query=5.0", ""},
		{"searchTransactions", `{"organization_id":"o","limit":-50.000}`,
			"/b/organizations/o/transactions?limit=-50", ""},
		{"searchTransactions", `{"organization_id":"o","limit":5.50,"limt":null}`,
			"/b/organizations/o/transactions?limit=5.50&limt=null", ""},
		{"searchTransactions", `{"organization_id":"o","accountIds":["a", "b"]}`,
			"/b/organizations/o/transactions?accountIds=%5B%22a%22%2C+%22b%22%5D", ""},
		{"searchTransactions", `{"organization_id":"o","limt":5}`, "/b/organizations/o/transactions?limt=5", ""},
		{"getTransaction", `{"organization_id":"o","transaction_id":"../a?b#c%2F"}`,
			"/b/organizations/o/transactions/..%2Fa%3Fb%23c%252F", ""},
		{"getTransaction", `{"organization_id":"{transaction_id}","transaction_id":"x"}`,
			"/b/organizations/%7Btransaction_id%7D/transactions/x", ""},
		{"answerOutstandingIssue", `{"organization_id":"o","id":"i","selectedOption":null,"answer":"<yes>","more":1.0}`,
			"/b/organizations/o/outstanding-issues/i/answers",
			`{"answer":"\u003cyes\u003e","more":1.0,"selectedOption":null}`},
	} {
		tool := toolOf(t, c.tool)
		r, refused := tool.request([]byte(c.arguments), "/b")
		if refused != nil {
			t.Errorf("%s: %v", c.arguments, refused.problems)
			continue
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{c.target, c.body}, []string{r.URL.RequestURI(), string(body)}); diff != "" {
			t.Errorf("%s: %s", c.arguments, diff)
		}
	}
}

func TestArgumentsThatMakeNoRequestAreRefused(t *testing.T) {
	t.Parallel()
	required := func(name string) api.Issue {
		return api.Issue{In: "path", Path: "/" + name, Code: "required", Message: "is required"}
	}
	text := func(in api.IssueIn, name string) api.Issue {
		return api.Issue{In: in, Path: "/" + name, Code: "type", Message: "must be a string"}
	}
	for _, c := range []struct {
		tool, arguments string
		want            []api.Issue
	}{
		{"getProfile", ``, []api.Issue{required("organization_id")}},
		{"getProfile", `null`, []api.Issue{required("organization_id")}},
		{"getTransaction", `{"organization_id":""}`,
			[]api.Issue{required("organization_id"), required("transaction_id")}},
		{"getTransaction", `{"organization_id":7,"transaction_id":null}`,
			[]api.Issue{text("path", "organization_id"), required("transaction_id")}},
		{"searchTransactions", `{"organization_id":"o","query":7,"dateFrom":["x"]}`,
			[]api.Issue{text("query", "query"), text("query", "dateFrom")}},
		{"getProfile", `[]`, nil},
		{"getProfile", `"o"`, nil},
		{"getProfile", `{"organization_id":"o","organization_id":"p"}`, nil},
		{"getProfile", "{\"organization_id\":\"\xff\"}", nil},
		{"getProfile", `{"organization_id":"o"} {}`, nil},
	} {
		tool := toolOf(t, c.tool)
		_, refused := tool.request([]byte(c.arguments), "/b")
		if refused == nil {
			t.Errorf("%s was taken", c.arguments)
			continue
		}
		if diff := cmp.Diff(c.want, refused.problems); diff != "" {
			t.Errorf("%s: %s", c.arguments, diff)
		}
	}
}

func TestCalledToolsAreSeenInEveryMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`:                           {"a"},
		` [{"method":"tools/call","params":{"name":"a"}},{"method":"tools/call","params":{"name":"b"}}]`: {"a", "b"},
		`{"method":"tools/list","params":{"name":"a"}}`:                                                  nil,
		`{`: nil, ``: nil, `7`: nil, `null`: nil,
	} {
		if diff := cmp.Diff(want, Called([]byte(text))); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
