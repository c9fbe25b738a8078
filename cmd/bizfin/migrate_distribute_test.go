package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bizfin/internal/money"
	"bizfin/migrations"
	"bizfin/store"
	"bizfin/store/storetest"
)

func TestAPlainDatabaseIsNotSpread(t *testing.T) {
	useTestStack(t)
	for flag, want := range map[string]string{"--trial": "no extension citus", "--status": "no extension citus",
		"--json": "a spread database is on trial"} {
		_, err := bizfin(t.Context(), "migrate", "distribute", flag)
		var f *failure
		if !errors.As(err, &f) || !strings.Contains(f.message, want) {
			t.Errorf("migrate distribute %s on plain PostgreSQL: %v", flag, err)
		}
	}
}

// A database with rows is spread whole or not at all, and what is spread stays where it is.
func TestADatabaseIsSpreadWithItsRows(t *testing.T) {
	coordinator := os.Getenv(storetest.Citus)
	if coordinator == "" {
		t.Skip("NOT TRIED: Citus. Set " + storetest.Citus + " to the address of a coordinator that knows its nodes")
	}
	useTestStack(t)
	address, drop, err := storetest.NewCitus(t.Context(), coordinator)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("BIZFIN_DATABASE_URL", address)
	db, err := store.Open(address, store.Options{MaxConnections: 2, StatementTimeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := bizfin(t.Context(), "migrate", "up"); err != nil {
		t.Fatal(err)
	}
	const rows = 1500
	uploadThree(t, db, rows/3)
	spread := func() (n int) {
		t.Helper()
		places, err := migrations.Places(t.Context(), db.SQL())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			if p.Distributed {
				n++
			}
		}
		return n
	}
	stopped, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := bizfin(stopped, "migrate", "distribute", "--trial"); err == nil {
		t.Log("it was done before it could be stopped")
	} else if n := spread(); n != 0 {
		t.Errorf("a spreading that was stopped left %d tables spread", n)
	}
	for range 2 {
		said, err := bizfin(t.Context(), "migrate", "distribute", "--trial", "--json")
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Spread []string           `json:"spread"`
			Tables []migrations.Place `json:"tables"`
		}
		if err := json.Unmarshal([]byte(said), &answer); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(answer.Tables, func(p migrations.Place) bool { return !p.In() }) {
			t.Errorf("not all tables are where they should be: %s", said)
		}
	}
	if n := spread(); n != len(migrations.Distributed) {
		t.Errorf("%d tables are spread, want %d", n, len(migrations.Distributed))
	}
	var kept, counted int
	err = db.SQL().QueryRow(`
		SELECT (SELECT count(*) FROM transactions),
		       (SELECT sum(transactions) FROM transaction_counts_added)`).Scan(&kept, &counted)
	if err != nil || kept != rows || counted != rows {
		t.Errorf("after it there are %d rows, and %d are counted (%v); want %d", kept, counted, err, rows)
	}
}

// uploadThree uploads rows to an account of each of three businesses.
func uploadThree(t *testing.T, db *store.DB, rows int) {
	t.Helper()
	ctx, now := t.Context(), time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	if err := db.CreatePartner(ctx, now, "p", "P", nil); err != nil {
		t.Fatal(err)
	}
	connected, err := db.Connect(ctx, now, store.Connection{PartnerID: "p", Subject: "ana", Tier: "paid",
		Businesses: []store.Business{{ID: "a", Name: "A", Role: store.RoleOwner},
			{ID: "b", Name: "B", Role: store.RoleOwner}, {ID: "c", Name: "C", Role: store.RoleOwner}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range connected.Organizations {
		o := db.Organization(of.OrganizationID)
		accounts, err := o.UploadAccounts(ctx, now, of.SourceID,
			[]store.AccountUpload{{ExternalID: "x", Name: "X", Type: "depository", Currency: "USD"}})
		if err != nil {
			t.Fatal(err)
		}
		batch := make([]store.TransactionUpload, rows)
		for i, r := range yearOf(0, rows).Transactions {
			batch[i] = store.TransactionUpload{ExternalID: r.ExternalId, Amount: money.Amount(-1299), Date: r.Date,
				Description: r.Description}
		}
		if _, err := o.UploadTransactions(ctx, now, accounts[0].ID, batch); err != nil {
			t.Fatal(err)
		}
	}
}
