package apitest

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"bizfin/openapi"
)

// operation is what the contract says of an operation, and how the tests ask for it. Whoever adds one to the document
// adds it here, and the tests of scopes, roles, revocation, demo persons, tenancy and MCP tools try it too.
type operation struct {
	id        string // operationId
	scope     string // what an OAuth token needs; empty where no organization is asked for
	ownerOnly bool
	forDemo   bool
	// asks are arguments as an MCP tool takes them, without the organization: those of the path, the query and the body
	// by name. Each set asks for something of a business, with all ids the operation takes.
	asks func(in ids) []M
	// oneMore gives a list its n-th row, where the operation answers pages of one.
	oneMore func(o *office, n int)
}

// ids are of the things of one business.
type ids struct{ source, account, transaction, counterparty, issue string }

// operations come in an order in which a business can take them all: none needs what one before it has taken away.
var operations = []operation{
	{id: "getProfile", scope: "org:read", forDemo: true, asks: plainly},
	{id: "listAccounts", scope: "org:read", forDemo: true, oneMore: oneMoreAccount, asks: func(ids) []M {
		return []M{{}, {"includeInactive": true}}
	}},
	{id: "listCategories", scope: "org:read", forDemo: true, asks: func(ids) []M {
		return []M{{}, {"detail": "summary"}}
	}},
	{id: "searchTransactions", scope: "org:read", forDemo: true, oneMore: oneMoreTransaction, asks: func(in ids) []M {
		return []M{
			{"query": "flour"},
			{"accountIds": []string{in.account}, "amountTo": json.Number("-48.20"), "counterpartyId": in.counterparty},
			{"limit": 1},
			{"detail": "summary"},
		}
	}},
	{id: "getTransaction", scope: "org:read", forDemo: true, asks: func(in ids) []M {
		return []M{{"transaction_id": in.transaction}}
	}},
	{id: "searchCounterparties", scope: "org:read", forDemo: true, oneMore: oneMoreCounterparty, asks: func(ids) []M {
		return []M{{"relationship": "supplier"}, {"detail": "summary"}}
	}},
	{id: "getCounterparty", scope: "org:read", forDemo: true, asks: func(in ids) []M {
		return []M{{"counterparty_id": in.counterparty}}
	}},
	{id: "getCashflowReport", scope: "org:read", forDemo: true, asks: func(in ids) []M {
		return []M{
			ranged(M{"periodGrouping": "week", "periodLimit": 3, "counterpartyIds": []string{in.counterparty}}),
			ranged(M{"detail": "summary", "counterpartyIds": []string{in.counterparty}}),
		}
	}},
	{id: "getPnlReport", scope: "org:read", forDemo: true, asks: func(ids) []M {
		return []M{
			ranged(M{"periodGrouping": "week", "periodLimit": 3, "categoryPaths": [][]string{{"Expenses"}}}),
			ranged(M{"detail": "summary", "periodLimit": 2, "categoryNames": []string{"Expenses"}}),
		}
	}},
	{id: "listOutstandingIssues", scope: "org:read", forDemo: true, oneMore: oneMoreQuestion, asks: func(ids) []M {
		return []M{{"objectType": "counterparty"}, {"status": "answered"}, {"detail": "summary"}}
	}},
	{id: "getAgentConnectionInfo", scope: "org:read", forDemo: true, asks: plainly},
	{id: "getBillingStatus", scope: "org:read", forDemo: true, asks: plainly},
	{id: "answerOutstandingIssue", scope: "org:answer", forDemo: true, asks: func(in ids) []M {
		return []M{
			{"id": in.issue, "answer": "Meals", "selectedOption": "expense.meals"},
			{"id": "t:" + in.transaction, "answer": "gas"},
			{"id": "c:" + in.counterparty + ":out", "answer": "Rent"},
		}
	}},
	{id: "uploadAccounts", scope: "org:write", asks: func(in ids) []M {
		return []M{{"source_id": in.source, "accounts": []M{account("checking")}}}
	}},
	{id: "uploadTransactions", scope: "org:write", asks: func(in ids) []M {
		return []M{{"account_id": in.account, "transactions": []M{transaction("t3", "1", "2026-01-01", "d")}}}
	}},
	{id: "deleteTransaction", scope: "org:write", asks: func(in ids) []M {
		return []M{{"transaction_id": in.transaction}}
	}},
	{id: "deleteAccount", scope: "org:write", ownerOnly: true, asks: func(in ids) []M {
		return []M{{"account_id": in.account}}
	}},
	// A partner's own, for all its businesses: the tests of connections and snapshots have them.
	{id: "connectPartner", forDemo: true},
	{id: "receiveAccountSnapshot", forDemo: true},
}

// plainly asks without arguments.
func plainly(ids) []M { return []M{{}} }

// ranged adds the days of a report.
func ranged(arguments M) M {
	arguments["startDate"], arguments["endDate"] = "2026-01-01", "2026-03-31"
	return arguments
}

// isTool says whether the operation is offered to agents: one that reads or answers is.
func (op operation) isTool() bool { return op.scope == "org:read" || op.scope == "org:answer" }

// toolNames are the names of all tools in their order.
func toolNames() []string {
	var names []string
	for _, op := range operations {
		if op.isTool() {
			names = append(names, op.id)
		}
	}
	slices.Sort(names)
	return names
}

// described is an operation as the document has it.
type described struct {
	*openapi3.Operation
	method, path string
	parameters   openapi3.Parameters
	elsewhere    bool // it has an address outside the base path
}

// documented are the operations of the document by id.
var documented = sync.OnceValue(func() map[string]described {
	doc, err := openapi.Load()
	if err != nil {
		panic(err)
	}
	all := map[string]described{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			parameters := slices.Concat(item.Parameters, op.Parameters)
			all[op.OperationID] = described{op, method, path, parameters, len(item.Servers) > 0}
		}
	}
	return all
})

// marked says whether the document gives an operation an extension, and fallback where it does not say.
func (d described) marked(extension string, fallback bool) bool {
	if value, ok := d.Extensions[extension].(bool); ok {
		return value
	}
	return fallback
}

func TestTheTableOfOperationsIsTheDocuments(t *testing.T) {
	t.Parallel()
	missing := maps.Clone(documented())
	in := map[string]bool{}
	for _, op := range operations {
		d, ok := missing[op.id]
		if !ok {
			t.Errorf("%s is in the table, and once more or not in the document", op.id)
			continue
		}
		in[op.id] = true
		scope, _ := d.Extensions["x-scope"].(string)
		got := operation{id: op.id, scope: scope, asks: op.asks}
		got.ownerOnly, got.forDemo = d.marked("x-owner-only", false), d.marked("x-demo-allowed", true)
		if got.scope != op.scope || got.ownerOnly != op.ownerOnly || got.forDemo != op.forDemo {
			t.Errorf("the document says %+v, the table %+v", got, op)
		}
		if inOne := strings.HasPrefix(d.path, "/organizations/{organization_id}/"); inOne != (op.asks != nil) {
			t.Errorf("%s at %s: the table knows how to ask for it: %v", op.id, d.path, op.asks != nil)
		}
		delete(missing, op.id)
	}
	for id, d := range missing {
		if !in[id] {
			t.Errorf("%s (%s %s) is in the document and not in the table", id, d.method, d.path)
		}
	}
}

// A table whose ids lead nowhere would prove nothing about the ids of others.
func TestEveryOperationIsTakenWithABusinessesOwnIDs(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for _, call := range o.callsFor(o.furnish()) {
		o.call(call).want(200)
	}
}

// call is one operation on an organization with arguments.
type call struct {
	operation
	organization string
	arguments    M
	more         url.Values // query parameters that the operation does not have
}

func (c call) String() string {
	raw, err := json.Marshal(c.arguments)
	if err != nil {
		panic(err)
	}
	return c.id + " " + string(raw)
}

// callsTo are all operations on an organization, with ids.
func callsTo(organization string, in ids) []call {
	var calls []call
	for _, op := range operations {
		if op.asks == nil {
			continue
		}
		for _, arguments := range op.asks(in) {
			calls = append(calls, call{operation: op, organization: organization, arguments: arguments})
		}
	}
	return calls
}

func (o *office) callsFor(in ids) []call { return callsTo(o.organization, in) }

// calls are all operations on the business, with the ids of nothing.
func (o *office) calls() []call { return o.callsFor(unknownIDs()) }

func unknownIDs() ids {
	return ids{uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()}
}

// ofTools are those of calls that are tools.
func ofTools(calls []call) []call {
	return slices.DeleteFunc(calls, func(c call) bool { return !c.isTool() })
}

// given are the arguments of the tool.
func (c call) given() M {
	given := M{"organization_id": c.organization}
	maps.Copy(given, c.arguments)
	return given
}

// request is the same over HTTP: the path with its query, and the body, nil where there is none.
func (c call) request() (path string, body M) {
	d := documented()[c.id]
	path, body = d.path, c.given()
	query := url.Values{}
	maps.Copy(query, c.more)
	for _, ref := range d.parameters {
		value, ok := body[ref.Value.Name]
		if !ok {
			continue
		}
		delete(body, ref.Value.Name)
		text, isText := value.(string)
		if !isText {
			raw, err := json.Marshal(value)
			if err != nil {
				panic(err)
			}
			text = string(raw)
		}
		if ref.Value.In == openapi3.ParameterInPath {
			path = strings.ReplaceAll(path, "{"+ref.Value.Name+"}", url.PathEscape(text))
		} else {
			query.Set(ref.Value.Name, text)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if len(body) == 0 {
		body = nil
	}
	return path, body
}

// call sends the operation over HTTP.
func (c *caller) call(op call) answer {
	c.t.Helper()
	path, body := op.request()
	if body != nil {
		return c.post(path, body)
	}
	return c.send(documented()[op.id].method, path, "", nil)
}
