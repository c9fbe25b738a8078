package worker_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// provider is a bank-aggregation provider that speaks Plaid's wire format of POST /transactions/sync: cursors, pages, a
// refusal where the data changes between two pages of an update, errors by their codes.
type provider struct {
	t        testing.TB
	server   *httptest.Server
	mu       sync.Mutex
	items    map[string]*item // by access token
	pageSize int              // at most what a request asks for
	before   func(token string, request int)
	requests []string // the cursor of each request, after its token
	active   map[string]int
	overlap  bool // a token was asked for twice at once
}

const (
	clientID     = "client-5f2a"
	clientSecret = "secret-9d41c0ffee"
)

// item is one login at a bank.
type item struct {
	masks    map[string]string // of its accounts, by their id
	changes  []change          // in the order of their time
	failWith []failure         // answers of the next requests
	status   string            // transactions_update_status
}

type change struct {
	kind string // added, modified or removed
	row  M
}

// M is a JSON object.
type M map[string]any

type failure struct {
	status int
	body   any
}

// refuses is an error in the provider's form.
func refuses(status int, kind, code string) failure {
	return failure{status, M{"error_type": kind, "error_code": code,
		"error_message": "the person Ana Mercer has to act", "display_message": "Ana, log in", "request_id": "req-77",
		"causes": []any{}}}
}

func newProvider(t testing.TB) *provider {
	t.Helper()
	p := &provider{t: t, items: map[string]*item{}, pageSize: 500, active: map[string]int{}}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

// login makes an item of accounts, each "id" or "id/mask".
func (p *provider) login(token string, accounts ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := &item{masks: map[string]string{}, status: "HISTORICAL_UPDATE_COMPLETE"}
	for _, account := range accounts {
		id, mask, _ := strings.Cut(account, "/")
		it.masks[id] = mask
	}
	p.items[token] = it
}

func (p *provider) change(token string, f func(it *item)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.items[token])
}

func (p *provider) fail(token string, with ...failure) {
	p.change(token, func(it *item) { it.failWith = append(it.failWith, with...) })
}

// add, modify and remove are what happens at the bank.
func (p *provider) add(token string, rows ...M) {
	p.change(token, func(it *item) {
		for _, r := range rows {
			it.changes = append(it.changes, change{"added", r})
		}
	})
}

func (p *provider) modify(token string, row M) {
	p.change(token, func(it *item) { it.changes = append(it.changes, change{"modified", row}) })
}

func (p *provider) remove(token, account, id string) {
	p.change(token, func(it *item) {
		it.changes = append(it.changes, change{"removed", M{"transaction_id": id, "account_id": account}})
	})
}

// bought is a transaction as the provider writes it: positive is money out.
func bought(id, account, amount, date, name string, more ...M) M {
	row := M{
		"transaction_id": id, "account_id": account, "amount": json.Number(amount), "date": date, "name": name,
		"iso_currency_code": "USD", "unofficial_currency_code": nil, "authorized_date": nil, "authorized_datetime": nil,
		"datetime":      nil,
		"merchant_name": nil, "original_description": nil, "pending": false, "pending_transaction_id": nil,
		"category":        []string{"Shops"},
		"payment_channel": "in store", "location": M{"city": "Austin", "lat": 30.2}, "counterparties": []any{},
		"account_owner": nil,
	}
	for _, m := range more {
		for key, value := range m {
			row[key] = value
		}
	}
	return row
}

// asked are how many requests a token has had.
func (p *provider) asked(token string) int { return len(p.cursors(token)) }

func (p *provider) cursors(token string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var cursors []string
	for _, r := range p.requests {
		if of, cursor, _ := strings.Cut(r, " "); of == token {
			cursors = append(cursors, cursor)
		}
	}
	return cursors
}

// request is what a client may send.
type request struct {
	ClientID    string `json:"client_id"`
	Secret      string `json:"secret"`
	AccessToken string `json:"access_token"`
	Cursor      string `json:"cursor"`
	Count       int    `json:"count"`
	Options     struct {
		OriginalDescription bool `json:"include_original_description"`
	} `json:"options"`
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q request
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err != nil || decoder.Decode(&q) != nil || r.Method != http.MethodPost || r.URL.Path != "/transactions/sync" ||
		r.Header.Get("Content-Type") != "application/json" {
		p.t.Errorf("the provider was asked %s %s with %d bytes", r.Method, r.URL, len(body))
		answer(w, refuses(400, "INVALID_REQUEST", "INVALID_BODY"))
		return
	}
	if q.Count < 1 || q.Count > 500 {
		p.t.Errorf("count is %d", q.Count)
	}
	p.mu.Lock()
	p.requests = append(p.requests, q.AccessToken+" "+q.Cursor)
	n := len(p.requests)
	p.active[q.AccessToken]++
	p.overlap = p.overlap || p.active[q.AccessToken] > 1
	before := p.before
	p.mu.Unlock()
	if before != nil {
		before(q.AccessToken, n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active[q.AccessToken]--
	answer(w, p.answer(q))
}

func answer(w http.ResponseWriter, f failure) {
	w.Header().Set("Content-Type", "application/json")
	if to, ok := f.body.(string); ok {
		w.Header().Set("Location", to)
		f.body = M{}
	}
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(f.body)
}

func (p *provider) answer(q request) failure {
	it, ok := p.items[q.AccessToken]
	switch {
	case q.ClientID != clientID || q.Secret != clientSecret:
		return refuses(400, "INVALID_INPUT", "INVALID_API_KEYS")
	case !ok:
		return refuses(400, "INVALID_INPUT", "INVALID_ACCESS_TOKEN")
	case len(it.failWith) > 0:
		next := it.failWith[0]
		it.failWith = it.failWith[1:]
		return next
	case it.status == "NOT_READY":
		return failure{200, M{"accounts": []any{}, "added": []any{}, "modified": []any{}, "removed": []any{},
			"next_cursor": "", "has_more": false, "transactions_update_status": it.status, "request_id": "req-1"}}
	}
	// A cursor is from/offset/to: an offset in the update between two lengths of the list of changes.
	from, offset, to := 0, 0, len(it.changes)
	if q.Cursor != "" {
		if n, _ := fmt.Sscanf(q.Cursor, "c/%d/%d/%d", &from, &offset, &to); n != 3 || to > len(it.changes) {
			return refuses(400, "INVALID_REQUEST", "INVALID_FIELD")
		}
		if offset < 0 { // the last page was given: a new update begins
			from, offset, to = to, 0, len(it.changes)
		} else if to != len(it.changes) {
			return refuses(400, "TRANSACTIONS_ERROR", "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION")
		}
	}
	update := it.changes[from:to]
	if from == 0 {
		update = present(update)
	}
	end := min(offset+min(q.Count, p.pageSize), len(update))
	page := M{"accounts": []M{}, "added": []M{}, "modified": []M{}, "removed": []M{},
		"transactions_update_status": it.status, "request_id": "req-1"}
	shown := map[string]bool{}
	for _, c := range update[offset:end] {
		row := c.row
		if !q.Options.OriginalDescription && c.kind != "removed" {
			row = M{}
			for key, value := range c.row {
				row[key] = value
			}
			row["original_description"] = nil
		}
		page[c.kind] = append(page[c.kind].([]M), row)
		if id, _ := c.row["account_id"].(string); id != "" && !shown[id] {
			shown[id] = true
			account := M{"account_id": id, "name": "Account", "type": "depository",
				"balances": M{"current": 110.5, "iso_currency_code": "USD"}, "mask": nil}
			if mask := it.masks[id]; mask != "" {
				account["mask"] = mask
			}
			page["accounts"] = append(page["accounts"].([]M), account)
		}
	}
	page["has_more"] = end < len(update)
	page["next_cursor"] = fmt.Sprintf("c/%d/%d/%d", from, end, to)
	if end == len(update) {
		page["next_cursor"] = fmt.Sprintf("c/%d/-1/%d", from, to)
	}
	return failure{200, page}
}

// present is what the first update lists: the transactions that are there, as added.
func present(changes []change) []change {
	var list []change
	for _, c := range changes {
		list = slices.DeleteFunc(list,
			func(known change) bool { return known.row["transaction_id"] == c.row["transaction_id"] })
		if c.kind != "removed" {
			list = append(list, change{"added", c.row})
		}
	}
	return list
}
