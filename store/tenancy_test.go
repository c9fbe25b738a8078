package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
	"bizfin/store"
	"bizfin/store/storetest"
)

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
	"AccountNames": func(ctx context.Context, o *store.Organization, _ tenant) error {
		return empty(o.AccountNames(ctx))
	},
	"Accounts": func(ctx context.Context, o *store.Organization, _ tenant) error {
		list, err := o.Accounts(ctx, true, store.Page{Limit: 20})
		return empty(list.Rows, err)
	},
	"AnswerHook": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			_, err := o.AnswerHook(ctx, noon, hook, store.Answer{Person: of.person, Via: store.ViaPerson, Text: "no",
				Meaning: answers.Meaning{CategoryID: 3250}})
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
	"AskedAlone": func(ctx context.Context, o *store.Organization, of tenant) error {
		return empty(o.AskedAlone(ctx, []decide.Decision{{Question: &questions.Question{Key: questions.People,
			Narrow: &questions.Question{Key: questions.AboutCounterparty("eve")}}}}))
	},
	"AskedLines": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			if err := empty(o.AskedLines(ctx, hook)); err != nil {
				return err
			}
		}
		return nil
	},
	"HookedRows": func(ctx context.Context, o *store.Organization, of tenant) error {
		for _, hook := range of.hooks() {
			if err := empty(o.HookedRows(ctx, hook)); err != nil {
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
	"LoanQuestions": func(ctx context.Context, o *store.Organization, _ tenant) error {
		return empty(o.LoanQuestions(ctx))
	},
	"CheckQuestions": func(ctx context.Context, o *store.Organization, _ tenant) error {
		return empty(o.CheckQuestions(ctx))
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
	"Dealings": func(ctx context.Context, o *store.Organization, of tenant) error {
		refund := decide.Decision{Row: decide.Row{Line: questions.Line{Amount: 1, Currency: "USD", PrimaryDate: noon}},
			Note: "back"}
		refund.Counterparty.Key = "acme"
		found, err := o.Dealings(ctx, []decide.Decision{refund})
		return zero(len(found), err)
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
	"FirstRows": func(ctx context.Context, o *store.Organization, of tenant) error {
		rows, _, err := o.FirstRows(ctx, true)
		return empty(rows, err)
	},
	"Unasked": func(ctx context.Context, o *store.Organization, of tenant) error {
		line := questions.Line{ID: of.transaction, Amount: -1, PrimaryDate: noon}
		asked := decide.Decision{Row: decide.Row{Line: line}, Question: &questions.Question{Key: questions.Cash}}
		return empty(o.Unasked(ctx, []decide.Decision{asked}))
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
