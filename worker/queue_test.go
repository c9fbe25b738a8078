package worker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"bizfin/store"
	"bizfin/store/storetest"
)

// wipe empties the package's Redis.
func wipe(t testing.TB) {
	t.Helper()
	client := redisOf(t, storetest.RedisURL(t)).MakeRedisClient().(redis.UniversalClient)
	defer client.Close()
	must(t, client.FlushAll(t.Context()).Err())
}

// tasks are the tasks that wait in all queues, and those that were given up.
func tasks(t testing.TB) (waiting, givenUp []*asynq.TaskInfo) {
	t.Helper()
	inspector := asynq.NewInspector(redisOf(t, storetest.RedisURL(t)))
	defer inspector.Close()
	queues, err := inspector.Queues()
	must(t, err)
	for _, queue := range queues {
		pending, err := inspector.ListPendingTasks(queue)
		must(t, err)
		archived, err := inspector.ListArchivedTasks(queue)
		must(t, err)
		waiting, givenUp = append(waiting, pending...), append(givenUp, archived...)
	}
	return waiting, givenUp
}

func TestASignaledUploadIsProcessedThroughTheQueue(t *testing.T) {
	s := open(t, "paid")
	c := config(t, func() time.Time { return noon }) // so early that no relay finds the event
	run(t, c)
	signal(t, c.Redis).Accepted(t.Context(), s.upload(
		row(1, -612044, "GUSTO DES:NET ID:6SEMJR00KPQ INDN:JUNIPER BIKES CO ID:9138864001 CCD"),
		row(2, -1299, "ADOBE *CREATIVE CLOUD 408-536-6000 CA"),
	))
	eventually(t, "the event is processed", func() bool { return s.events() == 0 })
	if n := s.inState("processed"); n != 2 {
		t.Errorf("%d of 2 rows are processed", n)
	}
	complete := s.count(`
		SELECT count(*)
		FROM transactions t
		JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE t.organization_id = $1 AND t.category_id IS NOT NULL AND t.category_source IN ('rule', 'merchant')
		  AND t.category_confidence >= 9000 AND t.category_reason LIKE '%' || c.name || '%'`)
	if complete != 2 {
		t.Errorf("%d of 2 rows have category, counterparty and a reason that names it: %v", complete, s.dump()["transactions"])
	}
	if n := s.count(`SELECT count(*) FROM accounts WHERE organization_id = $1 AND last_processed_at = $2`, noon); n != 1 {
		t.Error("the account does not say when it was processed")
	}
}

func TestALateEventIsRelayed(t *testing.T) {
	for _, address := range []string{storetest.RedisURL(t), nowhere} {
		s := open(t, "paid")
		now := &clock{}
		c := config(t, now.Now)
		c.Redis = redisOf(t, address)
		run(t, c)
		s.upload(books(20)...) // nobody signals it
		now.Add(6 * time.Second)
		eventually(t, "the event is processed with Redis at "+address, func() bool { return s.events() == 0 })
		if n := s.inState("processed"); n != 20 {
			t.Errorf("%d of 20 rows are processed", n)
		}
	}
}

func TestAnEventThatRedisForgotIsRelayed(t *testing.T) {
	s := open(t, "paid")
	now := &clock{}
	c := config(t, now.Now)
	wipe(t)
	signal(t, c.Redis).Accepted(t.Context(), s.upload(books(20)...))
	eventually(t, "the task is in the queue", func() bool { waiting, _ := tasks(t); return len(waiting) == 1 })
	wipe(t)
	run(t, c)
	if n := s.events(); n != 1 {
		t.Fatalf("%d events, want 1", n)
	}
	now.Add(6 * time.Second)
	eventually(t, "the event is processed", func() bool { return s.events() == 0 })
	if n := s.inState("processed"); n != 20 {
		t.Errorf("%d of 20 rows are processed", n)
	}
}

func TestTheSameEventTwiceIsOneTask(t *testing.T) {
	wipe(t)
	work := open(t, "paid").upload(row(1, -100, "COFFEE"))
	later := work
	later.Attempts++
	s := signal(t, redisOf(t, storetest.RedisURL(t)))
	for range 3 {
		s.Accepted(t.Context(), work)
	}
	s.Accepted(t.Context(), later)
	eventually(t, "both attempts are in the queue", func() bool { waiting, _ := tasks(t); return len(waiting) >= 2 })
	waiting, _ := tasks(t)
	var ids []string
	for _, task := range waiting {
		ids = append(ids, strings.TrimPrefix(task.ID, work.AccountID.String()))
	}
	slices.Sort(ids)
	if want := []string{"-1-0", "-1-1"}; !slices.Equal(ids, want) {
		t.Errorf("tasks %v, want %v", ids, want)
	}
	wipe(t)
}

func TestAcceptingNeverWaitsForRedis(t *testing.T) {
	s := signal(t, redisOf(t, nowhere))
	began := time.Now()
	for range 100_000 {
		s.Accepted(t.Context(), store.Work{OrganizationID: uuid.New(), AccountID: uuid.New()})
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("100,000 events took %v", took)
	}
}

func TestATaskOfNoAccountIsGivenUpAtOnce(t *testing.T) {
	wipe(t)
	c := config(t, func() time.Time { return noon })
	run(t, c)
	signal(t, c.Redis).Accepted(t.Context(), store.Work{OrganizationID: open(t, "").ID, AccountID: uuid.New(), Generation: 1})
	eventually(t, "the task is given up", func() bool { _, givenUp := tasks(t); return len(givenUp) == 1 })
	if _, givenUp := tasks(t); givenUp[0].Retried != 0 {
		t.Errorf("it was tried again %d times", givenUp[0].Retried)
	}
	wipe(t)
}
