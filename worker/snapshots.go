package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"bizfin/store"
)

// relaySnapshots applies the account snapshots that the webhook has stored, straight from the database: they are few, and
// the queue would add nothing to their order. One that fails holds up only later ones of the same person.
func (w *Worker) relaySnapshots(ctx context.Context) {
	const every, batch = time.Second, 50
	skipped := 0
	for wait(ctx, every) {
		for ctx.Err() == nil {
			due, err := w.Store.ClaimDueSnapshots(ctx, batch)
			if err != nil {
				w.failed(ctx, taskSnapshots, "snapshots not looked for", err)
				break
			}
			for _, snapshot := range due {
				skipped += w.applySnapshot(ctx, snapshot, skipped)
			}
			if len(due) == 0 {
				break
			}
		}
	}
}

// applySnapshot returns how many it skipped: 1 for a person who has never opened the embedded flow. skipped is how many
// there were before, since this process started.
func (w *Worker) applySnapshot(ctx context.Context, s store.ClaimedSnapshot, skipped int) int {
	log := w.Log.With(slog.Int64("snapshot_id", s.ID), slog.String("partner_id", s.PartnerID), slog.String("subject", s.Subject))
	applied, err := w.Store.ApplySnapshot(ctx, w.Now(), w.Keys, s.ID)
	switch {
	case errors.Is(err, store.ErrNotFound), err != nil && ctx.Err() != nil:
		// Another process has ended it, or this one ends and a later claim takes it.
	case err != nil:
		w.Metrics.failures.WithLabelValues(taskSnapshots).Inc()
		log.Error("snapshot failed", slog.Any("error", err))
	case !applied:
		w.Metrics.snapshots.WithLabelValues(snapshotSkipped).Inc()
		log.Warn("snapshot skipped: the person has no mapping", slog.Int("skipped", skipped+1))
		return 1
	default:
		w.Metrics.snapshots.WithLabelValues(snapshotApplied).Inc()
		log.Info("snapshot applied")
	}
	return 0
}
