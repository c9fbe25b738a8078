package worker

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"bizfin/store"
)

// Backlog collects what is waiting, in the database and in the queue. Every process that shows it shows the same: so it
// is seen while no worker runs, too. A scrape costs one small query and one look at each queue, at most once in a few
// seconds, and waits for neither longer than its time limit.
type Backlog struct {
	events    cached[store.Backlog]
	queues    cached[[]*asynq.QueueInfo]
	inspector *asynq.Inspector
	now       func() time.Time
}

// NewBacklog makes a collector over a database and a queue; Close ends it.
func NewBacklog(db *store.DB, redis asynq.RedisConnOpt, now func() time.Time) *Backlog {
	b := &Backlog{inspector: asynq.NewInspector(redis), now: now}
	b.events.read = func() (store.Backlog, error) {
		ctx, cancel := context.WithTimeout(context.Background(), backlogPatience)
		defer cancel()
		return db.Backlog(ctx)
	}
	b.queues.read = b.readQueues
	return b
}

// Close lets go of the queue.
func (b *Backlog) Close() error { return b.inspector.Close() }

var (
	backlogUp = prometheus.NewDesc("bizfin_backlog_up",
		"1 where what is waiting could be read from the database or the queue in time, else 0 and its numbers are "+
			"missing.", []string{"from"}, nil)
	pendingEvents = prometheus.NewDesc("bizfin_pending_events",
		"Accounts with an upload or a change that is not processed.", nil, nil)
	pendingLate = prometheus.NewDesc("bizfin_pending_events_late",
		"Those of bizfin_pending_events that wait for the relay: their signal reached no worker in time.", nil, nil)
	pendingAge = prometheus.NewDesc("bizfin_pending_events_oldest_age_seconds",
		"Since the last upload to the account that has waited longest; 0 where none waits.", nil, nil)
	pendingSnapshots = prometheus.NewDesc("bizfin_pending_snapshots",
		"Account snapshots of the webhook that are not applied.", nil, nil)
	pendingSnapshotAge = prometheus.NewDesc("bizfin_pending_snapshots_oldest_age_seconds",
		"Since the oldest waiting snapshot was received; 0 where none waits.", nil, nil)
	deadSnapshots = prometheus.NewDesc("bizfin_dead_snapshots",
		"Account snapshots of the webhook that could not be applied and were given up.", nil, nil)
	nodesAway = prometheus.NewDesc("bizfin_database_nodes_away",
		"Servers of a database that is spread which could not be asked: bizfin_pending_events is without the "+
			"businesses there. 0 on one machine.", nil, nil)
	queueTasks = prometheus.NewDesc("bizfin_queue_tasks",
		"Tasks in Redis by queue and state. A lost one is taken up again from the database.", []string{"queue",
			"state"}, nil)
	queueAge = prometheus.NewDesc("bizfin_queue_oldest_age_seconds",
		"Since the oldest pending task of a queue was enqueued; 0 where none is.", []string{"queue"}, nil)
)

// Describe is that of prometheus.Collector.
func (b *Backlog) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{backlogUp, pendingEvents, pendingLate, pendingAge, pendingSnapshots,
		pendingSnapshotAge, deadSnapshots, nodesAway, queueTasks, queueAge} {
		descriptions <- d
	}
}

// Collect is that of prometheus.Collector.
func (b *Backlog) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	age := func(since *time.Time) float64 {
		if since == nil {
			return 0
		}
		return max(0, b.now().Sub(*since)).Seconds()
	}
	readingEvents, readingQueues := b.events.get(), b.queues.get() // both at once
	if waiting, err := b.events.wait(readingEvents); err != nil {
		gauge(backlogUp, 0, "database")
	} else {
		gauge(backlogUp, 1, "database")
		gauge(pendingEvents, float64(waiting.Events))
		gauge(pendingLate, float64(waiting.LateEvents))
		gauge(pendingAge, max(0, waiting.OldestEvent))
		gauge(pendingSnapshots, float64(waiting.Snapshots))
		gauge(pendingSnapshotAge, age(waiting.OldestSnapshot))
		gauge(deadSnapshots, float64(waiting.DeadSnapshots))
		gauge(nodesAway, float64(waiting.Away))
	}
	queues, err := b.queues.wait(readingQueues)
	if err != nil {
		gauge(backlogUp, 0, "queue")
		return
	}
	gauge(backlogUp, 1, "queue")
	for _, q := range queues {
		for state, n := range map[string]int{"pending": q.Pending, "active": q.Active, "retry": q.Retry,
			"archived": q.Archived} {
			gauge(queueTasks, float64(n), q.Queue, state)
		}
		gauge(queueAge, q.Latency.Seconds(), q.Queue)
	}
}

// readQueues looks at the queues that exist; one is made by its first task.
func (b *Backlog) readQueues() ([]*asynq.QueueInfo, error) {
	exist := map[string]bool{}
	names, err := b.inspector.Queues()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		exist[name] = true
	}
	var infos []*asynq.QueueInfo
	for name := range queues() {
		info := &asynq.QueueInfo{Queue: name}
		if exist[info.Queue] {
			if info, err = b.inspector.GetQueueInfo(info.Queue); err != nil {
				return nil, err
			}
		}
		infos = append(infos, info)
	}
	return infos, nil
}

const (
	backlogKept     = 3 * time.Second // how long a reading serves further scrapes
	backlogPatience = 2 * time.Second // what a scrape waits for a reading
)

var errSlow = errors.New("worker: no reading in time")

// cached is the newest reading of something. One is under way at a time, however many ask.
type cached[T any] struct {
	read func() (T, error)

	flight singleflight.Group // what follows is touched within its calls alone
	value  T
	err    error
	at     time.Time
}

// get begins a reading where the newest is too old; wait has its result.
func (c *cached[T]) get() <-chan singleflight.Result {
	return c.flight.DoChan("", func() (any, error) {
		if c.at.IsZero() || time.Since(c.at) >= backlogKept {
			c.value, c.err = c.read()
			c.at = time.Now()
		}
		return c.value, c.err
	})
}

// wait is the result of a reading, for which a scrape waits no longer than backlogPatience.
func (c *cached[T]) wait(reading <-chan singleflight.Result) (T, error) {
	patience := time.NewTimer(backlogPatience)
	defer patience.Stop()
	select {
	case result := <-reading:
		return result.Val.(T), result.Err
	case <-patience.C:
		var none T
		return none, errSlow
	}
}
