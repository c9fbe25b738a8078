package worker

import (
	"context"
	"errors"
	"log/slog"

	"github.com/hibiken/asynq"

	"bizfin/store"
)

// Signal hands accepted work to the queue without making anybody wait. What it cannot hand over is not lost: the event
// stands in the database, and the relay takes it from there.
type Signal struct {
	client *asynq.Client
	work   chan store.Work
	log    *slog.Logger
}

// NewSignal makes a signal that holds up to 1,024 events while the queue is slow.
func NewSignal(redis asynq.RedisConnOpt, log *slog.Logger) *Signal {
	return &Signal{client: asynq.NewClient(redis), work: make(chan store.Work, 1024), log: log}
}

// Accepted takes an event and returns at once.
func (s *Signal) Accepted(w store.Work) {
	select {
	case s.work <- w:
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
			if err := enqueue(ctx, s.client, w); err != nil {
				s.log.Debug("work left to the relay", slog.Any("error", err))
			}
		}
	}
}

// enqueue hands one event to the queue. One that is there already is fine.
func enqueue(ctx context.Context, client *asynq.Client, w store.Work) error {
	task, err := newProcessTask(w)
	if err != nil {
		return err
	}
	_, err = client.EnqueueContext(ctx, task)
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}
