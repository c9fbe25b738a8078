package worker

import (
	"context"
	"errors"
	"time"

	"bizfin/store"
)

// Keep says how long what has ended is kept; 0 is for ever.
type Keep struct {
	Ended     time.Duration // webhook snapshots that were applied or skipped, tokens and grants that ended
	Questions time.Duration // those that closed by themselves, that nobody answered and no row is left of
	Answered  time.Duration // those that were answered; the answers stay
	Audit     time.Duration // entries of the record of acts; the database keeps those of the last 30 days anyway
	Deleted   time.Duration // what a transaction holds, after somebody deleted it
	// Disconnected businesses of partners are erased when nobody was in them for so long.
	Disconnected time.Duration
}

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

// The kinds of what is removed.
const (
	removedSnapshots = "snapshots"
	removedTokens    = "tokens"
	removedQuestions = "questions"
	removedAnswered  = "answered"
	removedTexts     = "texts"
	removedAudit     = "audit"
	removedDeleted   = "deleted"
	removedBusiness  = "businesses"
	removedGrants    = "grants"
	removedSignIns   = "sign-ins"
	removedClients   = "clients"
)

// What is kept for no longer, whatever the settings say: nobody can use it, or nobody did.
const (
	keepSignIns = time.Hour      // after their time was over
	keepUnused  = 24 * time.Hour // programs that registered themselves, without anybody's access
)

// removalRounds are so many statements of a kind in one round.
const removalRounds = 20

// RemoveEnded makes one round, unless a worker made one within the minute.
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
			return w.eraseDisconnected(ctx, now, before)
		}},
	} {
		for round, more := 0, kind.keep > 0; more && round < removalRounds; round++ {
			removed, err := kind.remove(ctx, now.Add(-kind.keep))
			if err != nil {
				return err
			}
			w.Metrics.removed.WithLabelValues(kind.name).Add(float64(removed))
			more = removed > 0
		}
	}
	if err := w.finishErasing(ctx, now); err != nil {
		return err
	}
	if err := w.emptyDeleted(ctx, now); err != nil {
		return err
	}
	return w.removeTexts(ctx, place)
}

// eraseDisconnected erases one business, where there is one.
func (w *Worker) eraseDisconnected(ctx context.Context, now, before time.Time) (int64, error) {
	id, err := w.Store.Disconnected(ctx, before)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_, err = w.Store.EraseDisconnected(ctx, now, id, before)
	return 1, err
}

// finishErasing goes on with what somebody began to erase and did not end, such as a command that was killed.
func (w *Worker) finishErasing(ctx context.Context, now time.Time) error {
	if partner, err := w.Store.UnfinishedPartner(ctx); err == nil {
		if _, err := w.Store.ErasePartner(ctx, now, partner); err != nil {
			return err
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	kind, id, err := w.Store.Unfinished(ctx)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case kind == "person":
		_, err = w.Store.ErasePerson(ctx, now, id)
	default:
		_, err = w.Store.EraseOrganization(ctx, now, id)
	}
	return err
}

// emptyDeleted goes on through the deleted transactions.
func (w *Worker) emptyDeleted(ctx context.Context, now time.Time) error {
	for round, done := 0, w.Keep.Deleted == 0; !done && round < removalRounds; round++ {
		var emptied int64
		var err error
		if emptied, done, err = w.Store.EmptyDeleted(ctx, now.Add(-w.Keep.Deleted)); err != nil {
			return err
		}
		w.Metrics.removed.WithLabelValues(removedDeleted).Add(float64(emptied))
	}
	return nil
}

// removeTexts goes on from a place, and begins anew at the end.
func (w *Worker) removeTexts(ctx context.Context, place store.TextPlace) error {
	for round, done := 0, false; !done && round < removalRounds; round++ {
		var removed int64
		var err error
		if removed, place, done, err = w.Store.RemoveTexts(ctx, place); err != nil {
			return err
		}
		w.Metrics.removed.WithLabelValues(removedTexts).Add(float64(removed))
	}
	return w.Store.SaveTextPlace(ctx, place)
}
