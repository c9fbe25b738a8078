package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"bizfin/store"
)

// relaySnapshots applies the account snapshots that the webhook has stored, straight from the database: they are few,
// and the queue would add nothing to their order. Those of several people go side by side; one that fails holds up
// only later ones of the same person, and not for ever.
func (w *Worker) relaySnapshots(ctx context.Context) {
	const every = time.Second
	for wait(ctx, every) {
		for ctx.Err() == nil {
			due, err := w.Store.ClaimDueSnapshots(ctx, 2*w.Concurrency)
			if err != nil {
				w.failed(ctx, taskSnapshots, "snapshots not looked for", err)
				break
			}
			if len(due) == 0 {
				break
			}
			var people errgroup.Group
			people.SetLimit(w.Concurrency)
			for _, snapshot := range due {
				people.Go(func() error {
					w.applySnapshot(ctx, snapshot)
					return nil
				})
			}
			_ = people.Wait()
		}
	}
}

// snapshotTries are so many attempts that what keeps a snapshot from being applied is in the snapshot: a quarter of
// an hour of them.
const snapshotTries = 20

func (w *Worker) applySnapshot(ctx context.Context, s store.ClaimedSnapshot) {
	log := w.Log.With(slog.Int64("snapshot_id", s.ID), slog.String("partner_id", s.PartnerID))
	now, err := w.now(ctx)
	if err != nil {
		w.failed(ctx, taskSnapshots, "snapshot not tried", err)
		return
	}
	applied, err := w.Store.ApplySnapshot(ctx, now, w.Keys, s.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrBusy), err != nil && ctx.Err() != nil:
		// Another process has ended it or is about to, or this one ends and a later claim takes it.
	case err != nil:
		w.snapshotFailed(ctx, log, now, s.ID, err)
	case !applied:
		w.Metrics.snapshots.WithLabelValues(snapshotSkipped).Inc()
		log.Warn("snapshot skipped: the person has no mapping")
	default:
		w.Metrics.snapshots.WithLabelValues(snapshotApplied).Inc()
		log.Info("snapshot applied")
	}
}

// snapshotFailed has a snapshot tried again later, or gives it up.
func (w *Worker) snapshotFailed(ctx context.Context, log *slog.Logger, now time.Time, id int64, cause error) {
	w.Metrics.failures.WithLabelValues(taskSnapshots).Inc()
	attempts, err := w.Store.FailSnapshot(ctx, id, cause)
	if err == nil && attempts >= snapshotTries {
		if err = w.Store.BurySnapshot(ctx, now, id); err == nil {
			w.Metrics.snapshots.WithLabelValues(snapshotDead).Inc()
			log.Error("snapshot given up", slog.Any("error", cause), slog.Int("attempts", attempts))
			return
		}
	}
	log.Error("snapshot failed", slog.Any("error", errors.Join(cause, err)), slog.Int("attempts", attempts))
}
