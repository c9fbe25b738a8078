package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
)

// noon is the present of these tests.
var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// tenant is a business with a row in every table that a foreign hand could reach.
type tenant struct {
	*store.Organization
	person, source, account, transaction, counterparty, issue uuid.UUID
	generation                                                int64
	feed                                                      store.Feed
}

// connect makes a new business of a new partner.
func connect(t testing.TB) tenant {
	t.Helper()
	ctx, db, partner := t.Context(), storetest.DB(t), "partner-"+uuid.NewString()
	must(t, db.CreatePartner(ctx, noon, partner, "Partner", nil))
	connected, err := db.Connect(ctx, noon, store.Connection{
		PartnerID: partner, Subject: "ana", Businesses: []store.Business{{ID: "b", Name: "Business",
			Role: store.RoleOwner}},
	})
	must(t, err)
	organization := connected.Organizations[0]
	return tenant{Organization: db.Organization(organization.OrganizationID), person: connected.PersonID,
		source: organization.SourceID}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// furnished is a business with one of everything.
func furnished(t testing.TB) tenant {
	t.Helper()
	ctx, b := t.Context(), connect(t)
	b.account = b.uploadAccount(t, "a")
	b.transaction = b.upload(t, b.account, "t1")["t1"]
	b.counterparty, b.issue = uuid.New(), uuid.New()
	must(t, b.SaveCounterparty(ctx, noon, store.Counterparty{ID: b.counterparty, Name: "Acme", Type: "company",
		Relationship: "client", LastDate: noon}))
	must(t, b.SetCounterparty(ctx, noon, b.transaction, b.counterparty))
	must(t, b.SetCategory(ctx, noon, b.transaction, store.CategoryChoice{CategoryID: 3250, Source: "user",
		Confidence: 10_000}))
	must(t, b.SetContext(ctx, noon, b.transaction, "context"))
	must(t, b.AddComment(ctx, noon, b.transaction, "Ana", "comment"))
	must(t, b.OpenIssue(ctx, issue(b.issue, b.counterparty), []uuid.UUID{b.transaction}))
	b.feed = giveToken(t, b.Organization, b.account, "access-furnished")
	events, err := b.Events(ctx)
	must(t, err)
	b.generation = events[0].Generation
	return b
}

// hooks are all that can be answered about what the business has.
func (b tenant) hooks() []store.Hook {
	return []store.Hook{{Issue: b.issue}, {Transaction: b.transaction}, {Counterparty: b.counterparty}}
}

// leaveTraces writes a row into each table that processing, answers and the legacy flow write.
func (b tenant) leaveTraces(t testing.TB) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, created_at)
		 VALUES ($1, gen_random_uuid(), 'acme', false, 100, now())`,
		`WITH given AS (
		   INSERT INTO answers (organization_id, id, hook, level, status, answer, via, answered_at)
		   SELECT organization_id, gen_random_uuid(), 't:' || id, 3, 'partly', 'rent', 'person', now()
		   FROM transactions WHERE organization_id = $1
		   RETURNING organization_id, id, hook)
		 INSERT INTO answer_rows (organization_id, transaction_id, answer_id, filed)
		 SELECT organization_id, substr(hook, 3)::uuid, id, true FROM given`,
		`INSERT INTO issue_numbers (organization_id, issue_id, transaction_id, n)
		 SELECT organization_id, id, gen_random_uuid(), 2 FROM outstanding_issues WHERE organization_id = $1`,
		`UPDATE transactions SET category_id = -1 WHERE organization_id = $1`,
		`INSERT INTO transaction_parts (organization_id, transaction_id, ordinal, category_id, amount, answer_id)
		 SELECT organization_id, id, 1, 3250, amount, gen_random_uuid() FROM transactions WHERE organization_id = $1`,
		`INSERT INTO processing_months (organization_id, month, processed)
		 VALUES ($1, '2026-01-01', 1)`,
		`INSERT INTO report_months (organization_id, month, last_day, transfers)
		 VALUES ($1, '2026-01-01', '2026-01-31', '{}')`,
		`INSERT INTO report_month_categories (organization_id, month, category_id, alone, transaction_count,
		   inflow, outflow, days, counts, inflows, outflows)
		 VALUES ($1, '2026-01-01', 0, true, 1, 0, 100, '20454', '1', '0', '100')`,
		`INSERT INTO report_month_counterparties (organization_id, month, counterparty_id, transaction_count,
		   inflow, outflow, days, counts, inflows, outflows)
		 VALUES ($1, '2026-01-01', gen_random_uuid(), 1, 0, 100, '20454', '1', '0', '100')`,
		`INSERT INTO report_year_categories (organization_id, year, category_id, alone, days, counts, inflows, outflows)
		 VALUES ($1, '2026-01-01', 0, true, '20454', '1', '0', '100')`,
		`INSERT INTO report_year_counterparties (organization_id, year, counterparty_id, nets, days, counts, inflows,
		   outflows)
		 VALUES ($1, '2026-01-01', gen_random_uuid(), '{0,-100,-100,-100,-100,-100,-100,-100,-100,-100,-100,-100,-100}',
		   '20454', '1', '0', '100')`,
		`INSERT INTO transaction_counts
		 SELECT organization_id, id, 0, 0, 0, 0, 0, 0 FROM accounts WHERE organization_id = $1`,
		`INSERT INTO counterparty_counts
		 SELECT organization_id, id, 'USD', 0, 0, 0, 0 FROM counterparties WHERE organization_id = $1`,
		`INSERT INTO report_month_suggestions (organization_id, month, suggested_id, transaction_count,
		   inflow, outflow, days, counts, inflows, outflows)
		 VALUES ($1, '2026-01-01', 9702, 1, 0, 100, '20454', '1', '0', '100')`,
		`INSERT INTO standing_due (organization_id)
		 VALUES ($1)`,
		`INSERT INTO limited_accounts (organization_id, account_id, month)
		 SELECT organization_id, id, '2026-01-01' FROM accounts WHERE organization_id = $1`,
		`WITH given AS (
		   INSERT INTO agent_grants (id, kind, person_id, partner_id, resource, scopes, role, created_at, used_at,
		   expires_at)
		   SELECT gen_random_uuid(), 'exchange', person_id, partner_id, 'mcp', '{org:read}', role, now(), now(), now()
		   FROM memberships WHERE organization_id = $1 AND partner_id IS NOT NULL LIMIT 1
		   RETURNING id)
		 INSERT INTO agent_grant_organizations (organization_id, grant_id)
		 SELECT $1, id FROM given`,
		`INSERT INTO legacy_mappings (partner_id, subject, organization_id, source_id, created_at)
		 SELECT partner_id, 'ana', organization_id, id, now() FROM sources WHERE organization_id = $1`,
	} {
		change(t, statement, b.ID)
	}
}

func issue(id, about uuid.UUID) store.Issue {
	return store.Issue{ID: id, ObjectType: "counterparty", ObjectID: about.String(), Kind: "category", Question: "?",
		Why: "!", ImpactCurrency: "USD",
		Options: store.IssueOptions{}, AllowsFreeText: true, CreatedAt: noon}
}

func (b tenant) uploadAccount(t testing.TB, externalID string) uuid.UUID {
	t.Helper()
	records, err := b.UploadAccounts(t.Context(), noon, b.source, []store.AccountUpload{{ExternalID: externalID,
		Name: externalID, Type: "depository", Currency: "USD"}})
	must(t, err)
	return records[0].ID
}

func (b tenant) upload(t testing.TB, account uuid.UUID, externalIDs ...string) map[string]uuid.UUID {
	t.Helper()
	uploaded, err := b.UploadTransactions(t.Context(), noon, account, rowsOf(externalIDs...))
	must(t, err)
	ids := map[string]uuid.UUID{}
	for _, record := range uploaded.Records {
		ids[record.ExternalID] = record.ID
	}
	return ids
}

func rowsOf(externalIDs ...string) []store.TransactionUpload {
	var batch []store.TransactionUpload
	for _, externalID := range externalIDs {
		batch = append(batch, store.TransactionUpload{ExternalID: externalID, Amount: money.Amount(-100),
			Date: "2026-01-01", Description: "ROW " + externalID})
	}
	return batch
}

// dump is every row of every table that belongs to a business.
func dump(t testing.TB, organization uuid.UUID) map[string][]string {
	t.Helper()
	db := storetest.DB(t).SQL()
	tables := column(t, db, `
		SELECT table_name::text || '.' || column_name
		FROM information_schema.columns
		WHERE table_schema = current_schema()
		  AND (column_name = 'organization_id' OR table_name = 'organizations' AND column_name = 'id')`)
	if len(tables) < 9 {
		t.Fatalf("only these tables hold rows of a business: %v", tables)
	}
	rows := map[string][]string{}
	for _, table := range tables {
		name, key, _ := strings.Cut(table, ".")
		rows[name] = column(t, db, fmt.Sprintf(`SELECT row_to_json(r)::text FROM %s r WHERE %s = $1 ORDER BY 1`, name,
			key), organization)
	}
	return rows
}

func column(t testing.TB, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(query, args...)
	must(t, err)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		must(t, rows.Scan(&text))
		list = append(list, text)
	}
	must(t, rows.Err())
	return list
}
