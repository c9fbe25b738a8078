package worker_test

import (
	"testing"
	"time"

	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

func TestTextsAreIndexedOnceThereAreMany(t *testing.T) {
	w := worker.New(config(t, frozen))
	index := func() {
		t.Helper()
		for more := true; more; {
			var err error
			more, err = storetest.DB(t).IndexWords(t.Context(), time.Now().Add(time.Hour))
			must(t, err)
		}
	}
	s := open(t, "paid")
	texts := func(which string) int {
		t.Helper()
		return s.count(`SELECT coalesce(sum(cardinality(transactions)), 0) FROM transaction_words WHERE organization_id = $1 AND ` + which)
	}
	must(t, w.ProcessEvent(t.Context(), s.upload(books(500)...)))
	index()
	if n, waiting := texts("indexed"), texts("NOT indexed"); n != 0 || waiting < 500 {
		t.Errorf("of 500 rows %d texts are indexed and %d are not", n, waiting)
	}
	must(t, w.ProcessEvent(t.Context(), s.upload(books(3000)...)))
	index()
	if n, waiting := texts("indexed"), texts("NOT indexed"); n < 3000 || waiting != 0 {
		t.Errorf("of 3,000 rows %d texts are indexed and %d are not", n, waiting)
	}
	f, page, found := store.TransactionFilter{DateField: store.Primary, Words: []store.Word{{Text: "quorvane"}}},
		store.Page{Limit: 50}, 0
	for more := true; more; more = page.Cursor != "" {
		list, err := s.SearchTransactions(t.Context(), f, page)
		must(t, err)
		found, page.Cursor = found+len(list.Rows), list.NextCursor
	}
	if found != 3000/8 {
		t.Errorf("%d rows are found, want %d", found, 3000/8)
	}
}

func TestWordsWaitForRowsThatAreBeingProcessed(t *testing.T) {
	w := worker.New(config(t, frozen))
	s := open(t, "paid")
	must(t, w.ProcessEvent(t.Context(), s.upload(books(2500)...)))
	s.upload(row(9999, -100, "COFFEE"))
	indexed := func(at time.Time) int {
		t.Helper()
		for more := true; more; {
			var err error
			more, err = storetest.DB(t).IndexWords(t.Context(), at)
			must(t, err)
		}
		return s.count(`SELECT count(*) FROM transaction_words WHERE organization_id = $1 AND indexed`)
	}
	if n := indexed(time.Now().Add(time.Second)); n != 0 {
		t.Errorf("%d lists are indexed while rows wait", n)
	}
	if n := indexed(time.Now().Add(time.Hour)); n == 0 {
		t.Error("no list is indexed while rows wait for an hour")
	}
}
