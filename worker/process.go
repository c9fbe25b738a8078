package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// batchSize is how many rows are decided in one transaction.
const batchSize = 500

// processTask runs the task of an event. An account that is gone is nothing to try again.
func (w *Worker) processTask(ctx context.Context, t *asynq.Task) error {
	var p processPayload
	if err := json.Unmarshal(t.Payload(), &p); err != nil {
		return terminal(err)
	}
	ctx, work := fromHeaders(ctx, t.Headers(), store.Work{OrganizationID: p.OrganizationID, AccountID: p.AccountID, Generation: p.Generation})
	err := w.Process(ctx, work)
	if errors.Is(err, store.ErrNotFound) {
		return terminal(err)
	}
	return err
}

// Process decides all open rows of an account. Doing it again, or twice at once, changes nothing more.
func (w *Worker) Process(ctx context.Context, work store.Work) (err error) {
	ctx, span := startProcessing(ctx, work)
	rows, batches := 0, 0
	defer func() {
		endProcessing(span, rows, batches, err)
		w.Metrics.ended(work, w.Now(), err)
	}()
	organization := w.Store.Organization(work.OrganizationID)
	how := store.Processing{Decide: w.decide, BatchSize: batchSize, MonthlyLimit: w.FreeMonthly, Stored: func(decided []store.Decided) {
		rows += len(decided)
		w.Metrics.stored(decided)
	}}
	for more := true; more && err == nil; batches++ {
		began := time.Now()
		more, err = organization.ProcessAccount(ctx, w.Now(), work, how)
		w.Metrics.batch.Observe(time.Since(began).Seconds())
	}
	return err
}

// decide is the engine between rows and decisions.
func (w *Worker) decide(rows []store.OpenTransaction, remembered []store.Remembered) []store.Decided {
	memory := categorize.NewMemory()
	for _, r := range remembered {
		answer := categorize.Answer{CounterpartyKey: r.CounterpartyKey, Incoming: r.Incoming, Amount: r.Amount}
		if r.CategoryID != nil {
			answer.CategoryID = *r.CategoryID
		}
		if r.Relationship != nil {
			answer.Relationship = *r.Relationship
		}
		memory.Learn(answer)
	}
	decided := make([]store.Decided, len(rows))
	for i, row := range rows {
		line := categorize.Line{Description: row.Description, Amount: row.Amount, AccountType: row.AccountType}
		d := w.engine.Decide(line, memory)
		decided[i] = decidedOf(row, d)
		decided[i].Evidence = w.engine.Evidence(line, &d)
	}
	return decided
}

// material is the amount from which a row that names nobody is asked about: each such row is a question of its own.
const material money.Amount = 200_00

// guessed is the confidence from which a doubtful category is shown while its question waits; below it, none is.
const guessed money.Ratio = 3000

func decidedOf(row store.OpenTransaction, d categorize.Decision) store.Decided {
	out := store.Decided{
		Transaction:  row,
		CategoryID:   d.CategoryID,
		Source:       d.Source,
		Confidence:   d.Confidence,
		Reason:       d.Reason,
		Merchant:     d.Merchant,
		Refund:       d.Refund,
		Counterparty: seen(d.Counterparty),
	}
	for _, a := range d.Alternatives {
		out.Alternatives = append(out.Alternatives, store.Alternative{CategoryID: a.CategoryID, Confidence: a.Confidence})
	}
	if row.CategoryID != nil && !row.NeedsAttention {
		out.Question = changedQuestion(row, d)
		return out
	}
	if d.Silent() {
		return out
	}
	nameless := d.Counterparty.Key == ""
	if !nameless || row.Amount >= material || row.Amount <= -material {
		out.Question = questionOf(row, d)
	}
	if d.Confidence < guessed || out.Question == nil {
		out.CategoryID = 0
	}
	return out
}

// seen gives a counterparty the contract's words for what a line does not tell: a person is named one only on evidence.
func seen(c categorize.Counterparty) store.SeenCounterparty {
	if c.Type == "" {
		c.Type = "company"
	}
	if c.Relationship == "" {
		c.Relationship = "unknown"
	}
	return store.SeenCounterparty(c)
}

// questionOf asks about a counterparty, or about a single row where it names nobody: checks and deposits have nothing in
// common.
func questionOf(row store.OpenTransaction, d categorize.Decision) *store.Question {
	q := &store.Question{GroupKey: d.Counterparty.Key, Kind: store.KindCategory, Options: optionsOf(d, row.Amount > 0)}
	if q.GroupKey == "" {
		q.GroupKey = "row:" + row.ID.String()
	}
	name, incoming := d.Counterparty.Name, row.Amount > 0
	switch {
	case name == "" && incoming:
		q.Text = fmt.Sprintf("What is the money for that came in on %s?", row.PrimaryDate.Format("January 2"))
	case name == "":
		q.Text = fmt.Sprintf("What was the payment of %s for?", row.PrimaryDate.Format("January 2"))
	case incoming:
		q.Text = fmt.Sprintf("What does %s pay you for?", name)
	default:
		q.Text = fmt.Sprintf("What do you pay %s for?", name)
	}
	return q
}

// changedQuestion asks about a row that an upload changed and that would now be understood differently: its category
// stays until the person says otherwise. It is nil where the change changes nothing, or the new line says nothing.
func changedQuestion(row store.OpenTransaction, d categorize.Decision) *store.Question {
	before, ok := ontology.ScheduleC().ByID(*row.CategoryID)
	after, known := ontology.ScheduleC().ByID(d.CategoryID)
	if !ok || !known || before == after || after.Is(ontology.Uncategorized) {
		return nil
	}
	return &store.Question{
		GroupKey: "row:" + row.ID.String(),
		Kind:     store.KindChanged,
		Text:     fmt.Sprintf("The bank changed this line; is it still %q, or is it %q now?", before.Name, after.Name),
		Options:  []store.IssueOption{optionOf(before), optionOf(after)},
	}
}

func optionOf(c *ontology.Category) store.IssueOption {
	return store.IssueOption{Value: c.Path, Label: c.Name, Description: consequence(c)}
}

// optionsOf are the best guess, what else was considered, and personal: 2 to 4 of them.
func optionsOf(d categorize.Decision, incoming bool) []store.IssueOption {
	const most = 4
	paths := []string{}
	add := func(path string) {
		category, ok := ontology.ScheduleC().ByPath(path)
		if !ok || !category.Assignable || category.Is(ontology.Uncategorized) || len(paths) == most {
			return
		}
		for _, have := range paths {
			if have == path {
				return
			}
		}
		paths = append(paths, path)
	}
	byID := func(id int) {
		if category, ok := ontology.ScheduleC().ByID(id); ok {
			add(category.Path)
		}
	}
	byID(d.CategoryID)
	for _, a := range d.Alternatives {
		if len(paths) < most-1 {
			byID(a.CategoryID)
		}
	}
	usual := []string{"expense.supplies", "expense.contract_labor", "personal.living"}
	if incoming {
		usual = []string{"revenue.sales", "equity.owner_contribution", "personal.income"}
	}
	if len(paths) >= 2 {
		usual = usual[len(usual)-1:]
	}
	for _, path := range usual {
		add(path)
	}
	options := make([]store.IssueOption, len(paths))
	for i, path := range paths {
		category, _ := ontology.ScheduleC().ByPath(path)
		options[i] = optionOf(category)
	}
	return options
}

// consequence says what choosing a category does to the tax form.
func consequence(c *ontology.Category) string {
	switch {
	case c.ScheduleCLine != "" && c.DeductiblePercent < 100:
		return fmt.Sprintf("Schedule C line %s, %d %% of it deductible.", c.ScheduleCLine, c.DeductiblePercent)
	case c.ScheduleCLine != "":
		return fmt.Sprintf("Schedule C line %s.", c.ScheduleCLine)
	default:
		return "Not on Schedule C."
	}
}
