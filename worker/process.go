package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	err := w.Process(ctx, store.Work{OrganizationID: p.OrganizationID, AccountID: p.AccountID, Generation: p.Generation})
	if errors.Is(err, store.ErrNotFound) {
		return terminal(err)
	}
	return err
}

// Process decides all open rows of an account. Doing it again, or twice at once, changes nothing more.
func (w *Worker) Process(ctx context.Context, work store.Work) error {
	organization := w.Store.Organization(work.OrganizationID)
	how := store.Processing{Decide: w.decide, BatchSize: batchSize, MonthlyLimit: w.FreeMonthly}
	for {
		more, err := organization.ProcessAccount(ctx, w.Now(), work, how)
		if err != nil || !more {
			return err
		}
	}
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
		d := w.engine.Decide(categorize.Line{Description: row.Description, Amount: row.Amount, AccountType: row.AccountType}, memory)
		decided[i] = decidedOf(row, d)
	}
	return decided
}

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
	if d.Silent() {
		return out
	}
	out.Question = questionOf(row, d)
	if d.Confidence < guessed {
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

// questionOf asks about a counterparty, or about a line where it names nobody.
func questionOf(row store.OpenTransaction, d categorize.Decision) *store.Question {
	q := &store.Question{GroupKey: d.Counterparty.Key, Kind: "category", Options: optionsOf(d, row.Amount > 0)}
	name := d.Counterparty.Name
	if q.GroupKey == "" {
		reading := categorize.Normalize(row.Description)
		name = reading.Name
		q.GroupKey = "line:" + strings.ToLower(reading.Name)
	}
	switch {
	case name == "" && row.Amount > 0:
		q.Text = "What is this incoming money for?"
	case name == "":
		q.Text = "What was this payment for?"
	case row.Amount > 0:
		q.Text = fmt.Sprintf("What does %s pay you for?", name)
	default:
		q.Text = fmt.Sprintf("What do you pay %s for?", name)
	}
	return q
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
		options[i] = store.IssueOption{Value: path, Label: category.Name, Description: consequence(category)}
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
