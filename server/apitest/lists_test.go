package apitest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store"
)

// rowsOfLists are what each list is tried with: three, so that two of its pages lead on.
const rowsOfLists = 3

// oneMoreAccount, and so on, give a list a row: the n-th.
func oneMoreAccount(o *office, n int) { o.uploadAccount(fmt.Sprint("account ", n)) }

func oneMoreTransaction(o *office, n int) {
	o.upload(o.uploadAccount("account 0"), transaction(fmt.Sprint(n), "-48.20", "2026-03-30", "FLOUR"))
}

func oneMoreCounterparty(o *office, n int) {
	o.must(o.rows().SaveCounterparty(context.Background(), o.clock.Now(), store.Counterparty{ID: uuid.New(),
		Name: fmt.Sprint("Mill ", n), Type: "company", Relationship: "supplier", LastDate: on("2026-03-30")}))
}

func oneMoreQuestion(o *office, _ int) {
	asked := question("company", o.organization, o.clock.Now())
	asked.ImpactAmount = money.TotalOf(4820)
	o.openIssue(asked)
}

// listOperations are those on a business that answer pages.
func listOperations() (lists []operation) {
	for _, op := range operations {
		if op.asks != nil && documented()[op.id].parameters.GetByInAndName("query", "cursor") != nil {
			lists = append(lists, op)
		}
	}
	return lists
}

// page asks for one page of a list; its first where the cursor is empty.
func (o *office) page(list operation, limit int, cursor string) answer {
	o.t.Helper()
	arguments := M{"limit": limit}
	if cursor != "" {
		arguments["cursor"] = cursor
	}
	return o.call(call{operation: list, organization: o.organization, arguments: arguments})
}

// rowIDs are the ids of the rows of a page: of its one list of what has ids.
func (r answer) rowIDs() (ids []string) {
	r.t.Helper()
	for _, member := range r.get().(map[string]any) {
		rows, _ := member.([]any)
		for _, row := range rows {
			if of, ok := row.(map[string]any); ok && of["id"] != nil {
				ids = append(ids, of["id"].(string))
			}
		}
	}
	return ids
}

// A list is the same whole and page by page, and no place in it is one of another list, or of another business's.
func TestAListIsTheSameWholeAndPageByPage(t *testing.T) {
	t.Parallel()
	o, other := shared(t).open(), shared(t).open()
	for _, list := range listOperations() {
		if list.oneMore == nil {
			t.Errorf("%s is a list, and the table does not know how to give it one more row", list.id)
			continue
		}
		for n := range rowsOfLists {
			list.oneMore(o, n)
			list.oneMore(other, n)
		}
	}
	for _, list := range listOperations() {
		whole := o.page(list, 50, "").want(200).rowIDs()
		if len(whole) < rowsOfLists {
			t.Errorf("%s has %d rows, want %d or more", list.id, len(whole), rowsOfLists)
			continue
		}
		first := o.page(list, 1, "").want(200)
		seen, next := first.rowIDs(), first.nextCursor()
		for next != "" && len(seen) <= len(whole) {
			page := o.page(list, 1, next).want(200)
			seen, next = append(seen, page.rowIDs()...), page.nextCursor()
		}
		if diff := cmp.Diff(whole, seen); diff != "" {
			t.Errorf("%s, whole (-) and page by page (+):\n%s", list.id, diff)
		}
		place := first.nextCursor()
		if got := other.page(list, 1, place); got.status != 422 {
			t.Errorf("%s goes on from a page of another business: %d %s", list.id, got.status, got.body)
		}
		for _, another := range listOperations() {
			if got := o.page(another, 1, place); another.id != list.id && got.status != 422 {
				t.Errorf("%s goes on from a page of %s: %d %s", another.id, list.id, got.status, got.body)
			}
		}
	}
}
