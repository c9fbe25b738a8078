package main

import (
	"fmt"
	"testing"
	"time"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/worker"
)

// The script of docs/operations.md fits the schema of this version, and what breaks a key of a partition is still known
// by its name: the second upload finds a row that it did not expect.
func TestPartitionedByOrganizationUploadsAndProcessingGoOn(t *testing.T) {
	t.Parallel()
	db, _ := ownDatabase(t)
	ctx, now := t.Context(), time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	if err := db.CreatePartner(ctx, now, "p", "P", nil); err != nil {
		t.Fatal(err)
	}
	businesses := []store.Business{{ID: "a", Name: "A", Role: store.RoleOwner},
		{ID: "b", Name: "B", Role: store.RoleOwner}, {ID: "c", Name: "C", Role: store.RoleOwner}}
	connected, err := db.Connect(ctx, now, store.Connection{PartnerID: "p", Subject: "ana", Tier: "paid",
		Businesses: businesses})
	if err != nil {
		t.Fatal(err)
	}
	nowhere, err := worker.ParseRedis("redis://127.0.0.1:1/0") // the test does what a worker would
	if err != nil {
		t.Fatal(err)
	}
	w := worker.New(worker.Config{Store: db, Now: func() time.Time { return now }, Redis: nowhere, FreeMonthly: 1000})
	upload := func(of store.ConnectedOrganization, externalIDs ...string) {
		t.Helper()
		o := db.Organization(of.OrganizationID)
		accounts, err := o.UploadAccounts(ctx, now, of.SourceID,
			[]store.AccountUpload{{ExternalID: "x", Name: "X", Type: "depository", Currency: "USD"}})
		if err != nil {
			t.Fatal(err)
		}
		var batch []store.TransactionUpload
		for _, id := range externalIDs {
			batch = append(batch, store.TransactionUpload{ExternalID: id, Amount: money.Amount(-1299),
				Date: "2026-05-01", Description: "ADOBE *CREATIVE CLOUD 408-536-6000 CA"})
		}
		uploaded, err := o.UploadTransactions(ctx, now, accounts[0].ID, batch)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Process(ctx, uploaded.Event.OrganizationID); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range connected.Organizations {
		upload(of, "t2")
	}
	if _, err := db.SQL().Exec("BEGIN;" + deployed(t, "deploy", "partition.sql") + "COMMIT;"); err != nil {
		t.Fatal(err)
	}
	for _, of := range connected.Organizations {
		upload(of, "t1", "t2")
	}
	rows := 6
	for n := range 12 { // unlike many for each, so that a row of one lies where another partition has another's
		of := connected.Organizations[n%3]
		var ids []string
		for i := range 1 + n*n%5 {
			ids = append(ids, fmt.Sprintf("later %d %d", n, i))
		}
		rows += len(ids)
		upload(of, ids...)
	}
	var partitions, processed, plain int
	err = db.SQL().QueryRow(`
		SELECT (SELECT count(*) FROM pg_inherits WHERE inhparent = 'transactions'::regclass),
		       (SELECT count(*) FROM transactions WHERE processing = 'processed' AND counterparty_id IS NOT NULL),
		       (SELECT count(*) FROM ONLY transactions)`).Scan(&partitions, &processed, &plain)
	if err != nil || partitions != 16 || processed != rows || plain != 0 {
		t.Errorf("%d partitions hold %d processed rows, and %d are in none (%v); want 16, %d and 0", partitions,
			processed, plain, err, rows)
	}
}
