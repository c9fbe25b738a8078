package worker_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
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
		row(1, -2400, "ZOOM.US 888-799-9666 SAN JOSE CA"),
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
		t.Errorf("%d of 2 rows have category, counterparty and a reason that names it: %v", complete,
			s.dump()["transactions"])
	}
	if n := s.count(`SELECT count(*) FROM accounts WHERE organization_id = $1 AND last_processed_at = $2`,
		noon); n != 1 {
		t.Error("the account does not say when it was processed")
	}
}

func TestALateEventIsRelayed(t *testing.T) {
	for _, address := range []string{storetest.RedisURL(t), nowhere} {
		s := open(t, "paid")
		c := config(t, frozen)
		c.Redis = redisOf(t, address)
		run(t, c)
		s.upload(books(20)...) // nobody signals it
		late(t)
		eventually(t, "the event is processed with Redis at "+address, func() bool { return s.events() == 0 })
		if n := s.inState("processed"); n != 20 {
			t.Errorf("%d of 20 rows are processed", n)
		}
	}
}

func TestAnEventThatRedisForgotIsRelayed(t *testing.T) {
	s := open(t, "paid")
	c := config(t, frozen)
	wipe(t)
	signal(t, c.Redis).Accepted(t.Context(), s.upload(books(20)...))
	eventually(t, "the task is in the queue", func() bool { waiting, _ := tasks(t); return len(waiting) == 1 })
	wipe(t)
	run(t, c)
	if n := s.events(); n != 1 {
		t.Fatalf("%d events, want 1", n)
	}
	late(t)
	eventually(t, "the event is processed", func() bool { return s.events() == 0 })
	if n := s.inState("processed"); n != 20 {
		t.Errorf("%d of 20 rows are processed", n)
	}
}

// ids are the tasks of the queue, with the business left out of their names.
func ids(t testing.TB, of uuid.UUID) []string {
	t.Helper()
	waiting, _ := tasks(t)
	var ids []string
	for _, task := range waiting {
		ids = append(ids, strings.TrimPrefix(task.ID, of.String()))
	}
	slices.Sort(ids)
	return ids
}

func TestManyUploadsAreOneTask(t *testing.T) {
	wipe(t)
	shop := open(t, "paid")
	hints := signal(t, redisOf(t, storetest.RedisURL(t)))
	for i := range 20 {
		hints.Accepted(t.Context(), shop.upload(row(i, -100, "COFFEE")))
	}
	for i := range 20 {
		shop.account = shop.addAccount(fmt.Sprint("account-", i))
		hints.Accepted(t.Context(), shop.upload(store.TransactionUpload{ExternalID: fmt.Sprint("of-", i), Amount: -100,
			Date: "2026-05-01", Description: "TEA"}))
	}
	last := open(t, "paid")
	hints.Accepted(t.Context(), last.upload(row(1, -100, "COFFEE")))
	eventually(t, "the last upload is in the queue", func() bool { return slices.Contains(ids(t, last.ID), "") })
	if got := ids(t, shop.ID); len(got) > 3 {
		t.Errorf("40 uploads to 21 accounts made the tasks %v, want one or two of the business", got)
	}
	wipe(t)
}

func TestALateBusinessIsOnceInLine(t *testing.T) {
	wipe(t)
	s := open(t, "paid")
	for i := range 5 {
		s.account = s.addAccount(fmt.Sprint("account-", i))
		s.upload(store.TransactionUpload{ExternalID: fmt.Sprint("of-", i), Amount: -100, Date: "2026-05-01",
			Description: "TEA"})
	}
	late(t)
	waiting, err := storetest.DB(t).LateEvents(t.Context(), 100)
	must(t, err)
	if len(waiting) != 1 || waiting[0].OrganizationID != s.ID || waiting[0].Behind {
		t.Errorf("waiting are %+v, want the business once and as new", waiting)
	}
}

// This Redis takes connections and says nothing: whoever waited for it would wait for seconds with each event.
func TestAcceptingNeverWaitsForRedis(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := signal(t, redisOf(t, "redis://"+silent.Addr().String()+"/0"))
	t.Cleanup(func() { silent.Close() })
	var accepted atomic.Int64
	go func() {
		for range 100_000 {
			s.Accepted(t.Context(), store.Event{OrganizationID: uuid.New(), AccountID: uuid.New(), First: true})
			accepted.Add(1)
		}
	}()
	eventually(t, "all events are accepted", func() bool { return accepted.Load() == 100_000 })
}

func TestATaskOfNoBusinessIsDoneAtOnce(t *testing.T) {
	wipe(t)
	c := config(t, func() time.Time { return noon })
	signal(t, c.Redis).Accepted(t.Context(), store.Event{OrganizationID: uuid.New(), First: true})
	eventually(t, "the task is in the queue", func() bool { waiting, _ := tasks(t); return len(waiting) == 1 })
	run(t, c)
	eventually(t, "the task is gone", func() bool {
		waiting, givenUp := tasks(t)
		return len(waiting) == 0 && len(givenUp) == 0
	})
}

// marked is whether a relay has left its mark in every queue.
func marked(t testing.TB) bool {
	t.Helper()
	client := redisOf(t, storetest.RedisURL(t)).MakeRedisClient().(redis.UniversalClient)
	defer client.Close()
	marks, err := client.Keys(t.Context(), "bizfin:*:kept").Result()
	must(t, err)
	return len(marks) == 4
}
