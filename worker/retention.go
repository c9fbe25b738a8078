package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
)

// removeEnded removes what has ended, so that nothing grows that nobody needs. One worker does it at a time; others
// have the database between two statements, and a round is bounded: what is left waits for the next one.
func (w *Worker) removeEnded(ctx context.Context) {
	const every = 10 * time.Second
	for wait(ctx, every) {
		if err := w.RemoveEnded(ctx); err != nil {
			w.failed(ctx, taskRetention, "what has ended is not removed", err)
		}
	}
}

// What is kept for no longer, whatever the settings say: nobody can use it, or nobody did.
const (
	keepSignIns = time.Hour      // after their time was over
	keepUnused  = 24 * time.Hour // programs that registered themselves, without anybody's access
)

// removalRounds are so many statements of a kind in one round.
const removalRounds = 20

// RemoveEnded makes one round, unless a worker made one within the minute. What fails keeps nothing else from being
// removed, and is tried again in the next round.
func (w *Worker) RemoveEnded(ctx context.Context) error {
	ctx = store.By(ctx, store.Actor{Kind: store.ActorService})
	place, err := w.Store.ClaimRetention(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	now, err := w.now(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for _, kind := range []struct {
		name   string
		keep   time.Duration
		remove func(context.Context, time.Time) (int64, error)
	}{
		{removedSnapshots, w.Keep.Ended, w.Store.RemoveSnapshots},
		{removedTokens, w.Keep.Ended, w.Store.RemoveOAuthTokens},
		{removedTokens, w.Keep.Ended, w.Store.RemoveAgentTokens},
		{removedGrants, w.Keep.Ended, w.Store.RemoveGrants},
		{removedSignIns, keepSignIns, w.Store.RemoveAgentRequests},
		{removedClients, keepUnused, w.Store.RemoveAgentClients},
		{removedQuestions, w.Keep.Questions, w.Store.RemoveQuestions},
		{removedAnswered, w.Keep.Answered, w.Store.RemoveAnswered},
		{removedAudit, w.Keep.Audit, w.Store.RemoveAudit},
		{removedBusiness, w.Keep.Disconnected, func(ctx context.Context, before time.Time) (int64, error) {
			return w.Store.EraseDisconnected(ctx, now, before)
		}},
	} {
		for round, more := 0, kind.keep > 0; more && round < removalRounds; round++ {
			removed, err := kind.remove(ctx, now.Add(-kind.keep))
			failures = append(failures, err)
			w.Metrics.removed.WithLabelValues(kind.name).Add(float64(removed))
			more = removed > 0
		}
	}
	failures = append(failures, w.finishErasing(ctx, now), w.emptyDeleted(ctx, now), w.removeTexts(ctx, place))
	return errors.Join(failures...)
}

// finishErasing goes on with what somebody began to erase and did not end, such as a command that was killed: with a
// partner, and with the first business or person that does not fail.
func (w *Worker) finishErasing(ctx context.Context, now time.Time) error {
	const tried = 100
	var failures []error
	partner, err := w.Store.UnfinishedPartner(ctx)
	if err == nil {
		_, err = w.Store.ErasePartner(ctx, now, partner)
	}
	if !errors.Is(err, store.ErrNotFound) {
		failures = append(failures, err)
	}
	unfinished, err := w.Store.Unfinished(ctx, tried)
	failures = append(failures, err)
	for _, u := range unfinished {
		erase := w.Store.EraseOrganization
		if u.Kind == "person" {
			erase = w.Store.ErasePerson
		}
		id, err := uuid.Parse(u.ID)
		if err == nil {
			_, err = erase(ctx, now, id)
		}
		if err == nil || ctx.Err() != nil {
			break
		}
		failures = append(failures, fmt.Errorf("%s %s: %w", u.Kind, u.ID, err))
	}
	return errors.Join(failures...)
}

// emptyDeleted goes on through the deleted transactions.
func (w *Worker) emptyDeleted(ctx context.Context, now time.Time) error {
	var failures []error
	for round, done := 0, w.Keep.Deleted == 0; !done && round < removalRounds && ctx.Err() == nil; round++ {
		var emptied int64
		var err error
		emptied, done, err = w.Store.EmptyDeleted(ctx, now.Add(-w.Keep.Deleted))
		failures = append(failures, err)
		w.Metrics.removed.WithLabelValues(removedDeleted).Add(float64(emptied))
	}
	return errors.Join(failures...)
}

// removeTexts goes on from a place, and begins anew at the end.
func (w *Worker) removeTexts(ctx context.Context, place store.TextPlace) error {
	var failures []error
	for round, done := 0, false; !done && round < removalRounds && ctx.Err() == nil; round++ {
		var removed int64
		var err error
		removed, place, done, err = w.Store.RemoveTexts(ctx, place)
		failures = append(failures, err)
		w.Metrics.removed.WithLabelValues(removedTexts).Add(float64(removed))
	}
	return errors.Join(append(failures, w.Store.SaveTextPlace(ctx, place))...)
}
