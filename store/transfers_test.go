package store_test

import (
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
	"bizfin/store"
	"bizfin/store/storetest"
)

const transferInternal = 9001

// transfers decides that every row plainly is one leg of a transfer.
func transfers(rows []decide.Row, _ []questions.Answered) []decide.Decision {
	var decided []decide.Decision
	for _, r := range rows {
		decided = append(decided, decide.Decision{
			Row: r, Decision: categorize.Decision{CategoryID: transferInternal, Source: "rule", Confidence: 9700},
			Evidence: categorize.Plain,
		})
	}
	return decided
}

// leg uploads one row to a new account and returns it with its event.
func (b tenant) leg(t testing.TB, externalID string, cents money.Amount) (uuid.UUID, store.Event) {
	t.Helper()
	uploaded, err := b.UploadTransactions(t.Context(), noon, b.uploadAccount(t, externalID), []store.TransactionUpload{
		{ExternalID: externalID, Amount: cents, Date: "2026-01-01", Description: externalID},
	})
	must(t, err)
	return uploaded.Records[0].ID, uploaded.Event
}

func (b tenant) process(t testing.TB, w store.Event, decide func([]decide.Row,
	[]questions.Answered) []decide.Decision) (more bool) {
	t.Helper()
	return b.batch(t, w, storetest.Processing{Decide: decide, BatchSize: 100, MonthlyLimit: 100})
}

func (b tenant) batch(t testing.TB, e store.Event, how storetest.Processing) (more bool) {
	t.Helper()
	return storetest.Batch(t, b.Organization, noon, e, how).More
}

func (b tenant) otherLeg(t testing.TB, id uuid.UUID) *uuid.UUID {
	t.Helper()
	row, err := b.Transaction(t.Context(), id)
	must(t, err)
	return row.TransferID
}

func TestALegThatChangesWhileItIsPairedIsPairedAtTheNextTry(t *testing.T) {
	t.Parallel()
	b := connect(t)
	out, first := b.leg(t, "out", -500)
	in, second := b.leg(t, "in", 500)
	b.process(t, first, transfers)
	interrupted := false
	decide := func(rows []decide.Row, memory []questions.Answered) []decide.Decision {
		if rows[0].ID == out && !interrupted {
			interrupted = true
			must(t, b.SetContext(t.Context(), noon, out, "a person said something"))
		}
		return transfers(rows, memory)
	}
	if more := b.process(t, second, decide); !more || b.otherLeg(t, in) != nil {
		t.Errorf("more is %v and the other leg %v, want another try", more, b.otherLeg(t, in))
	}
	if more := b.process(t, second, decide); more {
		t.Error("the second try left something")
	}
	if a, z := b.otherLeg(t, out), b.otherLeg(t, in); a == nil || *a != in || z == nil || *z != out {
		t.Errorf("the legs point to %v and %v", a, z)
	}
}

func TestTheMonthsLimitLeavesOutPairsOfRowsItDoesNotAllow(t *testing.T) {
	t.Parallel()
	b := connect(t)
	process := func(w store.Event) {
		if b.batch(t, w, storetest.Processing{Decide: transfers, BatchSize: 100, MonthlyLimit: 2}) {
			t.Error("something is left that the limit does not allow")
		}
	}
	out, first := b.leg(t, "out", -500)
	process(first)
	in, second := b.leg(t, "in", 500)
	uploaded, err := b.UploadTransactions(t.Context(), noon, second.AccountID, []store.TransactionUpload{
		{ExternalID: "newer", Amount: 700, Date: "2026-01-02", Description: "newer"},
	})
	must(t, err)
	process(uploaded.Event)
	for id, want := range map[uuid.UUID]string{out: "processed", uploaded.Records[0].ID: "processed", in: "limited"} {
		row, err := b.Transaction(t.Context(), id)
		must(t, err)
		if row.Processing != want || row.TransferID != nil {
			t.Errorf("%s is %s with the other leg %v, want %s alone", row.ExternalID, row.Processing, row.TransferID,
				want)
		}
	}
}

func TestADissolvedPairIsDecidedAnewSaveTheUsersCategory(t *testing.T) {
	t.Parallel()
	b := connect(t)
	out, first := b.leg(t, "out", -500)
	in, second := b.leg(t, "in", 500)
	b.process(t, first, transfers)
	b.process(t, second, transfers)
	must(t, b.SetCategory(t.Context(), noon, out, store.CategoryChoice{CategoryID: transferInternal, Source: "user",
		Confidence: 10_000}))
	_, err := b.UploadTransactions(t.Context(), noon, second.AccountID,
		[]store.TransactionUpload{{ExternalID: "in", Amount: 501, Date: "2026-01-01", Description: "in"}})
	must(t, err)
	for id, want := range map[uuid.UUID]string{out: "processed", in: "queued"} {
		row, err := b.Transaction(t.Context(), id)
		must(t, err)
		if row.TransferID != nil || row.Processing != want {
			t.Errorf("%s is %s with the other leg %v, want %s alone", row.ExternalID, row.Processing, row.TransferID,
				want)
		}
	}
	if work, err := b.Events(t.Context()); err != nil || len(work) != 2 {
		t.Errorf("events %v, %v; want one of each account", work, err)
	}
}
