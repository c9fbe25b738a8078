package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"bizfin/store"
)

// shards spread businesses over queues: a Redis Cluster keeps each queue on one node.
const shards = 4

// Each shard has two lines: one of businesses that got something new, and one of those that had a turn and were not
// done. New work is taken first, so much more often that it hardly waits and the others never starve.
const (
	weightNew    = 16
	weightBehind = 1
)

func queueName(shard int, behind bool) string {
	if behind {
		return fmt.Sprintf("categorize%d-behind", shard)
	}
	return fmt.Sprintf("categorize%d", shard)
}

// queues are all queues and how often each is looked at first.
func queues() map[string]int {
	weights := map[string]int{}
	for shard := range shards {
		weights[queueName(shard, false)] = weightNew
		weights[queueName(shard, true)] = weightBehind
	}
	return weights
}

func queueOf(organization uuid.UUID, behind bool) string {
	h := fnv.New32a()
	h.Write(organization[:])
	return queueName(int(h.Sum32()%shards), behind)
}

// turnPayload holds ids alone; what they stand for is read when the task runs.
type turnPayload struct {
	OrganizationID uuid.UUID `json:"organization_id"`
	After          int64     `json:"after"` // the turn before; store.AnyTurn where the business may not be in line
	Again          int       `json:"again,omitempty"`
}

// sendNew puts a business in line that got something new. One that is in line already stays where it is; two places are
// enough, as the task of one may be about to end.
func sendNew(ctx context.Context, client *asynq.Client, organization uuid.UUID) error {
	p := turnPayload{OrganizationID: organization, After: store.AnyTurn}
	err := send(ctx, client, organization.String(), p, false)
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		err = send(ctx, client, organization.String()+"-next", p, false)
	}
	return ignoreSent(err)
}

// sendWaiting puts a business in line for the turn it waits for. Whatever comes twice comes too late for that turn.
func sendWaiting(ctx context.Context, client *asynq.Client, w store.Waiting) error {
	id := fmt.Sprintf("%s-%d-%d", w.OrganizationID, w.Turn, w.Attempts)
	return ignoreSent(send(ctx, client, id, turnPayload{w.OrganizationID, w.Turn, w.Again}, w.Behind))
}

func ignoreSent(err error) error {
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}

// send enqueues a task. It is tried as often as the queue has it: how long a failure rests is the database's to know.
func send(ctx context.Context, client *asynq.Client, id string, p turnPayload, behind bool) error {
	payload, err := json.Marshal(p)
	if err != nil {
		return err
	}
	task := asynq.NewTaskWithHeaders(taskTurn, payload, headersOf(ctx),
		asynq.TaskID(id),
		asynq.Queue(queueOf(p.OrganizationID, behind)),
		asynq.MaxRetry(math.MaxInt32),
		asynq.Timeout(time.Hour),
	)
	_, err = client.EnqueueContext(ctx, task)
	return err
}
