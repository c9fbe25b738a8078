package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/seal"
	"bizfin/server"
	"bizfin/store"
)

// ownDatabase is a migrated database for one test alone.
func ownDatabase(t *testing.T) (*store.DB, string) {
	t.Helper()
	address := migratedDatabase(t)
	db, err := store.Open(address, store.Options{MaxConnections: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, address
}

// After `bizfin reseal` the old key can be given up: partners, waiting snapshots and bank tokens live on under the new
// one.
func TestResealingLetsGoOfTheOldKey(t *testing.T) {
	db, address := ownDatabase(t)
	ctx, now := t.Context(), time.Now()
	before, after := seal.NewKey(), seal.NewKey()
	old, fresh := keyring(t, before), keyring(t, after)
	partner, err := createPartner(ctx, db, old, "p", "P", "https://api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.LegacyLogin(ctx, now, store.LegacyLogin{PartnerID: "p", Subject: "ana",
		Email: "ana@example.com"}); err != nil {
		t.Fatal(err)
	}
	listed := store.Snapshot{PartnerID: "p", Subject: "ana",
		Accounts: []store.SnapshotAccount{{ExternalID: "a", Name: "A", Currency: "USD", Token: "of the bank"}}}
	for range 2 {
		if err := db.AcceptSnapshot(ctx, now, old, listed); err != nil {
			t.Fatal(err)
		}
	}
	apply := func(keys seal.Keyring) {
		t.Helper()
		due, err := db.ClaimDueSnapshots(ctx, 10)
		if err != nil || len(due) != 1 {
			t.Fatalf("%d snapshots are due (%v), want 1", len(due), err)
		}
		if applied, err := db.ApplySnapshot(ctx, now, keys, due[0].ID); err != nil || !applied {
			t.Fatalf("applied %v: %v", applied, err)
		}
	}
	apply(old) // makes a bank token; the second snapshot waits

	if _, err := db.Reseal(ctx, time.Now(), fresh, server.SecretContext); !errors.Is(err, seal.ErrUnknownKey) {
		t.Fatalf("sealing anew without the old key: %v", err)
	}
	t.Setenv("BIZFIN_DATABASE_URL", address)
	t.Setenv("BIZFIN_SECRET_KEY", after+","+before)
	for _, want := range []string{"4 sealed anew\n", "0 sealed anew\n"} {
		var out strings.Builder
		command := root()
		command.SetOut(&out)
		command.SetArgs([]string{"reseal"})
		if err := command.ExecuteContext(ctx); err != nil || out.String() != want {
			t.Fatalf("reseal says %q (%v), want %q", out.String(), err, want)
		}
	}

	for purpose, want := range map[string]string{store.PurposeToken: partner.PartnerSecret,
		store.PurposeWebhook: partner.WebhookSecret} {
		sealed, err := db.PartnerSecrets(ctx, "p", purpose)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := fresh.Open(sealed[0], server.SecretContext("p", purpose)); err != nil ||
			string(opened) != want {
			t.Errorf("the secret for %s opens as %q (%v)", purpose, opened, err)
		}
	}
	var organization, account uuid.UUID
	var sealed []byte
	if err := db.SQL().QueryRow(`SELECT organization_id, account_id, sealed FROM aggregation_tokens`).Scan(
		&organization, &account, &sealed,
	); err != nil {
		t.Fatal(err)
	}
	if opened, err := fresh.Open(sealed, "aggregation/"+organization.String()+"/"+account.String()); err != nil ||
		string(opened) != "of the bank" {
		t.Errorf("the bank token opens as %q (%v)", opened, err)
	}
	apply(fresh)
}

func keyring(t *testing.T, keys string) seal.Keyring {
	t.Helper()
	ring, err := seal.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}
