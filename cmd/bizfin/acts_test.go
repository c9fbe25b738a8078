package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"
	signing "github.com/stripe/stripe-go/v85/webhook"

	"bizfin/internal/partnertoken"
	"bizfin/internal/seal"
	"bizfin/openapi"
	"bizfin/server"
	"bizfin/server/mcp"
	"bizfin/store"
	"bizfin/store/storetest"
)

// house is a service with its worker on a database of its own, and one who uses it in every way there is. Each text
// that is given to it has the mark.
type house struct {
	t                     *testing.T
	url, mark, partner    string
	db                    *store.DB
	secrets               partnerSecrets
	organization, account string
	source, person        string
	opaque                string
	older, olderBusiness  string // the person and business of the embedded flow
	seen                  int    // entries of the record so far
	did                   map[string]bool
}

func startHouse(t *testing.T) *house {
	t.Helper()
	useTestStack(t)
	processor := startProcessor(t)
	s := settings{
		DatabaseURL: migratedDatabase(t), RedisURL: storetest.RedisURL(t), DatabaseConnections: 8,
		Addr: "127.0.0.1:0", PublicURL: "http://127.0.0.1", Audience: "commands", RequestTimeout: 30 * time.Second,
		FreeMonthly: 1000, MemoryLimit: 192 << 20, SecretKey: storetest.SecretKey(t), StripeSecretKey: stripeKey,
		StripeWebhookSecret: []string{stripeSecret}, StripeURL: processor.url, StripeInterval: time.Hour, SignIn: true,
	}
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIZFIN_DATABASE_URL", s.DatabaseURL)
	t.Setenv("BIZFIN_STRIPE_SECRET_KEY", stripeKey)
	t.Setenv("BIZFIN_STRIPE_WEBHOOK_SECRET", stripeSecret)
	t.Setenv("BIZFIN_STRIPE_URL", processor.url)
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	h := &house{t: t, db: db, mark: "mark" + strings.ReplaceAll(uuid.NewString(), "-", ""), partner: "acme",
		did: map[string]bool{}}
	h.url = startWithWorker(t, s)
	return h
}

// acts does something by a way in, and holds the record against what that should have added: the action and the kind of
// who did it, and by whom where that is known.
func (h *house) acts(way string, do func(), want ...string) {
	h.t.Helper()
	h.did[way] = true
	do()
	var got []string
	for _, e := range h.record()[h.seen:] {
		if e.Actor != store.ActorService || e.RequestID != nil {
			got = append(got, e.Action+" "+e.Actor)
		}
		h.seen++
		switch e.Actor {
		case store.ActorToken:
			if e.TokenID == nil || *e.TokenID != store.TokenID(h.opaque) || e.PersonID == nil {
				h.t.Errorf("%s: the token is not named: %+v", way, e)
			}
		case store.ActorPartner:
			if e.PartnerID == nil || *e.PartnerID != h.partner || e.RequestID == nil {
				h.t.Errorf("%s: the partner is not named: %+v", way, e)
			}
		}
	}
	if !slices.Equal(got, want) {
		h.t.Errorf("%s is recorded as %q, want %q", way, got, want)
	}
}

// record is what "bizfin audit --json" prints.
func (h *house) record() []store.Entry {
	h.t.Helper()
	var entries []store.Entry
	out := h.run("audit", "--limit", "10000", "--json")
	if strings.Contains(out, h.mark) {
		h.t.Error("the record has content")
	}
	for line := range strings.Lines(out) {
		var e store.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			h.t.Fatalf("%s: %v", line, err)
		}
		entries = append(entries, e)
	}
	return entries
}

func (h *house) run(args ...string) string {
	h.t.Helper()
	out, err := bizfin(h.t.Context(), args...)
	if err != nil {
		h.t.Fatalf("%v: %v", args, err)
	}
	return out
}

// command is an act by the command line, which prints JSON.
func (h *house) command(want []string, args ...string) (said map[string]any) {
	h.t.Helper()
	at, _, err := root().Find(args)
	if err != nil {
		h.t.Fatal(err)
	}
	h.acts(at.CommandPath(), func() {
		h.t.Helper()
		if err := json.Unmarshal([]byte(h.run(append(args, "--json")...)), &said); err != nil {
			h.t.Fatal(err)
		}
	}, want...)
	return said
}

func (h *house) sql(statement string, args ...any) {
	h.t.Helper()
	if _, err := h.db.SQL().Exec(statement, args...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) signed() string {
	business := partnertoken.Business{ID: "b-" + h.mark, Name: "Business " + h.mark, Role: store.RoleOwner}
	return h.sign(&business.ID, business)
}

func (h *house) sign(selected *string, businesses ...partnertoken.Business) string {
	h.t.Helper()
	now := time.Now()
	token, err := partnertoken.Sign(partnertoken.Claims{PartnerID: h.partner, Audience: "commands",
		Subject: "sub-" + h.mark,
		Email:   h.mark + "@example.com", Name: "Name " + h.mark, IssuedAt: now, ExpiresAt: now.Add(time.Hour),
		ID: uuid.NewString(), Payload: partnertoken.Payload{BusinessID: selected, Businesses: append(
			[]partnertoken.Business{}, businesses...)}}, []byte(h.secrets.PartnerSecret))
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// send sends a request with headers, and reads the answer, which must be 200.
func (h *house) send(method, path string, body any, header ...string) (said map[string]any) {
	h.t.Helper()
	raw, isRaw := body.([]byte)
	if !isRaw && body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			h.t.Fatal(err)
		}
	}
	r, err := http.NewRequest(method, h.url+path, bytes.NewReader(raw))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	status, text, _ := strings.Cut(answerOf(h.t, r), " ")
	if status != "200" {
		h.t.Fatalf("%s %s: %s %s", method, path, status, text)
	}
	_ = json.Unmarshal([]byte(text), &said)
	return said
}

// operation is an operation by the partner.
func (h *house) operation(id, method, path string, body any, want ...string) (said map[string]any) {
	h.t.Helper()
	h.acts(id, func() {
		h.t.Helper()
		said = h.send(method, server.BasePath+path, body, "Authorization", "Bearer "+h.signed(), "X-Service-Partner",
			h.partner)
	}, want...)
	return said
}

// upload is one of a row.
func (h *house) upload(external string) string {
	h.t.Helper()
	said := h.operation("uploadTransactions", "POST",
		"/organizations/"+h.organization+"/accounts/"+h.account+"/transactions",
		map[string]any{"transactions": []map[string]any{{"external_id": external + h.mark, "amount": -50,
			"date":        "2026-01-05",
			"description": "QUORVANE " + h.mark}}}, "upload partner")
	return said["transactions"].([]any)[0].(map[string]any)["id"].(string)
}

// live does everything.
func (h *house) live() {
	h.t.Helper()
	created := h.command([]string{"add secret command", "add secret command", "create partner command"}, "partner",
		"create",
		h.partner, "--name", "Partner "+h.mark)
	h.secrets = partnerSecrets{PartnerID: h.partner, PartnerSecret: created["partner_secret"].(string),
		WebhookSecret: created["webhook_secret"].(string)}
	connected := h.operation("connectPartner", "POST", "/auth/partner", nil, "connect partner", "connect partner")
	h.organization, h.source = connected["organization_id"].(string), connected["source_id"].(string)
	h.person = connected["user_id"].(string)
	in := "/organizations/" + h.organization
	h.account = h.operation("uploadAccounts", "POST", in+"/accounts", map[string]any{"source_id": h.source,
		"accounts": []map[string]any{{"external_id": "a" + h.mark, "name": "Account " + h.mark, "type": "depository",
			"currency": "USD", "current_balance": 1}}},
		"upload partner")["accounts"].([]any)[0].(map[string]any)["id"].(string)
	row, gone := h.upload("1"), h.upload("2")
	h.operation("answerOutstandingIssue", "POST", in+"/outstanding-issues/t:"+row+"/answers",
		map[string]any{"answer": "software, says " + h.mark}, "answer partner")
	h.operation("answerOutstandingIssue", "POST", in+"/outstanding-issues/t:"+row+"/answers",
		map[string]any{"answer": "60% expense.meals, rest my personal groceries from " + h.mark}, "correct partner")
	h.operation("deleteTransaction", "DELETE", in+"/transactions/"+gone, nil, "delete partner")

	h.command([]string{"set demo command"}, "user", "demo", h.person)
	h.command([]string{"set demo command"}, "user", "demo", h.person, "--off")
	h.command(nil, "user", "demo", h.person, "--off")
	h.command([]string{"link identity command"}, "user", "link", h.person, "--issuer", "https://id.example.com",
		"--subject",
		"s"+h.mark)
	h.command([]string{"link customer command"}, "billing", "link", "cus_1", h.person)
	h.opaque = h.command([]string{"mint token command"}, "token", "oauth", "--user", h.person)["token"].(string)
	h.acts("tool answerOutstandingIssue", func() {
		h.send("POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{
				"name": "answerOutstandingIssue", "arguments": map[string]any{"organization_id": h.organization,
					"id": "t:" + row, "answer": "it was rent, says the agent " + h.mark}}}, "Authorization",
			"Bearer "+h.opaque,
			"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25")
	}, "correct token")
	h.acts("bizfin import", func() {
		file := "Date,Description,Amount\n2026-01-07,IMPORTED " + h.mark + ",-7.00\n"
		if err := os.WriteFile("statement.csv", []byte(file), 0o600); err != nil {
			h.t.Fatal(err)
		}
		h.t.Setenv("BIZFIN_TOKEN", h.opaque)
		h.run("import", "statement.csv", "--account", "Imported "+h.mark, "--balance", "1", "--url", h.url,
			"--organization",
			h.organization)
	}, "upload token", "upload token")
	h.acts("billingEvent", func() {
		raw, _ := json.Marshal(map[string]any{"id": "evt_" + h.mark, "object": "event",
			"type":    "checkout.session.completed",
			"created": time.Now().Unix(), "data": map[string]any{"object": checkout("cus_2"+h.mark, h.person)}})
		signed := signing.GenerateTestSignedPayload(&signing.UnsignedPayload{Payload: raw, Secret: stripeSecret})
		h.send("POST", server.BillingRoute, raw, "Stripe-Signature", signed.Header)
	}, "link customer service")

	login := h.command([]string{"login command"}, "legacy", "login", "--partner", h.partner, "--sub", "older-"+h.mark,
		"--email",
		"older."+h.mark+"@example.com", "--name", "Older "+h.mark)
	h.older, h.olderBusiness = login["user_id"].(string), login["organization_id"].(string)
	h.acts("receiveAccountSnapshot", func() {
		body := fmt.Appendf(nil, `{"type":"accounts.changed","sub":"older-%[1]s","payload":{"tier":"paid",
			"business":{"id":"b%[1]s","name":"N %[1]s"},"accounts":[{"id":"1%[1]s","name":"Old %[1]s","currency":"USD",
			"number":"12%[1]s","type":"checking","plaid_token":"access-%[1]s"}]}}`, h.mark)
		mac := hmac.New(sha256.New, []byte(h.secrets.WebhookSecret))
		mac.Write(body)
		h.send("POST", "/webhooks/"+h.partner+"/accounts", body, "x-service-signature",
			hex.EncodeToString(mac.Sum(nil)))
	}, "snapshot partner")
	h.command([]string{"set sign-in address command"}, "partner", "set", h.partner, "--sign-in-url",
		"https://app.example.com/"+h.mark)
	h.command(nil, "partner", "set", h.partner, "--sign-in-url", "https://app.example.com/"+h.mark) // it is so already
	h.acts("exchange", func() {
		form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {h.signed()}}
		h.send("POST", "/oauth/token", []byte(form.Encode()), "X-Service-Partner", h.partner,
			"Content-Type", "application/x-www-form-urlencoded")
	}, "exchange partner")
	h.command([]string{"end grant command"}, "grant", "revoke", "--user", h.person)
	h.command([]string{"limit partner command"}, "partner", "limits", h.partner, "--in-flight", "700")
	h.command(nil, "partner", "limits", h.partner, "--in-flight", "700")
	rotated := h.command([]string{"add secret command"}, "partner", "rotate", h.partner)
	h.secrets.PartnerSecret = rotated["secret"].(string)
	h.acts("bizfin partner rotate", func() { h.run("partner", "rotate", h.partner, "--finish", "--json") },
		"retire secret command")
	h.acts("bizfin partner rotate", func() { h.run("partner", "rotate", h.partner, "--finish", "--json") })
	key := os.Getenv("BIZFIN_SECRET_KEY")
	newer := seal.NewKey()
	h.command(nil, "reseal")
	h.t.Setenv("BIZFIN_SECRET_KEY", newer+","+key)
	h.command([]string{"reseal command"}, "reseal")
	h.t.Setenv("BIZFIN_SECRET_KEY", key+","+newer)
	h.command([]string{"reseal command"}, "reseal") // as the service knows no other
	h.command(nil, "snapshots", "retry", "--all")   // none was given up yet
	h.command(nil, "snapshots", "drop", "--all")
	h.sql(`
		INSERT INTO account_snapshots (partner_id, subject, payload, state, next_at, received_at, ended_at)
		VALUES ($1, $2, 'unreadable', 'dead', now(), now(), now())`, h.partner, "older-"+h.mark)
	h.command([]string{"retry snapshot command"}, "snapshots", "retry", "--all")
	h.sql(`UPDATE account_snapshots SET state = 'dead', ended_at = now() WHERE state = 'pending' AND partner_id = $1`,
		h.partner)
	h.command([]string{"drop snapshot command"}, "snapshots", "drop", "--all")
	h.command([]string{"export command"}, "organization", "export", h.organization, "--out", "o.zip")
	h.command([]string{"export command"}, "user", "export", h.person, "--out", "u.zip")
	until(h.t, "everything is processed", func() bool {
		var left int
		err := h.db.SQL().QueryRow(`
			SELECT (SELECT count(*) FROM pending_work)
			     + (SELECT count(*) FROM account_snapshots WHERE state = 'pending')`).Scan(&left)
		return err == nil && left == 0
	})
}

// looking are the commands that change nothing of anybody, and those with servers in them, whose acts are requests.
var looking = []string{
	"bizfin audit", "bizfin billing list", "bizfin billing sync", "bizfin completion bash", "bizfin completion fish",
	"bizfin completion powershell", "bizfin completion zsh", "bizfin demo", "bizfin dev", "bizfin doctor",
	"bizfin grant list", "bizfin health",
	"bizfin migrate distribute", "bizfin migrate down", "bizfin migrate status", "bizfin migrate up",
	"bizfin openapi", "bizfin organization list", "bizfin organization show", "bizfin partner list",
	"bizfin partner show", "bizfin report cashflow",
	"bizfin report pnl",
	"bizfin serve", "bizfin settings", "bizfin snapshots list", "bizfin token list", "bizfin token partner",
	"bizfin token show", "bizfin user list", "bizfin user show", "bizfin version", "bizfin work",
}

// waysIn are all operations, tools and commands that may change something.
func waysIn(t *testing.T) (ways []string) {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if method != http.MethodGet {
				ways = append(ways, op.OperationID)
			}
		}
	}
	tools, err := mcp.Tools(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if !tool.ReadOnly {
			ways = append(ways, "tool "+tool.Name)
		}
	}
	walk(root(), func(c *cobra.Command) {
		if !c.HasSubCommands() && c.Name() != "help" && !slices.Contains(looking, c.CommandPath()) {
			ways = append(ways, c.CommandPath())
		}
	})
	return ways
}

// Whatever way in there is, an act by it is in the record once, with who did it. A way that comes later is not left
// out. After an erasure nothing of all the marks that were given to the service is left: in no column of any table, and
// in nothing that Redis holds.
func TestEveryActIsInTheRecordAndNothingIsLeftOfTheErased(t *testing.T) {
	h := startHouse(t)
	h.live()
	in := "/organizations/" + h.organization
	h.operation("deleteAccount", "DELETE", in+"/accounts/"+h.account, nil, "delete partner")
	h.command([]string{"revoke token command"}, "token", "revoke", "--id", store.TokenID(h.opaque))
	h.command(nil, "token", "revoke", "--user", h.person) // the one there was is ended already
	h.command([]string{"unlink customer command"}, "billing", "link", "cus_1", "--off")
	h.command([]string{"unlink identity command"}, "user", "link", h.person, "--issuer", "https://id.example.com",
		"--subject",
		"s"+h.mark, "--off")
	h.acts("connectPartner", func() {
		h.send("POST", server.BasePath+"/auth/partner", nil, "Authorization", "Bearer "+h.sign(nil),
			"X-Service-Partner",
			h.partner)
	}, "connect partner", "revoke partner")
	h.marked(true)
	h.command([]string{"erase command"}, "organization", "erase", h.organization, "--yes")
	h.command([]string{"erase command", "erase command"}, "user", "erase", h.older, "--yes")
	h.command([]string{"erase command"}, "user", "erase", h.person, "--yes")
	h.command([]string{"disable partner command"}, "partner", "disable", h.partner)
	h.command(nil, "partner", "disable", h.partner)
	h.command([]string{"disable partner command", "erase command"}, "partner", "erase", h.partner, "--yes")
	h.marked(false)
	for _, id := range []string{h.organization, h.olderBusiness, h.mark, store.TokenID(h.opaque)} {
		until(t, "Redis holds nothing of "+id, func() bool { return !h.inRedis(id) })
	}
	for _, way := range waysIn(t) {
		if !h.did[way] {
			t.Errorf("nobody tried whether %s is recorded", way)
		}
	}
}

// inRedis is whether Redis holds anything of an id: a task, a lock, a count.
func (h *house) inRedis(id string) bool {
	h.t.Helper()
	options, err := redis.ParseURL(storetest.RedisURL(h.t))
	if err != nil {
		h.t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	ctx := h.t.Context()
	for keys := client.Scan(ctx, 0, "*", 1000).Iterator(); keys.Next(ctx); {
		key := keys.Val()
		var value any
		switch client.Type(ctx, key).Val() {
		case "hash":
			value = client.HGetAll(ctx, key).Val()
		case "list":
			value = client.LRange(ctx, key, 0, -1).Val()
		case "set":
			value = client.SMembers(ctx, key).Val()
		case "zset":
			value = client.ZRange(ctx, key, 0, -1).Val()
		default:
			value = client.Get(ctx, key).Val()
		}
		if strings.Contains(key+fmt.Sprint(value), id) {
			return true
		}
	}
	return false
}

// marked holds that the mark is somewhere, or nowhere.
func (h *house) marked(somewhere bool) {
	h.t.Helper()
	var found []string
	rows, err := h.db.SQL().Query(`
		SELECT table_name
		FROM information_schema.tables
		WHERE table_schema = current_schema()
		  AND table_type = 'BASE TABLE'`)
	if err != nil {
		h.t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			h.t.Fatal(err)
		}
		tables = append(tables, table)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	for _, table := range tables {
		var n int
		err := h.db.SQL().QueryRow(`SELECT count(*) FROM `+table+` r WHERE r::text ILIKE '%' || $1 || '%'`,
			h.mark).Scan(&n)
		if err != nil {
			h.t.Fatal(err)
		}
		if n > 0 {
			found = append(found, table)
		}
	}
	if somewhere && len(found) < 8 {
		h.t.Errorf("the mark is in %v alone", found)
	}
	if !somewhere && len(found) > 0 {
		h.t.Errorf("the mark is left in %v", found)
	}
}
