package worker

import (
	"context"
	"time"

	"bizfin/internal/ontology"
	"bizfin/internal/report"
)

// rollUp sums months anew whose rows changed. Nobody waits for it: a report reads the rows of a month that is behind
// one by one, which is slower and says the same, so such a month counts as processed.
func (w *Worker) rollUp(ctx context.Context) {
	// A month that changes all the time is summed at most once in settle.
	const every, settle = time.Second, 10 * time.Second
	transfers, _ := ontology.ScheduleC().ByPath(report.Transfer)
	for wait(ctx, every) {
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = w.Store.RollUp(ctx, w.Now().Add(-settle), transfers.Descendants()); err != nil {
				w.failed(ctx, taskRollUp, "months not summed", err)
				break
			}
		}
	}
}
