package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bizfin/server"
)

// kindsOfAttack are what 64 clients of one partner, or of nobody, can send one after the other.
var kindsOfAttack = map[string]func(context.Context, *attack, holding){
	"lists":            readsOf("/transactions"),
	"refusals":         readsOf("/transactions?limit=zz"),
	"unknown names":    readsOf("/reports/pnl?startDate=2026-01-01&endDate=2026-12-31&categoryNames=" + unknownNames()),
	"search aaa..b":    readsOf("/transactions?query=" + strings.Repeat("a", 63) + "b"),
	"search b..aaa":    readsOf("/transactions?query=b" + strings.Repeat("a", 63)),
	"search emoji":     readsOf("/transactions?query=" + url.QueryEscape(strings.Repeat("😀", 64))),
	"search six words": readsOf("/transactions?query=" + url.QueryEscape("merchant store aaa aaaa aaaaa b")),
	"counterparties":   readsOf("/counterparties?query=" + strings.Repeat("a", 63) + "b"),
	"P&L":              readsOf("/reports/pnl?startDate=2019-01-01&endDate=2026-12-31"),
	"cash flow by day": readsOf("/reports/cashflow?startDate=2026-01-01&endDate=2026-12-31&periodGrouping=day" +
		"&periodLimit=400"),
	"questions": readsOf("/outstanding-issues?limit=50"),
	"connections": func(ctx context.Context, a *attack, b holding) {
		a.send(ctx, "connect", http.MethodPost, server.BasePath+"/auth/partner", b.Token, nil)
	},
	"bad signatures": func(ctx context.Context, a *attack, b holding) {
		a.send(ctx, "bad", http.MethodGet, listOf(b), b.Token+"x", nil)
	},
	"unknown tokens": func(ctx context.Context, a *attack, b holding) {
		a.send(ctx, "unknown", http.MethodGet, listOf(b), "", nil, "mcp_unknown")
	},
	"no route":       strangersGet("/nothing"),
	"metrics":        strangersGet("/metrics"),
	"metadata":       strangersGet("/.well-known/oauth-protected-resource"),
	"reference":      strangersGet(server.BasePath + "/docs/"),
	"document":       strangersGet(server.BasePath + "/openapi.json"),
	"lists of tools": messagesOf(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
	"refused calls":  messagesOf("[" + strings.Repeat(refusedCall+",", 9) + refusedCall + "]"),
	"MiBs of rows": func(ctx context.Context, a *attack, b holding) {
		a.upload(ctx, b, wholeMiB)
	},
	"MiBs of {}": func(ctx context.Context, a *attack, b holding) {
		a.upload(ctx, b, []byte(`{"transactions":[`+strings.Repeat("{},", 300_000)+`{}]}`))
	},
	"MiBs of [": func(ctx context.Context, a *attack, b holding) {
		a.upload(ctx, b, bytes.Repeat([]byte("["), 900_000))
	},
	"uploads of a row": func(ctx context.Context, a *attack, b holding) { a.upload(ctx, b, rowsOf(1, 12)) },
	"chunks of a byte": func(ctx context.Context, a *attack, b holding) {
		a.drip(ctx, uploadHead(a, b)+"Transfer-Encoding: chunked\r\n\r\n", strings.Repeat("1\r\n \r\n", 2000))
	},
	"announced uploads": func(ctx context.Context, a *attack, b holding) {
		a.drip(ctx, uploadHead(a, b)+"Content-Length: 1000000\r\n\r\n", "")
	},
	"idle sockets": func(ctx context.Context, a *attack, _ holding) { a.drip(ctx, "", "") },
}

const refusedCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getCashflowReport","arguments":` +
	`{"startDate":"2019-01-01","endDate":"2026-12-31","periodGrouping":"day"}}}`

var wholeMiB = rowsOf(500, 1900)

func listOf(b holding) string {
	return server.BasePath + "/organizations/" + b.Organization + "/transactions"
}

func readsOf(path string) func(context.Context, *attack, holding) {
	return func(ctx context.Context, a *attack, b holding) { a.read(ctx, b, path) }
}

func strangersGet(path string) func(context.Context, *attack, holding) {
	return func(ctx context.Context, a *attack, _ holding) {
		a.send(ctx, "stranger", http.MethodGet, path, "", nil, "")
	}
}

func messagesOf(message string) func(context.Context, *attack, holding) {
	return func(ctx context.Context, a *attack, b holding) {
		a.send(ctx, "mcp", http.MethodPost, "/mcp", "", []byte(message), b.Agent)
	}
}

func unknownNames() string {
	names := make([]string, 200)
	for i := range names {
		names[i] = fmt.Sprintf("abcdefg%dhij klm", i)
	}
	raw, _ := json.Marshal(names)
	return url.QueryEscape(string(raw))
}

func uploadHead(a *attack, b holding) string {
	return "POST " + server.BasePath + "/organizations/" + b.Organization + "/accounts/" + b.Account +
		"/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + b.Token + "\r\nX-Service-Partner: " +
		a.Partner + "\r\nContent-Type: application/json\r\n"
}

// drip opens a connection, and goes on sending until it is answered.
func (a *attack) drip(ctx context.Context, head, each string) {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(a.URL, "http://"))
	if err != nil {
		return
	}
	defer c.Close()
	_, err = c.Write([]byte(head))
	for err == nil && ctx.Err() == nil {
		if _, err = c.Write([]byte(each)); err != nil {
			return
		}
		wait := time.Second
		if each != "" {
			wait = time.Millisecond
		}
		_ = c.SetReadDeadline(time.Now().Add(wait))
		if n, err := c.Read(make([]byte, 512)); n > 0 || !os.IsTimeout(err) {
			a.counted.add("dripped")
			return
		}
	}
}

// TestEachAttackLeavesOthersTheirs has 64 clients do one thing at a time, while another partner lists its newest rows.
func TestEachAttackLeavesOthersTheirs(t *testing.T) {
	text := cmp.Or(os.Getenv("BIZFIN_TEST_ATTACKS"), "0")
	lasting, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	if lasting == 0 {
		t.Skip("this is make attacks")
	}
	h := startHeavy(t)
	a := &attack{holdings: h.holds, http: http.DefaultClient}
	alike := bytes.ReplaceAll(rowsOf(500, 200), []byte("A O 1 "), []byte("aaaaaa"))
	for range 10 {
		a.upload(t.Context(), h.holds.Businesses[0], alike)
	}
	for _, kind := range append([]string{""}, slices.Sorted(maps.Keys(kindsOfAttack))...) {
		t.Run(cmp.Or(kind, "nothing"), func(t *testing.T) {
			h.t, h.honest.t = t, t
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if h.holds.Kind = kind; kind != "" {
					h.attack(lasting)
				}
			}()
			<-time.After(lasting / 6)
			ctx, cancel := context.WithTimeout(t.Context(), lasting*2/3)
			defer cancel()
			var lists timings
			h.honest.list(ctx, t.Context(), &lists)
			<-ended
			t.Logf("lists %v", &lists)
			if p99 := lists.at(99); p99 > goals.list {
				t.Errorf("the p99 of lists is %v, want %v", p99, goals.list)
			}
		})
	}
}
