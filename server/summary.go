package server

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"bizfin/gen/api"
	"bizfin/internal/report"
	"bizfin/store"
)

// inShort is whether an answer was asked for in summary.
func inShort(detail *api.Detail) bool { return detail != nil && *detail == api.DetailSummary }

// How many characters a row of a summary has at most, and a name in it.
const (
	rowSize  = 250
	nameSize = 40
)

// cutMark ends a text that was cut.
const cutMark = "…"

// shortened is a text in at most so many characters of JSON. Nothing is cut unsaid.
func shortened(text string, most int) string {
	if jsonSize(text) <= most {
		return text
	}
	kept, size := 0, utf8.RuneCountInString(cutMark)
	for i, r := range text {
		size += jsonSize(string(r))
		if size > most {
			break
		}
		kept = i + utf8.RuneLen(r)
	}
	return text[:kept] + cutMark
}

// jsonSize is how many characters a value has in an answer, a text without its quotes.
func jsonSize(value any) int {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // of what is answered anyway
	}
	if _, isText := value.(string); isText {
		return utf8.RuneCount(raw) - len(`""`)
	}
	return utf8.RuneCount(raw)
}

// toAPITransactionSummary is a page of rows in short; by is the date that they are listed by.
func toAPITransactionSummary(page store.TransactionPage, by store.DateField) *api.TransactionSummary {
	const mostSums = 10
	summary := &api.TransactionSummary{
		Omitted: []string{"transactions"},
		Rows: convert(page.Rows, func(t store.Transaction) api.TransactionRow {
			return toAPITransactionRow(t, by)
		}),
	}
	if page.Sums != nil {
		sums := convert(page.Sums[:min(len(page.Sums), mostSums)], toAPITransactionSum)
		count := len(page.Sums)
		summary.Sums, summary.CurrencyCount = &sums, &count
	}
	return summary
}

func toAPITransactionSum(s store.CurrencySum) api.TransactionSum {
	return api.TransactionSum{Currency: s.Currency, TransactionCount: s.TransactionCount, Inflow: s.Inflow,
		Outflow: s.Outflow, Net: s.Inflow.Minus(s.Outflow)}
}

// toAPITransactionRow is a row in short. The texts share what its other members leave of its size.
func toAPITransactionRow(t store.Transaction, by store.DateField) api.TransactionRow {
	row := api.TransactionRow{
		Id: t.ID, Date: day(t.PrimaryDate), Amount: t.Amount, Currency: t.Currency,
		Pending: optional(t.Pending), NeedsAttention: optional(t.NeedsAttention), PartCount: optional(len(t.Parts)),
	}
	if by == store.Processed {
		row.Date = day(t.ProcessedDate)
	}
	if category := toAPITransactionCategory(t); category != nil {
		row.CategoryPath = &category.CategoryPath
	}
	if suggestion := toAPISuggestion(t); suggestion != nil {
		row.SuggestedPath = &suggestion.CategoryPath
	}
	name := t.CounterpartyName
	if name == nil {
		name = t.Merchant
	}
	if name != nil {
		row.Counterparty = new(string)
		*row.Counterparty = shortened(*name, min(nameSize, (rowSize-jsonSize(row))/2))
	}
	row.Description = shortened(t.Description, rowSize-jsonSize(row))
	return row
}

func toAPICounterpartyRow(c api.Counterparty) api.CounterpartyRow {
	row := api.CounterpartyRow{Id: c.Id, Name: shortened(c.Name, nameSize), Relationship: c.Relationship}
	if len(c.Stats) == 0 {
		return row
	}
	s := slices.MaxFunc(c.Stats, func(a, b api.CounterpartyStats) int {
		return int(a.TransactionCount - b.TransactionCount)
	})
	row.Currency, row.TransactionCount, row.LastDate = &s.Currency, s.TransactionCount, &s.LastDate
	row.Inflow, row.Outflow, row.OtherCurrencyCount = &s.Inflow, &s.Outflow, optional(c.CurrencyCount-1)
	if s.Recurring != nil {
		row.Cadence = &s.Recurring.Cadence
	}
	return row
}

func toAPIQuestionRow(i store.Issue) api.QuestionRow {
	row := api.QuestionRow{
		Id: i.ID.String(), Question: i.Question, Amount: i.ImpactAmount, Currency: i.ImpactCurrency,
		TransactionCount: i.TransactionCount, Options: []string{}, FollowUp: optional(i.FollowUp != nil),
	}
	for _, o := range i.Options {
		row.Options = append(row.Options, o.Value)
	}
	return row
}

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
