package worker

import (
	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/store"
)

// decide is the engine between rows and decisions.
func (w *Worker) decide(rows []store.OpenTransaction, remembered []store.Remembered) []store.Decided {
	memory := remember(remembered)
	decided := make([]store.Decided, len(rows))
	for i, row := range rows {
		line := categorize.Line{Description: row.Description, Amount: row.Amount, AccountType: row.AccountType}
		d := w.engine.Decide(line, memory.engine)
		key := d.Counterparty.Key
		if same, ok := memory.same[key]; ok {
			d.Counterparty = categorize.Counterparty(same)
		}
		decided[i] = decidedOf(row, d, key, memory)
		decided[i].Evidence = w.engine.Evidence(line, &d)
	}
	return decided
}

// material is the amount from which a row that names nobody is asked about: each such row is a question of its own.
const material money.Amount = 200_00

// guessed is the confidence from which a doubtful category is shown while its question waits; below it, none is.
const guessed money.Ratio = 3000

// decidedOf is the decision of a row whose line names a counterparty by a key; it may have become another one.
func decidedOf(row store.OpenTransaction, d categorize.Decision, key string, m memory) store.Decided {
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
	if d.Silent() || paysSalesTax(d) && m.decides(&out, salesTaxKey, salesTaxAnswered) || paidIn(row, d) && m.decides(&out, depositsKey, depositsAnswered) {
		return out
	}
	nameless := d.Counterparty.Key == ""
	switch {
	case paysSalesTax(d):
		out.Question = salesTaxQuestion()
	case !nameless || paidIn(row, d) || row.Amount >= material || row.Amount <= -material:
		out.Question = questionOf(row, d)
	}
	if d.Confidence < guessed || out.Question == nil {
		out.CategoryID = 0
	}
	m.settle(&out, key)
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
