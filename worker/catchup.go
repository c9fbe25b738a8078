package worker

import (
	"context"
	"time"
)

// catchUp does what waits, one thing after the other, and looks for more every second. Nobody waits for it; what fails
// is said, and tried again, and keeps nothing else from being done.
func (w *Worker) catchUp(ctx context.Context, task, failure string, one func() (more bool, err error)) {
	for wait(ctx, time.Second) {
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = one(); err != nil {
				w.failed(ctx, task, failure, err)
			}
		}
	}
}
