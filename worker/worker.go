// Package worker processes what was uploaded, in the background. PostgreSQL holds the truth: an event stands there from
// the upload's own transaction until the transaction that stores its effects. The queue is a hint that makes it quick;
// losing it loses time.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"bizfin/internal/categorize"
	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/worker/aggregation"
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
	Now         func() time.Time
	Log         *slog.Logger
	Metrics     *Metrics // counts what is done; nil for counters that nobody sees
}

// Worker runs tasks and relays late events.
type Worker struct {
	Config
	engine *categorize.Engine
	client *asynq.Client
}

// New makes a worker. It does not connect.
func New(c Config) *Worker {
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	return &Worker{Config: c, engine: categorize.New(), client: asynq.NewClient(c.Redis)}
}

// Run works until ctx ends, then lets tasks finish. It waits for Redis as long as it takes.
func (w *Worker) Run(ctx context.Context) error {
	defer w.client.Close()
	queues := map[string]int{}
	for shard := range shards {
		queues[queueName(shard)] = 1
	}
	server := asynq.NewServer(w.Redis, asynq.Config{
		Concurrency: w.Concurrency,
		Queues:      queues,
		Logger:      quietLog{w.Log},
		// How long an idle worker looks away from the queue.
		TaskCheckInterval: 200 * time.Millisecond,
		ShutdownTimeout:   15 * time.Second,
		RetryDelayFunc:    func(n int, _ error, _ *asynq.Task) time.Duration { return time.Duration(1<<min(n, 6)) * time.Second },
	})
	mux := asynq.NewServeMux()
	mux.HandleFunc(taskProcess, w.processTask)
	if err := server.Start(mux); err != nil { // it does not need Redis yet
		return err
	}
	var relaying sync.WaitGroup
	relaying.Go(func() { w.relay(ctx) })
	relaying.Go(func() { w.relaySnapshots(ctx) })
	relaying.Go(func() { w.rollUp(ctx) })
	relaying.Go(func() { w.indexWords(ctx) })
	if w.Aggregation != nil {
		relaying.Go(func() { w.syncFeeds(ctx) })
	}
	<-ctx.Done()
	server.Shutdown()
	relaying.Wait()
	return nil
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

// relay looks for late events and for rows that a new month or a higher tier released. Where the queue does not take an
// event, the relay processes it itself.
func (w *Worker) relay(ctx context.Context) {
	const every, batch = time.Second, 50
	for wait(ctx, every) {
		if released, err := w.Store.ReleaseLimited(ctx, w.Now(), w.FreeMonthly); err != nil {
			w.failed(ctx, taskRelay, "limited rows not looked for", err)
		} else if released > 0 {
			w.Log.Info("limited rows released", slog.Int64("accounts", released))
		}
		late, err := w.Store.ClaimDueWork(ctx, w.Now(), batch)
		if err != nil {
			w.failed(ctx, taskRelay, "late work not looked for", err)
			continue
		}
		w.relayLate(ctx, late)
	}
}

// relayLate begins a trace for events whose own ended with their requests.
func (w *Worker) relayLate(ctx context.Context, late []store.Work) {
	if len(late) == 0 {
		return
	}
	ctx, span := tracer.Start(ctx, "worker.relay", trace.WithAttributes(attribute.Int("bizfin.events", len(late))))
	defer span.End()
	away := false // a queue that hangs costs its time limits once, not for each event
	for _, work := range late {
		if !away && enqueue(ctx, w.client, work) == nil {
			continue
		}
		away = true
		if err := w.Process(ctx, work); err != nil {
			w.Log.Error("work failed", slog.Any("error", err), slog.String("account_id", work.AccountID.String()))
		}
	}
}

// failed logs and counts an attempt that will be made again. One that fails because the worker stops is none.
func (w *Worker) failed(ctx context.Context, task, message string, err error) {
	if ctx.Err() != nil {
		return
	}
	w.Metrics.failures.WithLabelValues(task).Inc()
	w.Log.Warn(message, slog.Any("error", err))
}

// quietLog keeps the queue library's own lines at a level where they do not disturb.
type quietLog struct{ log *slog.Logger }

func (q quietLog) Debug(args ...any) {}
func (q quietLog) Info(args ...any)  { q.log.Debug("queue", slog.Any("said", args)) }
func (q quietLog) Warn(args ...any)  { q.log.Debug("queue", slog.Any("said", args)) }
func (q quietLog) Error(args ...any) { q.log.Warn("queue", slog.Any("said", args)) }
func (q quietLog) Fatal(args ...any) { q.log.Error("queue", slog.Any("said", args)) }

// terminal marks an error that trying again cannot mend, so that the queue gives the task up.
func terminal(err error) error { return errors.Join(asynq.SkipRetry, err) }
