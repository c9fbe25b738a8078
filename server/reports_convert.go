package server

import (
	"cmp"
	"slices"
	"time"

	"bizfin/gen/api"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
)

// Names of the rows of a cash flow that are no counterparty.
const (
	nameOfNone   = "No counterparty"
	nameOfOthers = "All other counterparties"
)

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
	open := q.standingOf(books, sums)
	answer := api.PnlReport{
		Basis:             q.basis(now, books, open, sums),
		Totals:            toAPIPnlTotals(total),
		Margins:           toAPIMargins(total.Margins()),
		IfSuggestionsHold: q.ifSuggestionsHold(total, sums),
		Range:             q.profitRange(open, total.NetProfit(), books),
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

func toAPIAdjustment(a store.Adjustment) api.Adjustment {
	path := func(category *int) *string {
		if category == nil {
			return nil
		}
		return &categoryOf(*category).Path
	}
	return api.Adjustment{
		TransactionId: a.TransactionID,
		PrimaryDate:   day(a.PrimaryDate),
		Amount:        a.Amount,
		Currency:      a.Currency,
		Filed:         path(a.Filed),
		FiledParts:    convert(a.FiledParts, toAPISplitPart),
		NowBelieved:   path(a.Believed),

		NowBelievedParts: convert(a.BelievedParts, toAPISplitPart),
		NetProfitEffect:  a.NetProfitEffect,
		Answer:           a.Answer,
		AnsweredAt:       a.AnsweredAt.UTC(),
	}
}

func toAPISplitPart(p store.Part) api.SplitPart {
	category := categoryOf(p.CategoryID)
	return api.SplitPart{CategoryPath: category.Path, Name: category.Name, Amount: p.Amount}
}

// mostCurrencies are the most other currencies of a report.
const mostCurrencies = 50

// mostRows are those with the most rows, by currency.
func mostRows(sums []store.CurrencySum, shown int) []store.CurrencySum {
	if len(sums) <= shown {
		return sums
	}
	most := slices.Clone(sums)
	slices.SortStableFunc(most, func(a, b store.CurrencySum) int {
		return cmp.Compare(b.TransactionCount, a.TransactionCount)
	})
	most = most[:shown]
	slices.SortFunc(most, func(a, b store.CurrencySum) int { return cmp.Compare(a.Currency, b.Currency) })
	return most
}

// staleAfter is without news from a source that is connected: a partner who uploads does so every day or two.
const staleAfter = 7 * 24 * time.Hour

func toAPIReportSource(now time.Time, s store.SourceReach) api.ReportSource {
	stale := s.LastUploadAt == nil || now.Sub(*s.LastUploadAt) > staleAfter
	return api.ReportSource{Id: s.ID, Kind: api.SourceKind(s.Kind), State: api.SourceState(s.State),
		LastUploadAt: utc(s.LastUploadAt), Stale: stale}
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

func toAPIPeriod(p report.Period) api.ReportPeriod {
	return api.ReportPeriod{Key: p.Key, StartDate: day(p.Start), EndDate: day(p.End), Partial: p.Partial}
}

func toAPICashFlow(f report.Flow) api.CashFlow {
	return api.CashFlow{TransactionCount: f.TransactionCount, Inflow: f.Inflow, Outflow: f.Outflow, Net: f.Net()}
}

func toAPIFlowCount(f report.Flow) api.FlowCount {
	return api.FlowCount{TransactionCount: f.TransactionCount, Inflow: f.Inflow, Outflow: f.Outflow}
}

func toAPICurrencyFlow(s store.CurrencySum) api.CurrencyFlow {
	return api.CurrencyFlow{Currency: s.Currency, TransactionCount: s.TransactionCount, Inflow: s.Inflow,
		Outflow: s.Outflow}
}

func toAPICashflowCategory(n report.Node) api.CashflowCategory {
	return api.CashflowCategory{
		CategoryPath:     n.Category.Path,
		Name:             n.Category.Name,
		Kind:             n.Category.Root().Path,
		Inflow:           n.Total.Inflow,
		Outflow:          n.Total.Outflow,
		Net:              n.Total.Net(),
		TransactionCount: n.Total.TransactionCount,
		ByPeriod:         convert(n.ByPeriod, toAPICashFlow),
		Children:         convert(n.Children, toAPICashflowCategory),
	}
}

func toAPIPnlTotals(p report.Profit) api.PnlTotals {
	return api.PnlTotals{
		GrossReceipts:     p.GrossReceipts,
		Returns:           p.Returns,
		NetReceipts:       p.NetReceipts(),
		CostOfGoodsSold:   p.CostOfGoodsSold,
		GrossProfit:       p.GrossProfit(),
		OtherIncome:       p.OtherIncome,
		GrossIncome:       p.GrossIncome(),
		OperatingExpenses: p.OperatingExpenses,
		NetProfit:         p.NetProfit(),
	}
}

func toAPIPnlCategory(n report.Node) api.PnlCategory {
	return api.PnlCategory{
		CategoryPath:     n.Category.Path,
		Name:             n.Category.Name,
		Kind:             n.Category.Root().Path,
		ScheduleCLine:    optional(n.Category.ScheduleCLine),
		Amount:           report.Amount(n.Category, n.Total),
		TransactionCount: n.Total.TransactionCount,
		ByPeriod:         convert(n.ByPeriod, func(f report.Flow) money.Total { return report.Amount(n.Category, f) }),
		Children:         convert(n.Children, toAPIPnlCategory),
	}
}

func toAPIScheduleCLine(l report.LineAmount) api.ScheduleCLine {
	return api.ScheduleCLine{Line: l.Number, Label: l.Label, Amount: l.Amount, DeductibleAmount: l.Deductible}
}

func toAPINotOnForm(n report.Node) api.NotOnForm {
	return api.NotOnForm{
		CategoryPath:     n.Category.Path,
		Name:             n.Category.Name,
		TransactionCount: n.Total.TransactionCount,
		Inflow:           n.Total.Inflow,
		Outflow:          n.Total.Outflow,
		Net:              n.Total.Net(),
	}
}
