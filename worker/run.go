package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

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

// quietLog keeps the queue library's own lines at a level where they do not disturb, and from being repeated.
type quietLog struct {
	log    *slog.Logger
	now    func() time.Time
	seldom *seldom
}

func (q quietLog) Debug(args ...any) {}

func (q quietLog) Info(args ...any) { q.log.Debug("queue", slog.Any("said", args)) }

func (q quietLog) Warn(args ...any) { q.log.Debug("queue", slog.Any("said", args)) }

func (q quietLog) Fatal(args ...any) { q.log.Error("queue", slog.Any("said", args)) }

func (q quietLog) Error(args ...any) {
	if say, repeated := q.seldom.again(q.now(), fmt.Sprint(args...)); say {
		q.log.Warn("queue", slog.Any("said", args), slog.Int("repeated", repeated))
	}
}
