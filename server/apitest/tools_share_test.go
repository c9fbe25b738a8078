package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// The attack: 64 lists of the tools at a time, of one agent, made everybody's rows wait half a second.
func TestMessagesOfOneAgentHaveAShare(t *testing.T) {
	t.Parallel()
	a := start(t)
	o, other := a.open(), a.open()
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
	header, list := bearing(o.oauth(o.person)), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var calling sync.WaitGroup
	for range 4 { // its share
		calling.Go(func() { a.postMCP(header, call) })
	}
	// The four may still be on their way, so some of these may be answered.
	waits := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "POST", a.url+"/mcp", bytes.NewReader(list))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header.Clone()
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			response.Body.Close()
		}
		return errors.Is(err, context.DeadlineExceeded)
	}
	for tries := 0; !waits(); tries++ {
		if tries == 200 {
			t.Fatal("a fifth message is answered beside four that are at work")
		}
	}
	a.postMCP(bearing(other.oauth(other.person)), list).want(200)
	_ = lock.Rollback()
	calling.Wait()
	a.postMCP(header, list).want(200)
}
