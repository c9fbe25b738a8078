package worker

import (
	"context"
	"time"
)

// indexWords indexes the texts of rows that were processed. Nobody waits for it: a search reads texts that are not indexed
// one by one, so a row counts as processed before. A business that has just got new texts mostly gets more.
func (w *Worker) indexWords(ctx context.Context) {
	const every, settle = time.Second, 2 * time.Second
	for wait(ctx, every) {
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = w.Store.IndexWords(ctx, w.Now().Add(-settle)); err != nil {
				w.failed(ctx, taskWords, "words not indexed", err)
				break
			}
		}
	}
}
