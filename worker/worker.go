// Package worker processes what was uploaded, in the background. PostgreSQL holds the truth: an event stands there from
// the upload's own transaction until the transaction that stores its effects. The queue is a hint that makes it quick;
// losing it loses time.
package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"bizfin/internal/decide"
	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/worker/aggregation"
	"bizfin/worker/payments"
)

// Config is what a worker needs.
type Config struct {
	Store       *store.DB
	Keys        seal.Keyring // open what the webhook stored
	Redis       asynq.RedisConnOpt
	Concurrency int
	FreeMonthly int64               // new transactions processed a month where the tier is not paid
	Aggregation *aggregation.Client // nil: tokens of the aggregation provider are kept and not used
	SyncEvery   time.Duration       // between two syncs of such a token
	Payments    *payments.Client    // nil: subscriptions are as they are stored
	// ReconcileEvery is between two comparisons of all customers of the payment processor.
	ReconcileEvery time.Duration
	Keep           Keep
	Now            func() time.Time // nil: the database's clock, so that all workers agree what is due; tests move time
	Log            *slog.Logger
	Metrics        *Metrics // counts what is done; nil for counters that nobody sees
}

// Worker runs tasks and relays late events.
type Worker struct {
	Config
	engine *decide.Engine
	redis  redis.UniversalClient
	client *asynq.Client
	seldom seldom
}

// New makes a worker. It does not connect.
func New(c Config) *Worker {
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	queue := c.Redis.MakeRedisClient().(redis.UniversalClient)
	return &Worker{Config: c, engine: decide.New(), redis: queue, client: asynq.NewClientFromRedisClient(queue)}
}

// now is the present: what is due, which month counts, and what is stamped.
func (w *Worker) now(ctx context.Context) (time.Time, error) {
	if w.Now != nil {
		return w.Now(), nil
	}
	return w.Store.Now(ctx)
}

// wait returns false when ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// own is this process's clock, for how often something is said.
func (w *Worker) own() time.Time {
	if w.Now != nil {
		return w.Now()
	}
	return time.Now()
}

// failed counts an attempt that will be made again, and logs it, once a minute while it fails alike. One that fails
// because the worker stops is none.
func (w *Worker) failed(ctx context.Context, task, message string, err error, about ...slog.Attr) {
	if ctx.Err() != nil {
		return
	}
	w.Metrics.failures.WithLabelValues(task).Inc()
	say, repeated := w.seldom.again(w.own(), fmt.Sprint(message, err))
	if !say {
		return
	}
	if repeated > 0 {
		about = append(about, slog.Int("repeated", repeated))
	}
	w.Log.LogAttrs(ctx, slog.LevelWarn, message, append(about, slog.Any("error", err))...)
}

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
