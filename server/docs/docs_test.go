package docs_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"bizfin/openapi"
	"bizfin/server/docs"
)

const base = "/api/v1/docs"

var site = sync.OnceValue(func() *docs.Site {
	s, err := docs.New("/api/v1")
	if err != nil {
		panic(err)
	}
	return s
})

func get(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	site().ServeHTTP(w, r)
	return w
}

// pages are the addresses of all pages with their HTML.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range site().Paths() {
		got := get(t, path)
		if strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") {
			all[path] = got.Body.String()
		}
	}
	if len(all) < 12 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}

func TestEveryPageForbidsWhatIsNotServedHere(t *testing.T) {
	t.Parallel()
	for _, path := range site().Paths() {
		policy := get(t, path).Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") ||
			strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	inline := regexp.MustCompile(
		`<style|\sstyle="|\son[a-z]+="|<script[^>]*>[^<]|javascript:|(?:src|<link[^>]*href)="(?:https?:)?//`,
	)
	for path, html := range pages(t) {
		if found := inline.FindString(html); found != "" {
			t.Errorf("%s has %s, which the policy forbids", path, found)
		}
	}
}

var (
	link = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	id   = regexp.MustCompile(`\sid="([^"]*)"`)
)

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	all, ids := pages(t), map[string]bool{}
	for path, html := range all {
		for _, found := range id.FindAllStringSubmatch(html, -1) {
			if ids[path+"#"+found[1]] {
				t.Errorf("%s has %s twice", path, found[1])
			}
			ids[path+"#"+found[1]] = true
		}
	}
	outside := []string{"/api/v1/openapi.json", "/api/v1/openapi.yaml"} // of the server itself
	for path, html := range all {
		known := map[string]bool{}
		from, err := http.NewRequest("GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(html, -1) {
			if known[found[1]] {
				continue
			}
			known[found[1]] = true
			to, err := from.URL.Parse(found[1])
			if err != nil {
				t.Errorf("%s links to %s: %v", path, found[1], err)
				continue
			}
			if slices.Contains(outside, to.Path) {
				continue
			}
			if to.Path == from.URL.Path && ids[path+"#"+to.Fragment] {
				continue
			}
			if to.Host != "" || get(t, to.Path).Code != 200 {
				t.Errorf("%s links to %s, where nothing is", path, found[1])
				continue
			}
			if to.Fragment != "" && !ids[to.Path+"#"+to.Fragment] {
				t.Errorf("%s links to %s, which is not on that page", path, found[1])
			}
		}
	}
}

func TestTheReferenceShowsEveryOperation(t *testing.T) {
	t.Parallel()
	html := strings.ReplaceAll(get(t, base+"/").Body.String(), "<wbr>", "")
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	operations := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			operations++
			_, section, found := strings.Cut(html, `<article id="`+op.OperationID+`"`)
			section, _, _ = strings.Cut(section, "</article>")
			if !found || !strings.Contains(section, ">"+method+"<") || !strings.Contains(section, path) {
				t.Errorf("%s is not shown", op.OperationID)
				continue
			}
			for _, p := range append(slices.Clone(item.Parameters), op.Parameters...) {
				if !strings.Contains(section, "<code>"+p.Value.Name+"</code>") {
					t.Errorf("%s: %s is not shown", op.OperationID, p.Value.Name)
				}
			}
			for _, language := range []string{"bash", "go", "ts", "python"} {
				if strings.Count(section, `data-language="`+language+`"`) != 1 {
					t.Errorf("%s has no sample in %s", op.OperationID, language)
				}
			}
			for status := range op.Responses.Map() {
				if status != "200" && !strings.Contains(section, "<code>"+status+"</code>") {
					t.Errorf("%s: the answer %s is not shown", op.OperationID, status)
				}
			}
		}
	}
	if operations < 18 {
		t.Errorf("only %d operations", operations)
	}
	for name, schema := range doc.Components.Schemas {
		for member := range schema.Value.Properties {
			if !strings.Contains(html, "<code>"+member+"</code>") {
				t.Errorf("%s.%s is not shown", name, member)
			}
		}
	}
}

// The guide to agents has a table of what they are offered: all that reads or answers.
func TestTheGuideToAgentsNamesEveryTool(t *testing.T) {
	t.Parallel()
	guide := get(t, base+"/guides/agents").Body.String()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			scope := op.Extensions["x-scope"]
			isTool := scope == "org:read" || scope == "org:answer"
			if isTool && !strings.Contains(guide, "<code>"+op.OperationID+"</code>") {
				t.Errorf("server/docs/guides/agents.md says nothing of the tool %s", op.OperationID)
			}
		}
	}
}

func TestEveryFieldHasAnAddress(t *testing.T) {
	t.Parallel()
	html := get(t, base+"/").Body.String()
	_, fields, _ := strings.Cut(html, `<ul class="fields">`)
	listed, addressed := 0, 0
	names := regexp.MustCompile(`<li(?: id="[^"]+")?>\s*<div class="name">(<a href="#)?`)
	for _, item := range names.FindAllStringSubmatch(fields, -1) {
		listed++
		if item[1] != "" {
			addressed++
		}
	}
	if listed < 500 || addressed != listed {
		t.Errorf("%d of %d fields have an address", addressed, listed)
	}
}

func TestTheSearchFindsOperationsFieldsCodesAndGuides(t *testing.T) {
	t.Parallel()
	var index []struct{ Title, Kind, Address, Text string }
	if err := json.Unmarshal(get(t, base+"/search.json").Body.Bytes(), &index); err != nil {
		t.Fatal(err)
	}
	all := pages(t)
	found := map[string]bool{}
	for _, e := range index {
		path, fragment, _ := strings.Cut(e.Address, "#")
		if fragment != "" && !strings.Contains(all[path], ` id="`+fragment+`"`) || all[path] == "" {
			t.Errorf("%s leads to %s, where nothing is", e.Title, e.Address)
		}
		found[e.Title] = true
		if strings.Contains(e.Text, "maxLength") && strings.HasPrefix(e.Kind, "Guide") {
			found["maxLength"] = true
		}
	}
	for _, title := range []string{
		"Search transactions", "external_id", "netProfit", "categoryPaths", "Retries", "maxLength",
	} {
		if !found[title] {
			t.Errorf("%s is not found", title)
		}
	}
}

func TestAKnownVersionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	tag := get(t, base+"/").Header().Get("ETag")
	strong, weak := strings.CutPrefix(tag, "W/")
	if packed := get(t, base+"/", "Accept-Encoding", "gzip").Header().Get("ETag"); packed != tag || !weak {
		t.Errorf("the ETag is %s, and packed %s; want one that is weak", tag, packed)
	}
	for _, known := range []string{tag, strong, `"other", ` + tag, "*"} {
		if got := get(t, base+"/", "If-None-Match", known); got.Code != 304 || got.Body.Len() != 0 {
			t.Errorf("%s of %s is answered %d with %d bytes", known, tag, got.Code, got.Body.Len())
		}
	}
	if got := get(t, base+"/", "If-None-Match", `"other"`); got.Code != 200 {
		t.Errorf("another version is answered %d", got.Code)
	}
}

func TestAnUnknownPageIsNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{base + "/guides/no-such-guide", base + "/pages/frame.html", base + "/assets/"} {
		if got := get(t, path); got.Code != 404 {
			t.Errorf("%s is answered %d", path, got.Code)
		}
	}
	if got := get(t, base+"/guides/errors/"); got.Code != 303 || got.Header().Get("Location") != base+"/guides/errors" {
		t.Errorf("a slash too many is answered %d to %s", got.Code, got.Header().Get("Location"))
	}
}
