package worker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// Without a worker a task would stay for ever. Those of others are left alone, and so is a task that nobody reads.
func TestTasksOfErasedBusinessesAreTakenOutOfTheQueue(t *testing.T) {
	db, queue := storetest.DB(t), redisOf(t, storetest.RedisURL(t))
	gone, stays := open(t, "paid"), connected(t)
	inspector := asynq.NewInspector(queue)
	defer inspector.Close()
	client := asynq.NewClient(queue)
	defer client.Close()
	for _, s := range []shop{gone, stays} {
		for range 2 { // the second is for the turn after it
			must(t, worker.SendNew(t.Context(), client, s.ID))
		}
		must(t, worker.SendWaiting(t.Context(), client, store.Waiting{OrganizationID: s.ID, Turn: 7, Behind: true}))
	}
	waiting := func(id uuid.UUID) (list []string) {
		for _, name := range worker.QueuesOf(id) {
			tasks, err := inspector.ListPendingTasks(name)
			must(t, err)
			for _, task := range tasks {
				if strings.Contains(task.ID+string(task.Payload), id.String()) {
					list = append(list, task.ID)
				}
			}
		}
		slices.Sort(list)
		return list
	}
	if n := len(waiting(gone.ID)); n != 3 {
		t.Fatalf("%d tasks wait", n)
	}
	if n, err := worker.ForgetErased(t.Context(), db, queue); n != 0 || err != nil {
		t.Errorf("of what is there %d tasks went: %v", n, err)
	}
	_, err := db.EraseOrganization(t.Context(), noon, gone.ID)
	must(t, err)
	if n, err := worker.ForgetErased(t.Context(), db, queue); n != 3 || err != nil {
		t.Errorf("of what is erased %d tasks went: %v", n, err)
	}
	if left := waiting(gone.ID); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if n := len(waiting(stays.ID)); n != 3 {
		t.Errorf("of another business %d tasks are left", n)
	}
	if n, err := worker.ForgetErased(t.Context(), db, queue); n != 0 || err != nil {
		t.Errorf("again %d tasks went: %v", n, err)
	}
}
