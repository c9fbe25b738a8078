package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

func TestAggregationSettingsAreCheckedTogether(t *testing.T) {
	t.Parallel()
	const all, whole = "must be set together", "secret-7d1"
	for _, c := range []struct {
		url, id, secret string
		interval        time.Duration
		problem         string
	}{
		{"", "", "", 0, ""},
		{"https://production.plaid.com", "id", whole, time.Hour, ""},
		{"http://127.0.0.1:9000/base/", "id", whole, time.Minute, ""},
		{"https://production.plaid.com", "id", "", time.Hour, all},
		{"https://production.plaid.com", "", whole, time.Hour, all},
		{"", "id", whole, time.Hour, all},
		{"", "", whole, time.Hour, all},
		{"http://production.plaid.com", "id", whole, time.Hour, "BIZFIN_AGGREGATION_URL"},
		{"https://user:password@production.plaid.com", "id", whole, time.Hour, "BIZFIN_AGGREGATION_URL"},
		{"https://production.plaid.com?x=1", "id", whole, time.Hour, "BIZFIN_AGGREGATION_URL"},
		{"production.plaid.com", "id", whole, time.Hour, "BIZFIN_AGGREGATION_URL"},
		{"https://production.plaid.com", "id", whole, time.Second, "BIZFIN_AGGREGATION_INTERVAL"},
	} {
		s := settings{
			AggregationURL: c.url, AggregationClientID: c.id, AggregationSecret: c.secret,
			AggregationInterval: c.interval,
			DatabaseConnections: 1, RequestTimeout: time.Second, MemoryLimit: 64 << 20,
		}
		err := s.check()
		if c.problem == "" && err != nil || c.problem != "" &&
			(err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && (strings.Contains(err.Error(), whole) || strings.Contains(err.Error(), "password")) {
			t.Errorf("a secret is printed: %v", err)
		}
		if err == nil && (s.aggregation() != nil) != (c.url != "") {
			t.Errorf("%+v: there is a client: %v", c, s.aggregation() != nil)
		}
	}
}

// TestATokenOfASnapshotBringsTransactions goes from the webhook through the provider to the API's answer.
func TestATokenOfASnapshotBringsTransactions(t *testing.T) {
	token := "access-sandbox-" + uuid.NewString()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Token  string `json:"access_token"`
			Cursor string `json:"cursor"`
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil || q.Token != token {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error_type":"INVALID_INPUT","error_code":"INVALID_ACCESS_TOKEN","request_id":"r1"}`)
			return
		}
		added := `{"transaction_id":"t1","account_id":"BxBXxLj1m4HMXBm9WZZmCWVbPjX16EHwv99vp","amount":72.1,
			"iso_currency_code":"USD","unofficial_currency_code":null,
			"date":"2026-03-02","authorized_date":"2026-03-01","name":"Blue Bottle",
			"original_description":"SQ *BLUE BOTTLE 0412","pending":false,"pending_transaction_id":null}`
		if q.Cursor != "" {
			added = ""
		}
		fmt.Fprintf(w, `{"accounts":[],"added":[%s],"modified":[],"removed":[],"next_cursor":"c1","has_more":false,
			"transactions_update_status":"HISTORICAL_UPDATE_COMPLETE","request_id":"r2"}`, added)
	}))
	t.Cleanup(provider.Close)
	s := settings{
		DatabaseURL: storetest.DatabaseURL(t), RedisURL: "redis://127.0.0.1:1/0", DatabaseConnections: 8,
		Addr:      "127.0.0.1:0",
		PublicURL: "http://127.0.0.1", Audience: "legacy", RequestTimeout: 30 * time.Second, FreeMonthly: 1000,
		MemoryLimit: 192 << 20,
		SecretKey:   storetest.SecretKey(t), AggregationURL: provider.URL, AggregationClientID: "id",
		AggregationSecret: "secret", AggregationInterval: time.Hour,
	}
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		t.Fatal(err)
	}
	partner, err := createPartner(t.Context(), storetest.DB(t), s.keys, "aggregation-"+uuid.NewString(), "",
		s.PublicURL)
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := storetest.DB(t).LegacyLogin(t.Context(), time.Now(),
		store.LegacyLogin{PartnerID: partner.PartnerID, Subject: "ana", Email: "ana@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	minted := server.OAuthTokenPrefix + uuid.NewString()
	err = storetest.DB(t).SaveOAuthToken(t.Context(), time.Now(), minted,
		store.OAuthToken{PersonID: mapping.PersonID, Scopes: server.Scopes, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	url := startWithWorker(t, s)
	body := []byte(`{"type":"accounts.changed","sub":"ana","payload":{"tier":"paid","accounts":[
		{"id":"checking","name":"Checking","currency":"USD","plaid_token":"` + token + `"}]}}`)
	mac := hmac.New(sha256.New, []byte(partner.WebhookSecret))
	mac.Write(body)
	r, err := http.NewRequest("POST", url+"/webhooks/"+partner.PartnerID+"/accounts", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-service-signature", hex.EncodeToString(mac.Sum(nil)))
	if got := answerOf(t, r); got != `200 {"received":true}` {
		t.Fatalf("the snapshot is answered %s", got)
	}
	wanted := []string{`"amount":-72.10`, `"externalId":"t1"`, `"authorizedAt":"2026-03-01T00:00:00Z"`,
		`"processedAt":"2026-03-02T00:00:00Z"`, `"primaryDate":"2026-03-01"`, `"processingStatus":"processed"`,
		"SQ *BLUE BOTTLE 0412"}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.NewRequest("GET",
			url+server.BasePath+"/organizations/"+mapping.OrganizationID.String()+"/transactions", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+minted)
		got, missing := answerOf(t, r), ""
		for _, want := range wanted {
			if !strings.Contains(got, want) {
				missing = want
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is missing: %s", missing, got)
		}
	}
}
