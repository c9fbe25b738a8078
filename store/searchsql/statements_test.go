package searchsql_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store/searchsql"
	"bizfin/store/statement"
)

var update = flag.Bool("update", false, "write testdata anew")

var organization = uuid.MustParse("01a1f987-9231-770e-89a2-63834b477a68")

// filters are what the statements of testdata search for, by the beginning of their files' names.
func filters() map[string]searchsql.Filter {
	type filter = searchsql.Filter
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	accounts, of := []uuid.UUID{organization}, func(words ...searchsql.Word) []searchsql.Word { return words }
	least, most, attention := money.Amount(-5000), money.Amount(7000), true
	word := searchsql.Word{Text: "coffee"}
	repetitive := searchsql.Word{Text: "aaaaaaaaaaaab"}
	ofCategory := searchsql.Word{Text: "office", CategoryIDs: []int{3250, 30801}}
	by := func(date statement.DateField, f searchsql.Filter) searchsql.Filter {
		f.DateField = date
		return f
	}
	primary := func(f searchsql.Filter) searchsql.Filter { return by(statement.Primary, f) }
	processed := func(f searchsql.Filter) searchsql.Filter { return by(statement.Processed, f) }
	return map[string]searchsql.Filter{
		"all":                   primary(filter{}),
		"all_processed":         processed(filter{}),
		"days":                  primary(filter{From: &day, To: &day}),
		"accounts":              primary(filter{FilterByAccount: true, AccountIDs: accounts}),
		"counterparty":          primary(filter{Counterparty: &organization}),
		"attention":             primary(filter{Attention: &attention}),
		"categories":            primary(filter{FilterByCategory: true, CategoryIDs: []int{3000, 3250}}),
		"categories_or_none":    primary(filter{FilterByCategory: true, CategoryIDs: []int{9700}, Uncategorized: true}),
		"amounts":               primary(filter{AmountFrom: &least, AmountTo: &most}),
		"amounts_in_accounts":   primary(filter{AmountFrom: &least, FilterByAccount: true, AccountIDs: accounts}),
		"word":                  primary(filter{Words: of(word)}),
		"word_processed":        processed(filter{Words: of(word)}),
		"word_of_category":      primary(filter{Words: of(ofCategory)}),
		"word_repetitive":       primary(filter{Words: of(repetitive)}),
		"word_too_short":        primary(filter{Words: of(searchsql.Word{Text: "a%"})}),
		"words_days_and_amount": primary(filter{Words: of(word, ofCategory), From: &day, To: &day, AmountTo: &most}),
	}
}

// TestStatementsAreThoseInTestdata shows of each filter the statements that a search may ask: <filter>_<what>.sql.
func TestStatementsAreThoseInTestdata(t *testing.T) {
	t.Parallel()
	statements := 0
	same := func(name, query string) {
		t.Helper()
		statements++
		path := filepath.Join("testdata", name+".sql")
		if *update {
			if err := os.WriteFile(path, []byte(query), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), query); diff != "" {
			t.Errorf("%s (-file +statement; go test ./store/searchsql -update writes it): %s", name, diff)
		}
	}
	after := &searchsql.Place{Date: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), ID: organization}
	for name, f := range filters() {
		plan := searchsql.Of(organization, f)
		ask := func(what, query string, _ statement.Arguments) { same(name+"_"+what, query) }
		if plan.ByOtherIndex() && f.DateField == statement.Primary {
			query, args := plan.Newest(after, 2500, 21)
			ask("newest_behind_place", query, args)
		}
		query, args := plan.Find(nil, 21)
		ask("find", query, args)
		query, args = plan.Find(after, 21)
		ask("find_behind_place", query, args)
		query, args = plan.Count(false, 1001)
		ask("count", query, args)
		query, args = plan.Sum(false, 10_001)
		ask("sum", query, args)
		if len(f.Words) > 0 {
			query, args = plan.Count(true, 1001)
			ask("count_in_all_rows", query, args)
			query, args = plan.Sum(true, 10_001)
			ask("sum_in_all_rows", query, args)
		}
		if f.AmountFrom != nil || f.AmountTo != nil {
			query, args = plan.CountOtherCurrencies(1000)
			ask("count_other_currencies", query, args)
		}
	}
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) != statements {
		t.Errorf("%d files for %d statements, %v", len(files), statements, err)
	}
}

func BenchmarkFind(b *testing.B) {
	for _, name := range []string{"all", "word", "words_days_and_amount", "categories_or_none"} {
		b.Run(name, func(b *testing.B) {
			f := filters()[name]
			for b.Loop() {
				searchsql.Of(organization, f).Find(nil, 21)
			}
		})
	}
}
