package store_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
	"bizfin/store/storetest"
)

// rollUp sums all months anew that are dirty by now, however few rows they have.
func rollUp(t testing.TB, transfers []int) (months int) {
	t.Helper()
	for {
		more, err := store.RollUpFrom(t.Context(), storetest.DB(t), time.Now().Add(time.Hour), transfers, 1)
		must(t, err)
		if !more {
			return months
		}
		months++
	}
}

// counted is the first column of the first row.
func counted(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	must(t, storetest.DB(t).SQL().QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

func change(t testing.TB, query string, args ...any) {
	t.Helper()
	must(t, storetest.Exec(t.Context(), storetest.DB(t).SQL(), query, args...))
}

// books is a business with processed rows in three months, all rolled up.
func books(t *testing.T) (business tenant, parties []uuid.UUID, rows []uuid.UUID) {
	t.Helper()
	business = connect(t)
	parties = []uuid.UUID{uuid.New(), uuid.New()}
	for i, id := range parties {
		must(t, business.SaveCounterparty(t.Context(), noon, store.Counterparty{ID: id, Name: fmt.Sprint("Party ", i),
			Type: "company", Relationship: "client", LastDate: noon}))
	}
	var batch []store.TransactionUpload
	for i := range 60 {
		batch = append(batch, store.TransactionUpload{
			ExternalID: fmt.Sprint(i), Amount: money.Amount(100*i - 2_550), Description: "ROW",
			Date: date(2026, 1, 1).AddDate(0, 0, i*90/60).Format(time.DateOnly),
		})
	}
	uploaded, err := business.UploadTransactions(t.Context(), noon, business.uploadAccount(t, "a"), batch)
	must(t, err)
	for _, record := range uploaded.Records {
		rows = append(rows, record.ID)
	}
	all := ontology.ScheduleC().All()
	for i, id := range rows {
		category := all[i%len(all)].ID
		if i%6 == 0 {
			category = transferCategories()[i/6%len(transferCategories())]
		}
		must(t, business.SetCategory(t.Context(), noon, id, store.CategoryChoice{CategoryID: category, Source: "user",
			Confidence: 1}))
		if i%3 > 0 {
			must(t, business.SetCounterparty(t.Context(), noon, id, parties[i%3-1]))
		}
	}
	for i, id := range rows {
		if i%5 == 2 { // what is only suggested, also to rows with a category, where it does not count
			suggest(t, id, all[i%7].ID, i%10 == 2)
		}
	}
	return business, parties, rows
}

// suggest gives a row a suggestion, in place of its category or beside it.
func suggest(t testing.TB, row uuid.UUID, category int, beside bool) {
	t.Helper()
	change(t, `
		UPDATE transactions
		SET suggested_id = $2,
		    suggested_confidence = 5000,
		    category_id = CASE WHEN $3 THEN category_id END,
		    category_source = CASE WHEN $3 THEN category_source END,
		    category_confidence = CASE WHEN $3 THEN category_confidence END
		WHERE id = $1`, row, category, beside)
}

// divide gives a row parts of these categories, of which all but the first are taken off.
func divide(t testing.TB, business tenant, row uuid.UUID, categories ...int) {
	t.Helper()
	change(t, `
		UPDATE transactions
		SET category_id = -1,
		    category_source = 'user',
		    category_confidence = 10000
		WHERE id = $1`, row)
	change(t, `DELETE FROM transaction_parts WHERE transaction_id = $1`, row)
	change(t, `
		INSERT INTO transaction_parts (organization_id, transaction_id, ordinal, category_id, amount, answer_id)
		SELECT organization_id, t.id, u.n, u.category,
		       CASE WHEN u.n = 1 THEN t.amount + (cardinality($3::integer[]) - 1) * (t.amount / 7)
		       ELSE -(t.amount / 7) END, $4
		FROM transactions t
		CROSS JOIN unnest($3::integer[]) WITH ORDINALITY AS u (category, n)
		WHERE t.organization_id = $2
		  AND t.id = $1`, row, business.ID, pq.Array(categories), uuid.New())
}

// agree compares reports by both dates, over the whole range and over parts of it, with their rows. What adds up rows
// alone knows no roll-up: it is tried on one span each time.
func agree(t *testing.T, business tenant, when string) {
	t.Helper()
	for _, field := range []store.DateField{store.Processed, store.Primary} {
		for i, span := range [][2]time.Time{{date(2025, 12, 1), date(2026, 5, 31)},
			{date(2026, 1, 10), date(2026, 3, 20)}, {date(2026, 2, 1), date(2026, 2, 28)}} {
			for _, grouping := range []report.Grouping{report.Quarter, report.Week} {
				f := filterOf(t, span[0], span[1], grouping, 2)
				f.DateField = field
				for _, few := range []int{0, 10, store.FewRows} {
					if few == store.FewRows && i != len(when)%3 {
						continue
					}
					sums, rows, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f,
						transferCategories(), 50, few)
					must(t, err)
					want := sumsOf(rows, f)
					if diff := difference(want, inOrder(sums)); diff != "" {
						t.Fatalf("%s: cash flow by %s of %s by %s, few being %d (-rows +report): %s", when, field, span,
							grouping, few, diff)
					}
					pnl, err := store.PnlSumsOf(t.Context(), business.Organization, f, few)
					must(t, err)
					if diff := difference(want.Suggested,
						inOrder(store.CashflowSums{ReportSums: pnl}).Suggested); diff != "" {
						t.Fatalf("%s: suggestions by %s of %s by %s, few being %d (-rows +report): %s", when, field,
							span, grouping, few, diff)
					}
					if diff := difference(want.Categories,
						inOrder(store.CashflowSums{ReportSums: pnl}).Categories); diff != "" {
						t.Fatalf("%s: profit and loss by %s of %s by %s, few being %d (-rows +report): %s", when, field,
							span, grouping, few, diff)
					}
				}
			}
		}
	}
}

func TestRolledUpReportsAgreeWithTheirRowsAfterEveryKindOfChange(t *testing.T) {
	business, parties, rows := books(t)
	const every = -1
	for _, step := range []struct {
		name   string
		change func()
		dirty  int // months, of what the program does; the tests' own statements mark all
	}{
		{"as uploaded", func() {}, 0},
		{"another category", func() {
			must(t, business.SetCategory(t.Context(), noon, rows[1],
				store.CategoryChoice{CategoryID: transferCategories()[0], Source: "user", Confidence: 1}))
		}, 1},
		{"another counterparty", func() { must(t, business.SetCounterparty(t.Context(), noon, rows[4], parties[1])) },
			1},
		{"a suggestion in place of a category", func() { suggest(t, rows[9], transferCategories()[0], false) }, every},
		{"another suggestion", func() { suggest(t, rows[17], 3000, false) }, every},
		{"a deletion", func() { must(t, business.DeleteTransaction(t.Context(), noon, rows[7])) }, 1},
		{"another month", func() {
			change(t, `UPDATE transactions SET processed_date = '2026-04-02', authorized_date = '2026-04-02' WHERE id = $1`, rows[10])
		}, every},
		{"two dates", func() {
			change(t, `UPDATE transactions SET authorized_date = processed_date - 40 WHERE id = $1`, rows[50])
		}, every},
		{"pending", func() { change(t, `UPDATE transactions SET pending = true WHERE id = $1`, rows[11]) }, every},
		{"another currency", func() { change(t, `UPDATE transactions SET currency = 'EUR' WHERE id = $1`, rows[13]) },
			every},
		{"to be processed again", func() {
			change(t, `UPDATE transactions SET processing = 'queued' WHERE id = $1`,
				rows[14])
		}, every},
		{"another amount in all rows", func() {
			change(t, `UPDATE transactions SET amount = -amount WHERE organization_id = $1`, business.ID)
		}, every},
		{"a pair", func() {
			change(t, `UPDATE transactions SET transfer_id = CASE WHEN id = $1 THEN $2::uuid ELSE $1 END WHERE id IN ($1, $2)`, rows[6], rows[48])
		}, every},
		{"a deleted leg that the other one still names", func() {
			change(t, `UPDATE transactions SET deleted_at = now() WHERE id = $1`, rows[48])
		}, every},
		{"a row that comes processed", func() {
			change(t, `INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency, authorized_date, processed_date,
			  description, created_at, updated_at, processing)
			SELECT organization_id, $2, source_id, account_id, 'copy', amount, currency, authorized_date,
			  processed_date, description, created_at, updated_at, processing
			FROM transactions WHERE id = $1`, rows[20], uuid.New())
		}, every},
		{"parts", func() { divide(t, business, rows[20], 3000, 3250, transferCategories()[0]) }, every},
		{"other parts", func() { divide(t, business, rows[20], 3250, 1010) }, every},
		{"parts of a transfer", func() {
			divide(t, business, rows[30], transferCategories()[0],
				transferCategories()[1])
		}, every},
		{"parts of a pending row", func() {
			divide(t, business, rows[40], 3000, 1010)
			change(t, `UPDATE transactions SET pending = true WHERE id = $1`, rows[40])
		}, every},
		{"parts in another currency", func() {
			divide(t, business, rows[41], 3000, 1010)
			change(t, `UPDATE transactions SET currency = 'EUR' WHERE id = $1`, rows[41])
		}, every},
		{"a category in place of parts", func() {
			must(t, business.SetCategory(t.Context(), noon, rows[30], store.CategoryChoice{CategoryID: 3250,
				Source: "user", Confidence: 1}))
		}, 1},
		{"what no report sees", func() { must(t, business.SetContext(t.Context(), noon, rows[2], "words")) }, 0},
	} {
		rollUp(t, transferCategories())
		if n := counted(t, `SELECT count(*) FROM report_months WHERE organization_id = $1`, business.ID); n < 3 {
			t.Fatalf("%s: %d months are rolled up, so nothing is proved", step.name, n)
		}
		step.change()
		if n := counted(t, `SELECT count(DISTINCT month) FROM report_dirty WHERE organization_id = $1`,
			business.ID); n != step.dirty && step.dirty != every {
			t.Errorf("%s: %d months are dirty, want %d", step.name, n, step.dirty)
		}
		agree(t, business, step.name+", not rolled up yet")
		rollUp(t, transferCategories())
		agree(t, business, step.name)
	}
}

func TestRollUpsOfOtherTransferCategoriesAreNotUsed(t *testing.T) {
	business, _, _ := books(t)
	rollUp(t, []int{1})
	agree(t, business, "other transfers")
}

func TestRolledUpMonthsAreReadFromTheirRollUp(t *testing.T) {
	business, _, _ := books(t)
	rollUp(t, transferCategories())
	change(t, `UPDATE report_month_categories SET inflow = inflow + 1000000 WHERE organization_id = $1 AND month = '2026-02-01'`, business.ID)
	change(t, `UPDATE report_month_counterparties SET inflow = inflow + 1000000 WHERE organization_id = $1 AND month = '2026-02-01'`, business.ID)
	change(t, `UPDATE report_month_suggestions SET inflow = inflow + 1000000 WHERE organization_id = $1 AND month = '2026-02-01'`, business.ID)
	f := filterOf(t, date(2026, 1, 1), date(2026, 2, 28), report.Quarter, 1) // too few months to read their year
	sums, rows, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(), 50, 0)
	must(t, err)
	want := sumsOf(rows, f)
	if gocmp.Equal(want.Categories, inOrder(sums).Categories, exactly) ||
		gocmp.Equal(want.Counterparties, sums.Counterparties, exactly) {
		t.Error("the cash flow did not read the roll-up")
	}
	pnl, err := store.PnlSumsOf(t.Context(), business.Organization, f, 0)
	must(t, err)
	if gocmp.Equal(want.Suggested, inOrder(store.CashflowSums{ReportSums: pnl}).Suggested, exactly) {
		t.Error("the suggestions did not read the roll-up")
	}
	if gocmp.Equal(want.Categories, inOrder(store.CashflowSums{ReportSums: pnl}).Categories, exactly) {
		t.Error("the profit and loss did not read the roll-up")
	}
	f.FilterByCategory, f.Uncategorized = true, true
	for _, sum := range want.Categories {
		f.CategoryIDs = append(f.CategoryIDs, value(sum.CategoryID))
	}
	filtered, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(), 50, 0)
	must(t, err)
	if gocmp.Equal(want.Categories, inOrder(filtered).Categories, exactly) {
		t.Error("the cash flow of some categories did not read their roll-up")
	}
	if diff := difference(want.Counterparties, filtered.Counterparties); diff != "" {
		t.Errorf("the counterparties of some categories, which no roll-up has, were not read from the rows (-rows "+
			"+report): %s", diff)
	}
}

// TestDaysOfRolledUpMonthsAreReadFromTheirRollUp has each report take only days of a month: by weeks, and by a range
// that begins and ends within it.
func TestDaysOfRolledUpMonthsAreReadFromTheirRollUp(t *testing.T) {
	business, _, _ := books(t)
	rollUp(t, transferCategories())
	for name, f := range map[string]store.ReportFilter{
		"by weeks":        filterOf(t, date(2026, 2, 1), date(2026, 2, 28), report.Week, 10),
		"part of a month": filterOf(t, date(2026, 2, 2), date(2026, 2, 27), report.Quarter, 10),
	} {
		reports := func() (cashflow store.CashflowSums, pnl store.ReportSums) {
			cashflow, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(),
				50, 0)
			must(t, err)
			pnl, err = store.PnlSumsOf(t.Context(), business.Organization, f, 0)
			must(t, err)
			return cashflow, pnl
		}
		before, pnlBefore := reports()
		for _, table := range []string{"report_month_categories", "report_month_counterparties"} {
			change(t, `UPDATE `+table+` SET inflows = regexp_replace(inflows, '(^|,)', '\1100', 'g') WHERE organization_id = $1`, business.ID)
		}
		after, pnlAfter := reports()
		if gocmp.Equal(before.Categories, after.Categories, exactly) ||
			gocmp.Equal(pnlBefore.Categories, pnlAfter.Categories, exactly) {
			t.Errorf("%s: the categories are not read from the roll-up", name)
		}
		if gocmp.Equal(before.Counterparties, after.Counterparties, exactly) {
			t.Errorf("%s: the counterparties are not read from the roll-up", name)
		}
	}
}

func TestRolledUpDaysAddUpBeyondAnInt64(t *testing.T) {
	const rows = 10_000
	business, parties, ids := books(t)
	change(t, `INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency, authorized_date, processed_date, description,
		  created_at, updated_at, processing, category_id, category_source, category_confidence, counterparty_id)
		SELECT organization_id, gen_random_uuid(), source_id, account_id, 'large' || n, 999999999999999, 'USD',
		  '2026-07-15', '2026-07-15', 'LARGE',
		  created_at, updated_at, 'processed', $2, 'user', 10000, $3
		FROM transactions, generate_series(1, $4::bigint) n
		WHERE id = $1`, ids[0], ontology.ScheduleC().All()[0].ID, parties[0], rows)
	rollUp(t, transferCategories())
	var want money.Total
	for range rows {
		want = want.Plus(money.TotalOf(money.Max))
	}
	for _, few := range []int{0, 2 * rows} {
		for _, grouping := range []report.Grouping{report.Month, report.Day} {
			f := filterOf(t, date(2026, 7, 1), date(2026, 7, 31), grouping, 31)
			sums, _, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(), 50,
				few)
			must(t, err)
			if len(sums.Categories) != 1 || sums.Categories[0].Inflow != want {
				t.Errorf("by %s, few being %d, the categories sum %v, want %s", grouping, few, sums.Categories, want)
			}
			if len(sums.Counterparties) != 1 || sums.Counterparties[0].Inflow != want {
				t.Errorf("by %s, few being %d, the counterparties sum %v, want %s", grouping, few, sums.Counterparties,
					want)
			}
		}
	}
}

func TestSmallMonthsAreNotRolledUp(t *testing.T) {
	business, _, _ := books(t)
	for more := true; more; {
		var err error
		more, err = storetest.DB(t).RollUp(t.Context(), time.Now().Add(time.Hour), transferCategories())
		must(t, err)
	}
	if n := counted(t, `SELECT count(*) FROM report_months WHERE organization_id = $1`, business.ID); n != 0 {
		t.Errorf("%d months of twenty rows are rolled up", n)
	}
	agree(t, business, "small months")
}

// TestReportsAgreeWithTheirRowsWhileMonthsAreRolledUp has writers, two workers and reports at once.
func TestReportsAgreeWithTheirRowsWhileMonthsAreRolledUp(t *testing.T) {
	const span, limit = 2 * time.Second, 200
	business, parties, rows := books(t)
	account := business.uploadAccount(t, "a")
	var done atomic.Bool
	var writes, months, used int64
	var hands sync.WaitGroup
	defer hands.Wait()
	defer done.Store(true)
	all := ontology.ScheduleC().All()
	for writer := range 2 {
		hands.Go(func() {
			random := rand.New(rand.NewPCG(uint64(writer), 2))
			for !done.Load() {
				id, other := rows[random.IntN(len(rows))], rows[random.IntN(len(rows))]
				var err error
				switch random.IntN(8) {
				case 0, 1:
					i := random.IntN(60) // the same rows, moved and changed, and new ones
					_, err = business.UploadTransactions(t.Context(), noon, account, []store.TransactionUpload{{
						ExternalID: fmt.Sprint(i + random.IntN(2)*1000),
						Amount:     money.Amount(random.IntN(20_001) - 10_000), Description: "ROW",
						Date:    date(2026, 1, 1).AddDate(0, 0, random.IntN(90)).Format(time.DateOnly),
						Pending: random.IntN(10) == 0,
					}})
				case 2, 3, 4:
					err = business.SetCategory(t.Context(), noon, id,
						store.CategoryChoice{CategoryID: all[random.IntN(len(all))].ID, Source: "user", Confidence: 1})
				case 5:
					err = storetest.Exec(t.Context(), storetest.DB(t).SQL(),
						`UPDATE transactions SET suggested_id = $2, suggested_confidence = 5000,
						category_id = NULL, category_source = NULL, category_confidence = NULL WHERE id = $1`, id,
						all[random.IntN(len(all))].ID)
					if err != nil {
						break
					}
					err = business.SetCounterparty(t.Context(), noon, id, parties[random.IntN(len(parties))])
				case 6:
					err = storetest.Exec(t.Context(), storetest.DB(t).SQL(),
						`UPDATE transactions SET transfer_id = $2, category_id = $3 WHERE id = $1 AND category_id IS NOT NULL`,
						id, other, transferCategories()[0])
				case 7:
					if random.IntN(20) == 0 {
						err = business.DeleteTransaction(t.Context(), noon, id)
					}
				}
				if err != nil && err != store.ErrNotFound {
					t.Error(err)
					return
				}
				atomic.AddInt64(&writes, 1)
			}
		})
		hands.Go(func() {
			for !done.Load() {
				more, err := store.RollUpFrom(t.Context(), storetest.DB(t), time.Now().Add(time.Hour),
					transferCategories(), 1)
				if err != nil {
					t.Error(err)
					return
				}
				if more {
					atomic.AddInt64(&months, 1)
				}
			}
		})
	}
	reports := 0
	// On a busy machine it goes on until enough has happened at once to prove something.
	enough := func() bool { return used >= 5 && atomic.LoadInt64(&writes) >= 20 }
	for start := time.Now(); reports < limit && time.Since(start) < span || !enough() &&
		time.Since(start) < time.Minute; reports++ {
		f := filterOf(t, date(2025, 12, 20), date(2026, 3, 31), []report.Grouping{report.Month, report.Quarter,
			report.Week}[reports%3], 3)
		f.DateField = []store.DateField{store.Processed, store.Primary}[reports/3%2]
		few := []int{0, 10, store.FewRows}[reports%5%3]
		sums, rows, clean, err := store.RolledUpSumsWithRows(t.Context(), business.Organization, f,
			transferCategories(), 50, few)
		must(t, err)
		if diff := difference(sumsOf(rows, f), inOrder(sums)); diff != "" {
			t.Fatalf("report %d differs from its rows (-rows +report): %s", reports, diff)
		}
		if few == 0 && clean > 0 {
			used++
		}
	}
	t.Logf("%d reports, %d of them with clean months; %d writes; %d months rolled up", reports, used,
		atomic.LoadInt64(&writes), atomic.LoadInt64(&months))
	if used < 5 || atomic.LoadInt64(&writes) < 20 {
		t.Error("too little happened at once to prove anything")
	}
}
