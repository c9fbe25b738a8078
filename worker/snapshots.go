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
	const every, batch = time.Second, 50
	for wait(ctx, every) {
		for ctx.Err() == nil {
			due, err := w.Store.ClaimDueSnapshots(ctx, batch)
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
	log := w.Log.With(slog.Int64("snapshot_id", s.ID), slog.String("partner_id", s.PartnerID),
		slog.String("subject", s.Subject))
	applied, err := w.Store.ApplySnapshot(ctx, w.Now(), w.Keys, s.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), err != nil && ctx.Err() != nil:
		// Another process has ended it, or this one ends and a later claim takes it.
	case err != nil && s.Attempts >= snapshotTries:
		if buried := w.Store.BurySnapshot(ctx, w.Now(), s.ID); buried != nil {
			w.failed(ctx, taskSnapshots, "snapshot not given up", buried)
			return
		}
		w.Metrics.snapshots.WithLabelValues(snapshotDead).Inc()
		log.Error("snapshot given up", slog.Any("error", err), slog.Int("attempts", s.Attempts))
	case err != nil:
		w.Metrics.failures.WithLabelValues(taskSnapshots).Inc()
		log.Error("snapshot failed", slog.Any("error", err), slog.Int("attempts", s.Attempts))
	case !applied:
		w.Metrics.snapshots.WithLabelValues(snapshotSkipped).Inc()
		log.Warn("snapshot skipped: the person has no mapping")
	default:
		w.Metrics.snapshots.WithLabelValues(snapshotApplied).Inc()
		log.Info("snapshot applied")
	}
}
