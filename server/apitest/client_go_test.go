package apitest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	bizfin "bizfin.example/client"

	"bizfin/server"
)

// partner is a client as a partner's server makes it, behind a gateway that fails at first.
func (a *api) partnerClient(failures int, person bizfin.Person) (*bizfin.ClientWithResponses, *gateway) {
	a.t.Helper()
	through := a.behindGateway(failures)
	signer := bizfin.Signer{Partner: a.partner, Audience: audience, Secret: a.secret, Now: a.clock.Now}
	c, err := bizfin.New(through.url+server.BasePath, signer, person)
	if err != nil {
		a.t.Fatal(err)
	}
	return c, through
}

var bakery = bizfin.Person{ID: "user-1", Email: "ana@example.com", Name: "Ana", Selected: "biz-1",
	Businesses: []bizfin.Business{{ID: "biz-1", Name: "Ana's Bakery", Role: "owner"}}}

func TestTheGoClientUploadsAnyNumberAndReadsItBack(t *testing.T) {
	t.Parallel()
	ctx, a := t.Context(), start(t)
	c, through := a.partnerClient(2, bakery)
	connected, err := c.ConnectPartnerWithResponse(ctx, &bizfin.ConnectPartnerParams{XServicePartner: a.partner})
	if err != nil || connected.JSON200 == nil || through.failed != 2 {
		t.Fatalf("%v after %d failures: %s", err, through.failed, connected.Body)
	}
	organization, source := *connected.JSON200.OrganizationId, *connected.JSON200.SourceId
	saved, err := c.UploadAccountsWithResponse(ctx, organization, nil,
		bizfin.AccountUpload{SourceId: source, Accounts: []bizfin.UploadedAccount{
			{ExternalId: "checking", Name: "Checking", Type: bizfin.AccountTypeDepository, Currency: "USD",
				CurrentBalance: "0.07"}}})
	if err != nil || saved.JSON200 == nil {
		t.Fatalf("%v: %s", err, saved.Body)
	}
	account := saved.JSON200.Accounts[0].Id
	var rows []bizfin.UploadedTransaction
	for i := range 1001 {
		rows = append(rows, bizfin.UploadedTransaction{ExternalId: fmt.Sprint("row-", i), Amount: "-0.07",
			Date: "2026-03-01", Description: "FLOUR MILL"})
	}
	first, err := bizfin.UploadAll(ctx, c, organization, account, rows)
	if err != nil || len(first) != len(rows) {
		t.Fatalf("%d ids: %v", len(first), err)
	}
	again, err := bizfin.UploadAll(ctx, c, organization, account, rows)
	if err != nil {
		t.Fatal(err)
	}
	for id, was := range first {
		if again[id] != was {
			t.Errorf("%s has another id when it is sent again", id)
		}
	}
	read := map[uuid.UUID]bool{}
	summary := bizfin.DetailSummary // rows are given in full all the same
	for row, err := range bizfin.Transactions(ctx, c, organization, bizfin.SearchTransactionsParams{Detail: &summary}) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Amount != "-0.07" {
			t.Errorf("%s has the amount %s", row.ExternalId, row.Amount)
		}
		read[row.Id] = true
	}
	if len(read) != len(rows) {
		t.Errorf("%d rows are read", len(read))
	}
	for range bizfin.Transactions(ctx, c, organization, bizfin.SearchTransactionsParams{}) {
		break // and asks for no other page
	}
}

func TestTheGoClientTellsWhatWasRefusedAndDoesNotRepeatIt(t *testing.T) {
	t.Parallel()
	ctx, a := t.Context(), start(t)
	c, through := a.partnerClient(0, bakery)
	connected, err := c.ConnectPartnerWithResponse(ctx, &bizfin.ConnectPartnerParams{XServicePartner: a.partner})
	if err != nil {
		t.Fatal(err)
	}
	rows := []bizfin.UploadedTransaction{{ExternalId: "one", Amount: "0.071", Date: "2026-03-01", Description: "X"}}
	_, err = bizfin.UploadAll(ctx, c, *connected.JSON200.OrganizationId, uuid.New(), rows)
	var refused *bizfin.Refused
	if !errors.As(err, &refused) || refused.Status != 422 || refused.RequestID == "" ||
		(*refused.Issues)[0].Path != "/transactions/0/amount" {
		t.Errorf("the error is %v", err)
	}
	if n := len(through.queries); n != 2 {
		t.Errorf("%d requests were sent, want 2", n)
	}
}

func TestTheGoClientGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	a := shared(t)
	through := a.behindGateway(1000)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, through.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&bizfin.Retrying{Wait: time.Hour}).Do(r); !errors.Is(err, context.DeadlineExceeded) ||
		through.failed != 1 {
		t.Errorf("after %d attempts: %v", through.failed, err)
	}
}

func TestTheGoClientSignsSnapshots(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	body := []byte(`{"type":"accounts.changed","sub":"user-1","payload":{"tier":"free","accounts":[]}}`)
	signature := bizfin.SnapshotSignature(h.secret, body)
	if !bizfin.SnapshotSigned(h.secret, body, signature) || bizfin.SnapshotSigned(h.secret, append(body, ' '),
		signature) || bizfin.SnapshotSigned(h.secret, body, "zz") {
		t.Error("a signature is judged wrongly")
	}
	h.deliver(h.partner, body, http.Header{"X-Service-Signature": {signature}}).want(200)
}
