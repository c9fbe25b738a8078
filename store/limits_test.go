package store_test

import (
	"testing"

	"bizfin/store"
	"bizfin/store/storetest"
)

// A worker marks a row as limited, the tier rises, and then the worker ends the event that it had of the account.
func TestARowThatIsReleasedWhileItsEventEndsKeepsAnEvent(t *testing.T) {
	b := connect(t)
	account := b.uploadAccount(t, "a")
	uploaded, err := b.UploadTransactions(t.Context(), noon, account, []store.TransactionUpload{
		{ExternalID: "1", Amount: -100, Description: "COFFEE", Date: "2026-01-01"}})
	must(t, err)
	limited, err := store.LimitRows(t.Context(), b.Organization, noon, account, 10)
	must(t, err)
	if limited != 1 {
		t.Fatalf("%d rows are limited, want 1", limited)
	}
	_, err = storetest.DB(t).ReleaseLimited(t.Context(), noon, 1_000_000)
	must(t, err)
	if _, ended, err := b.EndEvent(t.Context(), noon, uploaded.Event); ended || err != nil {
		t.Errorf("the event of a released row ended: %v, %v", ended, err)
	}
}
