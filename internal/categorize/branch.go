package categorize

import "bizfin/internal/ontology"

// isTransfer, isExpense and isRevenue tell branches of the ontology by category.
func isTransfer(id int) bool { return branches[id] == branchTransfer }
func isExpense(id int) bool  { return branches[id] == branchExpense }
func isRevenue(id int) bool  { return branches[id] == branchRevenue }

// offForm reports whether a category counts nothing in the profit.
func offForm(id int) bool { return branches[id] == branchOther || branches[id] == branchTransfer }

type branch uint8

const (
	branchOther branch = iota
	branchTransfer
	branchExpense
	branchRevenue
)

var branches = func() map[int]branch {
	m := map[int]branch{}
	for _, c := range ontology.ScheduleC().All() {
		switch c.Kind {
		case ontology.KindTransfer:
			m[c.ID] = branchTransfer
		case ontology.KindRevenue:
			m[c.ID] = branchRevenue
		case ontology.KindExpense, ontology.KindCOGS:
			m[c.ID] = branchExpense
		}
	}
	return m
}()

// The categories of rows that nothing is known of.
var (
	UnknownIn  = mustID("uncategorized.in")
	UnknownOut = mustID("uncategorized.out")
)

func mustID(path string) int { return ontology.MustPath(path).ID }

// supplies are what a business buys from shops of its own calling.
var supplies = mustID("expense.supplies")

// living is private spending, charity what is given away, contractLabor what is paid for work.
var (
	living        = mustID("personal.living")
	charity       = mustID("personal.charity")
	contractLabor = mustID("expense.contract_labor")
)

// payouts are what a service passes on that customers paid through it, though it is paid itself by others.
var payouts = mustID("revenue.sales.processor_payouts")
