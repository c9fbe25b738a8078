package worker

import (
	"context"
	"time"
)

// addUpCounts adds up what was added to the counts of businesses. A read adds up what is left, and says the same.
func (w *Worker) addUpCounts(ctx context.Context) {
	const settle = 5 * time.Second // a business that changes all the time is done at most once in it
	w.catchUp(ctx, taskCounts, "counts not added up", func() (bool, error) {
		now, err := w.now(ctx)
		if err != nil {
			return false, err
		}
		return w.Store.AddUpCounts(ctx, now.Add(-settle))
	})
}
