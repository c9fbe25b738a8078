package store_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"bizfin/internal/bankfeed"
	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
)

// What a bank says of a row is one text in Go and in SQL: an upload tells by it what changed.
func TestWhatABankSaysIsOneTextInGoAndInSQL(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t).SQL()
	rapid.Check(t, func(t *rapid.T) {
		day := func(label string) string {
			return time.Unix(0, 0).UTC().AddDate(0, 0, rapid.IntRange(-30_000, 60_000).Draw(t,
				label)).Format(time.DateOnly)
		}
		amount := money.Amount(rapid.Int64Range(-999_999_999_999_999, 999_999_999_999_999).Draw(t, "amount"))
		authorized, processed := "", day("processed")
		if rapid.Bool().Draw(t, "has authorized") {
			authorized = day("authorized")
		}
		pending, currency := rapid.Bool().Draw(t, "pending"), rapid.StringMatching("[A-Z]{3}").Draw(t, "currency")
		description := rapid.StringMatching(`[^\x00]{1,60}`).Draw(t, "description")
		var inSQL string
		err := db.QueryRow(`
			SELECT `+store.BankText+`
			FROM (
			  SELECT $1::bigint AS amount, nullif($2, '')::date AS authorized_date, $3::date AS processed_date,
			         $4::boolean AS pending, $5::text AS currency, $6::text AS description) t`,
			int64(amount), authorized, processed, pending, currency, description).Scan(&inSQL)
		if err != nil {
			t.Fatal(err)
		}
		if inGo := bankfeed.BankText(amount, authorized, processed, pending, currency, description); inGo != inSQL {
			t.Fatalf("in Go %q, in SQL %q", inGo, inSQL)
		}
	})
}
