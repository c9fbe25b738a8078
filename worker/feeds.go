package worker

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/worker/aggregation"
)

// How feeds are synced. A worker that ends in the middle has its feeds synced by others when the lease has passed.
const (
	feedTime    = 10 * time.Minute // for one update, all pages of it
	feedLease   = 15 * time.Minute
	feedsAtOnce = 4             // in one process
	feedRetry   = time.Minute   // after a first failure; doubles with each
	feedMost    = 6 * time.Hour // between two attempts
	feedRest    = time.Minute   // of all feeds, where the provider refuses everybody
)

// syncFeeds syncs the accounts whose partner gave a token of the aggregation provider. The database says what is due,
// so any number of workers share the feeds.
func (w *Worker) syncFeeds(ctx context.Context) {
	const every = time.Second
	unopened := map[uuid.UUID]bool{}
	var resting time.Time
	for wait(ctx, every) {
		w.enrolFeeds(ctx, unopened)
		for ctx.Err() == nil {
			due, err := w.dueFeeds(ctx, resting)
			if err != nil { // some may be taken all the same
				w.failed(ctx, taskFeeds, "feeds not looked for", err)
			}
			var syncing sync.WaitGroup
			rests := make([]time.Time, len(due))
			for i, feed := range due {
				syncing.Go(func() { rests[i] = w.syncFeed(ctx, feed) })
			}
			syncing.Wait()
			for _, until := range rests {
				if until.After(resting) {
					resting = until
				}
			}
			if len(due) == 0 {
				break
			}
		}
	}
}

// dueFeeds takes feeds that are due, and none while all rest.
func (w *Worker) dueFeeds(ctx context.Context, resting time.Time) ([]store.Feed, error) {
	now, err := w.now(ctx)
	if err != nil || now.Before(resting) {
		return nil, err
	}
	return w.Store.ClaimDueFeeds(ctx, now, feedLease, feedsAtOnce)
}

// enrolFeeds says once of each account that its token cannot be opened.
func (w *Worker) enrolFeeds(ctx context.Context, said map[uuid.UUID]bool) {
	now, err := w.now(ctx)
	var unopened []uuid.UUID
	if err == nil {
		unopened, err = w.Store.EnrolFeeds(ctx, now, w.Keys)
	}
	if err != nil {
		w.failed(ctx, taskFeeds, "tokens not looked for", err)
	}
	for _, account := range unopened {
		if !said[account] {
			said[account] = true
			w.Log.Error("no key opens the aggregation token", slog.String("account_id", account.String()))
		}
	}
}

// syncFeed fetches what is new and stores it. It returns until when all feeds rest, where the provider refuses
// everybody.
func (w *Worker) syncFeed(ctx context.Context, f store.Feed) (rest time.Time) {
	log := w.Log.With(slog.String("organization_id", f.OrganizationID.String()), slog.String("feed",
		hex.EncodeToString(f.Fingerprint[:8])))
	organization := w.Store.Organization(f.OrganizationID)
	limited, cancel := context.WithTimeout(ctx, feedTime)
	defer cancel()
	err := w.updateFeed(limited, log, organization, f)
	// Where this process ends, the feed is given back all the same.
	after, cancelAfter := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancelAfter()
	now, unknown := w.now(after)
	var refused *aggregation.Error
	switch {
	case err == nil:
		return time.Time{}
	case errors.Is(err, store.ErrNotFound):
		log.Debug("feed changed while it was synced")
		return time.Time{}
	case unknown != nil: // the database is away: the lease ends by itself
		w.failed(ctx, taskFeeds, "feed not put off", errors.Join(err, unknown))
		return time.Time{}
	case ctx.Err() != nil:
		// Another process need not wait for the lease.
		_ = organization.PutOffFeed(after, f, "", now)
		return time.Time{}
	case errors.As(err, &refused) && refused.Stops():
		log.Warn("feed stopped", slog.Any("error", err))
		err = organization.StopFeed(ctx, now, f, refused.Code)
	case errors.As(err, &refused):
		w.Metrics.failures.WithLabelValues(taskFeeds).Inc()
		log.Error("feed not synced", slog.Any("error", err), slog.Int("attempts", f.Attempts))
		pause := backoff(f.Attempts)
		if refused.Everybody() { // that is no fault of this feed
			pause = min(pause, w.SyncEvery)
		}
		err = organization.PutOffFeed(ctx, f, refused.Code, now.Add(pause))
	default:
		w.Metrics.failures.WithLabelValues(taskFeeds).Inc()
		log.Error("feed not synced", slog.Any("error", err), slog.Int("attempts", f.Attempts))
		err = organization.PutOffFeed(ctx, f, "", now.Add(backoff(f.Attempts)))
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
		log.Warn("feed not put off", slog.Any("error", err))
	}
	if refused != nil && refused.Everybody() {
		rest = now.Add(feedRest)
	}
	return rest
}

// backoff is how long a feed waits after so many attempts.
func backoff(attempts int) time.Duration {
	return min(feedRetry<<min(max(attempts, 1)-1, 16), feedMost)
}

func (w *Worker) updateFeed(ctx context.Context, log *slog.Logger, organization *store.Organization,
	f store.Feed) error {
	token, err := organization.FeedToken(ctx, w.Keys, f)
	if err != nil {
		return err
	}
	pulled, err := w.Aggregation.Pull(ctx, token, f.Cursor)
	if err != nil {
		return err
	}
	now, err := w.now(ctx)
	if err != nil {
		return err
	}
	soon := now.Add(min(backoff(f.Attempts), w.SyncEvery))
	if pulled.Cursor == "" && len(pulled.Transactions) == 0 { // a new login: nothing is prepared yet
		return organization.PutOffFeed(ctx, f, "", soon)
	}
	u := feedUpdateOf(pulled)
	u.Next = now.Add(w.SyncEvery)
	if !u.Complete {
		u.Next = soon
	}
	effects, err := organization.ApplyFeed(ctx, now, f, u)
	if err != nil {
		return err
	}
	sayFeed(log, pulled, u, effects)
	return nil
}

// sayFeed says what became of an update: ids and counts, nothing of a person.
func sayFeed(log *slog.Logger, pulled aggregation.Update, u store.FeedUpdate, e store.FeedEffects) {
	level := slog.LevelDebug
	if e.Added+e.Changed+e.Removed > 0 {
		level = slog.LevelInfo
	}
	log.Log(context.Background(), level, "feed synced", slog.Int("added", e.Added), slog.Int("changed",
		e.Changed), slog.Int("removed", e.Removed))
	const most = 20 // ids of a line
	if n := len(u.Refused) + pulled.Nameless; n > 0 {
		log.Warn("transactions that cannot be kept", slog.Int("count", n), slog.Any("ids", first(u.Refused, most)))
	}
	if e.Unmatched > 0 {
		log.Warn("transactions of accounts that match none", slog.Int("count", e.Unmatched), slog.Any("accounts",
			first(e.UnmatchedAccounts, most)))
	}
	if e.Elsewhere > 0 {
		log.Warn("transactions that another account has", slog.Int("count", e.Elsewhere))
	}
}

func first(ids []string, most int) []string { return ids[:min(len(ids), most)] }
