package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// searchLimit is what a search may take as a client sees it.
const searchLimit = store.SearchTime + 2*time.Second

// repetitive is a business with 7,920 lines of 4,096 equal letters, where a word of these letters and another one
// matches nearly everywhere.
func repetitive(a *api) *office {
	a.t.Helper()
	o := a.open()
	account := o.uploadAccount("a")
	line := strings.Repeat("a", 4096)
	for batch := range 36 {
		var rows []M
		for i := range 220 {
			rows = append(rows, transaction(fmt.Sprint(batch, "-", i), "-1.00", "2026-03-30", line))
		}
		o.post(o.path+"/accounts/"+account+"/transactions", M{"transactions": rows}).want(200)
	}
	return o
}

// bounded fails the test where a search is neither found nor refused in its time.
func (o *office) bounded(t testing.TB, path string) {
	start := time.Now()
	got := uploads{o, ""}.in(t).get(o.path + path)
	if took := time.Since(start); took > searchLimit {
		t.Errorf("%.60s… took %v", path, took)
	}
	if got.status == 503 && (got.header.Get("Retry-After") == "" || !strings.Contains(got.text("error"),
		"fewer or rarer words")) {
		t.Errorf("%s does not say what to do", got.body)
	}
	if got.status != 503 {
		got.want(200)
	}
}

// startInTime is start with the time for a search that the service has, which others do not hold tests to.
func startInTime(t *testing.T) *api {
	t.Helper()
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return start(t, func(c *server.Config) { c.Store = db })
}

func TestASearchTakesTwoSecondsAtMostAndStopsNobody(t *testing.T) {
	t.Parallel()
	a := startInTime(t)
	hostile, honest := repetitive(a), a.open()
	var distinct []string
	for i := range 12 {
		distinct = append(distinct, strings.Repeat("a", 38)+string(rune('b'+i)))
	}
	last := strings.Repeat("a", 63) + "b"
	for name, query := range map[string]string{
		"the rare letter last":   last,
		"and by amount":          last + "&amountFrom=-5",
		"and by processed date":  last + "&dateField=processed",
		"the rare letter first":  "b" + strings.Repeat("a", 63),
		"the rare letter within": strings.Repeat("a", 31) + "b" + strings.Repeat("a", 32),
		"many words":             strings.Join(distinct, "+"),
		"a pair that repeats":    strings.Repeat("ab", 31) + "c",
		"words in every row":     "a+aa+aaa+aaaa",
		"words of two letters":   "ab+ac+ad+ae+af+ag+ah+ai+aj+ak",
		"wildcards":              url.QueryEscape(strings.Repeat("%_", 32)),
		"escapes":                url.QueryEscape(strings.Repeat(`\`, 64)),
		"emoji":                  url.QueryEscape(strings.Repeat("😀", 64)),
		"marks on a letter":      url.QueryEscape("a" + strings.Repeat("\u0301", 63)),
		"what grows when folded": url.QueryEscape(strings.Repeat("İ", 64)),
	} {
		t.Run(name, func(t *testing.T) {
			hostile.bounded(t, "/transactions?query="+query)
			uploads{honest, ""}.in(t).get(honest.path + "/transactions").want(200)
		})
	}
	t.Run("a letter that repeats is found", func(t *testing.T) {
		got := uploads{hostile, ""}.in(t).get(hostile.path + "/transactions?limit=1&query=" + strings.Repeat("A",
			64)).want(200)
		if got.size("transactions") != 1 {
			t.Error("not found")
		}
	})
	t.Run("twenty at a time", func(t *testing.T) {
		done := make(chan struct{})
		for range 20 {
			go func() {
				defer func() { done <- struct{}{} }()
				hostile.get(hostile.path + "/transactions?query=" + last + "&amountFrom=-5")
			}()
		}
		for range 20 {
			swift(t, "another's list", func() {
				uploads{honest, ""}.in(t).get(honest.path +
					"/transactions").want(200)
			})
		}
		for range 20 {
			<-done
		}
	})
	var left int
	err := a.db.SQL().QueryRowContext(t.Context(), `
		SELECT count(*)
		FROM pg_stat_activity
		WHERE state = 'active'
		  AND query LIKE '%ILIKE%'
		  AND query_start < clock_timestamp() - interval '5 seconds'
		  AND pid <> pg_backend_pid()`).Scan(&left)
	if err != nil || left > 0 {
		t.Errorf("%d searches go on without their clients (%v)", left, err)
	}
}

func TestASearchOfCounterpartiesTakesTwoSecondsAtMost(t *testing.T) {
	t.Parallel()
	o := startInTime(t).open()
	alias := strings.Repeat("a", 30_000)
	for range 250 {
		o.must(o.rows().SaveCounterparty(context.Background(), o.clock.Now(), store.Counterparty{
			ID: uuid.New(), Name: "A", Aliases: []string{alias, alias, alias}, Type: "company",
			Relationship: "supplier", LastDate: on("2026-03-30"),
		}))
	}
	o.bounded(t, "/counterparties?query="+strings.Repeat("a", 63)+"b")
	o.bounded(t, "/counterparties?query=b"+strings.Repeat("a", 63))
}

func TestASearchHasWordsOfASaneLength(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	for _, list := range []string{"/transactions", "/counterparties"} {
		o.get(o.path + list + "?query=coffee+" + url.QueryEscape(strings.Repeat("é", 64))).want(200)
		got := o.get(o.path + list + "?query=coffee+" + url.QueryEscape(strings.Repeat("é", 65))).want(422).issues()
		if len(got) != 1 || got[0] != "query /query maxLength" {
			t.Errorf("%s: %q", list, got)
		}
	}
}

// Each name costs milliseconds to find others like it, and a request holds hundreds.
func TestTheNearestAreNamedForTheFirstUnknownCategoriesAlone(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	var names []string
	for i := range 200 {
		names = append(names, strings.Repeat(fmt.Sprintf("abcdefghijklmnopqrstu%d ", i), 8))
	}
	raw, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	got := o.get(o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-01-31&categoryNames=" +
		url.QueryEscape(string(raw))).want(422)
	if n := strings.Count(string(got.body), "nearest: "); n != 5 {
		t.Errorf("the nearest are named %d times", n)
	}
	if !strings.Contains(string(got.body), "the nearest are named for the first 5 alone") {
		t.Errorf("it does not say that it stops: %.300s", got.body)
	}
}
