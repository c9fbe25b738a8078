package store_test

import (
	"testing"

	"github.com/google/uuid"

	"bizfin/store/searchsql"
	"bizfin/store/storetest"
)

// Rows that wait are looked for among these alone, whatever the statistics say: those of an import are taken while its
// rows wait, and are believed for a while when they wait no more.
func TestAListOfAnAccountThatWaitedReadsAHandful(t *testing.T) {
	business := waitingRows(t)
	_, err := storetest.DB(t).SQL().ExecContext(t.Context(), "ANALYZE transactions")
	must(t, err)
	change(t, `
		UPDATE transactions
		SET processing = 'processed'
		WHERE organization_id = $1
		  AND account_id = $2
		  AND external_id LIKE 'row %'`,
		business.ID, business.account)
	wantHandful(t, business, searchsql.Filter{FilterByAccount: true, AccountIDs: []uuid.UUID{business.account}})
	wantHandful(t, business, searchsql.Filter{})
}

// While an import waits, nothing is known of its rows: statistics come after a minute, and may be of before.
func TestAListOfRowsThatWaitReadsAHandfulWithoutStatistics(t *testing.T) {
	business := waitingRows(t)
	_, err := storetest.DB(t).SQL().ExecContext(t.Context(), `
		DELETE FROM pg_statistic
		WHERE starelid = 'transactions'::regclass`)
	must(t, err)
	wantHandful(t, business, searchsql.Filter{})
	wantHandful(t, business, searchsql.Filter{FilterByCategory: true, Uncategorized: true})
	wantHandful(t, business, searchsql.Filter{FilterByAccount: true, AccountIDs: []uuid.UUID{business.account}})
}

// waitingRows are three thousand in an account of a business, ten a day.
func waitingRows(t *testing.T) tenant {
	t.Helper()
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it reads a plan in the form of plain PostgreSQL")
	}
	b := furnished(t)
	change(t, `
		INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency,
		  authorized_date, processed_date, description, created_at, updated_at)
		SELECT $1, gen_random_uuid(), $2, $3, 'row ' || n, 100, 'USD', d, d, 'CARD', now(), now()
		FROM (SELECT n, date '2025-01-01' + n / 10 AS d FROM generate_series(1, 3000) n) n`,
		b.ID, b.source, b.account)
	return b
}

func wantHandful(t *testing.T, b tenant, f searchsql.Filter) {
	t.Helper()
	f.DateField = "primary_date"
	query, args := searchsql.Of(b.ID, f).Find(nil, 20)
	if rows, most := transactionsRead(t, query, args); rows == 0 || rows > 100 {
		t.Errorf("%+v: %d rows: %s", f, rows, most)
	}
}
