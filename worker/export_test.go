package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
)

// ProcessEvent processes one account of a business, whatever else of it waits, until nothing of the event is left.
func (w *Worker) ProcessEvent(ctx context.Context, e store.Event) error {
	o := w.Store.Organization(e.OrganizationID)
	turn, err := o.TakeTurn(ctx, store.AnyTurn)
	for errors.Is(err, store.ErrTurnTaken) {
		wait(ctx, time.Millisecond)
		turn, err = o.TakeTurn(ctx, store.AnyTurn)
	}
	if err != nil {
		return err
	}
	defer o.EndTurn(ctx, turn)
	for {
		began := time.Now()
		result, err := w.batch(ctx, o, turn, e)
		if err != nil {
			return err
		}
		w.Metrics.processed(result, time.Since(began))
		if !result.More {
			return nil
		}
		events, err := o.Events(ctx)
		if err != nil {
			return err
		}
		same := func(other store.Event) bool {
			return other.AccountID == e.AccountID && other.Generation == e.Generation
		}
		if len(result.Rows)+result.Limited == 0 && !slices.ContainsFunc(events, same) {
			return nil
		}
	}
}

// Batch works on one batch of an event.
func (w *Worker) Batch(ctx context.Context, turn store.Turn, e store.Event) (store.BatchResult, error) {
	return w.batch(ctx, w.Store.Organization(e.OrganizationID), turn, e)
}

// SendNew puts a business in line that got something new.
var SendNew = sendNew

// SendWaiting puts a business in line for the turn it waits for.
var SendWaiting = sendWaiting

// QueuesOf are the queues in which tasks of a business can be.
func QueuesOf(organization uuid.UUID) []string {
	return []string{queueOf(organization, false), queueOf(organization, true)}
}

// TakeTurns gives a business its next turn, and returns what it waits for afterwards; nil where nothing of it is left.
func (w *Worker) TakeTurns(ctx context.Context, waiting store.Waiting) (*store.Waiting, error) {
	return w.takeTurns(ctx, waiting, nil)
}
