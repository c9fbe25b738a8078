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
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it reads a plan in the form of plain PostgreSQL")
	}
	business := furnished(t)
	change(t, `
		INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency,
		  authorized_date,
		  processed_date, description, created_at, updated_at)
		SELECT $1, gen_random_uuid(), $2, $3, 'row ' || n, 100, 'USD', d, d, 'CARD', now(), now()
		FROM (SELECT n, date '2025-01-01' + n / 10 AS d FROM generate_series(1, 3000) n) n`,
		business.ID, business.source, business.account)
	_, err := storetest.DB(t).SQL().ExecContext(t.Context(), "ANALYZE transactions")
	must(t, err)
	change(t, `
		UPDATE transactions
		SET processing = 'processed'
		WHERE organization_id = $1
		  AND account_id = $2
		  AND external_id LIKE 'row %'`,
		business.ID, business.account)
	query, args := searchsql.Of(business.ID, searchsql.Filter{DateField: "primary_date", FilterByAccount: true,
		AccountIDs: []uuid.UUID{business.account}}).Find(nil, 20)
	if rows, most := transactionsRead(t, query, args); rows == 0 || rows > 100 {
		t.Errorf("it reads %d rows: %s", rows, most)
	}
}
