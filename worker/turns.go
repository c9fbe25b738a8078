package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/questions"
	"bizfin/store"
)

// batchSize is how many rows are decided in one transaction, and a turn ends after two such batches, or with the batch
// in which its time is over: long lines and busy machines make rows slow, and the others wait all the same.
const (
	batchSize = 1000
	turnRows  = 2 * batchSize
	turnTime  = 300 * time.Millisecond
	leastRows = batchSize / 20 // what an account counts for that has fewer
	lightTurn = 2 * leastRows  // what may be done in a turn of a business that stays with those that got something new
	moreTurns = 4              // how many turns in a row it may stay there
)

// work is what was done in a turn.
type work struct {
	rows    int
	batches int
	weight  int // in rows: an account of few counts for some
}

// light is whether hardly anything was done: what is left then came meanwhile, and has not had its turn.
func (w work) light() bool { return w.weight <= lightTurn }

// turnTask runs the task of a business, and puts it at the end of the line where it is not done. A task never fails:
// what failed rests in the database, for as long as that says.
func (w *Worker) turnTask(ctx context.Context, t *asynq.Task, stop <-chan struct{}) error {
	var p turnPayload
	if err := json.Unmarshal(t.Payload(), &p); err != nil {
		return errors.Join(asynq.SkipRetry, err)
	}
	ctx = fromHeaders(ctx, t.Headers())
	next, err := w.takeTurns(ctx, store.Waiting{OrganizationID: p.OrganizationID, Turn: p.After, Again: p.Again}, stop)
	if err != nil || next == nil {
		return nil
	}
	if err := sendWaiting(ctx, w.client, *next); err != nil {
		w.Log.Debug("business left to the relay", slog.Any("error", err))
	}
	return nil
}

// takeTurns gives a business its next turn, and further ones as long as nobody else waits. It returns what the
// business waits for where it is not done, and nil where it is, or somebody else has it. An error is told to the
// operator already.
func (w *Worker) takeTurns(ctx context.Context, waiting store.Waiting, stop <-chan struct{}) (*store.Waiting,
	error) {
	const pause = 50 * time.Millisecond // where all there is to do is an upload that is under way
	organization := w.Store.Organization(waiting.OrganizationID)
	ctx, leave, err := organization.Visit(ctx)
	if err != nil {
		w.failed(ctx, taskTurn, "turn not taken", err)
		return nil, err
	}
	defer leave()
	for {
		turn, err := organization.TakeTurn(ctx, waiting.Turn)
		if errors.Is(err, store.ErrTurnTaken) || errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			w.failed(ctx, taskTurn, "turn not taken", err)
			return nil, err
		}
		line, did, err := w.turn(ctx, organization, turn)
		if err != nil || !line.Left {
			return nil, err
		}
		waiting = next(waiting, turn, did)
		if did.rows == 0 && !wait(ctx, pause) || line.Others || stopped(stop) {
			return &waiting, nil
		}
	}
}

// next is what a business waits for after a turn in which not everything was done. One that had little to do, or only
// an upload that was under way, stays with those that got something new for some turns: a small business whose next row
// comes while the last is processed would wait with the backlogs of others.
func next(before store.Waiting, turn store.Turn, did work) store.Waiting {
	after := store.Waiting{OrganizationID: turn.OrganizationID, Turn: turn.Number, Again: before.Again + 1}
	after.Behind = !did.light() || after.Again > moreTurns
	return after
}

// Process gives a business turns until nothing of it is left or somebody else has it, for who has no queue: tests and
// benchmarks.
func (w *Worker) Process(ctx context.Context, organization uuid.UUID) error {
	for {
		next, err := w.takeTurns(ctx, store.Waiting{OrganizationID: organization, Turn: store.AnyTurn}, nil)
		if err != nil || next == nil {
			return err
		}
	}
}

func stopped(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// turn processes a business for one turn, and returns how things stand then and how much was done. One that failed
// keeps the business for a while; one that was stopped gives it back.
func (w *Worker) turn(ctx context.Context, organization *store.Organization, turn store.Turn) (line store.Line,
	did work, err error) {
	ctx, span := startTurn(ctx, turn)
	defer func() { endTurn(span, did, err) }()
	did, err = w.batches(ctx, organization, turn)
	if errors.Is(err, store.ErrTurnTaken) {
		return store.Line{}, did, nil
	}
	// What a stopping worker gives back is at once another's.
	giving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	giving, leave, away := organization.Visit(giving)
	if away != nil { // the turn ends by itself
		err = errors.Join(err, away)
		w.failed(ctx, taskTurn, "turn failed", err, slog.String("organization_id", organization.ID.String()))
		return store.Line{}, did, err
	}
	defer leave()
	if err != nil && ctx.Err() == nil {
		w.failed(ctx, taskTurn, "turn failed", err, slog.String("organization_id", organization.ID.String()))
		cause := err
		return store.Line{}, did, errors.Join(cause, w.giveBack(giving, func() error {
			return organization.FailTurn(giving, turn, cause)
		}))
	}
	err = w.giveBack(giving, func() (err error) {
		line, err = organization.EndTurn(giving, turn)
		return err
	})
	return line, did, err
}

// giveBack tries for a while: the database may be about to come back, and a turn that is kept holds up its business.
func (w *Worker) giveBack(ctx context.Context, give func() error) error {
	const again = 200 * time.Millisecond
	for {
		err := give()
		if err == nil {
			return nil
		}
		w.failed(ctx, taskTurn, "turn not given back", err)
		if errors.Is(err, store.ErrAway) || !wait(ctx, again) { // it ends by itself before the node is back
			return err
		}
	}
}

// batches works on the events of a business, those first that have waited longest for a turn, until the turn is full.
// One that makes the program panic fails like any other.
func (w *Worker) batches(ctx context.Context, organization *store.Organization, turn store.Turn) (did work,
	err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("worker: panic: %v\n%s", value, debug.Stack())
		}
	}()
	const patience = 3 // batches in which nothing could be done: rows change, or an upload is under way
	started := time.Now()
	for idle := 0; did.weight < turnRows && idle < patience; did.batches++ {
		if did.batches > 0 && time.Since(started) > turnTime {
			return did, nil
		}
		event, err := organization.NextEvent(ctx, turn)
		if errors.Is(err, store.ErrNotFound) {
			return did, nil
		}
		if err != nil {
			return did, err
		}
		began := time.Now()
		result, err := w.batch(ctx, organization, turn, event)
		if err != nil {
			return did, err
		}
		w.Metrics.processed(result, time.Since(began))
		rows := len(result.Rows) + result.Limited
		if rows == 0 && !result.Ended {
			idle++
		}
		if rows == 0 && result.Ended {
			rows = 1
		}
		did.rows += rows
		if rows > 0 {
			did.weight += max(rows, leastRows)
		}
		if result.Held { // others' turns come first
			did.weight = turnRows
		}
	}
	return did, nil
}

// batch processes one batch of an event: it reads what is to be decided and what decides it, decides, and has stored
// what follows. Nothing is held meanwhile; what changed is left to the next batch.
func (w *Worker) batch(
	ctx context.Context, organization *store.Organization, turn store.Turn, event store.Event,
) (store.BatchResult, error) {
	now, err := w.now(ctx)
	if err != nil {
		return store.BatchResult{}, err
	}
	batch, err := organization.NextBatch(ctx, now, event, batchSize, w.FreeMonthly)
	if err != nil {
		return store.BatchResult{}, err
	}
	effects, err := w.effects(ctx, organization, batch)
	if err != nil {
		return store.BatchResult{}, err
	}
	return organization.StoreBatch(ctx, now, turn, batch, effects)
}

// effects is the way of a batch of rows: what each is by itself, which are legs of transfers, which are refunds, which
// earlier refunds are something else by these and by its purchases, and which earlier rows may be asked about with it.
func (w *Worker) effects(ctx context.Context, o *store.Organization, batch store.Batch) (e store.Effects, err error) {
	if len(batch.Rows) == 0 { // the event ends
		return e, nil
	}
	business, err := o.Details(ctx)
	if err != nil {
		return e, err
	}
	memory := questions.Remember(batch.Answers)
	memory.Business = categorize.BusinessOf(business.Name)
	accounts, err := o.AccountNames(ctx)
	if err != nil {
		return e, err
	}
	memory.Own(accounts)
	loans, err := o.LoanQuestions(ctx)
	if err != nil {
		return e, err
	}
	memory.Lends(loans...)
	checks, err := o.CheckQuestions(ctx)
	if err != nil {
		return e, err
	}
	memory.Waits(checks...)
	if e, err = w.decided(ctx, o, batch, memory); err != nil {
		return e, err
	}
	if rows, open := decide.FollowLater(batch.Rows, e.Decisions); open {
		batch.Rows = rows
		if e, err = w.decided(ctx, o, batch, memory); err != nil {
			return e, err
		}
	}
	if batch.IsNew() {
		first, known, err := o.FirstRows(ctx, slices.ContainsFunc(e.Decisions, decide.Decision.Mixed))
		if err != nil {
			return e, err
		}
		if known {
			e.Business = slices.Concat(w.engine.Decide(first, memory), e.Decisions)
		}
	}
	if len(batch.Rows) == batchSize { // others follow, and these have enough of their like
		return e, nil
	}
	earlier, err := o.Unasked(ctx, e.Decisions)
	if err != nil {
		return e, err
	}
	if batch.IsNew() {
		alone, err := o.AskedAlone(ctx, e.Decisions)
		if err != nil {
			return e, err
		}
		earlier = append(earlier, alone...)
	}
	e.Strays = decide.Strays(e.Decisions, w.engine.Decide(earlier, memory))
	return e, nil
}

// decided is what follows from the rows of a batch.
func (w *Worker) decided(ctx context.Context, o *store.Organization, batch store.Batch,
	memory questions.Memory) (e store.Effects, err error) {
	e.Decisions = w.engine.Decide(batch.Rows, memory)
	legs := decide.MayBeLegs(e.Decisions)
	opposites, err := o.Opposites(ctx, legs)
	if err != nil {
		return e, err
	}
	alone := w.engine.Decide(decide.Alone(opposites), memory)
	e.Transfers, e.Dissolved = decide.Pairing(legs, batch.IsNew(), opposites, alone)
	decide.AreTransfers(e.Decisions, e.Transfers)
	dealings, err := o.Dealings(ctx, e.Decisions)
	if err != nil {
		return e, err
	}
	w.engine.Reread(dealings, e.Decisions, memory)
	e.Refunds = decide.AreRefunds(e.Decisions, dealings)
	return e, nil
}

// startTurn begins the span of a turn.
func startTurn(ctx context.Context, turn store.Turn) (context.Context, trace.Span) {
	return tracer.Start(ctx, "worker.process", trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		attribute.String("bizfin.organization_id", turn.OrganizationID.String()),
		attribute.Int64("bizfin.turn", turn.Number),
	))
}

// endTurn says how much it was. The cause of a failure is in the log; a trace may be read by more people.
func endTurn(span trace.Span, did work, err error) {
	span.SetAttributes(attribute.Int("bizfin.rows", did.rows), attribute.Int("bizfin.batches", did.batches))
	if err != nil {
		span.SetStatus(codes.Error, "not processed")
	}
	span.End()
}
