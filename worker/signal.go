package worker

import (
	"context"
	"errors"
	"log/slog"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/trace"

	"bizfin/store"
)

// Signal hands accepted work to the queue without making anybody wait. What it cannot hand over is not lost: the event
// stands in the database, and the relay takes it from there.
type Signal struct {
	client *asynq.Client
	work   chan signaled
	log    *slog.Logger
}

// signaled is an event with the trace of the request that was accepted.
type signaled struct {
	store.Work
	trace trace.SpanContext
}

// NewSignal makes a signal that holds up to 1,024 events while the queue is slow.
func NewSignal(redis asynq.RedisConnOpt, log *slog.Logger) *Signal {
	return &Signal{client: asynq.NewClient(redis), work: make(chan signaled, 1024), log: log}
}

// Accepted takes an event and returns at once. Of ctx it keeps the trace alone.
func (s *Signal) Accepted(ctx context.Context, w store.Work) {
	select {
	case s.work <- signaled{w, trace.SpanContextFromContext(ctx)}:
	default: // the relay will find it
	}
}

// Run enqueues until ctx ends.
func (s *Signal) Run(ctx context.Context) {
	defer s.client.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case w := <-s.work:
			if err := enqueue(trace.ContextWithSpanContext(ctx, w.trace), s.client, w.Work); err != nil {
				s.log.Debug("work left to the relay", slog.Any("error", err))
			}
		}
	}
}

// enqueue hands one event to the queue. One that is there already is fine.
func enqueue(ctx context.Context, client *asynq.Client, w store.Work) error {
	task, err := newProcessTask(w, headersOf(ctx, w))
	if err != nil {
		return err
	}
	_, err = client.EnqueueContext(ctx, task)
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}
