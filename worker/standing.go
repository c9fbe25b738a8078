package worker

import "context"

// restand has rows decided anew that were decided before it was told apart what is established and what is suggested,
// or before an account was called one that holds what belongs to others.
func (w *Worker) restand(ctx context.Context) {
	w.catchUp(ctx, taskStanding, "rows not decided anew", func() (bool, error) {
		now, err := w.now(ctx)
		if err != nil {
			return false, err
		}
		return w.Store.Restand(ctx, now)
	})
}
