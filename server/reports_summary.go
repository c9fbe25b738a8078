package server

import (
	"slices"

	"bizfin/gen/api"
	"bizfin/internal/report"
	"bizfin/store"
)

// lengths are how many lines a report in summary lists.
type lengths struct {
	categories, counterparties int
	basis                      int // each list of its basis
}

// How many characters a report in summary has: a cash flow with twelve periods, a profit and loss beside its periods.
// It lists as many lines as that leaves room for, and sums the rest.
const (
	cashflowSize    = 6000
	cashflowPeriods = defaultPeriodLimit
	pnlSize         = 4000
)

// The lengths that are tried, one after the other.
var (
	cashflowLengths = []lengths{{20, 12, 3}, {18, 10, 3}, {16, 9, 3}, {14, 8, 3}, {12, 7, 3}, {12, 6, 2}, {10, 5, 2},
		{9, 4, 1}, {8, 3, 1}, {6, 2, 1}, {4, 2, 1}}
	pnlLengths = []lengths{{12, 0, 3}, {10, 0, 3}, {9, 0, 2}, {8, 0, 2}, {7, 0, 1}, {5, 0, 1}}
)

// shortCounterparties are the most that are asked for.
var shortCounterparties = cashflowLengths[0].counterparties

// fit shortens a report until it fits, or cannot be shorter. What is fixed of it, its periods, is not measured each
// time.
func fit[Report any](list []lengths, shorten func(lengths) Report, fits func(Report) bool) Report {
	for _, n := range list[:len(list)-1] {
		if short := shorten(n); fits(short) {
			return short
		}
	}
	return shorten(list[len(list)-1])
}

// fitCashflow leaves the breakdowns of a report to a summary that fits.
func (q *reportQuery) fitCashflow(r api.CashflowReport, books *report.Books, sums store.ReportSums) api.CashflowReport {
	room := cashflowSize - jsonSize(r.Periods[:min(len(r.Periods), cashflowPeriods)]) -
		jsonSize(r.Series[:min(len(r.Series), cashflowPeriods)])
	shorten := func(n lengths) api.CashflowReport { return q.shortenCashflow(r, books, sums, n) }
	return fit(cashflowLengths, shorten, func(short api.CashflowReport) bool {
		short.Periods, short.Series = []api.ReportPeriod{}, []api.CashFlow{}
		return jsonSize(short) <= room
	})
}

// fitPnl does so of a profit and loss.
func (q *reportQuery) fitPnl(r api.PnlReport, books *report.Books, sums store.ReportSums) api.PnlReport {
	shorten := func(n lengths) api.PnlReport { return q.shortenPnl(r, books, sums, n) }
	return fit(pnlLengths, shorten, func(short api.PnlReport) bool {
		short.Periods, short.Series = []api.ReportPeriod{}, []api.PnlTotals{}
		return jsonSize(short) <= pnlSize
	})
}

// shortenCashflow leaves the breakdowns of a report to a summary of so many lines.
func (q *reportQuery) shortenCashflow(r api.CashflowReport, books *report.Books, sums store.ReportSums,
	n lengths) api.CashflowReport {
	lines, others := books.Lines(report.Without(report.Transfer), n.categories)
	summary := &api.CashflowSummary{
		Omitted:         append(q.omittedPeriods(), "categories", "counterparties"),
		Categories:      convert(lines, toAPICashflowLine),
		OtherCategories: convert(others, toAPICashflowOthers),
		Counterparties:  []api.CounterpartyLine{},
	}
	for _, c := range r.Counterparties {
		if !c.Other && len(summary.Counterparties) < n.counterparties {
			summary.Counterparties = append(summary.Counterparties, api.CounterpartyLine{Id: c.Id,
				Name: shortened(c.Name, nameSize), Net: c.Net, TransactionCount: c.TransactionCount})
			continue
		}
		rest := value(summary.OtherCounterparties)
		summary.OtherCounterparties = &api.CashFlow{TransactionCount: rest.TransactionCount + c.TransactionCount,
			Inflow: rest.Inflow.Plus(c.Inflow), Outflow: rest.Outflow.Plus(c.Outflow), Net: rest.Net.Plus(c.Net)}
	}
	r.Summary, r.Categories, r.Counterparties = summary, []api.CashflowCategory{}, []api.CashflowCounterparty{}
	shorten(&r.Basis, sums, n.basis)
	return r
}

// shortenPnl does so of a profit and loss.
func (q *reportQuery) shortenPnl(r api.PnlReport, books *report.Books, sums store.ReportSums,
	n lengths) api.PnlReport {
	lines, others := books.Lines(report.OnForm, n.categories)
	r.Summary = &api.PnlSummary{
		Omitted:         append(q.omittedPeriods(), "categories", "scheduleC", "notOnForm", "adjustments"),
		Categories:      convert(lines, toAPIPnlLine),
		OtherCategories: convert(others, toAPIPnlOthers),
	}
	r.Categories, r.ScheduleC, r.NotOnForm = []api.PnlCategory{}, []api.ScheduleCLine{}, []api.NotOnForm{}
	shorten(&r.Basis, sums, n.basis)
	return r
}

// omittedPeriods names the breakdown by period where nobody asked for it.
func (q *reportQuery) omittedPeriods() []string {
	if len(q.periods) > 0 {
		return nil
	}
	return []string{"periods", "series"}
}

// shorten cuts the lists of a basis; how many there are stands beside each.
func shorten(basis *api.ReportBasis, sums store.ReportSums, most int) {
	basis.OpenQuestions = basis.OpenQuestions[:min(len(basis.OpenQuestions), most)]
	basis.OtherCurrencies = convert(mostRows(sums.Others, most), toAPICurrencyFlow)
	basis.MissingAccounts = mostMoney(basis.MissingAccounts, most)
}

// mostMoney are the accounts with the most money, in their order.
func mostMoney(accounts []api.MissingAccount, most int) []api.MissingAccount {
	if len(accounts) <= most {
		return accounts
	}
	order := make([]int, len(accounts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := accounts[i], accounts[j]
		return b.Inflow.Plus(b.Outflow).Compare(a.Inflow.Plus(a.Outflow))
	})
	slices.Sort(order[:most])
	return convert(order[:most], func(i int) api.MissingAccount { return accounts[i] })
}

func toAPICashflowLine(l report.Line) api.CashflowLine {
	return api.CashflowLine{CategoryPath: l.Category.Path, Net: l.Net(), TransactionCount: l.TransactionCount}
}

func toAPICashflowOthers(o report.Others) api.CashflowOthers {
	return api.CashflowOthers{Branch: o.Branch.Path, CategoryCount: o.Categories, Net: o.Net(),
		TransactionCount: o.TransactionCount}
}

func toAPIPnlLine(l report.Line) api.PnlLine {
	return api.PnlLine{CategoryPath: l.Category.Path, Amount: report.Amount(l.Category, l.Flow),
		TransactionCount: l.TransactionCount}
}

func toAPIPnlOthers(o report.Others) api.PnlOthers {
	return api.PnlOthers{Branch: o.Branch.Path, CategoryCount: o.Categories, Amount: report.Amount(o.Branch, o.Flow),
		TransactionCount: o.TransactionCount}
}
