package server

import (
	"context"
	"slices"
	"time"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
)

// listedCounterparties is how many counterparties a cash flow names; the rest is one row.
const listedCounterparties = 50

// GetCashflowReport answers what came in and went out by period, category and counterparty.
func (s *Server) GetCashflowReport(ctx context.Context,
	r api.GetCashflowReportRequestObject) (api.GetCashflowReportResponseObject, error) {
	p := r.Params
	q, problems := readReport(reportParams{p.StartDate, p.EndDate, p.DateField, p.PeriodGrouping, p.PeriodLimit,
		p.CategoryNames, p.CategoryPaths, p.Detail})
	problems = append(problems, q.readOntology(p.OntologyId, p.OntologyKey)...)
	if len(problems) > 0 {
		return nil, unprocessable(problems...)
	}
	q.readCounterparties(value(p.CounterpartyIds))
	transfers, _ := q.ontology.ByPath(report.Transfer)
	now, listed := s.Now(), listedCounterparties
	if q.inShort {
		listed = shortCounterparties
	}
	sums, err := principalOf(ctx).organization.CashflowSums(ctx, q.filter(), transfers.Descendants(), listed)
	if err != nil {
		return nil, err
	}
	if problems := q.tooManyCells(q.categoriesOf(sums.Categories) +
		counterpartiesOf(sums.Counterparties)); len(problems) > 0 {
		return nil, unprocessable(problems...)
	}
	return api.GetCashflowReport200JSONResponse(q.cashflow(now, sums)), nil
}

// GetPnlReport answers a profit and loss on Schedule C.
func (s *Server) GetPnlReport(ctx context.Context,
	r api.GetPnlReportRequestObject) (api.GetPnlReportResponseObject, error) {
	p := r.Params
	q, problems := readReport(reportParams{p.StartDate, p.EndDate, p.DateField, p.PeriodGrouping, p.PeriodLimit,
		p.CategoryNames, p.CategoryPaths, p.Detail})
	if len(problems) > 0 {
		return nil, unprocessable(problems...)
	}
	now := s.Now()
	sums, err := principalOf(ctx).organization.PnlSums(ctx, q.filter())
	if err != nil {
		return nil, err
	}
	if problems := q.tooManyCells(q.categoriesOf(sums.Categories)); len(problems) > 0 {
		return nil, unprocessable(problems...)
	}
	answer := q.pnl(now, sums)
	if sums.FiledAnswers {
		err = q.readAdjustments(ctx, &answer)
	}
	return api.GetPnlReport200JSONResponse(answer), err
}

func (q *reportQuery) cashflow(now time.Time, sums store.CashflowSums) api.CashflowReport {
	books := q.books(sums.ReportSums)
	flows := books.Rows(report.Without(report.Transfer), store.AgainOnce)
	transfers := books.Total(report.Within(report.Transfer), store.AgainTransfer)
	answer := api.CashflowReport{
		Basis:          q.basis(now, books, q.standingOf(books, sums.ReportSums), sums.ReportSums),
		Totals:         toAPICashFlow(flows.Total),
		Periods:        convert(q.periods, toAPIPeriod),
		Series:         convert(flows.ByPeriod, toAPICashFlow),
		Categories:     convert(books.Tree(roots(q.ontology, report.Without(report.Transfer))), toAPICashflowCategory),
		Counterparties: q.counterparties(sums, flows),
		InternalTransfers: api.InternalTransfers{
			TransactionCount: transfers.TransactionCount,
			Inflow:           transfers.Inflow,
			Outflow:          transfers.Outflow,
			Net:              transfers.Net(),
			Unmatched:        toAPIFlowCount(report.Flow(sums.Unmatched)),
		},
	}
	if q.inShort {
		return q.fitCashflow(answer, books, sums.ReportSums)
	}
	return answer
}

func (q *reportQuery) pnl(now time.Time, sums store.ReportSums) api.PnlReport {
	books := q.books(sums)
	total, byPeriod := books.Profit()
	open, held := q.standingOf(books, sums), q.ifSuggestionsHold(total, sums)
	answer := api.PnlReport{
		Basis:             q.basis(now, books, open, sums),
		Totals:            toAPIPnlTotals(total),
		Margins:           toAPIMargins(total.Margins()),
		IfSuggestionsHold: held,
		Range:             q.profitRange(open, total.NetProfit(), held.Totals.NetProfit, books, sums),
		Periods:           convert(q.periods, toAPIPeriod),
		Series:            convert(byPeriod, toAPIPnlTotals),
		Categories:        convert(books.Tree(roots(q.ontology, report.OnForm)), toAPIPnlCategory),
		ScheduleC:         convert(books.ScheduleC(), toAPIScheduleCLine),
		NotOnForm:         convert(books.Tree(roots(q.ontology, report.NotOnForm)), toAPINotOnForm),
		Adjustments:       []api.Adjustment{},
	}
	if q.inShort {
		return q.fitPnl(answer, books, sums)
	}
	return answer
}

// mostAdjustments are the most filed rows of a report that an answer says something else of.
const mostAdjustments = 100

func (q *reportQuery) readAdjustments(ctx context.Context, answer *api.PnlReport) error {
	f := q.filter()
	list, total, err := principalOf(ctx).organization.Adjustments(ctx, f.DateField, f.From, f.To, mostAdjustments)
	if q.inShort {
		list = nil
	}
	answer.Adjustments, answer.AdjustmentCount = convert(list, toAPIAdjustment), total
	return err
}

func (q *reportQuery) basis(now time.Time, books *report.Books, open standing, sums store.ReportSums) api.ReportBasis {
	missing := missingAccounts(sums)
	return api.ReportBasis{
		Complete:        q.complete(open, books.Earned().GrossReceipts, sums),
		OpenQuestions:   open.questions[:min(len(open.questions), mostOpenQuestions)],
		MissingAccounts: missing,
		StartDate:       q.startDate,
		EndDate:         q.endDate,
		DateField:       q.dateField,
		PeriodGrouping:  q.grouping,
		PeriodLimit:     q.periodLimit,
		PeriodCount:     int64(q.periodCount),
		Truncated:       int64(q.periodCount) > q.periodLimit,
		Currency:        "USD",
		OtherCurrencies: convert(mostRows(sums.Others, mostCurrencies), toAPICurrencyFlow),

		OtherCurrencyCount:  int64(len(sums.Others)),
		MissingAccountCount: len(missing),
		Timezone:            "UTC",
		Method:              "cash",
		Ontology:            toAPIOntology(q.ontology),
		OutsideFilter:       q.outsideFilter(sums),

		DataThrough: optionalDay(sums.Reach.Through),
		Sources: convert(sums.Reach.Sources, func(r store.SourceReach) api.ReportSource {
			return toAPIReportSource(now, r)
		}),
		Filters: q.filters,
		TransactionCount: books.Total(report.All, store.AgainOnce, store.AgainTransfer,
			store.AgainBoth).TransactionCount,
		PendingExcluded: api.PendingExcluded{TransactionCount: sums.Pending.TransactionCount,
			Inflow: sums.Pending.Inflow, Outflow: sums.Pending.Outflow,
			OtherCurrencies: convert(mostRows(sums.PendingOthers, mostCurrencies), toAPICurrencyFlow)},
		Uncategorized: api.UncategorizedFlow{
			TransactionCount: open.uncategorized.TransactionCount,
			Inflow:           open.uncategorized.Inflow,
			Outflow:          open.uncategorized.Outflow,
			Suggested:        toAPIFlowCount(open.suggested),
		},
		Processing:  api.ReportProcessing{Queued: sums.Queued, Limited: sums.Limited},
		OpenIssues:  min(sums.OpenIssues, store.MostOpen),
		GeneratedAt: now.UTC(),
	}
}

// outsideFilter is what a filter by category hides.
func (q *reportQuery) outsideFilter(sums store.ReportSums) *api.OutsideFilter {
	if !q.chosen.HidesUncategorized() {
		return nil
	}
	var within report.Flow
	for _, sum := range sums.OutsideSuggested {
		unknown := categoryOf(sum.CategoryID).Is(report.Uncategorized)
		if !unknown && slices.Contains(q.chosen.CategoryIDs, sum.CategoryID) {
			within = within.Plus(report.Flow(sum.FlowSum))
		}
	}
	return &api.OutsideFilter{TransactionCount: sums.Outside.TransactionCount, Inflow: sums.Outside.Inflow,
		Outflow: sums.Outside.Outflow, SuggestedWithin: toAPIFlowCount(within)}
}

// staleAfter is without news from a source that is connected: a partner who uploads does so every day or two.
const staleAfter = 7 * 24 * time.Hour

func toAPIReportSource(now time.Time, s store.SourceReach) api.ReportSource {
	stale := s.LastUploadAt == nil || now.Sub(*s.LastUploadAt) > staleAfter
	return api.ReportSource{Id: s.ID, Kind: api.SourceKind(s.Kind), State: api.SourceState(s.State),
		LastUploadAt: utc(s.LastUploadAt), Stale: stale}
}

// books books the sums of the report's rows; those without a category go to the root uncategorized.
func (q *reportQuery) books(all store.ReportSums) *report.Books {
	books := report.NewBooks(len(q.periods))
	uncategorized, _ := q.ontology.ByPath(ontology.Uncategorized)
	for _, sum := range all.Categories {
		category := uncategorized
		if sum.CategoryID != nil {
			category = categoryOf(*sum.CategoryID)
		}
		books.Add(category, sum.Period, report.Flow(sum.FlowSum))
	}
	for _, again := range all.Again {
		books.Again(again.Of, again.Period, again.Count)
	}
	return books
}

// Names of the rows of a cash flow that are no counterparty.
const (
	nameOfNone   = "No counterparty"
	nameOfOthers = "All other counterparties"
)

// counterparties gathers the sums of each listed counterparty and adds the row of all others.
func (q *reportQuery) counterparties(sums store.CashflowSums, all report.Sums) []api.CashflowCounterparty {
	var listed []report.Sums
	answer := []api.CashflowCounterparty{}
	for i, sum := range sums.Counterparties {
		if i == 0 || value(sum.CounterpartyID) != value(sums.Counterparties[i-1].CounterpartyID) {
			listed = append(listed, report.NewSums(len(q.periods)))
			answer = append(answer, api.CashflowCounterparty{Id: sum.CounterpartyID, Name: nameOfNone})
			if sum.CounterpartyID != nil {
				answer[len(answer)-1].Name = value(sum.Name)
			}
		}
		listed[len(listed)-1].Add(sum.Period, report.Flow(sum.FlowSum))
	}
	attributions, others := report.Attribute(listed, all, sums.Sizes)
	if others != nil {
		attributions = append(attributions, *others)
		answer = append(answer, api.CashflowCounterparty{Name: nameOfOthers, Other: true})
	}
	for i, a := range attributions {
		c := &answer[i]
		c.TransactionCount, c.Inflow, c.Outflow, c.Net = a.Total.TransactionCount, a.Total.Inflow,
			a.Total.Outflow, a.Total.Net()
		c.Share = a.Share
		c.ByPeriod = convert(a.ByPeriod, toAPICashFlow)
	}
	return answer
}

// roots are the branches of the ontology that are included.
func roots(o *ontology.Ontology, included func(*ontology.Category) bool) []*ontology.Category {
	var list []*ontology.Category
	for _, root := range o.Roots {
		if included(root) {
			list = append(list, root)
		}
	}
	return list
}
