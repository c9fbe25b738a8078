package worker

import (
	"context"
	"time"

	"bizfin/internal/ontology"
	"bizfin/internal/report"
)

// rollUp sums months anew whose rows changed. A report reads the rows of a month that is behind one by one, which is
// slower and says the same, so such a month counts as processed.
func (w *Worker) rollUp(ctx context.Context) {
	const settle = 10 * time.Second // a month that changes all the time is summed at most once in it
	transfers, _ := ontology.ScheduleC().ByPath(report.Transfer)
	w.catchUp(ctx, taskRollUp, "months not summed", func() (bool, error) {
		now, err := w.now(ctx)
		if err != nil {
			return false, err
		}
		return w.Store.RollUp(ctx, now.Add(-settle), transfers.Descendants())
	})
}
