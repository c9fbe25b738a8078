package apitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"bizfin/openapi"
	"bizfin/server"
	"bizfin/store"
)

// fetch gets any path of the server without a credential and without following a redirect.
func (a *api) fetch(path string, accept ...string) answer {
	a.t.Helper()
	r, err := http.NewRequest("GET", a.url+path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, media := range accept {
		r.Header.Set("Accept", media)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		a.t.Fatal(err)
	}
	return answerOf(a.t, response.StatusCode, response.Header, body.Bytes())
}

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestTheDocumentIsServedAtTheBasePath(t *testing.T) {
	t.Parallel()
	a := shared(t)
	asYAML := a.fetch("/api/v1/openapi.yaml").want(200)
	if !bytes.Equal(asYAML.body, openapi.YAML) {
		t.Error("openapi.yaml is not the file of the tree")
	}
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/openapi.json", "/api/v1"} {
		for _, accept := range []string{"", "*/*", "application/json"} {
			got := a.fetch(path, accept).want(200)
			if media := got.header.Get("Content-Type"); !strings.HasPrefix(media, "application/json") {
				t.Errorf("%s is %s", path, media)
			}
			var served any
			if err := json.Unmarshal(got.body, &served); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, served); diff != "" {
				t.Errorf("%s differs from the YAML: %s", path, diff)
			}
			got.wantAt("1.0.0", "info", "version")
		}
	}
}

// What everybody may ask for is compressed once, and is the same in both forms.
func TestTheDocumentAndItsPagesAreTheSameCompressed(t *testing.T) {
	t.Parallel()
	a := shared(t)
	for _, path := range []string{"/api/v1", "/api/v1/openapi.json", "/api/v1/openapi.simple.json",
		"/api/v1/openapi.yaml",
		"/api/v1/docs/", "/api/v1/docs/guides/agents", "/api/v1/docs/search.json"} {
		plain := a.outside("GET", path, http.Header{"Accept-Encoding": {"identity"}}, nil).want(200)
		packed := a.outside("GET", path, http.Header{"Accept-Encoding": {"br, gzip"}}, nil).want(200)
		if plain.header.Get("Content-Encoding") != "" || packed.header.Get("Content-Encoding") != "gzip" ||
			!slices.Contains(plain.header.Values("Vary"), "Accept-Encoding") ||
			plain.header.Get("Content-Type") != packed.header.Get("Content-Type") {
			t.Errorf("%s: the headers are %v and %v", path, plain.header, packed.header)
		}
		for accepted, want := range map[string]string{
			"gzip;q=0": "", "*;q=0, gzip;q=0.5": "gzip", "notgzip": "", "*": "gzip",
		} {
			got := a.outside("GET", path, http.Header{"Accept-Encoding": {accepted}}, nil).want(200)
			if coding := got.header.Get("Content-Encoding"); coding != want {
				t.Errorf("%s: who accepts %s is sent %q", path, accepted, coding)
			}
		}
		unpacked, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(unpacked)
		if err != nil || !bytes.Equal(body, plain.body) || len(packed.body) > len(plain.body)/2 {
			t.Errorf("%s: %d bytes, %d compressed, %v", path, len(plain.body), len(packed.body), err)
		}
	}
}

func TestABrowserIsSentToTheReference(t *testing.T) {
	t.Parallel()
	a := shared(t)
	for _, path := range []string{"/", "/api/v1", "/api/v1/docs"} {
		got := a.fetch(path, browser).want(303)
		if to := got.header.Get("Location"); to != "/api/v1/docs/" {
			t.Errorf("%s redirects to %s", path, to)
		}
	}
	a.fetch("/api/v1/openapi.json", browser).want(200)
	a.fetch("/", "application/json").want(404)
}

func TestTheSimpleDocumentDiffersInArraysOfTheQueryAlone(t *testing.T) {
	t.Parallel()
	var simple struct {
		Paths map[string]map[string]json.RawMessage
	}
	got := shared(t).fetch("/api/v1/openapi.simple.json").want(200)
	if err := json.Unmarshal(got.body, &simple); err != nil {
		t.Fatal(err)
	}
	doc, err := openapi.Simple()
	if err != nil {
		t.Fatal(err)
	}
	if len(simple.Paths) != doc.Paths.Len() || doc.Paths.Len() < 17 {
		t.Errorf("%d paths are served", len(simple.Paths))
	}
	for path, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, p := range op.Parameters {
				if p.Value.Content != nil || p.Value.Schema == nil {
					t.Errorf("%s: %s has content", path, p.Value.Name)
				}
				if p.Value.Name == "categoryPaths" && p.Value.Example != `[["Expenses","Advertising"]]` {
					t.Errorf("the example of categoryPaths is %v", p.Value.Example)
				}
			}
		}
	}
}

var address = regexp.MustCompile(
	`(?i)(?:src|href|url|import)\s*[=(:]\s*["']?((?:https?:)?//[^"'\s)]+|[^"'\s)>]+\.(?:js|css|png|svg)\b)`)

func TestTheReferenceLoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	a := shared(t)
	page := a.fetch("/api/v1/docs/", browser).want(200)
	if media := page.header.Get("Content-Type"); !strings.HasPrefix(media, "text/html") {
		t.Errorf("the page is %s", media)
	}
	if !bytes.Contains(page.body, []byte("/api/v1/openapi.json")) {
		t.Error("the page does not load the document")
	}
	var assets int
	for _, found := range address.FindAllSubmatch(page.body, -1) {
		at := string(found[1])
		if strings.HasPrefix(at, "http") || strings.HasPrefix(at, "//") {
			t.Errorf("the page refers to %s", at)
			continue
		}
		if !strings.HasPrefix(at, "/") {
			at = "/api/v1/docs/" + at
		}
		if got := a.fetch(at).want(200); len(got.body) == 0 {
			t.Errorf("%s is empty", at)
		}
		assets++
	}
	if assets < 2 {
		t.Errorf("the page loads %d assets, want a script and a style at least: %s", assets, page.body)
	}
	for _, host := range []string{"validator.swagger.io", "cdn.", "unpkg", "googleapis"} {
		if bytes.Contains(page.body, []byte(host)) {
			t.Errorf("the page names %s", host)
		}
	}
}

func TestHealthNeedsNothing(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.Store = deadStore(t) })
	a.fetch("/healthz").want(200).wantAt(M{"status": "ok"})
}

// deadStore is a store whose database does not answer.
func deadStore(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open("postgres://nobody@127.0.0.1:1/none?sslmode=disable", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestReadinessNamesTheStateOfEverything(t *testing.T) {
	t.Parallel()
	hung := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	broken := func(context.Context) error { return errors.New("no queue") }
	for what, tc := range map[string]struct {
		configure func(*server.Config)
		status    int
		body      M
	}{
		"all is well": {func(*server.Config) {}, 200, M{"status": "ready", "database": "ok", "migrations": "ok",
			"queue": "ok"}},
		"the queue is down": {func(c *server.Config) { c.PingQueue = broken }, 200,
			M{"status": "degraded", "database": "ok", "migrations": "ok", "queue": "unreachable"}},
		"the queue hangs": {func(c *server.Config) { c.PingQueue = hung }, 200,
			M{"status": "degraded", "database": "ok", "migrations": "ok", "queue": "unreachable"}},
		"the database is down": {func(c *server.Config) { c.Store = deadStore(t) }, 503,
			M{"status": "unavailable", "database": "unreachable", "migrations": "unknown", "queue": "ok"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := start(t, tc.configure).fetch("/readyz")
			if got.status != tc.status {
				t.Errorf("status %d, want %d", got.status, tc.status)
			}
			got.wantAt(tc.body)
		})
	}
}

func TestADatabaseThatIsDownIsAFailureWithoutItsCause(t *testing.T) {
	t.Parallel()
	a := start(t, func(c *server.Config) { c.Store = deadStore(t) })
	got := a.as(a.sign("ana", business("b", "owner"))).post("/auth/partner", nil).want(500)
	if text := string(got.body); strings.Contains(text, "127.0.0.1") || strings.Contains(text, "refused") {
		t.Errorf("the cause is told: %s", text)
	}
	if len(got.issues()) != 0 || got.text("error") == "" {
		t.Errorf("answered %s", got.body)
	}
}

// Whoever can reach the address can ask, and each answer takes a millisecond and more of a core.
func TestMetricsAreShownAtARate(t *testing.T) {
	t.Parallel()
	a := start(t)
	for i := range 1000 {
		if got := a.fetch("/metrics"); got.status == 429 {
			if i < 60 {
				t.Errorf("the %dth request was refused", i)
			}
			return
		}
	}
	t.Error("a thousand requests were answered")
}

func TestMetricsCountRequestsByRoute(t *testing.T) {
	t.Parallel()
	a := start(t)
	o := a.open()
	o.get(o.path + "/profile").want(200)
	o.get(o.path + "/transactions/x").want(404)
	a.fetch("/no/such/route/with-an-id").want(404)
	got := string(a.fetch("/metrics").want(200).body)
	for _, line := range []string{
		`bizfin_http_requests_total{method="GET",route="/api/v1/organizations/:organization_id/profile",status="200"} 1`,
		`bizfin_http_requests_total{method="GET",route="/api/v1/organizations/:organization_id/transactions/:transaction_id",status="404"} 1`,
		`bizfin_http_requests_total{method="POST",route="/api/v1/auth/partner",status="200"} 1`,
		`bizfin_http_requests_total{method="any",route="none",status="404"} 1`,
		"go_goroutines", "process_open_fds",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(got, o.organization) || strings.Contains(got, "with-an-id") {
		t.Error("a label holds an id")
	}
}
