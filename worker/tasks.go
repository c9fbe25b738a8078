package worker

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"bizfin/store"
)

// taskProcess has the open rows of an account decided.
const taskProcess = "account:process"

// shards spread organizations over queues: a Redis Cluster keeps each queue on one node.
const shards = 4

func queueName(shard int) string { return fmt.Sprintf("categorize%d", shard) }

func queueOf(organization uuid.UUID) string {
	h := fnv.New32a()
	h.Write(organization[:])
	return queueName(int(h.Sum32() % shards))
}

// processPayload holds ids alone; what they stand for is read when the task runs.
type processPayload struct {
	OrganizationID uuid.UUID `json:"organization_id"`
	AccountID      uuid.UUID `json:"account_id"`
	Generation     int64     `json:"generation"`
}

// newProcessTask makes the task of an event. Its id holds generation and attempt: the same hint twice is one task, and a
// task that Redis lost or keeps as failed never blocks the next attempt.
func newProcessTask(w store.Work, headers map[string]string) (*asynq.Task, error) {
	payload, err := json.Marshal(processPayload{w.OrganizationID, w.AccountID, w.Generation})
	if err != nil {
		return nil, err
	}
	return asynq.NewTaskWithHeaders(taskProcess, payload, headers,
		asynq.TaskID(fmt.Sprintf("%s-%d-%d", w.AccountID, w.Generation, w.Attempts)),
		asynq.Queue(queueOf(w.OrganizationID)),
		asynq.MaxRetry(3),
		asynq.Timeout(10*time.Minute),
	), nil
}
