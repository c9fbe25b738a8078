package store_test

import (
	"testing"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
)

// Each connection keeps a plan for each text: what a caller chooses is in the arguments.
func TestPreparedTextsDoNotGrowWithPagesBusinessesAndWords(t *testing.T) {
	t.Parallel()
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{MaxConnections: 2})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	read := func(b tenant, limit int, words ...string) {
		o, page, ctx := db.Organization(b.ID), store.Page{Limit: limit}, t.Context()
		var failed error
		note := func(_ any, err error) {
			if failed == nil {
				failed = err
			}
		}
		note(o.Details(ctx))
		note(o.Coverage(ctx, noon))
		note(o.Accounts(ctx, limit > 1, page))
		note(o.Issues(ctx, store.IssueFilter{}, page))
		note(o.SearchCounterparties(ctx, store.CounterpartyFilter{Words: words}, page))
		note(o.Counterparty(ctx, b.counterparty))
		note(o.TopCategories(ctx, b.counterparty))
		note(o.Rhythms(ctx, noon, []uuid.UUID{b.counterparty}))
		note(o.AnswersOfCounterparty(ctx, b.counterparty, true))
		note(o.SearchTransactions(ctx, store.TransactionFilter{DateField: store.Primary}, page))
		must(t, failed)
	}
	read(furnished(t), 50)
	texts := db.PreparedTexts()
	other := furnished(t)
	for limit := range 5 {
		read(other, limit+1)
	}
	read(other, 50, "acme")
	read(other, 50, "acme", "ab", "inc")
	if now := db.PreparedTexts(); now != texts {
		t.Errorf("%d texts are prepared after %d", now, texts)
	}
}
