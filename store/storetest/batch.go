package storetest

import (
	"testing"
	"time"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
	"bizfin/store"
)

// Processing is how a test has a batch decided.
type Processing struct {
	Decide       func(rows []decide.Row, answers []questions.Answered) []decide.Decision
	BatchSize    int
	MonthlyLimit int64 // new rows a calendar month where the tier is not paid
}

// Batch processes one batch of an event, as a worker does, in a turn of its own.
func Batch(t testing.TB, o *store.Organization, now time.Time, e store.Event, p Processing) store.BatchResult {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	turn, err := o.TakeTurn(ctx, store.AnyTurn)
	must(err)
	batch, err := o.NextBatch(ctx, now, e, p.BatchSize, p.MonthlyLimit)
	must(err)
	var effects store.Effects
	if len(batch.Rows) > 0 {
		effects.Decisions = p.Decide(batch.Rows, batch.Answers)
		legs := decide.MayBeLegs(effects.Decisions)
		opposites, err := o.Opposites(ctx, legs)
		must(err)
		if len(opposites) > 0 {
			alone := p.Decide(decide.Alone(opposites), batch.Answers)
			effects.Transfers, effects.Dissolved = decide.Pairing(legs, batch.IsNew(), opposites, alone)
			decide.AreTransfers(effects.Decisions, effects.Transfers)
		}
	}
	result, err := o.StoreBatch(ctx, now, turn, batch, effects)
	must(err)
	_, err = o.EndTurn(ctx, turn)
	must(err)
	return result
}
