package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"bizfin/store"
)

// relay looks for late events, for rows that a new month released, and for a queue that lost what it had.
func (w *Worker) relay(ctx context.Context) {
	const every, everything = time.Second, time.Minute
	looked := time.Time{}
	for wait(ctx, every) {
		w.release(ctx, time.Since(looked) > everything)
		if time.Since(looked) > everything {
			looked = time.Now()
		}
		if w.queueLost(ctx) {
			if err := w.Store.RelayAll(ctx); err != nil {
				w.failed(ctx, taskRelay, "events not made due after the queue lost its tasks", err)
			} else {
				w.markQueue(ctx)
			}
		}
		w.relayLate(ctx)
	}
}

// release has rows processed that a month did not allow. What a new month allows is looked for all the time, for it is
// cheap; what else can allow them, seldom.
func (w *Worker) release(ctx context.Context, everything bool) {
	var released, more int64
	now, err := w.now(ctx)
	if err == nil {
		released, err = w.Store.ReleaseMonth(ctx, now)
	}
	if everything && !now.IsZero() {
		var failure error
		more, failure = w.Store.ReleaseLimited(ctx, now, w.FreeMonthly)
		released, err = released+more, errors.Join(err, failure)
	}
	if err != nil {
		w.failed(ctx, taskRelay, "limited rows not looked for", err)
	}
	if released > 0 {
		w.Log.Info("limited rows released", slog.Int64("accounts", released))
	}
}

// queueLost reports whether a queue is not the one it was: the mark that a relay left there is gone. Where the queue is
// away nothing is known; a relay that finds it again looks then.
func (w *Worker) queueLost(ctx context.Context) bool {
	for shard := range shards {
		if n, err := w.redis.Exists(ctx, markOf(shard)).Result(); err != nil || n == 0 {
			return err == nil
		}
	}
	return false
}

// markQueue leaves the marks. They come after what they stand for: whatever ends the relay before, the next one looks
// again.
func (w *Worker) markQueue(ctx context.Context) {
	for shard := range shards {
		if err := w.redis.Set(ctx, markOf(shard), "1", 0).Err(); err != nil {
			return
		}
	}
}

// markOf is on the node that keeps the queue.
func markOf(shard int) string { return fmt.Sprintf("bizfin:{%s}:kept", queueName(shard, false)) }

// relayLate puts the businesses of late events in line. Where the queue is away, it gives them turns here, as many at
// once as the worker would: a turn is short, so nobody's long work holds up the others.
func (w *Worker) relayLate(ctx context.Context) {
	const many, patience = 500, 10 * time.Second
	began, there := time.Now(), true
	for ctx.Err() == nil && time.Since(began) < patience {
		limit := many
		if !there {
			limit = 2 * w.Concurrency // those that come meanwhile do not wait for many
		}
		late, err := w.Store.LateEvents(ctx, limit)
		if err != nil { // some may be found all the same
			w.failed(ctx, taskRelay, "late events not looked for", err)
		}
		if len(late) == 0 {
			return
		}
		there = w.relayBusinesses(ctx, late, there)
	}
}

// relayBusinesses begins a trace for events whose own ended with their requests. It returns whether the queue took
// them: one that hangs costs its time limit once, not for each business.
func (w *Worker) relayBusinesses(ctx context.Context, late []store.Waiting, queueThere bool) bool {
	ctx, span := tracer.Start(ctx, "worker.relay", trace.WithAttributes(attribute.Int("bizfin.businesses", len(late))))
	defer span.End()
	for queueThere && len(late) > 0 {
		if queueThere = sendWaiting(ctx, w.client, late[0]) == nil; queueThere {
			late = late[1:]
		}
	}
	w.workHere(ctx, late)
	return queueThere
}

// workHere gives businesses their turns without the queue.
func (w *Worker) workHere(ctx context.Context, late []store.Waiting) {
	var turns errgroup.Group
	turns.SetLimit(w.Concurrency)
	for _, waiting := range late {
		turns.Go(func() error {
			if next, _ := w.takeTurns(ctx, waiting, ctx.Done()); next != nil {
				if err := w.Store.Organization(waiting.OrganizationID).RelayNow(ctx); err != nil {
					w.failed(ctx, taskRelay, "events not made due", err)
				}
			}
			return nil
		})
	}
	_ = turns.Wait()
}
