// Package worker processes what was uploaded, in the background. PostgreSQL holds the truth: an event stands there from
// the upload's own transaction until the transaction that stores its effects. The queue is a hint that makes it quick;
// losing it loses time.
package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
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

// Run works until ctx ends, then lets tasks finish. It waits for Redis as long as it takes.
func (w *Worker) Run(ctx context.Context) error {
	defer w.redis.Close()
	server := asynq.NewServer(w.Redis, asynq.Config{
		Concurrency: w.Concurrency,
		Queues:      queues(),
		Logger:      quietLog{w.Log, w.own, &w.seldom},
		// How long an idle worker looks away from the queue.
		TaskCheckInterval: 200 * time.Millisecond,
		ShutdownTimeout:   15 * time.Second,
		RetryDelayFunc: func(n int, _ error, _ *asynq.Task) time.Duration {
			return time.Duration(1<<min(n,
				6)) * time.Second
		},
	})
	mux := asynq.NewServeMux()
	mux.HandleFunc(taskTurn, func(task context.Context, t *asynq.Task) error { return w.turnTask(task, t, ctx.Done()) })
	if err := server.Start(mux); err != nil { // it does not need Redis yet
		return err
	}
	var relaying sync.WaitGroup
	relaying.Go(func() { w.relay(ctx) })
	relaying.Go(func() { w.relaySnapshots(ctx) })
	relaying.Go(func() { w.rollUp(ctx) })
	relaying.Go(func() { w.indexWords(ctx) })
	relaying.Go(func() { w.addUpCounts(ctx) })
	relaying.Go(func() { w.removeEnded(ctx) })
	relaying.Go(func() { w.restand(ctx) })
	if w.Aggregation != nil {
		relaying.Go(func() { w.syncFeeds(ctx) })
	}
	if w.Payments != nil {
		relaying.Go(func() { w.syncBilling(ctx) })
	}
	<-ctx.Done()
	server.Shutdown()
	relaying.Wait()
	return nil
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

// quietLog keeps the queue library's own lines at a level where they do not disturb, and from being repeated.
type quietLog struct {
	log    *slog.Logger
	now    func() time.Time
	seldom *seldom
}

func (q quietLog) Debug(args ...any) {}
func (q quietLog) Info(args ...any)  { q.log.Debug("queue", slog.Any("said", args)) }
func (q quietLog) Warn(args ...any)  { q.log.Debug("queue", slog.Any("said", args)) }
func (q quietLog) Fatal(args ...any) { q.log.Error("queue", slog.Any("said", args)) }

func (q quietLog) Error(args ...any) {
	if say, repeated := q.seldom.again(q.now(), fmt.Sprint(args...)); say {
		q.log.Warn("queue", slog.Any("said", args), slog.Int("repeated", repeated))
	}
}
