package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

func TestMain(m *testing.M) {
	if os.Getenv(runAsProgram) != "" {
		setClockApart()
		main()
		return
	}
	if os.Getenv(runAsHeavy) != "" {
		beHeavy()
		return
	}
	storetest.Main(m)
}

// flow is a running service and a partner's backend that uses it through the generated client.
type flow struct {
	t       *testing.T
	url     string
	partner partnerSecrets
	apart   time.Duration // the service's clock, from ours
	timeout time.Duration // of a request; 0 for none
	patient bool          // its clients send again what they are told to
}

// startService runs what `bizfin serve` runs, on a free port.
func startService(t *testing.T) *flow {
	t.Helper()
	return startServiceWith(t, storetest.RedisURL(t))
}

// startServiceWith runs it with another Redis, and other settings.
func startServiceWith(t *testing.T, redisURL string, change ...func(*settings)) *flow {
	t.Helper()
	s := settings{
		DatabaseURL:         storetest.DatabaseURL(t),
		RedisURL:            redisURL,
		DatabaseConnections: 8,
		Addr:                "127.0.0.1:0",
		PublicURL:           "http://127.0.0.1",
		Audience:            "flow",
		RequestTimeout:      30 * time.Second,
		FreeMonthly:         1000,
		MemoryLimit:         192 << 20,
	}
	s.SecretKey = storetest.SecretKey(t)
	for _, change := range change {
		change(&s)
	}
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	partner, err := createPartner(t.Context(), db, s.keys, "flow-"+uuid.NewString(), "Flow", s.PublicURL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	listening, stopped := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		stopped <- serve(ctx, s, slog.New(slog.DiscardHandler), func(addr net.Addr) { listening <- addr })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("the service did not stop cleanly: %v", err)
		}
	})
	select {
	case addr := <-listening:
		return &flow{t: t, url: "http://" + addr.String() + server.BasePath, partner: partner}
	case err := <-stopped:
		stopped <- err
		t.Fatalf("the service did not start: %v", err)
		return nil
	}
}

// as makes a client that signs each request for a person whose businesses pay.
func (f *flow) as(sub string, businesses ...partnertoken.Business) *client.ClientWithResponses {
	f.t.Helper()
	return f.withTier("paid", sub, businesses...)
}

// withTier makes a client that signs each request for a person.
func (f *flow) withTier(tier, sub string, businesses ...partnertoken.Business) *client.ClientWithResponses {
	f.t.Helper()
	payload := partnertoken.Payload{Businesses: businesses, Tier: tier}
	if len(businesses) > 0 {
		payload.BusinessID = &businesses[0].ID
	}
	sign := func(_ context.Context, r *http.Request) error {
		now := time.Now().Add(f.apart)
		signed, err := partnertoken.Sign(partnertoken.Claims{PartnerID: f.partner.PartnerID, Audience: "flow",
			Subject: sub, IssuedAt: now, ExpiresAt: now.Add(time.Minute), Payload: payload},
			[]byte(f.partner.PartnerSecret))
		r.Header.Set("Authorization", "Bearer "+signed)
		r.Header.Set("X-Service-Partner", f.partner.PartnerID)
		return err
	}
	var sender client.HttpRequestDoer = &http.Client{Timeout: f.timeout}
	if f.patient {
		sender = &client.Retrying{Client: &http.Client{Transport: neverBroken{f.t}}}
	}
	c, err := client.NewClientWithResponses(f.url, client.WithRequestEditorFn(sign), client.WithHTTPClient(sender))
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// neverBroken fails the test where the service says that it is at fault, which a patient client would try again.
type neverBroken struct{ t *testing.T }

func (n neverBroken) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusInternalServerError {
		n.t.Errorf("%s %s is answered 500", r.Method, r.URL.Path)
	}
	return response, err
}

func (f *flow) connect(c *client.ClientWithResponses) *client.Connection {
	f.t.Helper()
	answer, err := c.ConnectPartnerWithResponse(f.t.Context(),
		&client.ConnectPartnerParams{XServicePartner: f.partner.PartnerID})
	if err != nil || answer.JSON200 == nil {
		f.t.Fatalf("connect: %v %s", err, answer.Body)
	}
	return answer.JSON200
}

// TestPartnerFlow connects two people and two businesses, uploads 500 accounts and three full batches at once, uploads
// them again, searches, deletes and revokes.
func TestPartnerFlow(t *testing.T) {
	t.Parallel()
	f := startService(t)
	ctx := t.Context()
	bakery, garage := partnertoken.Business{ID: "bakery", Name: "Bakery", Role: "owner"},
		partnertoken.Business{ID: "garage", Name: "Garage", Role: "owner"}
	ana := f.as("ana", bakery, garage)
	ben := f.as("ben", partnertoken.Business{ID: "bakery", Name: "Bakery", Role: "member"})
	first, second := f.connect(ana), f.connect(ben)
	organization, source := *first.OrganizationId, *first.SourceId
	if second.UserId == first.UserId || *second.OrganizationId != organization || *second.SourceId != source {
		t.Fatalf("two people of one business: %+v and %+v", first, second)
	}

	accounts := make([]client.UploadedAccount, 500)
	for i := range accounts {
		accounts[i] = client.UploadedAccount{ExternalId: fmt.Sprint("account-", i), Name: fmt.Sprint("Account ", i),
			Type: client.AccountTypeDepository, Currency: "USD", CurrentBalance: "100.10"}
	}
	uploaded, err := ana.UploadAccountsWithResponse(ctx, organization, nil,
		client.AccountUpload{SourceId: source, Accounts: accounts})
	if err != nil || uploaded.JSON200 == nil || len(uploaded.JSON200.Accounts) != 500 {
		t.Fatalf("accounts: %v %s", err, uploaded.Body)
	}
	account := uploaded.JSON200.Accounts[0].Id

	upload := func(batch int) map[string]uuid.UUID {
		rows := make([]client.UploadedTransaction, 500)
		for i := range rows {
			rows[i] = client.UploadedTransaction{
				ExternalId:  fmt.Sprintf("txn-%d-%d", batch, i),
				Amount:      json.Number(fmt.Sprintf("-%d.%02d", batch+1, i%100)),
				Date:        time.Date(2026, 1, 1+i%90, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
				Description: fmt.Sprintf("FLOUR MILL %d", batch),
			}
		}
		answer, err := ana.UploadTransactionsWithResponse(ctx, organization, account, nil,
			client.TransactionUpload{Transactions: rows})
		if err != nil || answer.JSON200 == nil {
			t.Errorf("batch %d: %v %s", batch, err, answer.Body)
			return nil
		}
		ids := map[string]uuid.UUID{}
		for _, r := range answer.JSON200.Transactions {
			ids[r.ExternalId] = r.Id
		}
		return ids
	}
	var batches [3]map[string]uuid.UUID
	var wg sync.WaitGroup
	for i := range batches {
		wg.Go(func() { batches[i] = upload(i) })
	}
	wg.Wait()
	for i, id := range upload(1) {
		if batches[1][i] != id {
			t.Errorf("%s got another id when it was uploaded again", i)
		}
	}

	// On a busy machine counting can run out of its time budget, and the answer says so.
	query := "flour 2"
	var found *client.SearchTransactionsResponse
	for start := time.Now(); found == nil || !found.JSON200.TotalMatchedIsExact && time.Since(start) < 30*time.Second; {
		if found, err = ben.SearchTransactionsWithResponse(ctx, organization,
			&client.SearchTransactionsParams{Query: &query}); err != nil || found.JSON200 == nil {
			t.Fatalf("search: %v %s", err, found.Body)
		}
	}
	if found.JSON200.TotalMatched != 500 {
		t.Fatalf("%d rows match, want 500", found.JSON200.TotalMatched)
	}
	gone := found.JSON200.Transactions[0].Id
	if deleted, err := ben.DeleteTransactionWithResponse(ctx, organization, gone, nil); err != nil ||
		deleted.JSON200 == nil {
		t.Fatalf("delete: %v %s", err, deleted.Body)
	}
	if again, err := ben.GetTransactionWithResponse(ctx, organization, gone.String(), nil); err != nil ||
		again.JSON404 == nil {
		t.Fatalf("a deleted transaction answers %s (%v), want 404", again.Status(), err)
	}
	profile, err := ana.GetProfileWithResponse(ctx, organization, nil)
	if err != nil || profile.JSON200 == nil {
		t.Fatalf("profile: %v %s", err, profile.Body)
	}
	if got := profile.JSON200.Coverage.Transactions.Total; got != 1499 {
		t.Errorf("the profile counts %d transactions, want 1499", got)
	}
	if refused, err := ben.DeleteAccountWithResponse(ctx, organization, account, nil); err != nil ||
		refused.JSON403 == nil {
		t.Errorf("a member's account deletion answers %s (%v), want 403", refused.Status(), err)
	}
	if deleted, err := ana.DeleteAccountWithResponse(ctx, organization, account, nil); err != nil ||
		deleted.JSON200 == nil {
		t.Errorf("an owner's account deletion: %v %s", err, deleted.Body)
	}

	revoked := f.connect(f.as("ben"))
	if revoked.UserId != second.UserId || revoked.OrganizationId != nil || len(revoked.Organizations) != 0 {
		t.Errorf("revocation answers %+v", revoked)
	}
	if denied, err := ben.GetProfileWithResponse(ctx, organization, nil); err != nil || denied.JSON403 == nil {
		t.Errorf("after the revocation an older token answers %s (%v), want 403", denied.Status(), err)
	}
	if kept, err := ana.GetProfileWithResponse(ctx, organization, nil); err != nil || kept.JSON200 == nil {
		t.Errorf("the other member: %v %s", err, kept.Body)
	}
}
