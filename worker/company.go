package worker

import (
	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// salesTaxKey is the group of the question whether receipts include sales tax. It is one for the whole business: however
// many authorities it pays, the answer is about its own books.
const salesTaxKey = store.CompanyKey + "sales_tax"

// What sales tax passed on to an authority is: a cost where it is counted among the receipts, else never the business's
// money.
var (
	salesTaxIncluded  = mustPath("expense.taxes_licenses.sales_tax")
	salesTaxCollected = mustPath("liability.sales_tax_collected")
	otherStateTax     = mustPath("expense.taxes_licenses.state_business") // the same authorities take it
)

// onceAnswered is the confidence of an answer about the business as a whole, that of one about a counterparty.
const onceAnswered money.Ratio = 9310

// paysSalesTax reports whether a line says sales tax, and leaves open only what the business alone knows.
func paysSalesTax(d categorize.Decision) bool {
	return d.CategoryID == salesTaxCollected.ID && d.Source == categorize.SourceRule && d.Ask
}

// salesTaxQuestion asks the business once. The first two options answer for the business, the third one is about the
// authorities that were paid.
func salesTaxQuestion() *store.Question {
	return &store.Question{
		GroupKey: salesTaxKey,
		Kind:     store.KindCategory,
		Text:     "Is sales tax included in your receipts?",
		Why:      "The business pays sales tax to the state. Whether that is a cost depends on how its receipts are counted: the bank's lines cannot tell.",
		Options: []store.IssueOption{
			{Value: salesTaxIncluded.Path, Label: "Yes, receipts include it", Description: "The sales tax paid is deducted. " + consequence(salesTaxIncluded)},
			{Value: salesTaxCollected.Path, Label: "No, it is kept apart", Description: "The sales tax paid is neither a cost nor income. " + consequence(salesTaxCollected)},
			{Value: otherStateTax.Path, Label: "It was another tax", Description: "What these authorities are paid is a state tax on the business. " + consequence(otherStateTax)},
		},
		Swing: swing([]*ontology.Category{salesTaxIncluded, salesTaxCollected, otherStateTax}),
	}
}

// The reasons of what an answer decides that is not about a counterparty.
const (
	salesTaxAnswered = "Sales tax passed on to the state; whether receipts include it was answered before"
	depositsAnswered = "Cash or a check paid in; what these are was answered before"
)

// decides gives a row the category that the business answered for a group; it returns false where it did not.
func (m memory) decides(d *store.Decided, groupKey, reason string) bool {
	category, ok := m.groups[topic{groupKey, d.Transaction.Amount > 0}]
	if !ok {
		return false
	}
	d.CategoryID, d.Source, d.Confidence, d.Reason = category, categorize.SourceMemory, onceAnswered, reason
	return true
}

func mustPath(path string) *ontology.Category {
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok {
		panic("worker: no category " + path)
	}
	return c
}
