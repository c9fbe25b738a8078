package store_test

import (
	"regexp"
	"strconv"
	"testing"

	"bizfin/internal/report"
	"bizfin/store"
	"bizfin/store/storetest"
)

// What a report says beside its sums costs nothing that grows with the business: one about days without rows reads a
// handful of them.
func TestAReportAboutDaysWithoutRowsReadsAHandful(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it reads a plan in the form of plain PostgreSQL")
	}
	business := furnished(t)
	db := storetest.DB(t).SQL()
	change(t, `
		INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency,
		  authorized_date,
		  processed_date, description, created_at, updated_at, processing)
		SELECT $1, gen_random_uuid(), $2, $3, 'row ' || n, 100, 'USD', d, d, 'CARD', now(), now(), 'processed'
		FROM (SELECT n, date '2025-01-01' + n / 10 AS d FROM generate_series(1, 3000) n) n`,
		business.ID, business.source, business.account)
	_, err := db.ExecContext(t.Context(), "ANALYZE transactions")
	must(t, err)
	for _, field := range []store.DateField{store.Processed, store.Primary} {
		f := filterOf(t, date(2020, 1, 1), date(2020, 1, 31), report.Month, report.MaxPeriods)
		f.DateField = field
		query, args := store.ReportStatement(business.Organization, f, nil, 0, store.FewRows)
		if rows, most := transactionsRead(t, query, args); rows == 0 || rows > 20 {
			t.Errorf("by %s it reads %d rows: %s", field, rows, most)
		}
	}
}

// The form for few rows reads none where the roll-up says that they are more.
func TestAReportOfManyRolledUpRowsDoesNotBeginToReadThem(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it reads a plan in the form of plain PostgreSQL")
	}
	business, _, rows := books(t)
	f := filterOf(t, date(2026, 1, 1), date(2026, 12, 31), report.Month, report.MaxPeriods)
	query, args := store.ReportStatement(business.Organization, f, nil, 0, 3)
	if read, _ := transactionsRead(t, query, args); read < 3 {
		t.Errorf("before the roll-up it reads %d rows of %d", read, len(rows))
	}
	rollUp(t, transferCategories())
	if read, most := transactionsRead(t, query, args); read > 0 {
		t.Errorf("it reads %d rows: %s", read, most)
	}
}

// transactionsRead is how many rows of transactions a statement reads, those it passes over included, and the line of
// its plan that reads the most.
func transactionsRead(t *testing.T, query string, args []any) (rows int, most string) {
	t.Helper()
	read := regexp.MustCompile(`Scan .*on transactions .*actual time=\S+ rows=(\d+) loops=(\d+)`)
	node, passedOver := regexp.MustCompile(`actual time=`), regexp.MustCompile(`Rows Removed by Filter: (\d+)`)
	lines, err := storetest.DB(t).SQL().QueryContext(t.Context(), "EXPLAIN (ANALYZE) "+query, args...)
	must(t, err)
	defer lines.Close()
	largest, loops, scan := 0, 0, ""
	count := func(n string) {
		each, err := strconv.Atoi(n)
		must(t, err)
		if rows += each * loops; each*loops > largest {
			largest, most = each*loops, scan
		}
	}
	for lines.Next() {
		var line string
		must(t, lines.Scan(&line))
		if node.MatchString(line) {
			loops = 0
		}
		if m := read.FindStringSubmatch(line); m != nil {
			loops, err = strconv.Atoi(m[2])
			must(t, err)
			scan = line
			count(m[1])
		} else if m := passedOver.FindStringSubmatch(line); m != nil {
			count(m[1])
		}
	}
	must(t, lines.Err())
	return rows, most
}
