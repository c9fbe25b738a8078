package aggregation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/worker/aggregation"
)

// answers is a client of a server that gives these answers, one after the other, and then the last one for ever.
func answers(t *testing.T, texts ...string) *aggregation.Client {
	t.Helper()
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, texts[min(n, len(texts)-1)])
		n++
	}))
	t.Cleanup(server.Close)
	return aggregation.New(aggregation.Config{URL: server.URL + "/", ClientID: "id", Secret: "secret"})
}

// page is an answer; rows are "id" or "id=description", and of removed ones "id".
func page(added, modified, removed, next string, more bool) string {
	row := func(text string) string {
		id, description, _ := strings.Cut(text, "=")
		return fmt.Sprintf(`{"transaction_id":%q,"account_id":"a","amount":1,"date":"2026-05-01","name":%q}`, id,
			description)
	}
	list := func(texts string, f func(string) string) string {
		var out []string
		for text := range strings.FieldsSeq(texts) {
			out = append(out, f(text))
		}
		return strings.Join(out, ",")
	}
	return fmt.Sprintf(`{"added":[%s],"modified":[%s],"removed":[%s],"next_cursor":%q,"has_more":%v}`,
		list(added, row), list(modified, row),
		list(removed, func(id string) string { return fmt.Sprintf(`{"transaction_id":%q}`, id) }), next, more)
}

func TestAnUpdateIsTheLastStateOfItsPages(t *testing.T) {
	t.Parallel()
	c := answers(t,
		page("a=1 b=1 c=1 d=1", "", "x", "c1", true),
		page("x=2", "a=2", "b", "c2", true),
		page("b=3 a=3", "", "c a", "c3", false))
	u, err := c.Pull(t.Context(), "token", "c0")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, row := range u.Transactions {
		got = append(got, row.ID+"="+row.Name)
	}
	if diff := cmp.Diff([]string{"b=3", "d=1", "x=2"}, got); diff != "" {
		t.Errorf("rows: %s", diff)
	}
	if diff := cmp.Diff([]string{"a", "c"}, u.Removed); diff != "" {
		t.Errorf("removed: %s", diff)
	}
	if u.Cursor != "c3" || u.Whole || !u.Ready {
		t.Errorf("update %+v", u)
	}
}

func TestAnswersThatAreNoneOfTheProviderAreRefused(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"nothing":                    {""},
		"another form":               {`{"status":"ok"}`},
		"no cursor":                  {`{"added":[],"has_more":false}`},
		"no word of more":            {`{"added":[],"next_cursor":"c"}`},
		"more after the same cursor": {page("a=1", "", "", "c1", true)},
		"too large": {strings.Replace(page("", "", "", "c1", false), "{",
			`{"padding":"`+strings.Repeat("x", 17<<20)+`",`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := answers(t, texts...).Pull(t.Context(), "token", ""); !errors.Is(err, aggregation.ErrAnswer) {
				t.Errorf("%v, want ErrAnswer", err)
			}
		})
	}
}

func TestAPullEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		stop()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c := aggregation.New(aggregation.Config{URL: server.URL, ClientID: "id", Secret: "secret"})
	if _, err := c.Pull(ctx, "token", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was canceled", err)
	}
}
