package apitest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/server"
)

const failed = `{"error":"The request failed. Retry the same request with backoff."}`

// The checks run in one order: credential, organization_id, membership and role, content type, size, JSON syntax,
// schema and rules, look-ups, state. Each request here breaks two neighbours or more; the first one is told.
func TestTheFirstBrokenRuleInTheOrderOfChecksIsTold(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	foreign := a.open()
	account := o.uploadAccount("a1")
	member := a.joinMember(o)
	demo := a.open()
	if err := a.db.SetDemo(context.Background(), time.Now(), uuid.MustParse(demo.person), true); err != nil {
		t.Fatal(err)
	}
	anonymous := a.with(http.Header{})
	huge := strings.Repeat("x", server.MaxBody+1)
	reader := a.withOAuth(a.oauth(o.person, "org:read"))
	upload, unknown := "/accounts/"+account+"/transactions", "/accounts/"+uuid.NewString()+"/transactions"
	good := `{"transactions":[{"external_id":"t","amount":1,"date":"2026-01-01","description":"d"}]}`

	for _, test := range []struct {
		name              string
		caller            *caller
		path, media, body string
		want              int
	}{
		{"401 before 422 of the organization", anonymous, "/organizations/nope/accounts", "", "", 401},
		{"401 before 415 and 413", anonymous, o.path + "/accounts", "text/plain", huge, 401},
		{"422 of the organization before 403", o.caller, "/organizations/nope/accounts", "application/json", "{}", 422},
		{"422 of the organization before the scope", reader, "/organizations/nope/accounts", "application/json", "{}",
			422},
		{"422 of the organization before 415 and 413", o.caller, "/organizations/nope/accounts", "text/plain", huge,
			422},
		{"422 of the organization before 400", o.caller, "/organizations/nope/accounts", "application/json", "{", 422},
		{"403 before 415 and 413", o.caller, foreign.path + "/accounts", "text/plain", huge, 403},
		{"403 before 400", o.caller, foreign.path + "/accounts", "application/json", "{", 403},
		{"403 before 422 of another segment", o.caller, foreign.path + "/accounts/nope/transactions",
			"application/json", good, 403},
		{"403 of the scope before 415", reader, o.path + "/accounts", "text/plain", "x", 403},
		{"403 of a demo person before 415", demo.caller, demo.path + "/accounts", "text/plain", "x", 403},
		{"415 before 413", o.caller, o.path + upload, "text/plain", huge, 415},
		{"415 before 400", o.caller, o.path + upload, "", "{", 415},
		{"415 before 422 of another segment", o.caller, o.path + "/accounts/nope/transactions", "text/plain", good,
			415},
		{"413 before 400", o.caller, o.path + upload, "application/json", huge, 413},
		{"413 before 422 of another segment", o.caller, o.path + "/accounts/nope/transactions", "application/json",
			huge, 413},
		{"400 before 422", o.caller, o.path + upload, "application/json", `{"transactions":[]} x`, 400},
		{"400 before 422 of the query", o.caller, o.path + upload + "?x=1", "application/json", "{", 400},
		{"400 before 422 of another segment", o.caller, o.path + "/accounts/nope/transactions", "application/json", "{",
			400},
		{"422 before 404", o.caller, o.path + unknown, "application/json", `{"transactions":[]}`, 422},
		{"422 of the query before 404", o.caller, o.path + unknown + "?x=1", "application/json", good, 422},
		{"404", o.caller, o.path + unknown, "application/json", good, 404},
		{"200", o.caller, o.path + upload, "application/json", good, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			a.in(t).with(test.caller.header).send("POST", test.path, test.media, []byte(test.body)).want(test.want)
		})
	}

	member.delete(o.path + "/accounts/nope").want(403) // role before the other segments
	o.delete(o.path + "/accounts/nope").want(422)
	o.delete(o.path + "/accounts/" + uuid.NewString()).want(404)
}

// joinMember connects a new member to the office's business.
func (a *api) joinMember(o *office) *office {
	a.t.Helper()
	var id string
	if err := a.db.SQL().QueryRow(`SELECT business_id FROM organizations WHERE id = $1`,
		o.organization).Scan(&id); err != nil {
		a.t.Fatal(err)
	}
	return a.join("member-"+uuid.NewString(), business(id, "member"))
}

func TestLookUpsComeBeforeStates(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("a1")
	o.delete(o.path + "/accounts/" + account).want(200) // the last one: the source is revoked
	one := M{"transactions": []M{transaction("t", "1", "2026-01-01", "d")}}
	o.post(o.path+"/accounts/"+uuid.NewString()+"/transactions", one).want(404)
	o.post(o.path+"/accounts/"+account+"/transactions", one).want(400)
	o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{account2("a2", "usd")}}).want(422)
	o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{account2("a2", "USD")}}).want(400)
}

func account2(externalID, currency string) M {
	item := account(externalID)
	item["currency"] = currency
	return item
}

// Only the head of each request is sent. An answer proves that the body was not waited for.
func TestNoBodyIsReadBeforeTheCallerMayAct(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	foreign := a.open()
	head := func(path, authorization, media string) string {
		return fmt.Sprintf("POST %s%s HTTP/1.1\r\nHost: x\r\n%sContent-Type: %s\r\nContent-Length: 1000000\r\n\r\n",
			server.BasePath, path, authorization, media)
	}
	signed := fmt.Sprintf("Authorization: %s\r\nX-Service-Partner: %s\r\n", o.header.Get("Authorization"), a.partner)
	for name, test := range map[string]struct {
		request string
		want    int
	}{
		"no credential":    {head(o.path+"/accounts", "", "application/json"), 401},
		"bad organization": {head("/organizations/nope/accounts", signed, "application/json"), 422},
		"no membership":    {head(foreign.path+"/accounts", signed, "application/json"), 403},
		"wrong media type": {head(o.path+"/accounts", signed, "text/plain"), 415},
		"unknown route":    {head("/nowhere", "", "application/json"), 404},
		"wrong method": {strings.Replace(head(o.path+"/profile", signed, "application/json"), "POST", "PUT",
			1), 405},
		"short, no token": {strings.Replace(head(o.path+"/accounts", "", "application/json"), "1000000", "10",
			1), 401},
		"short, no access": {strings.Replace(head(foreign.path+"/accounts", signed, "application/json"),
			"1000000", "10", 1), 403},
		"short, bad organization": {strings.Replace(head("/organizations/nope/accounts", signed, "application/json"),
			"1000000", "10", 1), 422},
		"chunked, no token": {strings.Replace(head(o.path+"/accounts", "", "application/json"),
			"Content-Length: 1000000", "Transfer-Encoding: chunked", 1), 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			connection.SetDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.WriteString(connection, test.request); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != test.want {
				t.Errorf("status %d, want %d", response.StatusCode, test.want)
			}
		})
	}
}

func TestAnEmptySegmentIsNoOrganization(t *testing.T) {
	t.Parallel()
	a := shared(t)
	a.with(http.Header{}).get("/organizations//profile").want(401)
	a.open().get("/organizations//profile").want(422)
}

func TestAnEmptySegmentIsTheIDOfNothing(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.post(o.path+"/outstanding-issues//answers", M{"answer": "rent"}).want(404)
	o.post(o.path+"/outstanding-issues//answers", M{}).want(422)
	o.get(o.path + "/transactions/").want(404)
	o.get(o.path + "/counterparties/").want(404)
}

func TestABodyThatEndsEarlyIs400(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	connection, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(connection, "POST %s%s/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nX-Service-Partner: "+
		"%s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{}",
		server.BasePath, o.path, o.header.Get("Authorization"), a.partner)
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 400 {
		t.Errorf("status %d", response.StatusCode)
	}
}

func TestUnknownRoutesAre404JSONWithoutACredential(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	anonymous := a.with(http.Header{})
	for _, path := range []string{
		"/nowhere", "/", "//", "/organizations", "/organizations/", o.path, o.path + "/", o.path + "/nowhere",
		o.path + "/profile/",
		o.path + "/accounts/", o.path + "/accounts/" + uuid.NewString() + "/", "/Auth/partner", "/auth/partner/",
		o.path + "/profile/x", o.path + "//profile",
		o.path + "/transactions/", o.path + "/outstanding-issues/x",
	} {
		for _, c := range []*caller{anonymous, o.caller} {
			got := c.get(path)
			if got.status != 404 || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
				t.Errorf("%s: %d %s", path, got.status, got.body)
				continue
			}
			if got.text("error") == "" {
				t.Errorf("%s: %s", path, got.body)
			}
		}
	}
}

func TestAWrongMethodIs405WithAllow(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	allowed := map[string][]string{} // methods by path
	for _, d := range documented() {
		if !d.elsewhere {
			allowed[d.path] = append(allowed[d.path], d.method)
		}
	}
	fill := strings.NewReplacer("{organization_id}", o.organization, "{account_id}", uuid.NewString(),
		"{transaction_id}", uuid.NewString(), "{counterparty_id}", uuid.NewString(), "{id}", "x")
	for path, methods := range allowed {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} {
			if slices.Contains(methods, method) {
				continue
			}
			for _, c := range []*caller{a.with(http.Header{}), o.caller} {
				got := c.send(method, fill.Replace(path), "", nil)
				if got.status != 405 || got.text("error") == "" {
					t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
				}
				for _, other := range methods {
					if !strings.Contains(got.header.Get("Allow"), other) {
						t.Errorf("%s %s: Allow is %q, want %s in it", method, path, got.header.Get("Allow"), other)
					}
				}
			}
		}
	}
}

func TestDocumentsAnswerHEAD(t *testing.T) {
	t.Parallel()
	anybody := shared(t).with(http.Header{})
	for _, path := range []string{"", "/openapi.json", "/openapi.yaml", "/docs/", "/docs/guides/errors"} {
		got, whole := anybody.send("HEAD", path, "", nil), anybody.get(path).want(200)
		media := got.header.Get("Content-Type")
		if got.status != 200 || len(got.body) > 0 || media != whole.header.Get("Content-Type") {
			t.Errorf("HEAD %s: %d %q with %d bytes", path, got.status, media, len(got.body))
		}
	}
}

func TestHEADAndOPTIONSTellNothingOfTheData(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	if got := o.send("HEAD", o.path+"/profile", "", nil); got.status != 405 || len(got.body) > 0 ||
		!strings.Contains(got.header.Get("Allow"), "GET") {
		t.Errorf("HEAD: %d %q, Allow %q", got.status, got.body, got.header.Get("Allow"))
	}
	got := a.with(http.Header{}).send("OPTIONS", o.path+"/profile", "", nil)
	if got.status != 204 || !strings.Contains(got.header.Get("Allow"), "GET") || len(got.body) > 0 {
		t.Errorf("OPTIONS: %d %q, Allow %q", got.status, got.body, got.header.Get("Allow"))
	}
	if got := a.with(http.Header{}).send("OPTIONS", "/nowhere", "", nil); got.status != 404 {
		t.Errorf("OPTIONS of an unknown route: %d", got.status)
	}
}

func TestASaneRequestIDIsKeptAndAnotherReplaced(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for id, kept := range map[string]bool{
		"7f0c-request_1.2:3":     true,
		strings.Repeat("a", 128): true,
		strings.Repeat("a", 129): false,
		"":                       false,
		"two words":              false,
		"quote\"":                false,
		"<script>":               false,
		"\xff":                   false,
		"é":                      false,
		"a,b":                    false,
		"tab\tin it":             false,
	} {
		for _, path := range []string{o.path + "/profile", "/nowhere"} {
			got := o.with("X-Request-Id", id).get(path).header.Values("X-Request-Id")
			if len(got) != 1 || (got[0] == id) != kept || got[0] == "" {
				t.Errorf("%q: answered %q", id, got)
			}
		}
	}
}

func TestAPanicIs500WithAFixedText(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	a := start(t, func(c *server.Config) {
		c.PingQueue = func(context.Context) error { panic("the cause of it") }
		c.Log = slog.New(slog.NewJSONHandler(log, nil))
	})
	request, err := http.NewRequest("GET", a.url+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Request-Id", "panicking-request")
	got := a.with(nil).do(request).want(500)
	if diff := cmp.Diff(failed, strings.TrimSpace(string(got.body))); diff != "" {
		t.Error(diff)
	}
	if text := log.String(); !strings.Contains(text, "the cause of it") ||
		!strings.Contains(text, "panicking-request") {
		t.Errorf("the log has no cause: %s", text)
	}
	a.open().get("/openapi.json").want(200) // the server lives
}

func TestATimeoutIs500WithAFixedText(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.RequestTimeout = time.Nanosecond })
	got := a.as(a.sign("p", business("b", "owner"))).post("/auth/partner", nil).want(500)
	if diff := cmp.Diff(failed, strings.TrimSpace(string(got.body))); diff != "" {
		t.Error(diff)
	}
	a.withOAuth("mcp_x").get("/organizations/" + uuid.NewString() + "/profile").want(500)
}

func TestAnUploadThatTimesOutSavesNothingAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.RequestTimeout = 3 * time.Second })
	o := a.open()
	account := o.uploadAccount("a1")
	lock, err := a.db.SQL().Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback()
	if _, err := lock.Exec(`SELECT 1 FROM accounts WHERE organization_id = $1 AND id = $2 FOR UPDATE`, o.organization,
		account); err != nil {
		t.Fatal(err)
	}
	batch := M{"transactions": []M{transaction("t1", "1.00", "2026-01-01", "d")}}
	got := o.post(o.path+"/accounts/"+account+"/transactions", batch).want(500)
	if diff := cmp.Diff(failed, strings.TrimSpace(string(got.body))); diff != "" {
		t.Error(diff)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if got := o.get(o.path + "/transactions").want(200).size("transactions"); got != 0 {
		t.Errorf("%d transactions after a timeout", got)
	}
	o.post(o.path+"/accounts/"+account+"/transactions", batch).want(200)
}

// lockedBuffer is a log that is read while the server writes.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

func TestTheLogHoldsRequestsAndNothingOfTheirContent(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	a := start(t, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	sub := "person-" + uuid.NewString()
	o := a.join(sub, business("biz-"+uuid.NewString(), "owner"))
	opaque := a.oauth(o.person)
	account := o.uploadAccount("external-account")
	o.upload(account, transaction("external-transaction", "123456.78", "2026-01-01", "SECRET DESCRIPTION"))
	o.get(o.path + "/transactions?query=SECRETQUERY").want(200)
	o.post(o.path+"/accounts", `{"SECRETFIELD":"SECRETVALUE"}`).want(422)
	o.post(o.path+"/accounts", `{"SECRETFIELD`).want(400)
	a.withOAuth(opaque).get(o.path + "/profile").want(200)
	a.withOAuth(opaque + "SECRETTAIL").get(o.path + "/profile").want(401)
	a.as("SECRETTOKEN").get(o.path + "/profile").want(401)
	o.get("/SECRETROUTE").want(404)
	o.with("X-Request-Id", "kept-in-the-log").get(o.path + "/profile").want(200)
	a.as(a.signPayload(sub, M{"SECRETFIELD": "SECRETVALUE"})).post("/auth/partner", nil).want(422)

	text := log.String()
	for _, content := range []string{
		"SECRET", strings.TrimPrefix(o.header.Get("Authorization"), "Bearer "), opaque, string(a.secret), sub,
		"@example.com",
		"external-account", "external-transaction", "123456", "Person ",
	} {
		if strings.Contains(text, content) {
			t.Errorf("the log holds %q", content)
		}
	}
	lines := 0
	for line := range strings.Lines(text) {
		var entry struct {
			Msg       string
			Method    string
			Route     string
			Status    int
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if lines++; entry.RequestID == "" || entry.Msg == "request" &&
			(entry.Method == "" || entry.Route == "" || entry.Status == 0) {
			t.Errorf("incomplete: %s", line)
		}
	}
	if !strings.Contains(text, `"request_id":"kept-in-the-log"`) || lines < 12 {
		t.Errorf("%d lines, or the request's id is missing", lines)
	}
}

func TestA500DoesNotTellItsCauseButTheLogDoes(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	a := start(t, func(c *server.Config) { c.Log = slog.New(slog.NewJSONHandler(log, nil)) })
	o := a.open()
	// A secret that no key opens is a fault of the service, not of the caller.
	a.exec(`UPDATE partner_secrets SET sealed = '\x00' WHERE partner_id = $1`, a.partner)
	got := o.get(o.path + "/profile").want(500)
	if diff := cmp.Diff(failed, strings.TrimSpace(string(got.body))); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(log.String(), `"request failed"`) {
		t.Errorf("the log has no cause: %s", log)
	}
}
