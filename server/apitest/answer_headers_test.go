package apitest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"bizfin/server"
)

func TestNoAnswerWithDataIsKeptOrGuessedAt(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	o := h.open()
	token := o.oauth(o.person)
	for name, header := range map[string]http.Header{
		"a read":    o.get(o.path + "/accounts").want(200).header,
		"a refusal": o.get(o.path + "/accounts?x=1").want(422).header,
		"an upload": o.post(o.path+"/accounts", M{"source_id": o.source,
			"accounts": []M{account("a")}}).want(200).header,
		"a stranger":  o.as("x").get(o.path + "/accounts").want(401).header,
		"no route":    o.get("/none").want(404).header,
		"a message":   o.postMCP(bearing(token), []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)).want(200).header,
		"a snapshot":  h.signed(`{"sub": "ana"`).want(500).header,
		"a connected": o.post("/auth/partner", nil).want(200).header,
	} {
		if header.Get("Cache-Control") != "no-store" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: Cache-Control %q, X-Content-Type-Options %q", name, header.Get("Cache-Control"),
				header.Get("X-Content-Type-Options"))
		}
	}
}

func TestLargeAnswersAreCompressedForWhoTakesThat(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.uploadAccount("a")
	var rows []M
	for i := range 50 {
		rows = append(rows, transaction(fmt.Sprint(i), "-1.00", "2026-03-30", strings.Repeat("COFFEE ", 60)))
	}
	o.upload(account, rows...)
	token := o.oauth(o.person)
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"searchTransactions","arguments":{"organization_id":%q,"limit":50}}}`, o.organization)
	for name, c := range map[string]struct {
		method, address, body string
		header                http.Header
		accept, want          string
	}{
		"a page":       {"GET", server.BasePath + o.path + "/transactions?limit=50", "", o.header, "gzip", "gzip"},
		"not asked":    {"GET", server.BasePath + o.path + "/transactions?limit=50", "", o.header, "", ""},
		"refused":      {"GET", server.BasePath + o.path + "/transactions?limit=50", "", o.header, "gzip;q=0", ""},
		"a small page": {"GET", server.BasePath + o.path + "/transactions?limit=1", "", o.header, "gzip", ""},
		"a tool call":  {"POST", "/mcp", message, bearing(token), "gzip", "gzip"},
	} {
		r, err := http.NewRequest(c.method, o.url+c.address, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = c.header.Clone()
		r.Header.Set("Accept-Encoding", c.accept)
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := response.Header.Get("Content-Encoding"); got != c.want || response.StatusCode != 200 {
			t.Errorf("%s: status %d, Content-Encoding %q", name, response.StatusCode, got)
		}
		body := io.Reader(response.Body)
		if c.want == "gzip" {
			if body, err = gzip.NewReader(response.Body); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := io.ReadAll(body)
		if err != nil || !strings.Contains(string(raw), "COFFEE") {
			t.Errorf("%s: %v %.200s", name, err, raw)
		}
		response.Body.Close()
	}
}
