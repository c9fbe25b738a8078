package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// wantAt fails the test where a member of the body is another one; want is compared as JSON.
func (r answer) wantAt(want any, path ...any) {
	r.t.Helper()
	wanted, _ := json.Marshal(want)
	got, _ := json.Marshal(r.get(path...))
	if string(got) != string(wanted) {
		r.t.Errorf("%v is %s, want %s", path, got, wanted)
	}
}

func TestProfileCountsExactly(t *testing.T) {
	t.Parallel()
	b := shared(t).book() // 3 rows categorized, 1 in the uncategorized branch, 2 without
	ctx, now := context.Background(), b.clock.Now()
	pending := transaction("pending", "-1", "2025-12-01", "PENDING")
	pending["pending"] = true
	b.upload(b.card, pending, transaction("gone", "-1", "2024-01-01", "GONE"),
		transaction("limited", "-1", "2026-02-01", "LIMITED"))
	b.delete(b.path + "/transactions/" +
		b.scalar(`SELECT id FROM transactions WHERE organization_id = $1 AND external_id = 'gone'`,
			b.organization)).want(200)
	b.exec(`UPDATE transactions SET processing = 'limited' WHERE organization_id = $1 AND external_id = 'limited'`,
		b.organization)
	b.exec(`UPDATE transactions SET processing = 'processed' WHERE organization_id = $1 AND external_id = 'coffee'`,
		b.organization)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	b.exec(`INSERT INTO processing_months (organization_id, month, processed) VALUES ($1, $2, 7), ($1, $3, 900)`,
		b.organization, month, month.AddDate(0, -1, 0))
	b.insertAccount(b.otherSource("csv"), "csv")
	b.exec(`UPDATE accounts SET status = 'inactive' WHERE organization_id = $1 AND external_id = 'csv'`, b.organization)
	b.must(b.rows().OpenIssue(ctx, question("counterparty", b.counterparty, now), nil))

	got := b.get(b.path + "/profile").want(200)
	got.wantAt(M{"total": 3, "active": 2}, "coverage", "accounts")
	got.wantAt(M{"total": 8, "pending": 1, "categorized": 3, "uncategorized": 5, "needsAttention": 1, "limited": 1,
		"queued": 2}, "coverage", "transactions")
	got.wantAt("2025-12-01", "coverage", "firstTransactionDate")
	got.wantAt("2026-02-01", "coverage", "lastTransactionDate")
	got.wantAt(now, "coverage", "lastUploadAt")
	got.wantAt(1, "coverage", "counterparties")
	got.wantAt(1, "coverage", "outstandingIssues")
	got.wantAt(b.source, "coverage", "sources", 0, "id")
	got.wantAt(2, "coverage", "sources", 0, "accounts")
	got.wantAt(now, "coverage", "sources", 0, "lastUploadAt")
	got.wantAt("csv", "coverage", "sources", 1, "kind")
	got.wantAt(nil, "coverage", "sources", 1, "lastUploadAt")
	got.wantAt(M{"tier": nil, "monthlyLimit": 1000, "usedThisMonth": 7, "pending": 2}, "processing")
	got.wantAt(b.person, "user", "id")
	got.wantAt("owner", "user", "role")
}

func TestProfileOfAnEmptyBusinessIsAllZero(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	got := o.get(o.path + "/profile").want(200)
	got.wantAt(M{"total": 0, "pending": 0, "categorized": 0, "uncategorized": 0, "needsAttention": 0, "limited": 0,
		"queued": 0}, "coverage", "transactions")
	for _, field := range []string{"firstTransactionDate", "lastTransactionDate", "lastUploadAt"} {
		got.wantAt(nil, "coverage", field)
	}
	if size := got.size("coverage", "sources"); size != 1 {
		t.Errorf("%d sources, want the one of the connection", size)
	}
}

func TestProfileListsWhatTheCredentialReaches(t *testing.T) {
	t.Parallel()
	a := shared(t)
	one, two := business(name("1"), "owner"), business(name("2"), "member")
	o := a.join("ana", one, two)
	o.get(o.path+"/profile").want(200).wantAt([]M{{"id": o.organization, "name": one.Name, "role": "owner"}},
		"organizations")

	oauth := a.withOAuth(a.oauth(o.person)).get(o.path + "/profile").want(200)
	oauth.wantAt([]M{
		{"id": o.organization, "name": one.Name, "role": "owner"},
		{"id": a.organizationOf(two.ID), "name": two.Name, "role": "member"},
	}, "organizations")
}

func TestAccountListShowsStatusSyncAndCounts(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	ids := o.sendAccounts(account("b"), account("a"), account("gone"), account("done")).want(200).records("accounts")
	o.clock.Add(time.Minute)
	o.upload(ids["a"], transaction("t1", "1", "2026-01-05", "ONE"), transaction("t2", "1", "2026-02-05", "TWO"),
		transaction("t3", "1", "2027-02-05", "DELETED"))
	o.upload(ids["done"], transaction("d1", "1", "2026-01-05", "ONE"))
	o.delete(o.path + "/transactions/" +
		o.scalar(`SELECT id FROM transactions WHERE organization_id = $1 AND external_id = 't3'`,
			o.organization)).want(200)
	o.delete(o.path + "/accounts/" + ids["gone"]).want(200)
	o.exec(`UPDATE transactions SET processing = 'processed' WHERE organization_id = $1 AND account_id = $2`,
		o.organization, ids["done"])
	o.exec(`DELETE FROM pending_work WHERE organization_id = $1 AND account_id = $2`, o.organization, ids["done"])
	o.exec(`UPDATE accounts SET last_processed_at = last_upload_at WHERE organization_id = $1 AND id = $2`,
		o.organization, ids["done"])
	legacy := o.insertAccount(o.otherSource("legacy"), "legacy")
	o.exec(`UPDATE accounts SET status = 'disabled', mask = '4321', name = 'Zoo' WHERE organization_id = $1 AND id = $2`, o.organization, legacy)

	var order []string
	active := o.get(o.path + "/accounts").want(200)
	for i := range active.size("accounts") {
		order = append(order, active.text("accounts", i, "externalId"))
	}
	if want := []string{"a", "b", "done"}; !slices.Equal(order, want) {
		t.Errorf("active accounts %v, want %v", order, want)
	}
	if diff := cmp.Diff(active.body, o.get(o.path+"/accounts?includeInactive=false").want(200).body); diff != "" {
		t.Errorf("includeInactive=false differs: %s", diff)
	}
	now := o.clock.Now()
	all := o.accounts()
	for externalID, want := range map[string]M{
		"a": {"status": "active", "sync": M{"limited": false, "status": "processing", "lastUploadAt": now,
			"lastProcessedAt": nil}, "transactionCount": 2, "firstTransactionDate": "2026-01-05",
			"lastTransactionDate": "2026-02-05", "mask": nil},
		"b": {"status": "active", "balanceAt": now.Add(-time.Minute),
			"sync": M{"limited": false, "status": "never", "lastUploadAt": now.Add(-time.Minute),
				"lastProcessedAt": nil}, "transactionCount": 0, "firstTransactionDate": nil,
			"lastTransactionDate": nil},
		"done": {"status": "active", "sync": M{"limited": false, "status": "upToDate", "lastUploadAt": now,
			"lastProcessedAt": now}, "transactionCount": 1},
		"gone":   {"status": "disconnected", "sourceKind": "api"},
		"legacy": {"status": "disabled", "sourceKind": "legacy", "mask": "4321", "name": "Zoo"},
	} {
		for field, value := range want {
			wanted, _ := json.Marshal(value)
			got, _ := json.Marshal(all[externalID][field])
			if string(got) != string(wanted) {
				t.Errorf("%s of %s is %s, want %s", field, externalID, got, wanted)
			}
		}
	}
	if len(all) != 5 {
		t.Errorf("%d accounts in all, want 5", len(all))
	}
}

func TestCategoriesAreTheOntology(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	got := o.get(o.path + "/categories").want(200)
	tree := ontology.ScheduleC()
	got.wantAt(M{"id": tree.ID, "key": "us.schedule_c", "name": tree.Name, "version": tree.Version}, "ontology")
	var served []M
	var walk func(nodes []any)
	walk = func(nodes []any) {
		for _, node := range nodes {
			object := node.(map[string]any)
			served = append(served, object)
			walk(object["children"].([]any))
		}
	}
	walk(got.get("categories").([]any))
	if len(served) != len(tree.All()) {
		t.Fatalf("%d categories, want %d", len(served), len(tree.All()))
	}
	for i, c := range tree.All() {
		var line any
		if c.ScheduleCLine != "" {
			line = c.ScheduleCLine
		}
		want, _ := json.Marshal(M{"id": fmt.Sprint(c.ID), "categoryPath": c.Path, "path": c.Names, "name": c.Name,
			"kind": c.Kind, "scheduleCLine": line,
			"deductiblePercent": c.DeductiblePercent, "assignable": c.Assignable, "description": c.Description})
		delete(served[i], "children")
		if got, _ := json.Marshal(served[i]); string(got) != string(want) {
			t.Errorf("category %d is %s, want %s", i, got, want)
		}
	}
}

func TestTransactionDetailHasEveryField(t *testing.T) {
	t.Parallel()
	b := shared(t).book()
	ctx, now, rows, id := context.Background(), b.clock.Now(), b.rows(), b.id("ads")
	b.must(rows.SetCategory(ctx, now, id, store.CategoryChoice{CategoryID: categoryID("transfer.internal"),
		Source: "model", Confidence: 8731, Reason: "Because"}))
	b.must(rows.SetContext(ctx, now, id, "Spring campaign"))
	b.must(rows.SetFilingState(ctx, now, id, "filed"))
	b.must(rows.AddComment(ctx, now.Add(time.Second), id, "Ben", "second"))
	b.must(rows.AddComment(ctx, now, id, "Ana", "first"))
	b.must(rows.AddComment(ctx, now.Add(2*time.Second), id, "Ana", "third"))
	var issues []string
	for i, about := range []time.Duration{2 * time.Minute, time.Minute, 0} {
		issue := question("transaction", id.String(), now.Add(about))
		b.must(rows.OpenIssue(ctx, issue, []uuid.UUID{id}))
		if i > 0 {
			issues = append(issues, issue.ID.String())
			continue
		}
		b.must(storetest.Answer(rows, ctx, now, issue.ID, store.Answer{Person: uuid.MustParse(b.person),
			Text: "answered: no longer listed"}))
	}
	slices.Reverse(issues)
	b.exec(`UPDATE transactions SET transfer_id = $3, is_refund = true, processing = 'processed', pending = true, authorized_date = '2026-01-01',
		alternatives = $4::jsonb WHERE organization_id = $1 AND id = $2`, b.organization, id.String(), b.ids["sale"],
		fmt.Sprintf(`[{"category": %d, "confidence": 812}, {"category": %d, "confidence": 5}]`,
			categoryID("expense.meals"), categoryID("personal")))

	got := b.get(b.path + "/transactions/" + id.String()).want(200)
	var texts []string
	for i := range got.size("transaction", "comments") {
		texts = append(texts, got.text("transaction", "comments", i, "author")+": "+got.text("transaction", "comments",
			i, "text"))
	}
	if want := []string{"Ana: first", "Ben: second", "Ana: third"}; !slices.Equal(texts, want) {
		t.Errorf("comments %q, want %q", texts, want)
	}
	for field, want := range map[string]any{
		"id": id, "externalId": "ads", "accountId": b.checking, "accountName": "Account checking",
		"amount": json.Number("-80.00"), "currency": "USD",
		"primaryDate": "2026-01-01", "authorizedAt": "2026-01-01T00:00:00Z", "processedAt": "2026-01-02T00:00:00Z",
		"description": "META PLATFORMS 100%_OFF",
		"merchant":    "Facebook", "pending": true, "isTransfer": true, "transferTransactionId": b.ids["sale"],
		"isRefund": true, "needsAttention": true,
		"processingStatus": "processed", "filingState": "filed", "context": "Spring campaign", "issueIds": issues,
		"createdAt": now, "updatedAt": now.Add(time.Minute), // when it was asked about last
		"category": M{"id": "9001", "categoryPath": "transfer.internal",
			"path": []string{"Transfers between own accounts", "Between own bank accounts"},
			"name": "Between own bank accounts", "source": "model", "confidence": json.Number("0.8731"),
			"reason": "Because"},
		"counterparty": M{"id": b.counterparty, "name": "Meta", "type": "company", "relationship": "supplier"},
		"alternatives": []M{{"categoryPath": "expense.meals", "confidence": json.Number("0.0812")},
			{"categoryPath": "personal", "confidence": json.Number("0.0005")}},
	} {
		got.wantAt(want, "transaction", field)
	}
	for _, unknown := range []string{uuid.NewString(), "x", "urn:uuid:" + id.String(),
		strings.ReplaceAll(id.String(), "-", ""), b.checking} {
		b.get(b.path + "/transactions/" + unknown).want(404)
	}
}

func TestAgentConnectionNamesTheServerAndItsTools(t *testing.T) {
	t.Parallel()
	o := start(t, func(c *server.Config) { c.PublicURL = "https://money.example" }).open()
	got := o.get(o.path + "/agent-connection").want(200)
	got.wantAt("https://money.example/mcp", "mcp", "url")
	got.wantAt(o.organization, "organizationId")
	got.wantAt(nil, "mcp", "authentication", "resourceMetadataUrl")
	var tools []string
	for i := range got.size("mcp", "tools") {
		tool := got.text("mcp", "tools", i, "name")
		tools = append(tools, tool)
		got.wantAt(tool != "answerOutstandingIssue", "mcp", "tools", i, "readOnly")
	}
	slices.Sort(tools)
	if diff := cmp.Diff(toolNames(), tools); diff != "" {
		t.Errorf("tools: %s", diff)
	}
	got.wantAt("bizfin token oauth --user "+o.person+" --ttl 720h --scope org:read,org:answer", "tokenCommand")
	if without := connecting(t, got, "https://money.example/mcp"); without != "Claude ChatGPT" {
		t.Errorf("without sign-in these do not connect: %s", without)
	}
}

// connecting names the clients that do not connect; all are told the address, and those that do a token or none.
func connecting(t *testing.T, got answer, address string) string {
	t.Helper()
	var clients, broken []string
	for i := range got.size("clientConfigurations") {
		client, snippet := got.text("clientConfigurations", i, "client"), got.text("clientConfigurations", i, "snippet")
		clients = append(clients, client)
		if !strings.Contains(snippet, address) || strings.Contains(snippet, "%!") {
			t.Errorf("%s: snippet without the address: %s", client, snippet)
		}
		works := got.get("clientConfigurations", i, "works") == true
		if !works {
			broken = append(broken, client)
		}
		sends := strings.Contains(snippet, "BIZFIN_TOKEN") || strings.Contains(snippet, "bizfin_token")
		signsIn := got.get("mcp", "authentication", "resourceMetadataUrl") != nil
		if works && sends == signsIn {
			t.Errorf("%s sends a token: %v, and signs in: %v", client, sends, signsIn)
		}
		if note := got.text("clientConfigurations", i, "note"); works == (note == "") {
			t.Errorf("%s: the note is %q", client, note)
		}
	}
	if diff := cmp.Diff([]string{"Claude Code", "Claude", "ChatGPT", "Cursor", "VS Code", "Gemini CLI",
		"MCP Inspector"}, clients); diff != "" {
		t.Error(diff)
	}
	return strings.Join(broken, " ")
}

func TestHostedClientsConnectWhereThereIsSignInAndAPublicAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://money.example": "", "https://127.0.0.1:8443": "Claude ChatGPT",
		"http://money.example": "Claude ChatGPT", "https://books.internal": "Claude ChatGPT",
	} {
		a, _ := startWithIssuer(t, func(c *server.Config) { c.PublicURL = address })
		o := a.open()
		if without := connecting(t, o.get(o.path+"/agent-connection").want(200), address+"/mcp"); without != want {
			t.Errorf("%s: these do not connect: %q, want %q", address, without, want)
		}
	}
}

// Nobody is told to sign in where they cannot: the partner who signed for them has no sign-in address.
func TestClientsAreToldToSignInOnceTheirPartnerSignsPeopleIn(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	o := s.open()
	told := func() (snippet string, hosted any) {
		got := o.get(o.path + "/agent-connection").want(200)
		return got.text("clientConfigurations", 0, "snippet"), got.get("clientConfigurations", 1, "works")
	}
	if err := s.db.SetSignIn(t.Context(), s.clock.Now(), s.partner, ""); err != nil {
		t.Fatal(err)
	}
	if snippet, hosted := told(); !strings.Contains(snippet, "BIZFIN_TOKEN") || hosted != false {
		t.Errorf("before: %s, hosted ones work: %v", snippet, hosted)
	}
	if err := s.db.SetSignIn(t.Context(), s.clock.Now(), s.partner, s.site.url); err != nil {
		t.Fatal(err)
	}
	if snippet, hosted := told(); strings.Contains(snippet, "BIZFIN_TOKEN") || hosted != true {
		t.Errorf("after: %s, hosted ones work: %v", snippet, hosted)
	}
}

func TestBillingIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	a := shared(t)
	id := name("b")
	owner, member := a.join("ana", business(id, "owner")), a.join("ben", business(id, "member"))
	none := M{"status": "none", "plan": nil, "interval": nil, "currentPeriodEnd": nil, "cancelAtPeriodEnd": false,
		"provider": nil, "syncedAt": nil}
	billing := func(o *office) answer { o.t.Helper(); return o.get(o.path + "/billing").want(200) }
	billing(owner).wantAt(none, "subscription")

	plan, interval, end := "pro", "month", a.clock.Now().AddDate(0, 1, 0)
	save := func(o *office, s store.Subscription) {
		_, err := a.db.SQL().Exec(`
			INSERT INTO subscriptions (person_id, status, plan, "interval", current_period_end, cancel_at_period_end,
			  provider, synced_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, o.person, s.Status, s.Plan, s.Interval, s.CurrentPeriodEnd,
			s.CancelAtPeriodEnd, s.Provider, s.SyncedAt)
		o.must(err)
	}
	save(owner, store.Subscription{Status: "active", Plan: &plan, Interval: &interval, CurrentPeriodEnd: &end,
		CancelAtPeriodEnd: true, Provider: "stripe", SyncedAt: a.clock.Now()})
	billing(owner).wantAt(M{"status": "active", "plan": "pro", "interval": "month", "currentPeriodEnd": end,
		"cancelAtPeriodEnd": true, "provider": "stripe", "syncedAt": a.clock.Now()}, "subscription")
	billing(member).wantAt(none, "subscription") // never the owner's

	save(member, store.Subscription{Status: "past_due", Provider: "stripe", SyncedAt: a.clock.Now()})
	billing(member).wantAt("past_due", "subscription", "status")
	billing(member).wantAt(nil, "subscription", "plan")
	billing(owner).wantAt("active", "subscription", "status")
}

// question is an open question with two options.
func question(objectType, objectID string, at time.Time) store.Issue {
	return store.Issue{
		ID: uuid.New(), ObjectType: objectType, ObjectID: objectID, Kind: "category", Question: "What is it?",
		Why:          "It could be two things.",
		ImpactAmount: money.TotalOf(231040), ImpactCurrency: "USD", TransactionCount: 14, AllowsFreeText: true,
		CreatedAt: at,
		Options: store.IssueOptions{{Value: "expense.meals", Label: "Meals", Description: "Half of it is deducted."},
			{Value: "personal", Label: "Personal", Description: "Not the business's."}},
	}
}
