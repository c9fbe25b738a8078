package worker_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// numbers gathers what collectors show: by name and labels, the sum of a counter or gauge, or the count of a histogram.
func numbers(t testing.TB, collectors ...prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors...)
	families, err := registry.Gather()
	must(t, err)
	found := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				name += " " + label.GetName() + "=" + label.GetValue()
			}
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				found[name] = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				found[name] = m.GetGauge().GetValue()
			case dto.MetricType_HISTOGRAM:
				found[name] = float64(m.GetHistogram().GetSampleCount())
				found[name+" sum"] = m.GetHistogram().GetSampleSum()
			}
		}
	}
	return found
}

func TestStoredDecisionsAreCounted(t *testing.T) {
	s, c := open(t, "free"), config(t, func() time.Time { return noon.Add(7 * time.Second) })
	c.FreeMonthly, c.Metrics = 600, worker.NewMetrics()
	// What the month does not allow must not be released in other tests.
	t.Cleanup(func() {
		execute(t, `UPDATE transactions SET processing = 'processed' WHERE organization_id = $1`, s.ID)
		execute(t, `DELETE FROM limited_accounts WHERE organization_id = $1`, s.ID)
	})
	w := worker.New(c)
	rows := append(books(699), store.TransactionUpload{ExternalID: "odd", Amount: -1_00, Date: "2026-06-01",
		Description: "ZXQV 8812"})
	must(t, w.ProcessEvent(t.Context(), s.upload(rows...)))
	got := numbers(t, c.Metrics)
	if got["bizfin_processed_rows_total"] != 600 {
		t.Errorf("%v rows are counted, want the 600 that the month allows", got["bizfin_processed_rows_total"])
	}
	for source, category := range map[string]string{"rule": "category_source = 'rule'",
		"merchant": "category_source = 'merchant'", "memory": "category_source = 'memory'",
		"none": "category_id IS NULL"} {
		want := s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND processing = 'processed' AND ` + category)
		if n := got["bizfin_decisions_total source="+source]; n != float64(want) {
			t.Errorf("%v decisions of %s are counted, want %d", n, source, want)
		}
	}
	if got["bizfin_decisions_total source=rule"] == 0 || got["bizfin_decisions_total source=none"] == 0 ||
		got["bizfin_doubtful_rows_total"] == 0 {
		t.Errorf("the rows are too plain for this test: %v", got)
	}
	if got["bizfin_processing_batch_duration_seconds"] == 0 {
		t.Error("no batch is counted")
	}
	if lag := got["bizfin_processing_lag_seconds sum"]; got["bizfin_processing_lag_seconds"] != 1 || lag <= 0 ||
		lag > 30 {
		t.Errorf("the lag is %v s in %v events, want some in 1", lag, got["bizfin_processing_lag_seconds"])
	}
	must(t, w.ProcessEvent(t.Context(), s.upload(rows...))) // unchanged, so nothing is decided
	if again := numbers(t, c.Metrics); again["bizfin_processed_rows_total"] != 600 ||
		again["bizfin_processing_lag_seconds"] != 2 {
		t.Errorf("an unchanged upload counted as %v", again)
	}
}

// The lag of an event counts from its upload, whichever way it came to a worker.
func TestTheLagCountsThroughTheQueueAndTheRelay(t *testing.T) {
	for _, way := range []string{"queue", "relay"} {
		t.Run(way, func(t *testing.T) {
			wipe(t)
			s := open(t, "paid")
			c := config(t, frozen)
			c.Metrics = worker.NewMetrics()
			work := s.upload(books(5)...)
			execute(t, `UPDATE pending_work SET came_at = (came_at AT TIME ZONE 'UTC' - interval '100 seconds') AT TIME ZONE 'UTC'`)
			if way == "queue" {
				signal(t, c.Redis).Accepted(t.Context(), work)
			} else {
				late(t)
			}
			run(t, c)
			eventually(t, "the event is processed", func() bool {
				return numbers(t,
					c.Metrics)["bizfin_processing_lag_seconds"] >= 1
			})
			got := numbers(t, c.Metrics)
			if lag := got["bizfin_processing_lag_seconds sum"]; got["bizfin_processing_lag_seconds"] != 1 ||
				lag < 100 || lag > 140 {
				t.Errorf("the lag is %v s in %v events, want 100 in 1", lag, got["bizfin_processing_lag_seconds"])
			}
		})
	}
}

func TestFailuresAreCountedAndAbsenceIsNone(t *testing.T) {
	s, c := open(t, "paid"), config(t, frozen)
	c.Metrics = worker.NewMetrics()
	closed, err := store.Open(storetest.DatabaseURL(t), store.Options{})
	must(t, err)
	must(t, closed.Close())
	c.Store = closed
	if worker.New(c).Process(t.Context(), s.ID) == nil {
		t.Fatal("it worked without a database")
	}
	c.Store = storetest.DB(t)
	must(t, worker.New(c).Process(t.Context(), uuid.New()))
	if got := numbers(t, c.Metrics)["bizfin_task_failures_total task=organization:turn"]; got != 1 {
		t.Errorf("%v failures are counted, want 1", got)
	}
}

func TestTheBacklogShowsWhatWaits(t *testing.T) {
	wipe(t)
	s := open(t, "paid")
	execute(t, `DELETE FROM account_snapshots`)
	backlog := func(redisURL string) map[string]float64 {
		b := worker.NewBacklog(storetest.DB(t), redisOf(t, redisURL), frozen)
		defer b.Close()
		return numbers(t, b)
	}
	check := func(when string, got map[string]float64, want map[string]float64) {
		t.Helper()
		for name, value := range want {
			if n, ok := got[name]; !ok || n != value {
				t.Errorf("%s: %s is %v, want %v", when, name, n, value)
			}
		}
	}
	check("at first", backlog(storetest.RedisURL(t)), map[string]float64{
		"bizfin_backlog_up from=database": 1, "bizfin_backlog_up from=queue": 1, "bizfin_pending_events": 0,
		"bizfin_pending_events_oldest_age_seconds": 0, "bizfin_pending_snapshots": 0,
		"bizfin_queue_tasks queue=categorize0 state=pending": 0,
	})

	work := s.upload(books(3)...)
	s.account = s.addAccount("savings")
	hints := signal(t, redisOf(t, storetest.RedisURL(t)))
	hints.Accepted(t.Context(), work)
	eventually(t, "the task is in the queue", func() bool { waiting, _ := tasks(t); return len(waiting) == 1 })
	execute(t, `UPDATE pending_work SET came_at = (came_at AT TIME ZONE 'UTC' - interval '3 seconds') AT TIME ZONE 'UTC'`)
	seen := backlog(storetest.RedisURL(t))
	check("uploaded", seen, map[string]float64{"bizfin_pending_events": 1, "bizfin_pending_events_late": 0})
	if age := seen["bizfin_pending_events_oldest_age_seconds"]; age < 3 || age > 5 {
		t.Errorf("an event of 3 s is %v s old", age)
	}
	queued := 0.0
	for shard := range 4 {
		queued += seen["bizfin_queue_tasks queue=categorize"+string(rune('0'+shard))+" state=pending"]
	}
	if queued != 1 {
		t.Errorf("%v tasks are in the queues, want 1", queued)
	}

	// However often a relay puts an event off, its age goes on.
	for range 9 {
		late(t) // 6 s later
		check("late", backlog(storetest.RedisURL(t)), map[string]float64{"bizfin_pending_events_late": 1})
		_, err := storetest.DB(t).LateEvents(t.Context(), 10)
		must(t, err)
	}
	if age := backlog(nowhere)["bizfin_pending_events_oldest_age_seconds"]; age < 57 || age > 60 {
		t.Errorf("after 57 s an event is %v s old", age)
	}

	began := time.Now()
	without := backlog(nowhere)
	check("without Redis", without, map[string]float64{"bizfin_backlog_up from=queue": 0,
		"bizfin_backlog_up from=database": 1, "bizfin_pending_events": 1})
	if _, shown := without["bizfin_queue_tasks queue=categorize0 state=pending"]; shown ||
		time.Since(began) > 5*time.Second {
		t.Errorf("without Redis a scrape took %v and shows %v", time.Since(began), without)
	}
}
