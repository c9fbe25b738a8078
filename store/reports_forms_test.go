package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
)

// TestBothFormsOfAReportSayTheSame compares what adds up rows by itself with what has them summed, by every filter.
func TestBothFormsOfAReportSayTheSame(t *testing.T) {
	business, parties, rows := books(t)
	change(t, `UPDATE transactions SET category_id = NULL, category_source = NULL, category_confidence = NULL WHERE id = $1`, rows[5])
	change(t, `UPDATE transactions SET amount = 999999999999999 WHERE id = ANY ($1::uuid[])`,
		"{"+rows[1].String()+","+rows[2].String()+"}")
	change(t, `UPDATE transactions SET authorized_date = processed_date - 20 WHERE id = $1`, rows[30])
	change(t, `UPDATE transactions SET pending = true WHERE id = $1`, rows[31])
	change(t, `UPDATE transactions SET currency = 'EUR' WHERE id = $1`, rows[32])
	rollUp(t, transferCategories())
	all := ontology.ScheduleC().All()
	some := []int{all[1].ID, all[5].ID, all[8].ID, transferCategories()[0]}
	filters := []store.ReportFilter{
		{},
		{FilterByCategory: true, CategoryIDs: some},
		{FilterByCategory: true, CategoryIDs: some, Uncategorized: true},
		{FilterByCategory: true},
		{FilterByCounterparty: true, CounterpartyIDs: []uuid.UUID{parties[0], parties[0]}},
		{FilterByCounterparty: true, CounterpartyIDs: []uuid.UUID{uuid.New()}},
		{FilterByCounterparty: true, CounterpartyIDs: parties, FilterByCategory: true, CategoryIDs: some,
			Uncategorized: true},
	}
	seen := map[string]bool{}
	for i, chosen := range filters {
		for _, grouping := range []report.Grouping{report.Quarter, report.Month, report.Week, report.Day} {
			for _, field := range []store.DateField{store.Processed, store.Primary} {
				for _, limit := range []int64{2, 4000} {
					f := filterOf(t, date(2026, 1, 10), date(2026, 3, 31), grouping, limit)
					f.DateField = field
					f.FilterByCategory, f.CategoryIDs, f.Uncategorized = chosen.FilterByCategory, chosen.CategoryIDs,
						chosen.Uncategorized
					f.FilterByCounterparty, f.CounterpartyIDs = chosen.FilterByCounterparty, chosen.CounterpartyIDs
					for _, counterparties := range []int{1, 50} {
						few, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f,
							transferCategories(), counterparties, store.FewRows)
						must(t, err)
						summed, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f,
							transferCategories(), counterparties, 0)
						must(t, err)
						openInOrder(&few.ReportSums)
						openInOrder(&summed.ReportSums)
						if diff := difference(summed, few); diff != "" {
							t.Fatalf("cash flow of filter %d by %s of %s (-summed +rows): %s", i, field, grouping, diff)
						}
						seen["counterparties"] = seen["counterparties"] || len(few.Counterparties) > 0
						seen["others"] = seen["others"] || len(few.Others) > 0
						seen["pending"] = seen["pending"] || few.Pending.TransactionCount > 0
						seen["unmatched"] = seen["unmatched"] || few.Unmatched.TransactionCount > 0
						seen["sizes"] = seen["sizes"] || few.Sizes.Compare(money.TotalOf(money.Max)) > 0
					}
					few, err := store.PnlSumsOf(t.Context(), business.Organization, f, store.FewRows)
					must(t, err)
					summed, err := store.PnlSumsOf(t.Context(), business.Organization, f, 0)
					must(t, err)
					openInOrder(&few)
					openInOrder(&summed)
					if diff := difference(summed, few); diff != "" {
						t.Fatalf("profit and loss of filter %d by %s of %s (-summed +rows): %s", i, field, grouping,
							diff)
					}
				}
			}
		}
	}
	for _, what := range []string{"counterparties", "others", "pending", "unmatched", "sizes"} {
		if !seen[what] {
			t.Errorf("no report had %s, so nothing is proved of them", what)
		}
	}
}

func TestReportsOfMoreThanAFewRowsAreSummed(t *testing.T) {
	business, _, rows := books(t)
	f := filterOf(t, date(2026, 1, 1), date(2026, 12, 31), report.Month, 12)
	count := func(few int) (n int64) {
		sums, err := store.PnlSumsOf(t.Context(), business.Organization, f, few)
		must(t, err)
		for _, sum := range sums.Categories {
			n += sum.TransactionCount
		}
		return n
	}
	for _, few := range []int{len(rows) - 1, len(rows), len(rows) + 1} {
		if n := count(few); n != int64(len(rows)) {
			t.Errorf("a report of %d rows, a few being %d, counts %d", len(rows), few, n)
		}
	}
}

func TestCounterpartiesAreListedByTheSizeOfTheirNet(t *testing.T) {
	business, parties, rows := books(t)
	third := uuid.New()
	must(t, business.SaveCounterparty(t.Context(), noon, store.Counterparty{ID: third, Name: "Third", Type: "company",
		Relationship: "client", LastDate: noon}))
	sizes := map[uuid.UUID]money.Amount{uuid.Nil: 300, parties[0]: 500, parties[1]: 300, third: -400}
	change(t, `UPDATE transactions SET deleted_at = now() WHERE organization_id = $1 AND id <> ALL ($2::uuid[])`,
		business.ID,
		fmt.Sprintf("{%s,%s,%s,%s}", rows[1], rows[2], rows[3], rows[4]))
	i := 1
	for id, amount := range sizes {
		change(t, `UPDATE transactions SET amount = $2, counterparty_id = nullif($3, '00000000-0000-0000-0000-000000000000'::uuid), category_id = NULL, category_source = NULL,
			category_confidence = NULL WHERE id = $1`, rows[i], int64(amount), id)
		i++
	}
	rollUp(t, transferCategories())
	f := filterOf(t, date(2026, 1, 1), date(2026, 12, 31), report.Month, 12)
	for _, few := range []int{0, store.FewRows} {
		for _, limit := range []int{50, 2} {
			sums, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(),
				limit, few)
			must(t, err)
			var got []uuid.UUID
			for _, sum := range sums.Counterparties {
				got = append(got, value(sum.CounterpartyID))
			}
			// The zero id, of no counterparty, is before all others of its size.
			want := []uuid.UUID{parties[0], third, uuid.Nil, parties[1]}
			if !slices.Equal(got, want[:min(limit, len(want))]) {
				t.Errorf("few being %d, listed are %v, want the first %d of %v", few, got, limit, want)
			}
		}
	}
}
