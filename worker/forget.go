package worker

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"bizfin/store"
)

// ForgetErased removes from the queue what waits there for businesses that were erased: their ids would stay until a
// worker comes to them. It returns how many tasks went. One that a worker has in hand ends by itself.
func ForgetErased(ctx context.Context, db *store.DB, redis asynq.RedisConnOpt) (removed int, err error) {
	inspector := asynq.NewInspector(redis)
	defer inspector.Close()
	for queue := range queues() {
		n, err := forgetErasedIn(ctx, db, inspector, queue)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

func forgetErasedIn(ctx context.Context, db *store.DB, inspector *asynq.Inspector, queue string) (int, error) {
	var waiting []*asynq.TaskInfo
	for _, list := range []func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error){
		inspector.ListPendingTasks, inspector.ListScheduledTasks, inspector.ListRetryTasks, inspector.ListArchivedTasks,
	} {
		const pageSize = 1000
		for page := 1; ; page++ {
			tasks, err := list(queue, asynq.PageSize(pageSize), asynq.Page(page))
			if errors.Is(err, asynq.ErrQueueNotFound) {
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			gone, err := ofErased(ctx, db, tasks)
			if err != nil {
				return 0, err
			}
			waiting = append(waiting, gone...)
			if len(tasks) < pageSize {
				break
			}
		}
	}
	removed := 0
	for _, task := range waiting { // after the lists: pages move up
		switch err := inspector.DeleteTask(queue, task.ID); {
		case err == nil:
			removed++
		case !errors.Is(err, asynq.ErrTaskNotFound): // a worker took it
			return removed, err
		}
	}
	return removed, nil
}

// ofErased are the tasks of businesses that were erased.
func ofErased(ctx context.Context, db *store.DB, tasks []*asynq.TaskInfo) (gone []*asynq.TaskInfo, err error) {
	of := make([]uuid.UUID, len(tasks))
	for i, task := range tasks {
		var payload turnPayload
		_ = json.Unmarshal(task.Payload, &payload) // of no form it is nobody's
		of[i] = payload.OrganizationID
	}
	erased, err := db.ErasedAmong(ctx, of)
	if err != nil {
		return nil, err
	}
	for i, task := range tasks {
		if erased[of[i]] {
			gone = append(gone, task)
		}
	}
	return gone, nil
}
