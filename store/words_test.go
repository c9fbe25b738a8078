package store_test

import (
	"fmt"
	"slices"
	"testing"

	"bizfin/store"
	"bizfin/store/storetest"
)

// found are the descriptions of the rows that have a word.
func found(t testing.TB, b tenant, word string) (list []string) {
	t.Helper()
	f := store.TransactionFilter{DateField: store.Primary, Words: []store.Word{{Text: word}}}
	page, err := store.SearchTransactionsOf(t.Context(), b.Organization, f, store.Page{Limit: 50}, 0, false)
	must(t, err)
	for _, row := range page.Rows {
		list = append(list, row.Description)
	}
	slices.Sort(list)
	return list
}

func TestWordsFindTheTextThatARowHas(t *testing.T) {
	t.Parallel()
	b := connect(t)
	account := b.uploadAccount(t, "a")
	var rows []store.TransactionUpload
	for i := range 40 {
		rows = append(rows, store.TransactionUpload{ExternalID: fmt.Sprint(i), Amount: -100, Date: "2026-01-01",
			Description: fmt.Sprintf("PLAIN %02d", i)})
	}
	_, err := b.UploadTransactions(t.Context(), noon, account, rows)
	must(t, err)
	change := func(statement string) {
		t.Helper()
		must(t, storetest.Exec(t.Context(), storetest.DB(t).SQL(), statement, b.ID))
	}
	want := func(word string, descriptions ...string) {
		t.Helper()
		if got := found(t, b, word); !slices.Equal(got, descriptions) {
			t.Errorf("%q finds %q, want %q", word, got, descriptions)
		}
	}
	steps := []func(){
		func() { want("plain 07", "PLAIN 07") },
		func() {
			change(`UPDATE transactions SET processing = 'processed', merchant = 'Shop ' || external_id WHERE organization_id = $1`)
			want("shop 7", "PLAIN 07")
			want("ain 3", "PLAIN 30", "PLAIN 31", "PLAIN 32", "PLAIN 33", "PLAIN 34", "PLAIN 35", "PLAIN 36",
				"PLAIN 37", "PLAIN 38", "PLAIN 39")
		},
		func() {
			change(`UPDATE transactions SET context = 'a gift' WHERE organization_id = $1 AND external_id IN ('3', '4')`)
			want("gift", "PLAIN 03", "PLAIN 04")
		},
		func() {
			change(`UPDATE transactions SET merchant = 'Bakery' WHERE organization_id = $1 AND external_id = '7'`)
			want("shop 7")
			want("bakery", "PLAIN 07")
		},
		func() {
			change(`UPDATE transactions SET deleted_at = now() WHERE organization_id = $1 AND external_id = '7'`)
			want("bakery")
		},
		func() {
			change(`UPDATE transactions SET deleted_at = NULL, merchant = 'Oven' WHERE organization_id = $1 AND external_id = '7'`)
			want("bakery")
			want("oven", "PLAIN 07")
		},
		func() {
			change(`UPDATE transactions SET processing = 'queued', description = 'OTHER 04' WHERE organization_id = $1 AND external_id = '4'`)
			want("plain 04")
			want("other", "OTHER 04")
			want("gift", "OTHER 04", "PLAIN 03")
		},
		func() {
			change(`UPDATE transactions SET processing = 'processed' WHERE organization_id = $1 AND external_id = '4'`)
			want("other", "OTHER 04")
			want("plain 04")
		},
	}
	for range 2 { // with every text new, and with all of them indexed after each step
		for _, step := range steps {
			step()
		}
		change(`UPDATE transactions SET processing = 'queued', merchant = NULL, context = NULL, description = 'PLAIN ' || lpad(external_id, 2, '0') WHERE organization_id = $1`)
		indexed := make([]func(), 0, 2*len(steps))
		for _, step := range steps {
			indexed = append(indexed, step, func() { must(t, store.IndexWordsOf(t.Context(), b.Organization)) })
		}
		steps = indexed
	}
	if n := counted(t, `SELECT count(*) FROM transaction_words WHERE organization_id = $1 AND indexed`, b.ID); n == 0 {
		t.Error("no text was indexed")
	}
}

func TestAListOfMoreTextsThanAreIndexedAtOnceIsIndexed(t *testing.T) {
	t.Parallel()
	b := connect(t)
	must(t, storetest.Exec(t.Context(), storetest.DB(t).SQL(), `
		INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
		SELECT $1, false, array_agg(gen_random_uuid()), array_agg('plain ' || n)
		FROM generate_series(1, 20001) n`, b.ID))
	must(t, store.IndexWordsOf(t.Context(), b.Organization))
	if n := counted(t, `
		SELECT count(*)
		FROM transaction_words
		WHERE organization_id = $1
		  AND NOT indexed`, b.ID); n != 0 {
		t.Errorf("%d lists are not indexed", n)
	}
}
