package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// bizfin runs a command of the program and returns what it prints.
func bizfin(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err := execute(ctx, cmd)
	return strings.TrimSpace(out.String()), err
}

// TestLegacyFlowWithoutAQueue runs the API and the worker with no Redis: logins at once, a signed snapshot, and the
// accounts it made, read with the person's OAuth token.
func TestLegacyFlowWithoutAQueue(t *testing.T) {
	s := settings{
		DatabaseURL: storetest.DatabaseURL(t), RedisURL: "redis://127.0.0.1:1/0", DatabaseConnections: 8,
		Addr:      "127.0.0.1:0",
		PublicURL: "http://127.0.0.1", Audience: "legacy", RequestTimeout: 30 * time.Second, FreeMonthly: 1000,
		MemoryLimit: 192 << 20,
		SecretKey:   storetest.SecretKey(t),
	}
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIZFIN_DATABASE_URL", s.DatabaseURL)
	partner, err := createPartner(t.Context(), storetest.DB(t), s.keys, "legacy-"+uuid.NewString(), "", s.PublicURL)
	if err != nil {
		t.Fatal(err)
	}
	url := startWithWorker(t, s)

	var logins [6]string
	var wg sync.WaitGroup
	for i := range logins {
		wg.Go(func() {
			var err error
			logins[i], err = bizfin(t.Context(), "legacy", "login", "--partner", partner.PartnerID, "--sub", "ana",
				"--email", fmt.Sprintf("ana%d@example.com", i), "--name", "Ana", "--json")
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, login := range logins {
		if login != logins[0] {
			t.Fatalf("logins of one person print %v", logins)
		}
	}
	var login struct {
		Person       uuid.UUID `json:"user_id"`
		Organization uuid.UUID `json:"organization_id"`
	}
	if err := json.Unmarshal([]byte(logins[0]), &login); err != nil {
		t.Fatalf("it prints %s", logins[0])
	}

	body := []byte(`{"type":"accounts.changed","sub":"ana","payload":{"tier":"paid","accounts":[
		{"id":"a","name":"Checking","currency":"USD","current_balance":12.5,"plaid_token":"access-1"}]}}`)
	mac := hmac.New(sha256.New, []byte(partner.WebhookSecret))
	mac.Write(body)
	r, err := http.NewRequest("POST", url+"/webhooks/"+partner.PartnerID+"/accounts", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("x-service-signature", hex.EncodeToString(mac.Sum(nil)))
	if got := answerOf(t, r); got != `200 {"received":true}` {
		t.Fatalf("the snapshot is answered %s", got)
	}

	minted := server.OAuthTokenPrefix + uuid.NewString()
	err = storetest.DB(t).SaveOAuthToken(t.Context(), time.Now(), minted,
		store.OAuthToken{PersonID: login.Person, Scopes: server.Scopes, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	const want = `"currentBalance":12.50`
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.NewRequest("GET", url+server.BasePath+"/organizations/"+login.Organization.String()+"/accounts",
			nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+minted)
		got := answerOf(t, r)
		if strings.Contains(got, want) && strings.Contains(got, `"sourceKind":"legacy"`) &&
			!strings.Contains(got, "access-1") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the accounts stay %s", got)
		}
	}
}

func TestALegacyLoginThatCannotBeIsRefused(t *testing.T) {
	t.Setenv("BIZFIN_DATABASE_URL", storetest.DatabaseURL(t))
	for _, test := range []struct {
		want string
		args []string
	}{
		{"there is no active partner", []string{"--partner", "nobody", "--sub", "ana", "--email", "ana@example.com"}},
		{"--sub is empty", []string{"--partner", "nobody", "--sub", "", "--email", "ana@example.com"}},
		{"--sub must have 1 to 255 characters", []string{"--partner", "nobody", "--sub", strings.Repeat("é", 256),
			"--email", "ana@example.com"}},
		{"--email is empty", []string{"--partner", "nobody", "--sub", "ana", "--email", ""}},
		{"required flag", []string{"--partner", "nobody", "--sub", "ana"}},
	} {
		if out, err := bizfin(t.Context(), append([]string{"legacy", "login"}, test.args...)...); err == nil ||
			!strings.Contains(err.Error(), test.want) || out != "" {
			t.Errorf("%v: %q, %v, want %s", test.args, out, err, test.want)
		}
	}
}

// startWithWorker runs what `bizfin serve` and `bizfin work` run until the test ends, and returns the API's address.
func startWithWorker(t *testing.T, s settings) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	listening, served, worked := make(chan net.Addr, 1), make(chan error, 1), make(chan error, 1)
	log := slog.New(slog.DiscardHandler)
	go func() { served <- serve(ctx, s, log, func(addr net.Addr) { listening <- addr }) }()
	go func() { worked <- work(ctx, s, log, worker.NewMetrics(), nil) }()
	t.Cleanup(func() {
		stop()
		for _, stopped := range []chan error{served, worked} {
			if err := <-stopped; err != nil {
				t.Errorf("it did not stop cleanly: %v", err)
			}
		}
	})
	select {
	case addr := <-listening:
		return "http://" + addr.String()
	case err := <-served:
		served <- err
		t.Fatalf("the API did not start: %v", err)
		return ""
	}
}

// answerOf sends a request and returns status and body.
func answerOf(t *testing.T, r *http.Request) string {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", response.StatusCode, strings.TrimSpace(body.String()))
}
