package store_test

import (
	"math"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/report"
	"bizfin/store"
	"bizfin/store/storetest"
)

// TestAYearIsReadFromItsSumsWhereTheseAreOfAllItsMonths spoils the sums of the year, so that a report shows whether it
// read them: sums by its months, and nets for the order of counterparties.
func TestAYearIsReadFromItsSumsWhereTheseAreOfAllItsMonths(t *testing.T) {
	business, _, rows := books(t)
	for i, id := range rows { // nine months
		change(t, `UPDATE transactions SET processed_date = processed_date + $2::integer, authorized_date = NULL WHERE id = $1`,
			id, i%3*90)
	}
	dirty := func(month string) {
		change(t, `INSERT INTO report_dirty (organization_id, month) VALUES ($1, $2::date)`, business.ID, month)
	}
	for _, c := range []struct {
		name       string
		from, to   time.Time
		grouping   report.Grouping
		change     func()
		sums, nets bool // are read
	}{
		{"the year", date(2026, 1, 1), date(2026, 12, 31), report.Month, nil, true, true},
		{"more than the year", date(2025, 6, 1), date(2027, 2, 10), report.Quarter, nil, true, true},
		{"its last months", date(2026, 4, 1), date(2026, 12, 31), report.Month, nil, true, true},
		{"its first months", date(2026, 1, 1), date(2026, 4, 30), report.Month, nil, true, true},
		{"one of its quarters", date(2026, 4, 1), date(2026, 6, 30), report.Month, nil, true, true},
		{"two of its months", date(2026, 4, 1), date(2026, 5, 31), report.Month, nil, false, false},
		{"its weeks", date(2026, 1, 1), date(2026, 12, 31), report.Week, nil, false, true},
		{"from the middle of a month on", date(2026, 1, 10), date(2026, 12, 31), report.Month, nil, false, false},
		{"until the middle of a month", date(2026, 1, 1), date(2026, 8, 10), report.Month, nil, false, false},
		{"until the middle of a month that is not rolled up", date(2026, 1, 1), date(2026, 11, 10), report.Month, nil,
			true, true},
		{"while a month is dirty", date(2026, 1, 1), date(2026, 12, 31), report.Month,
			func() { dirty("2026-02-01") }, false, false},
		{"while a month outside is dirty", date(2026, 4, 1), date(2026, 12, 31), report.Month,
			func() { dirty("2026-02-01") }, true, true},
		{"when a program of before summed a month", date(2026, 1, 1), date(2026, 12, 31), report.Month, func() {
			change(t, `UPDATE report_months SET in_sums = DEFAULT WHERE organization_id = $1 AND month = '2026-02-01'`,
				business.ID)
		}, false, false},
		{"when a program of before took a month away", date(2026, 1, 1), date(2026, 12, 31), report.Month, func() {
			change(t, `DELETE FROM report_months WHERE organization_id = $1 AND month = '2026-02-01'`, business.ID)
		}, false, false},
		{"when months have other transfers", date(2026, 1, 1), date(2026, 12, 31), report.Month, func() {
			change(t, `UPDATE report_months SET transfers = '{}' WHERE organization_id = $1 AND month = '2026-02-01'`,
				business.ID)
		}, false, false},
	} {
		for month := 1; month <= 9; month++ {
			dirty(date(2026, time.Month(month), 1).Format(time.DateOnly))
		}
		rollUp(t, transferCategories())
		if c.change != nil {
			c.change()
		}
		f := filterOf(t, c.from, c.to, c.grouping, 60)
		ask := func(few int) store.CashflowSums {
			sums, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(), 50,
				few)
			must(t, err)
			openInOrder(&sums.ReportSums)
			return sums
		}
		want, got := ask(store.FewRows), ask(0)
		if diff := difference(want, got); diff != "" {
			t.Fatalf("%s (-rows +sums): %s", c.name, diff)
		}
		for _, table := range []string{"report_year_categories", "report_year_counterparties"} {
			change(t, `UPDATE `+table+` SET inflows = regexp_replace(inflows, '(^|,)', '\1100', 'g') WHERE organization_id = $1`,
				business.ID)
		}
		change(t, `UPDATE report_year_counterparties SET net = net + 12000, nets = ARRAY(SELECT net + 1000 * n FROM unnest(nets)
			WITH ORDINALITY AS u (net, n) ORDER BY n) WHERE organization_id = $1`, business.ID)
		got = ask(0)
		if read := !gocmp.Equal(want.Categories, got.Categories, exactly); read != c.sums {
			t.Errorf("%s: the categories of the year are read: %t", c.name, read)
		}
		if read := !gocmp.Equal(want.Counterparties, got.Counterparties, exactly); read != c.sums {
			t.Errorf("%s: the counterparties of the year are read: %t", c.name, read)
		}
		if read := want.Sizes != got.Sizes; read != c.nets {
			t.Errorf("%s: the nets of the year are read: %t", c.name, read)
		}
	}
}

func TestAYearWithANetOfMoreThan64BitsIsReadByItsMonths(t *testing.T) {
	business, _, _ := books(t)
	rollUp(t, transferCategories())
	change(t, `UPDATE report_months SET in_sums = DEFAULT WHERE organization_id = $1`, business.ID)
	change(t, `UPDATE report_month_counterparties SET inflow = inflow + 9223372036854775808 WHERE organization_id = $1`,
		business.ID)
	f := filterOf(t, date(2026, 1, 1), date(2026, 12, 31), report.Month, 60)
	ask := func() store.CashflowSums {
		sums, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(), 50, 0)
		must(t, err)
		openInOrder(&sums.ReportSums)
		return sums
	}
	want := ask()
	rollUp(t, transferCategories())
	if n := counted(t, `SELECT count(*) FROM report_months WHERE organization_id = $1 AND in_sums = 0`, business.ID); n != 3 {
		t.Fatalf("%d months are in sums that are not to be read, want all 3", n)
	}
	if diff := difference(want, ask()); diff != "" {
		t.Errorf("a net of 2^63 cents and more (-by months +after the year was summed): %s", diff)
	}
	if limit := money.TotalOf(math.MaxInt64); want.Sizes.Compare(limit) <= 0 {
		t.Errorf("the nets are %v together, which is not what this test is about", want.Sizes)
	}
}

// A year is summed with the last of its months, though months of others wait.
func TestAYearDoesNotWaitForTheMonthsOfOthers(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("a month of each piece is summed at once")
	}
	business, _, _ := books(t)
	others, _, _ := books(t)
	inYear := func(b tenant) int {
		return counted(t, `SELECT count(*) FROM report_months WHERE organization_id = $1 AND in_sums = 3`, b.ID)
	}
	change(t, `UPDATE report_dirty SET at = '2020-01-01' WHERE organization_id = $1`, business.ID)
	for month := range 3 {
		if n := inYear(business); n > 0 {
			t.Fatalf("after %d months the year is summed", month)
		}
		more, err := store.RollUpFrom(t.Context(), storetest.DB(t), time.Now().Add(time.Hour), transferCategories(), 1)
		must(t, err)
		if !more {
			t.Fatalf("%d months were dirty", month)
		}
	}
	if mine, theirs := inYear(business), inYear(others); mine != 3 || theirs != 0 {
		t.Errorf("%d of the months are in their year, and %d of others whose turn it is not", mine, theirs)
	}
}

// A year whose month has no rows any more is summed of those that are left, and read from its sums again.
func TestAYearIsSummedAnewWhenAMonthOfItIsGone(t *testing.T) {
	business, _, _ := books(t)
	rollUp(t, transferCategories())
	months := func(where string) int {
		return counted(t, `SELECT count(*) FROM report_months m WHERE organization_id = $1 AND `+where, business.ID)
	}
	before := months("true")
	for _, id := range column(t, storetest.DB(t).SQL(), `
		SELECT id::text
		FROM transactions
		WHERE organization_id = $1
		  AND processed_date BETWEEN '2026-02-01' AND '2026-02-28'`, business.ID) {
		must(t, business.DeleteTransaction(t.Context(), noon, uuid.MustParse(id)))
	}
	rollUp(t, transferCategories())
	if after := months("true"); after != before-1 {
		t.Fatalf("of %d months %d are left, want one less", before, after)
	}
	if stale := months(`in_sums IS DISTINCT FROM (
		SELECT count(*)
		FROM report_months o
		WHERE o.organization_id = m.organization_id
		  AND date_trunc('year', o.month) = date_trunc('year', m.month))`); stale > 0 {
		t.Errorf("%d months are not in the sums of their year, or in those of another number of months", stale)
	}
}
