package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"bizfin/store"
	"bizfin/worker/payments"
)

// How customers of the payment processor are asked about.
const (
	customerLease   = 2 * time.Minute
	customersAtOnce = 4               // in one process: the processor allows 25 requests a second and more
	customerRetry   = 5 * time.Second // after a first failure; doubles with each
	customerMost    = time.Hour       // between two attempts
	customerRest    = time.Minute     // of all, where the processor refuses everybody

	reconcileLease = 30 * time.Minute
	reconcileRetry = 5 * time.Minute
)

// syncBilling asks the payment processor about customers of whom there is something new, and from time to time for all
// of them: an event may have been lost, or never sent. The database says what is due, so any number of workers share
// it.
func (w *Worker) syncBilling(ctx context.Context) {
	const every = time.Second
	var resting time.Time
	for wait(ctx, every) {
		now, err := w.now(ctx)
		if err != nil {
			w.failed(ctx, taskBilling, "customers not looked for", err)
			continue
		}
		if now.Before(resting) {
			continue
		}
		w.reconcileWhenDue(ctx)
		if rest, err := w.syncDueCustomers(ctx); err != nil {
			w.failed(ctx, taskBilling, "customers not looked for", err)
		} else if rest {
			resting = now.Add(customerRest)
		}
	}
}

// syncDueCustomers asks about customers until none is due. It reports whether all are to rest, because the processor
// refuses everybody.
func (w *Worker) syncDueCustomers(ctx context.Context) (rest bool, err error) {
	for ctx.Err() == nil && !rest {
		now, err := w.now(ctx)
		if err != nil {
			return rest, err
		}
		due, err := w.Store.ClaimDueCustomers(ctx, now, customerLease, customersAtOnce)
		if err != nil || len(due) == 0 {
			return rest, err
		}
		var asking sync.WaitGroup
		rests := make([]bool, len(due))
		for i, customer := range due {
			asking.Go(func() { rests[i] = w.syncCustomer(ctx, customer) })
		}
		asking.Wait()
		for _, one := range rests {
			rest = rest || one
		}
	}
	return rest, nil
}

// syncCustomer asks about one customer and stores the answer. It reports whether the processor refuses everybody.
func (w *Worker) syncCustomer(ctx context.Context, c store.DueCustomer) (rest bool) {
	log := w.Log.With(slog.String("customer", c.ID))
	asked, err := w.now(ctx)
	if err != nil {
		w.failed(ctx, taskBilling, "customer not synced", err, slog.String("customer", c.ID))
		return false // the lease ends by itself
	}
	found, err := w.Payments.Customer(ctx, c.ID)
	if err == nil {
		err = w.Store.SaveCustomer(ctx, asked, c, found)
	}
	switch {
	case err == nil:
		log.Info("customer synced")
		return false
	case errors.Is(err, store.ErrNotFound):
		log.Debug("something new came while the customer was asked about")
		return false
	}
	w.failed(ctx, taskBilling, "customer not synced", err, slog.String("customer", c.ID),
		slog.Int("attempts", c.Attempts))
	again := asked.Add(min(customerRetry<<min(c.Attempts-1, 16), customerMost))
	ending := ctx.Err() != nil
	if ending { // another process need not wait for the lease
		again = asked
	}
	released, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := w.Store.PutOffCustomer(released, c, again); err != nil && !errors.Is(err, store.ErrNotFound) && !ending {
		log.Warn("customer not put off", slog.Any("error", err))
	}
	var refused *payments.Error
	return errors.As(err, &refused) && refused.Everybody()
}

func (w *Worker) reconcileWhenDue(ctx context.Context) {
	now, err := w.now(ctx)
	var taken time.Time
	if err == nil {
		taken, err = w.Store.ClaimReconciliation(ctx, now, reconcileLease)
	}
	if errors.Is(err, store.ErrNotFound) {
		return
	}
	if err != nil {
		w.failed(ctx, taskBilling, "customers not compared", err)
		return
	}
	if _, _, err := w.reconcile(ctx, taken); err != nil {
		w.failed(ctx, taskBilling, "customers not compared", err)
		released, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = w.Store.EndReconciliation(released, now, taken, now.Add(reconcileRetry), false)
	}
}

// reconcile compares what the processor lists with what is stored, in the turn that was taken, or in none. What differs
// is due afterwards.
func (w *Worker) reconcile(ctx context.Context, taken time.Time) (listed, differ int, err error) {
	asked, err := w.now(ctx)
	if err != nil {
		return 0, 0, err
	}
	customers, err := w.Payments.Customers(ctx)
	if err != nil {
		return 0, 0, err
	}
	differ, err = w.Store.ReconcileCustomers(ctx, asked, customers)
	if err != nil {
		return len(customers), differ, err
	}
	w.Log.Info("customers compared", slog.Int("listed", len(customers)), slog.Int("differ", differ))
	return len(customers), differ, w.Store.EndReconciliation(ctx, asked, taken, asked.Add(w.ReconcileEvery), true)
}

// Reconciled is what SyncBilling found.
type Reconciled struct {
	Listed  int // customers that the processor has
	Differ  int // of them and of those stored, how many were not as stored
	Waiting int // how many could not be asked about, and will be
}

// SyncBilling compares all customers now and asks about those that are due, for `bizfin billing sync`; workers compare
// them when it is their time. Of the settings it needs the store, the processor and the time. It fails with
// *payments.Error where the processor refuses.
func SyncBilling(ctx context.Context, c Config) (Reconciled, error) {
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	w := &Worker{Config: c}
	var r Reconciled
	var err error
	if r.Listed, r.Differ, err = w.reconcile(ctx, time.Time{}); err != nil {
		return r, err
	}
	if _, err := w.syncDueCustomers(ctx); err != nil {
		return r, err
	}
	customers, err := w.Store.Customers(ctx, false)
	for _, c := range customers {
		if c.Due {
			r.Waiting++
		}
	}
	return r, err
}
