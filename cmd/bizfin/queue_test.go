package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
	"bizfin/server"
)

// Uploads do not need Redis, and do not wait for it.
func TestUploadsAreAcceptedWithoutRedis(t *testing.T) {
	t.Parallel()
	f := startServiceWith(t, "redis://127.0.0.1:1/0")
	c := f.as("ana", partnertoken.Business{ID: "queue", Name: "Queue", Role: "owner"})
	connected := f.connect(c)
	accounts, err := c.UploadAccountsWithResponse(t.Context(), *connected.OrganizationId, nil,
		client.AccountUpload{SourceId: *connected.SourceId, Accounts: []client.UploadedAccount{
			{ExternalId: "a", Name: "A", Type: client.AccountTypeDepository, Currency: "USD", CurrentBalance: "0"},
		}})
	if err != nil || accounts.JSON200 == nil {
		t.Fatalf("accounts: %v %s", err, accounts.Body)
	}
	const uploads = 100
	began := time.Now()
	for i := range uploads {
		answer, err := c.UploadTransactionsWithResponse(t.Context(), *connected.OrganizationId,
			accounts.JSON200.Accounts[0].Id, nil, client.TransactionUpload{Transactions: []client.UploadedTransaction{
				{ExternalId: fmt.Sprint(i), Amount: json.Number("-1.00"), Date: "2026-01-01", Description: "COFFEE"},
			}})
		if err != nil || answer.JSON200 == nil {
			t.Fatalf("upload: %v %s", err, answer.Body)
		}
	}
	// Far more than they need, far less than one attempt to reach Redis would add to each.
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("%d uploads took %v", uploads, took)
	}
	ready, err := http.Get(strings.TrimSuffix(f.url, server.BasePath) + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Body.Close()
	var state struct{ Status string }
	if err := json.NewDecoder(ready.Body).Decode(&state); err != nil {
		t.Fatal(err)
	}
	if ready.StatusCode != 200 || state.Status != "degraded" {
		t.Errorf("readiness is %d %q, want 200 degraded", ready.StatusCode, state.Status)
	}
}
