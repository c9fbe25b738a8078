package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	signing "github.com/stripe/stripe-go/v85/webhook"

	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

const stripeKey, stripeSecret = "rk_test_4eC39HqLyjWDarjtT1zdp7dc", "whsec_0123456789abcdef"

// processor is a payment processor with the one list that is asked for, two subscriptions a page.
type processor struct {
	t   *testing.T
	url string

	mu            sync.Mutex
	subscriptions []paidFor
	refuses       int // a status, 0 where it answers
	asked         int
	holds         func() // called while an answer is under way, after it was read
}

// paidFor is a subscription at the processor.
type paidFor struct {
	id, customer, status, plan string
	end, created               int64
	cancels                    bool
	person                     string // in the customer's metadata
}

func startProcessor(t *testing.T) *processor {
	t.Helper()
	p := &processor{t: t}
	listening := httptest.NewServer(p)
	t.Cleanup(listening.Close)
	p.url = listening.URL
	return p
}

func (p *processor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	q := r.URL.Query()
	p.asked++
	held := p.holds
	status := p.refuses
	if r.URL.Path != "/v1/subscriptions" || q.Get("status") != "all" || r.Header.Get("Stripe-Version") == "" {
		status = http.StatusNotFound
	}
	if r.Header.Get("Authorization") != "Bearer "+stripeKey {
		status = http.StatusUnauthorized
	}
	var page []map[string]any
	more, after := false, q.Get("starting_after")
	for _, s := range p.subscriptions {
		if after == s.id {
			after = ""
			continue
		}
		if after != "" || q.Get("customer") != "" && q.Get("customer") != s.customer {
			continue
		}
		if more = len(page) == 2; more {
			break
		}
		page = append(page, s.shown())
	}
	p.mu.Unlock()
	if held != nil && q.Get("customer") != "" {
		held()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_123")
	if status != 0 {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","message":"refused: %s"}}`, stripeKey)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": page, "has_more": more, "url": r.URL.Path})
}

func (s paidFor) shown() map[string]any {
	metadata := map[string]string{}
	if s.person != "" {
		metadata["user_id"] = s.person
	}
	return map[string]any{
		"id": s.id, "object": "subscription", "status": s.status, "created": s.created,
		"cancel_at_period_end": s.cancels,
		"customer":             map[string]any{"id": s.customer, "object": "customer", "metadata": metadata},
		"items": map[string]any{"object": "list", "data": []map[string]any{{
			"id": "si_1", "object": "subscription_item", "current_period_end": s.end,
			"price": map[string]any{"id": "price_1", "object": "price", "lookup_key": s.plan,
				"recurring": map[string]any{"interval": "month", "interval_count": 1}},
		}}},
	}
}

func (p *processor) has(subscriptions ...paidFor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subscriptions = subscriptions
}

func (p *processor) refuse(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = status
}

func (p *processor) hold(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = f
}

// payer is a service with a processor and a person who has a native business and a partner's token to read it by.
type payer struct {
	*processor
	t            *testing.T
	api, token   string
	db           *store.DB
	person       uuid.UUID
	organization uuid.UUID
	settings     settings
}

func startPayer(t *testing.T) *payer {
	t.Helper()
	p := startProcessor(t)
	s := settings{
		DatabaseURL: migratedDatabase(t), RedisURL: "redis://127.0.0.1:1/0", DatabaseConnections: 8,
		Addr: "127.0.0.1:0", PublicURL: "http://127.0.0.1", Audience: "billing", RequestTimeout: 30 * time.Second,
		FreeMonthly: 1000, MemoryLimit: 192 << 20, SecretKey: storetest.SecretKey(t),
		StripeSecretKey: stripeKey, StripeWebhookSecret: []string{"whsec_older", stripeSecret}, StripeURL: p.url,
		StripeInterval: time.Hour,
	}
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	payer := &payer{processor: p, t: t, db: db, settings: s}
	if _, err := createPartner(t.Context(), db, s.keys, "acme", "", s.PublicURL); err != nil {
		t.Fatal(err)
	}
	payer.person, payer.organization = payer.login("ana")
	payer.token = server.OAuthTokenPrefix + uuid.NewString()
	err = db.SaveOAuthToken(t.Context(), time.Now(), payer.token,
		store.OAuthToken{PersonID: payer.person, Scopes: server.Scopes, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	payer.api = startWithWorker(t, s)
	return payer
}

func (p *payer) login(sub string) (person, organization uuid.UUID) {
	p.t.Helper()
	mapping, err := p.db.LegacyLogin(p.t.Context(), time.Now(),
		store.LegacyLogin{PartnerID: "acme", Subject: sub, Email: sub + "@example.com"})
	if err != nil {
		p.t.Fatal(err)
	}
	return mapping.PersonID, mapping.OrganizationID
}

// event sends what the processor signs, and wants the status.
func (p *payer) event(status int, secret, kind string, object map[string]any) {
	p.t.Helper()
	raw, err := json.Marshal(map[string]any{"id": "evt_" + uuid.NewString(), "object": "event", "type": kind,
		"api_version": "2020-08-27", "created": time.Now().Unix(), "data": map[string]any{"object": object}})
	if err != nil {
		p.t.Fatal(err)
	}
	signed := signing.GenerateTestSignedPayload(&signing.UnsignedPayload{Payload: raw, Secret: secret})
	p.send(status, raw, signed.Header)
}

func (p *payer) send(status int, raw []byte, signature string) {
	p.t.Helper()
	r, err := http.NewRequest("POST", p.api+server.BillingRoute, strings.NewReader(string(raw)))
	if err != nil {
		p.t.Fatal(err)
	}
	if signature != "" {
		r.Header.Set("Stripe-Signature", signature)
	}
	if got := answerOf(p.t, r); !strings.HasPrefix(got, fmt.Sprint(status)) {
		p.t.Errorf("answered %s, want %d", got, status)
	}
}

func changed(customer string) map[string]any {
	return map[string]any{"id": "sub_1", "object": "subscription", "customer": customer, "status": "incomplete"}
}

// checkout is one that a person has completed.
func checkout(customer, person string) map[string]any {
	return map[string]any{"id": "cs_1", "object": "checkout.session", "customer": customer,
		"client_reference_id": person}
}

// reads waits until the person's billing status has the words.
func (p *payer) reads(words ...string) string {
	p.t.Helper()
	return p.waits("/billing", words...)
}

func (p *payer) waits(path string, words ...string) string {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r, err := http.NewRequest("GET", p.api+server.BasePath+"/organizations/"+p.organization.String()+path, nil)
		if err != nil {
			p.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+p.token)
		got := answerOf(p.t, r)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(got, w) }) {
			return got
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("reads %s, want %v", got, words)
		}
	}
}

// settled waits until the worker has nothing more to ask.
func (p *payer) settled() {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		customers, err := p.db.Customers(p.t.Context(), false)
		if err != nil {
			p.t.Fatal(err)
		}
		if !slices.ContainsFunc(customers, func(c store.Customer) bool { return c.Due }) {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("still due: %+v", customers)
		}
	}
}

func TestACheckoutAndItsEventsAreTheBillingStatus(t *testing.T) {
	t.Parallel()
	p := startPayer(t)
	p.reads(`"status":"none"`)
	end := time.Now().AddDate(0, 1, 0).Unix()
	subscription := paidFor{id: "sub_1", customer: "cus_ana", status: "trialing", plan: "pro", end: end, created: 10}
	p.has(subscription)

	// Before the checkout the customer is nobody's, and is kept.
	p.event(200, stripeSecret, "customer.subscription.created", changed("cus_ana"))
	p.settled()
	p.reads(`"status":"none"`)
	p.event(200, stripeSecret, "checkout.session.completed", checkout("cus_ana", p.person.String()))
	p.reads(`"status":"trialing"`, `"plan":"pro"`, `"interval":"month"`, `"provider":"stripe"`,
		`"currentPeriodEnd":"`+time.Unix(end, 0).UTC().Format(time.RFC3339)+`"`)

	// What an event says does not count: the processor's own word does. So one that is late or repeated does no harm.
	subscription.status, subscription.cancels = "active", true
	p.has(subscription)
	for range 3 {
		p.event(200, "whsec_older", "customer.subscription.updated", changed("cus_ana"))
	}
	p.reads(`"status":"active"`, `"cancelAtPeriodEnd":true`)

	// The best of a person's subscriptions counts, whichever customer has it.
	subscription.status = "canceled"
	p.has(subscription, paidFor{id: "sub_2", customer: "cus_ana2", status: "unpaid", plan: "team", created: 20,
		person: p.person.String()})
	p.event(200, stripeSecret, "customer.subscription.deleted", changed("cus_ana"))
	p.event(200, stripeSecret, "customer.updated", map[string]any{"id": "cus_ana2", "object": "customer"})
	p.reads(`"status":"past_due"`, `"plan":"team"`)
	p.has()
	p.event(200, stripeSecret, "customer.deleted", map[string]any{"id": "cus_ana2", "object": "customer"})
	p.event(200, stripeSecret, "customer.deleted", map[string]any{"id": "cus_ana", "object": "customer"})
	p.reads(`"status":"none"`)

	// A later checkout links nobody else.
	other, _ := p.login("ben")
	subscription.status = "active"
	p.has(subscription)
	p.event(200, stripeSecret, "checkout.session.completed", checkout("cus_ana", other.String()))
	p.reads(`"status":"active"`)
	if _, err := p.db.Subscription(t.Context(), other); err != store.ErrNotFound {
		t.Errorf("the other person's subscription: %v", err)
	}
}

func TestAnEventIsTakenOnlyWithTheProcessorsSignature(t *testing.T) {
	t.Parallel()
	p := startPayer(t)
	p.event(401, "whsec_of_somebody_else", "customer.subscription.created", changed("cus_x"))
	raw := []byte(`{"object":"event","type":"customer.subscription.created","data":{"object":{"customer":"cus_x"}}}`)
	p.send(401, raw, "")
	p.send(401, raw, "t=1,v1=00")
	old := signing.GenerateTestSignedPayload(&signing.UnsignedPayload{Payload: raw, Secret: stripeSecret,
		Timestamp: time.Now().Add(-time.Hour)})
	p.send(401, raw, old.Header)
	signed := func(text string) {
		t.Helper()
		s := signing.GenerateTestSignedPayload(&signing.UnsignedPayload{Payload: []byte(text), Secret: stripeSecret})
		p.send(400, []byte(text), s.Header)
	}
	signed(`{`)
	signed(`{"object":"event","type":"customer.subscription.created"}`)
	signed(`{"object":"event","type":"customer.subscription.created","data":{"object":{}}}`)
	p.send(413, []byte(strings.Repeat(" ", server.MaxBody+1)), "t=1,v1=00")
	p.event(200, stripeSecret, "invoice.paid", map[string]any{"id": "in_1", "object": "invoice", "customer": "cus_x"})
	p.event(200, stripeSecret, "checkout.session.completed", map[string]any{"id": "cs_1", "customer": nil})
	customers, err := p.db.Customers(t.Context(), false)
	if err != nil || len(customers) > 0 {
		t.Errorf("stored: %+v, %v", customers, err)
	}
	p.event(200, stripeSecret, "customer.subscription.created",
		map[string]any{"customer": map[string]any{"id": "cus_x", "object": "customer"}})
	if customers, err = p.db.Customers(t.Context(), true); err != nil || len(customers) != 1 {
		t.Errorf("stored: %+v, %v", customers, err)
	}
}

func TestWhatComesWhileACustomerIsAskedAboutIsAskedFor(t *testing.T) {
	t.Parallel()
	p := startPayer(t)
	subscription := paidFor{id: "sub_1", customer: "cus_ana", status: "active", plan: "pro", person: p.person.String()}
	p.has(subscription)
	var once sync.Once
	p.hold(func() { // the answer that is under way has become old
		once.Do(func() {
			subscription.status = "canceled"
			p.has(subscription)
			p.event(200, stripeSecret, "customer.subscription.deleted", changed("cus_ana"))
		})
	})
	p.event(200, stripeSecret, "customer.subscription.updated", changed("cus_ana"))
	p.reads(`"status":"canceled"`)
	p.settled()
	p.reads(`"status":"canceled"`)
}

// reconcileNow has all customers compared, as when the hour is over.
func reconcileNow(t *testing.T, db *store.DB) {
	t.Helper()
	if _, err := db.SQL().Exec(`
		INSERT INTO stripe_reconciliation (next_at)
		VALUES (now())
		ON CONFLICT ON CONSTRAINT stripe_reconciliation_pkey DO UPDATE
		SET next_at = excluded.next_at`); err != nil {
		t.Fatal(err)
	}
}

func TestAComparisonThatIsAskedForDuringAnotherIsMade(t *testing.T) {
	t.Parallel()
	db, err := store.Open(migratedDatabase(t), store.Options{MaxConnections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	claim := func() (time.Time, error) {
		now, err := db.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return db.ClaimReconciliation(t.Context(), now, time.Minute)
	}
	for _, asked := range []bool{true, false} {
		reconcileNow(t, db)
		taken, err := claim()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := claim(); err != store.ErrNotFound {
			t.Errorf("a turn that is taken is taken again: %v", err)
		}
		if asked {
			reconcileNow(t, db)
		}
		if err := db.EndReconciliation(t.Context(), taken, taken, taken.Add(time.Hour), true); err != nil {
			t.Fatal(err)
		}
		if _, err := claim(); (err == nil) != asked {
			t.Errorf("asked for meanwhile %v, and the next turn is %v", asked, err)
		}
	}
}

func TestAllCustomersAreComparedOnASchedule(t *testing.T) {
	t.Parallel()
	p := startPayer(t)
	p.waits("/billing", `"status":"none"`)
	pages := []paidFor{
		{id: "sub_1", customer: "cus_1", status: "active", plan: "a", created: 1},
		{id: "sub_2", customer: "cus_1", status: "canceled", plan: "b", created: 2},
		{id: "sub_3", customer: "cus_2", status: "incomplete", plan: "c", created: 3},
		{id: "sub_4", customer: "cus_ana", status: "active", plan: "pro", created: 4, person: p.person.String()},
		{id: "sub_5", customer: "cus_5", status: "paused", plan: "d", created: 5},
	}
	p.has(pages...)
	reconcileNow(t, p.db)
	p.reads(`"status":"active"`, `"plan":"pro"`) // without any event
	p.settled()
	customers, err := p.db.Customers(t.Context(), true)
	var got []string
	for _, c := range customers {
		status := "none"
		if c.Subscription != nil {
			status = c.Subscription.Status
		}
		got = append(got, c.ID+" "+status)
	}
	if want := []string{"cus_1 active", "cus_2 none", "cus_5 past_due"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("nobody's are %v, want %v (%v)", got, want, err)
	}
	p.has(pages[:3]...) // the subscription is gone, and no event said so
	reconcileNow(t, p.db)
	p.reads(`"status":"none"`)
}

func TestAProcessorThatRefusesIsAskedAgainAndItsWordsAreKept(t *testing.T) {
	p := startPayer(t)
	p.t.Setenv("BIZFIN_DATABASE_URL", p.settings.DatabaseURL)
	p.t.Setenv("BIZFIN_STRIPE_SECRET_KEY", stripeKey)
	p.t.Setenv("BIZFIN_STRIPE_WEBHOOK_SECRET", stripeSecret)
	p.t.Setenv("BIZFIN_STRIPE_URL", p.url)
	p.has(paidFor{id: "sub_1", customer: "cus_ana", status: "active", plan: "pro", person: p.person.String()})
	p.refuse(http.StatusUnauthorized)
	_, err := bizfin(t.Context(), "billing", "sync")
	if err == nil || !strings.Contains(err.Error(), "refuses BIZFIN_STRIPE_SECRET_KEY") ||
		strings.Contains(err.Error(), stripeKey) {
		t.Errorf("a refused key is said as %v", err)
	}
	p.refuse(0)
	said, err := bizfin(t.Context(), "billing", "sync", "--json")
	// The service may be asking about the customer at the same time, who waits then.
	if err != nil || said != `{"differ":1,"listed":1,"waiting":0}` && said != `{"differ":1,"listed":1,"waiting":1}` {
		t.Errorf("billing sync prints %s, %v", said, err)
	}
	p.reads(`"status":"active"`)
	if said, err = bizfin(t.Context(), "billing", "sync", "--json"); said != `{"differ":0,"listed":1,"waiting":0}` {
		t.Errorf("billing sync prints %s, %v", said, err)
	}
}

func TestACustomerIsLinkedByHand(t *testing.T) {
	p := startPayer(t)
	p.t.Setenv("BIZFIN_DATABASE_URL", p.settings.DatabaseURL)
	p.has(paidFor{id: "sub_1", customer: "cus_1", status: "active", plan: "pro"})
	p.event(200, stripeSecret, "customer.subscription.created", changed("cus_1"))
	p.settled()
	person, other := p.person.String(), uuid.NewString()
	run := func(args ...string) string {
		t.Helper()
		out, err := bizfin(t.Context(), append([]string{"billing"}, args...)...)
		if err != nil {
			return err.Error()
		}
		return out
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"there is no person", []string{"link", "cus_1", other}},
		{"is not linked", []string{"link", "cus_1", "--off"}},
		{`"customer":"cus_1","user_id":null,"status":"active"`, []string{"list", "--unlinked", "--json"}},
		{`{"customer":"cus_1","user_id":"` + person, []string{"link", "cus_1", person, "--json"}},
	} {
		if got := run(c.args...); !strings.Contains(got, c.says) {
			t.Errorf("%v prints %s, want %s", c.args, got, c.says)
		}
	}
	p.reads(`"status":"active"`)
	ben, _ := p.login("ben")
	if got := run("link", "cus_1", ben.String()); !strings.Contains(got, "linked to another person") {
		t.Errorf("a second link prints %s", got)
	}
	run("link", "cus_1", "--off")
	p.reads(`"status":"none"`)
}

// A native business has no partner who says a tier: it has what its owner pays for.
func TestAnOwnersSubscriptionIsTheTierOfTheirNativeBusiness(t *testing.T) {
	t.Parallel()
	p := startPayer(t)
	p.waits("/profile", `"tier":null`, `"monthlyLimit":1000`)
	subscription := paidFor{id: "sub_1", customer: "cus_1", status: "active", plan: "pro", person: p.person.String()}
	p.has(subscription)
	p.event(200, stripeSecret, "customer.subscription.created", changed("cus_1"))
	p.waits("/profile", `"tier":"paid"`, `"monthlyLimit":null`)
	subscription.status = "past_due"
	p.has(subscription)
	p.event(200, stripeSecret, "customer.subscription.updated", changed("cus_1"))
	p.waits("/profile", `"tier":null`, `"monthlyLimit":1000`)
}

func TestBillingSettingsAreCheckedTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key      string
		secrets  []string
		url      string
		interval time.Duration
		problem  string
	}{
		{"", nil, "", time.Hour, ""},
		{stripeKey, []string{stripeSecret}, "", time.Hour, ""},
		{stripeKey, nil, "", time.Hour, "must be set together"},
		{"", []string{stripeSecret}, "", time.Hour, "must be set together"},
		{stripeKey, []string{stripeSecret, ""}, "", time.Hour, "none of them empty"},
		{stripeKey, []string{stripeSecret}, "http://example.com", time.Hour, "BIZFIN_STRIPE_URL"},
		{stripeKey, []string{stripeSecret}, "", time.Second, "BIZFIN_STRIPE_INTERVAL"},
	} {
		s := settings{StripeSecretKey: c.key, StripeWebhookSecret: c.secrets, StripeURL: c.url,
			StripeInterval: c.interval, DatabaseConnections: 1, RequestTimeout: time.Second, MemoryLimit: 64 << 20}
		err := s.check()
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && (strings.Contains(err.Error(), stripeKey) || strings.Contains(err.Error(), stripeSecret)) {
			t.Errorf("a secret is printed: %v", err)
		}
	}
}
