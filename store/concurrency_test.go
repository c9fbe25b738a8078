package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
)

// atOnce runs all functions at the same time and returns their errors in order.
func atOnce(calls ...func() error) []error {
	errs := make([]error, len(calls))
	gate := make(chan struct{})
	var ready, done sync.WaitGroup
	for i, call := range calls {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-gate
			errs[i] = call()
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
	return errs
}

// count reads one number.
func count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	must(t, storetest.DB(t).SQL().QueryRow(query, args...).Scan(&n))
	return n
}

func TestConnectionsOfDifferentListsAtOnceApplyOneOfThem(t *testing.T) {
	t.Parallel()
	ctx, db, partner := t.Context(), storetest.DB(t), "partner-"+uuid.NewString()
	must(t, db.CreatePartner(ctx, noon, partner, "Partner", nil))
	var calls []func() error
	for i := range 12 {
		calls = append(calls, func() error {
			_, err := db.Connect(ctx, noon, store.Connection{PartnerID: partner, Subject: "ana",
				Businesses: []store.Business{
					{ID: fmt.Sprint(i), Name: "Own", Role: store.RoleOwner},
					{ID: "shared", Name: "Shared", Role: store.RoleOwner},
				}})
			return err
		})
	}
	for _, err := range atOnce(calls...) {
		must(t, err)
	}
	if got := count(t, `SELECT count(*) FROM memberships WHERE partner_id = $1 AND revoked_at IS NULL`,
		partner); got != 2 {
		t.Errorf("%d current memberships, want the 2 of the last list", got)
	}
	if got := count(t, `SELECT count(*) FROM identities WHERE partner_id = $1`, partner); got != 1 {
		t.Errorf("%d persons, want 1", got)
	}
}

// The invariant of a source: it is revoked exactly where its last active account was disconnected.
func TestASourceIsNeverRevokedWhileAnAccountIsActive(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for range 15 {
		b := connect(t)
		first, second := b.uploadAccount(t, "a"), b.uploadAccount(t, "b")
		errs := atOnce(
			func() error { return b.DeleteAccount(ctx, noon, first) },
			func() error { return b.DeleteAccount(ctx, noon, second) },
			func() error {
				_, err := b.UploadAccounts(ctx, noon, b.source, []store.AccountUpload{{ExternalID: "a", Name: "A",
					Type: "other", Currency: "USD"}, {ExternalID: "c", Name: "C", Type: "other", Currency: "USD"}})
				return err
			},
			func() error {
				_, err := b.UploadTransactions(ctx, noon, first, rowsOf("t1", "t2"))
				return err
			},
		)
		for i, err := range errs {
			if err != nil && !(i >= 2 && errors.Is(err, store.ErrSourceUnavailable)) {
				t.Errorf("call %d: %v", i, err)
			}
		}
		active := count(t, `SELECT count(*) FROM accounts WHERE organization_id = $1 AND status = 'active'`, b.ID)
		revoked := count(t, `SELECT count(*) FROM sources WHERE organization_id = $1 AND state = 'revoked'`, b.ID)
		if (active == 0) != (revoked == 1) {
			t.Errorf("%d active accounts and %d revoked sources", active, revoked)
		}
	}
}

func TestBatchesOfDifferentAccountsInOpposedOrdersDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), connect(t)
	const accounts, rows, rounds = 6, 40, 4
	var externalIDs []string
	for i := range rows {
		externalIDs = append(externalIDs, fmt.Sprintf("t%02d", i))
	}
	backwards := slices.Clone(externalIDs)
	slices.Reverse(backwards)
	for round := range rounds {
		var calls []func() error
		for i := range accounts {
			account, order := b.uploadAccount(t, fmt.Sprint("a", i)), externalIDs
			if i%2 == 1 {
				order = backwards
			}
			own := make([]string, len(order))
			for j, externalID := range order {
				own[j] = fmt.Sprintf("%d-%s", round, externalID)
			}
			calls = append(calls, func() error {
				_, err := b.UploadTransactions(ctx, noon, account, rowsOf(own...))
				return err
			})
		}
		var won int
		for _, err := range atOnce(calls...) {
			var moved *store.MovedError
			switch {
			case err == nil:
				won++
			case !errors.As(err, &moved):
				t.Errorf("upload: %v", err)
			case len(moved.ExternalIDs) != rows || !slices.IsSorted(moved.ExternalIDs):
				t.Errorf("it names %v", moved.ExternalIDs)
			}
		}
		if won != 1 {
			t.Errorf("%d accounts have the same transactions", won)
		}
	}
	if got := count(t, `SELECT count(*) FROM transactions WHERE organization_id = $1`, b.ID); got != rows*rounds {
		t.Errorf("%d rows, want %d", got, rows*rounds)
	}
	if got := count(t, `SELECT count(*) FROM (SELECT left(external_id, 1) FROM transactions WHERE organization_id = $1 GROUP BY left(external_id, 1) HAVING count(DISTINCT account_id) > 1) mixed`, b.ID); got != 0 {
		t.Errorf("%d batches are spread over accounts", got)
	}
}

func TestUploadsDeletesAndChoicesAtOnceKeepEverything(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), furnished(t)
	const writers = 8
	var calls []func() error
	for i := range writers {
		calls = append(calls,
			func() error {
				batch := rowsOf("t1", "t2", "t3", fmt.Sprint("own", i))
				for j := range batch {
					batch[j].Description = fmt.Sprint("ROW ", i)
				}
				_, err := b.UploadTransactions(ctx, noon, b.account, batch)
				return err
			},
			func() error { return b.SetContext(ctx, noon, b.transaction, "kept") },
			func() error { return b.AddComment(ctx, noon, b.transaction, "Ana", fmt.Sprint(i)) },
		)
	}
	for i, err := range atOnce(calls...) {
		if err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
	row, err := b.Transaction(ctx, b.transaction)
	must(t, err)
	if row.Context == nil || *row.Context != "kept" || len(row.Comments) != writers+1 || row.CategoryID == nil ||
		*row.CategoryID != 3250 {
		t.Errorf("context %v, %d comments, category %v", row.Context, len(row.Comments), row.CategoryID)
	}
	if got := count(t, `SELECT count(*) FROM transactions WHERE organization_id = $1`, b.ID); got != writers+3 {
		t.Errorf("%d rows, want %d", got, writers+3)
	}
	work, err := b.Events(ctx)
	if err != nil || len(work) != 1 || work[0].Generation < writers+1 {
		t.Errorf("events %v, %v, want one of generation %d at least", work, err, writers+1)
	}
}

func TestACallWithoutTimeChangesNothing(t *testing.T) {
	t.Parallel()
	b := furnished(t)
	before := dump(t, b.ID)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, err := range map[string]error{
		"upload": second(b.UploadTransactions(ctx, noon, b.account, rowsOf("t9"))),
		"account": second(b.UploadAccounts(ctx, noon, b.source, []store.AccountUpload{{ExternalID: "z", Name: "Z",
			Type: "other", Currency: "USD"}})),
		"delete": b.DeleteTransaction(ctx, noon, b.transaction),
		"answer": storetest.Answer(b, ctx, noon, b.issue, store.Answer{Person: b.person, Text: "x"}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was canceled", what, err)
		}
	}
	if after := dump(t, b.ID); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("something changed")
	}
}

func second[T any](_ T, err error) error { return err }

// Both lock rows in several goes. One that came between would wait for rows of the other, and the other for its.
func TestAnUploadThatCorrectsRowsHasNoneLockedWhileSomebodyIsAloneWithTheBusiness(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), furnished(t)
	alone, err := storetest.DB(t).SQL().BeginTx(ctx, nil)
	must(t, err)
	defer alone.Rollback()
	_, err = alone.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('business ' || $1::uuid, 0))`, b.ID)
	must(t, err)
	var pid int
	must(t, alone.QueryRow(`SELECT pg_backend_pid()`).Scan(&pid))
	batch := rowsOf("t1")
	batch[0].Description = "CORRECTED"
	done := make(chan error, 1)
	go func() {
		_, err := b.UploadTransactions(ctx, noon, b.account, batch)
		done <- err
	}()
	for count(t, `SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`, pid) == 0 {
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
	}
	_, err = alone.Exec(`SELECT FROM transactions WHERE organization_id = $1 FOR UPDATE NOWAIT`, b.ID)
	must(t, err)
	_, err = alone.Exec(`SELECT FROM accounts WHERE organization_id = $1 FOR UPDATE NOWAIT`, b.ID)
	must(t, err)
	must(t, alone.Commit())
	must(t, <-done)
}
