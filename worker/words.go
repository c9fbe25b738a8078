package worker

import (
	"context"
	"time"
)

// indexWords indexes the texts of rows that were processed. A search reads texts that are not indexed one by one, so
// a row counts as processed before. A business that has just got new texts mostly gets more.
func (w *Worker) indexWords(ctx context.Context) {
	const settle = 2 * time.Second
	w.catchUp(ctx, taskWords, "words not indexed", func() (bool, error) {
		now, err := w.now(ctx)
		if err != nil {
			return false, err
		}
		return w.Store.IndexWords(ctx, now.Add(-settle))
	})
}
