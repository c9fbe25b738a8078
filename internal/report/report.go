// Package report is the arithmetic of the cash-flow and profit-and-loss reports: calendar periods, sums by category
// that add up to a tree, counterparties, and the lines of Schedule C.
//
// Everything is pure. Sums are [money.Total], so nothing overflows and nothing is rounded but deductible amounts and
// ratios.
package report

import "bizfin/internal/money"

// Flow is money in and out. Its zero value is that of no rows.
type Flow struct {
	TransactionCount int64
	Inflow           money.Total // sum of the positive amounts
	Outflow          money.Total // minus the sum of the negative amounts
}

// Net is what came in less what went out.
func (f Flow) Net() money.Total { return f.Inflow.Minus(f.Outflow) }

// Plus is f and g together.
func (f Flow) Plus(g Flow) Flow {
	return Flow{
		TransactionCount: f.TransactionCount + g.TransactionCount,
		Inflow:           f.Inflow.Plus(g.Inflow),
		Outflow:          f.Outflow.Plus(g.Outflow),
	}
}

// Minus is what is left of f without g, a part of it.
func (f Flow) Minus(g Flow) Flow {
	return Flow{
		TransactionCount: f.TransactionCount - g.TransactionCount,
		Inflow:           f.Inflow.Minus(g.Inflow),
		Outflow:          f.Outflow.Minus(g.Outflow),
	}
}

// Older stands for the index of a period that is before those broken down: its rows count in totals alone.
const Older = -1

// Sums are the flows of some rows: all of them, and those of each period that is broken down.
type Sums struct {
	Total    Flow
	ByPeriod []Flow
}

// NewSums are the sums of no rows.
func NewSums(periods int) Sums { return Sums{ByPeriod: make([]Flow, periods)} }

// Add counts a flow in the total, and in its period unless that is [Older].
func (s *Sums) Add(period int, f Flow) {
	s.Total = s.Total.Plus(f)
	if period != Older {
		s.ByPeriod[period] = s.ByPeriod[period].Plus(f)
	}
}

// merge counts all of t in s; both have the same periods.
func (s *Sums) merge(t Sums) {
	s.Total = s.Total.Plus(t.Total)
	for i, f := range t.ByPeriod {
		if f != (Flow{}) {
			s.ByPeriod[i] = s.ByPeriod[i].Plus(f)
		}
	}
}

// remove takes t, a part of s, out of it.
func (s *Sums) remove(t Sums) {
	s.Total = s.Total.Minus(t.Total)
	for i, f := range t.ByPeriod {
		s.ByPeriod[i] = s.ByPeriod[i].Minus(f)
	}
}
