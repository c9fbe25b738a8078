package worker

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/trace"

	"bizfin/store"
)

// Signal hands accepted events to the queue without making anybody wait. What it cannot hand over is not lost: the
// event stands in the database, and the relay takes it from there.
type Signal struct {
	client *asynq.Client
	events chan signaled
	log    *slog.Logger
}

// signaled is a business with the trace of the request that was accepted.
type signaled struct {
	organization uuid.UUID
	trace        trace.SpanContext
}

// NewSignal makes a signal that holds up to 1,024 events while the queue is slow.
func NewSignal(redis asynq.RedisConnOpt, log *slog.Logger) *Signal {
	return &Signal{client: asynq.NewClient(redis), events: make(chan signaled, 1024), log: log}
}

// Accepted takes an event and returns at once. Of ctx it keeps the trace alone. An account that had an event before
// is in line already.
func (s *Signal) Accepted(ctx context.Context, e store.Event) {
	if !e.First {
		return
	}
	select {
	case s.events <- signaled{e.OrganizationID, trace.SpanContextFromContext(ctx)}:
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
		case e := <-s.events:
			if err := sendNew(trace.ContextWithSpanContext(ctx, e.trace), s.client, e.organization); err != nil {
				s.log.Debug("event left to the relay", slog.Any("error", err))
			}
		}
	}
}
