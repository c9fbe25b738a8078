package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
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

// refused is an error the caller can act on, and says that the row is absent, not that it is forbidden.
func refused(err error) error {
	switch {
	case err == nil:
		return errors.New("it was accepted")
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrSourceUnavailable):
		return nil
	default:
		return fmt.Errorf("the error is %w", err)
	}
}

// empty fails where something was read.
func empty(what any, err error) error {
	if err != nil {
		return err
	}
	if v := reflect.ValueOf(what); v.Len() > 0 {
		return fmt.Errorf("it read %v", what)
	}
	return nil
}

// zero fails where something was summed; empty lists are nothing.
func zero(sums any, err error) error {
	if err != nil {
		return err
	}
	if diff := cmp.Diff(reflect.Zero(reflect.TypeOf(sums)).Interface(), sums, cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b money.Total) bool { return a == b })); diff != "" {
		return fmt.Errorf("it sums another's rows: %s", diff)
	}
	return nil
}

// wholeYear is a report on everything that a business of these tests has.
func wholeYear(of tenant) store.ReportFilter {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return store.ReportFilter{
		DateField: store.Processed, From: from, To: from.AddDate(1, 0, -1), PeriodStarts: []time.Time{from},
		FilterByCounterparty: true, CounterpartyIDs: []uuid.UUID{of.counterparty},
	}
}

// searchesNothing holds a search to finding, counting and summing nothing of another business.
func searchesNothing(ctx context.Context, search func(context.Context, store.TransactionFilter,
	store.Page) (store.TransactionPage, error), of tenant) error {
	for _, f := range []store.TransactionFilter{
		{}, {FilterByAccount: true, AccountIDs: []uuid.UUID{of.account}},
		{FilterByAccount: true, AccountIDs: []uuid.UUID{of.account, uuid.New()}},
		{Counterparty: &of.counterparty}, {Words: []store.Word{{Text: "row"}}},
		{FilterByCategory: true, CategoryIDs: []int{3250, 1000}},
		{FilterByCategory: true, CategoryIDs: []int{3250}, Uncategorized: true}, {AmountFrom: new(money.Amount)},
	} {
		f.DateField = store.Primary
		page, err := search(ctx, f, store.Page{Limit: 50})
		if page.TotalMatched != 0 || len(page.Sums) > 0 || page.ExcludedOtherCurrencies != nil &&
			*page.ExcludedOtherCurrencies != 0 {
			return fmt.Errorf("it counts %v", page)
		}
		if err := empty(page.Rows, err); err != nil {
			return err
		}
	}
	return nil
}

// foreignCalls has one entry for every exported method of the handle: what it does with the ids of another business.
// An entry returns an error where the method read something of that business or was not refused.
var foreignCalls = map[string]func(ctx context.Context, o *store.Organization, of tenant) error{
	"AddComment": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.AddComment(ctx, noon, of.transaction, "Eve", "was here"))
	},
	"Accounts": func(ctx context.Context, o *store.Organization, _ tenant) error {
		list, err := o.Accounts(ctx, true, store.Page{Limit: 20})
		return empty(list.Rows, err)
	},
	"AnswerHook": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			_, err := o.AnswerHook(ctx, noon, hook, store.Answer{Person: of.person, Via: store.ViaPerson, Text: "no",
				Meaning: questions.Meaning{CategoryID: 3250}})
			if err := refused(err); err != nil {
				return err
			}
		}
		return nil
	},
	"Adjustments": func(ctx context.Context, o *store.Organization, of tenant) error {
		list, _, err := o.Adjustments(ctx, store.Processed, noon.AddDate(-9, 0, 0), noon.AddDate(9, 0, 0), 10)
		return empty(list, err)
	},
	"AnsweredSo": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			status, again, err := o.AnsweredSo(ctx, hook, "rent")
			if again || err != nil {
				return fmt.Errorf("answered %q: %w", status, err)
			}
		}
		return nil
	},
	"AnswersOfCounterparty": func(ctx context.Context, o *store.Organization, of tenant) error {
		return empty(o.AnswersOfCounterparty(ctx, of.counterparty, false))
	},
	"AnswersOfTransaction": func(ctx context.Context, o *store.Organization, of tenant) error {
		return empty(o.AnswersOfTransaction(ctx, of.transaction))
	},
	"AskedLines": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			if err := empty(o.AskedLines(ctx, hook)); err != nil {
				return err
			}
		}
		return nil
	},
	"ApplyFeed": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.ApplyFeed(ctx, noon, of.feed, store.FeedUpdate{Cursor: "eve",
			Accounts: []store.FeedAccount{{ID: "a"}}, Rows: []store.FeedRow{{ExternalID: "t1", FeedAccount: "a",
				ProcessedDate: "2026-01-01", Description: "EVE"}}})
		return refused(err)
	},
	"CashflowSums": func(ctx context.Context, o *store.Organization, of tenant) error {
		got, err := o.CashflowSums(ctx, wholeYear(of), nil, 50)
		if err := reachesNothing(&got.ReportSums, of); err != nil {
			return err
		}
		return zero(got, err)
	},
	"Counterparty": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.Counterparty(ctx, of.counterparty)
		return refused(err)
	},
	"Coverage": func(ctx context.Context, o *store.Organization, of tenant) error {
		got, err := o.Coverage(ctx, noon)
		if err != nil {
			return err
		}
		if len(got.Sources) != 1 || got.Sources[0].ID == of.source {
			return fmt.Errorf("sources %v", got.Sources)
		}
		got.Sources = nil
		if diff := cmp.Diff(store.Coverage{}, got); diff != "" {
			return fmt.Errorf("it counts another's rows: %s", diff)
		}
		return nil
	},
	"DeleteAccount": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.DeleteAccount(ctx, noon, of.account))
	},
	"DeleteTransaction": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.DeleteTransaction(ctx, noon, of.transaction))
	},
	"Details": func(ctx context.Context, o *store.Organization, of tenant) error {
		got, err := o.Details(ctx)
		if err == nil && got.Name != "Business" {
			return fmt.Errorf("it describes %s", got.Name)
		}
		return err
	},
	"FeedToken": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.FeedToken(ctx, snapshotKeys, of.feed)
		return refused(err)
	},
	"Hooked": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			_, err := o.Hooked(ctx, hook)
			if err := refused(err); err != nil {
				return err
			}
		}
		return nil
	},
	"OpenIssue": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.OpenIssue(ctx, issue(uuid.New(), of.counterparty), []uuid.UUID{of.transaction}))
	},
	"Issues": func(ctx context.Context, o *store.Organization, of tenant) error {
		page, err := o.Issues(ctx, store.IssueFilter{ObjectType: "counterparty", ObjectID: of.counterparty.String()},
			store.Page{Limit: 50})
		if page.Total != 0 {
			return fmt.Errorf("it counts %d", page.Total)
		}
		return empty(page.Rows, err)
	},
	"Events": func(ctx context.Context, o *store.Organization, _ tenant) error {
		return empty(o.Events(ctx))
	},
	"PnlSums": func(ctx context.Context, o *store.Organization, of tenant) error {
		got, err := o.PnlSums(ctx, wholeYear(of))
		if err := reachesNothing(&got, of); err != nil {
			return err
		}
		if err := zero(got, err); err != nil {
			return err
		}
		filtered := wholeYear(of) // which says what it hides
		filtered.FilterByCategory, filtered.CategoryIDs = true, []int{3250}
		got, err = o.PnlSums(ctx, filtered)
		got.Reach = store.Reach{}
		return zero(got, err)
	},
	"Rhythms": func(ctx context.Context, o *store.Organization, of tenant) error {
		got, err := o.Rhythms(ctx, noon, []uuid.UUID{of.counterparty})
		return empty(got, err)
	},
	"PutOffFeed": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.PutOffFeed(ctx, of.feed, "EVE", noon.AddDate(1, 0, 0)))
	},
	"SaveCounterparty": func(ctx context.Context, o *store.Organization, of tenant) error {
		// The key begins with the business: it makes a row of the caller's own.
		return o.SaveCounterparty(ctx, noon, store.Counterparty{ID: of.counterparty, Name: "Eve", Type: "person",
			Relationship: "unknown", LastDate: noon})
	},
	"SearchCounterparties": func(ctx context.Context, o *store.Organization, _ tenant) error {
		page, err := o.SearchCounterparties(ctx, store.CounterpartyFilter{Words: []string{"acme"}},
			store.Page{Limit: 50})
		return empty(page.Rows, err)
	},
	"SearchAndSumTransactions": func(ctx context.Context, o *store.Organization, of tenant) error {
		return searchesNothing(ctx, o.SearchAndSumTransactions, of)
	},
	"SearchTransactions": func(ctx context.Context, o *store.Organization, of tenant) error {
		return searchesNothing(ctx, o.SearchTransactions, of)
	},
	"SetCategory": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.SetCategory(ctx, noon, of.transaction, store.CategoryChoice{CategoryID: 1000, Source: "user"}))
	},
	"SetContext": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.SetContext(ctx, noon, of.transaction, "eve"))
	},
	"SetCounterparty": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.SetCounterparty(ctx, noon, of.transaction, of.counterparty))
	},
	"NextBatch": func(ctx context.Context, o *store.Organization, of tenant) error {
		batch, err := o.NextBatch(ctx, noon, store.Event{OrganizationID: of.ID, AccountID: of.account,
			Generation: of.generation}, 10, 10)
		return empty(batch.Rows, err)
	},
	"StoreBatch": func(ctx context.Context, o *store.Organization, of tenant) error {
		turn, err := o.TakeTurn(ctx, store.AnyTurn)
		if err != nil {
			return err
		}
		foreign := store.Event{OrganizationID: of.ID, AccountID: of.account, Generation: of.generation}
		batch, err := o.NextBatch(ctx, noon, foreign, 10, 0)
		if err != nil {
			return err
		}
		decision := decide.Decision{Row: decide.Row{Line: questions.Line{ID: of.transaction}, AccountID: of.account,
			Revision: 1}}
		result, err := o.StoreBatch(ctx, noon, turn, batch, store.Effects{Decisions: []decide.Decision{decision}})
		if result.Ended {
			return errors.New("another business's event ended")
		}
		return empty(result.Rows, err)
	},
	"Opposites": func(ctx context.Context, o *store.Organization, of tenant) error {
		leg := decide.Decision{Row: decide.Row{Line: questions.Line{Amount: -1, Currency: "USD", PrimaryDate: noon}}}
		return empty(o.Opposites(ctx, []decide.Decision{leg}))
	},
	"Purchases": func(ctx context.Context, o *store.Organization, of tenant) error {
		refund := decide.Decision{Row: decide.Row{Line: questions.Line{Amount: 1, Currency: "USD", PrimaryDate: noon}},
			Note: "back"}
		refund.Counterparty.Key = "acme"
		found, err := o.Purchases(ctx, []decide.Decision{refund})
		return zero(len(found), err)
	},
	"RefundsOf": func(ctx context.Context, o *store.Organization, of tenant) error {
		bought := decide.Purchases{{Key: "acme", Currency: "USD"}: {{Amount: -1, Day: noon}}}
		return empty(o.RefundsOf(ctx, bought))
	},
	"EndEvent": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, ended, err := o.EndEvent(ctx, noon, store.Event{AccountID: of.account, Generation: of.generation})
		if ended {
			return errors.New("another business's event ended")
		}
		return err
	},
	"NextEvent": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.NextEvent(ctx, store.Turn{OrganizationID: of.ID, Number: 1})
		return refused(err)
	},
	// A turn is of the handle's business, whatever it says of itself.
	"TakeTurn": func(ctx context.Context, o *store.Organization, _ tenant) error {
		_, err := o.TakeTurn(ctx, store.AnyTurn)
		return err
	},
	"EndTurn": func(ctx context.Context, o *store.Organization, of tenant) error {
		line, err := o.EndTurn(ctx, store.Turn{OrganizationID: of.ID, Number: 1})
		if line.Left {
			return errors.New("it has another business's events")
		}
		return err
	},
	"FailTurn": func(ctx context.Context, o *store.Organization, of tenant) error {
		return o.FailTurn(ctx, store.Turn{OrganizationID: of.ID, Number: 1}, store.ErrTurnTaken)
	},
	"Visit": func(ctx context.Context, o *store.Organization, _ tenant) error { // it reads and writes nothing
		_, leave, err := o.Visit(ctx)
		if err == nil {
			leave()
		}
		return err
	},
	"RelayNow": func(ctx context.Context, o *store.Organization, _ tenant) error { return o.RelayNow(ctx) },
	"SetFilingState": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.SetFilingState(ctx, noon, of.transaction, "filed"))
	},
	"StopFeed": func(ctx context.Context, o *store.Organization, of tenant) error {
		return refused(o.StopFeed(ctx, noon, of.feed, "EVE"))
	},
	"TopCategories": func(ctx context.Context, o *store.Organization, of tenant) error {
		return empty(o.TopCategories(ctx, of.counterparty))
	},
	"Transaction": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.Transaction(ctx, of.transaction)
		return refused(err)
	},
	"UploadAccounts": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.UploadAccounts(ctx, noon, of.source, []store.AccountUpload{{ExternalID: "a", Name: "Eve",
			Type: "other", Currency: "EUR"}})
		return refused(err)
	},
	"UploadTransactions": func(ctx context.Context, o *store.Organization, of tenant) error {
		_, err := o.UploadTransactions(ctx, noon, of.account, rowsOf("t1", "t2"))
		return refused(err)
	},
}

func TestNoMethodReachesAnotherBusiness(t *testing.T) {
	t.Parallel()
	owner := furnished(t)
	owner.leaveTraces(t)
	before := dump(t, owner.ID)
	for table, rows := range before {
		if len(rows) == 0 {
			t.Errorf("%s has no row to be reached: give furnished one", table)
		}
	}
	methods := reflect.TypeFor[*store.Organization]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		call, ok := foreignCalls[name]
		if !ok {
			t.Errorf("foreignCalls says nothing of %s", name)
			continue
		}
		if err := call(t.Context(), connect(t).Organization, owner); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, dump(t, owner.ID)); diff != "" {
			t.Fatalf("%s changed another business: %s", name, diff)
		}
	}
	for name := range foreignCalls {
		if _, ok := methods.MethodByName(name); !ok {
			t.Errorf("foreignCalls names %s, which is no method", name)
		}
	}
}

func TestARowCannotPointIntoAnotherBusiness(t *testing.T) {
	t.Parallel()
	owner, eve := furnished(t), furnished(t)
	before := dump(t, owner.ID)
	refused := map[string]error{
		"its counterparty": eve.SetCounterparty(t.Context(), noon, eve.transaction, owner.counterparty),
		"its issue's rows": eve.OpenIssue(t.Context(), issue(uuid.New(), eve.counterparty),
			[]uuid.UUID{owner.transaction}),
	}
	if !storetest.OnCitus() { // where a row of a business cannot refer to what is on the coordinator
		refused["an unknown person"] = storetest.Answer(eve, t.Context(), noon, eve.issue,
			store.Answer{Person: uuid.New(), Text: "x"})
	}
	for what, err := range refused {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", what, err)
		}
	}
	if diff := cmp.Diff(before, dump(t, owner.ID)); diff != "" {
		t.Errorf("another business changed: %s", diff)
	}
}

// reachesNothing is whether sums know but the caller's own source, which it takes out of them.
func reachesNothing(sums *store.ReportSums, of tenant) error {
	reach := sums.Reach
	if reach.Through != nil || len(reach.Sources) != 1 || reach.Sources[0].ID == of.source ||
		reach.Sources[0].LastUploadAt != nil {
		return fmt.Errorf("it reaches %+v", reach)
	}
	sums.Reach = store.Reach{}
	return nil
}
