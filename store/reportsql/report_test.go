package reportsql_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/store/reportsql"
	"bizfin/store/statement"
)

var update = flag.Bool("update", false, "write testdata anew")

var organization = uuid.MustParse("01a1f987-9231-770e-89a2-63834b477a68")

// forms are a report of each form, by the name of its file: both reports, of rows and of sums, by every filter.
func forms(date statement.DateField) map[string]reportsql.Report {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := map[string]reportsql.Report{}
	for _, cashflow := range []bool{false, true} {
		for _, few := range []int{0, 5000} {
			for _, filters := range [][]string{
				nil, {"category"}, {"category_or_none"},
				{"counterparty"}, {"category", "counterparty"}, {"category_or_none", "counterparty"},
			} {
				r := reportsql.Report{Cashflow: cashflow, Few: few}
				r.Filter = reportsql.Filter{DateField: date, From: first, To: first.AddDate(0, 3, -1)}
				r.PeriodStarts = []time.Time{first, first.AddDate(0, 1, 0), first.AddDate(0, 2, 0)}
				name := []string{"pnl"}
				if cashflow {
					name, r.Transfers, r.Counterparties = []string{"cashflow"}, []int{9100, 9200}, 50
				}
				if name = append(name, "sums"); few > 0 {
					name[1] = "rows"
				}
				if len(filters) > 0 {
					name = append(append(name, "by"), filters...)
				}
				r.Uncategorized = slices.Contains(filters, "category_or_none")
				if r.Uncategorized || slices.Contains(filters, "category") {
					r.FilterByCategory, r.CategoryIDs = true, []int{3000, 3250}
				}
				if slices.Contains(filters, "counterparty") {
					r.FilterByCounterparty, r.CounterpartyIDs = true, []uuid.UUID{organization}
				}
				all[strings.Join(name, "_")+".sql"] = r
			}
		}
	}
	return all
}

func TestEveryStatementIsInTestdata(t *testing.T) {
	t.Parallel()
	all := forms(statement.Processed)
	for name, r := range all {
		query, _ := r.Statement(organization)
		path := filepath.Join("testdata", name)
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
			t.Errorf("%s (-file +statement; go test ./store/reportsql -update writes it): %s", name, diff)
		}
	}
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) != len(all) {
		t.Errorf("%d files for %d statements, %v", len(files), len(all), err)
	}
}

func TestStatementsByTheOtherDateDifferInItsColumn(t *testing.T) {
	t.Parallel()
	for name, r := range forms("date_field") {
		text, _ := r.Statement(organization)
		for _, date := range []statement.DateField{statement.Primary, statement.Processed} {
			r.DateField = date
			query, _ := r.Statement(organization)
			want := strings.ReplaceAll(text, "date_field", string(date))
			if diff := cmp.Diff(withoutNewestDay(t, want), withoutNewestDay(t, query)); diff != "" {
				t.Errorf("%s by %s: %s", name, date, diff)
			}
		}
	}
}

func TestEveryArgumentHasItsPlace(t *testing.T) {
	t.Parallel()
	for name, r := range forms(statement.Primary) {
		query, args := r.Statement(organization)
		places := map[string]bool{}
		for _, place := range regexp.MustCompile(`\$[0-9]+`).FindAllString(query, -1) {
			places[place] = true
		}
		for i := range args {
			if !places["$"+strconv.Itoa(i+1)] {
				t.Errorf("%s: argument %d is not used", name, i+1)
			}
		}
		if len(places) != len(args) {
			t.Errorf("%s: %d places for %d arguments", name, len(places), len(args))
		}
	}
}

func BenchmarkStatement(b *testing.B) {
	r := forms(statement.Processed)["cashflow_sums_by_category_counterparty.sql"]
	for b.Loop() {
		r.Statement(organization)
	}
}

// withoutNewestDay is a statement without what each date has indexes of its own for.
func withoutNewestDay(t *testing.T, query string) string {
	t.Helper()
	before, after, ok := strings.Cut(query, "SELECT 'through'")
	_, rest, found := strings.Cut(after, "\nUNION ALL\nSELECT 'source'")
	if !ok || !found {
		t.Fatalf("no newest day in %s", query)
	}
	return before + rest
}
