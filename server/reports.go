package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/server/validate"
	"bizfin/store"
)

// What a report is broken down by unless it is told (contract, Report parameters).
const (
	defaultGrouping    = api.PeriodGroupingMonth
	defaultPeriodLimit = 12
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

// suggestedFor is for how many unknown categories of a request the nearest are looked for: each takes as long as a
// whole small request.
const suggestedFor = 5

// reportParams are the parameters of both reports.
type reportParams struct {
	startDate, endDate string
	dateField          *api.ReportDateField
	grouping           *api.PeriodGrouping
	periodLimit        *int64
	categoryNames      *[]string
	categoryPaths      *[][]string
	detail             *api.Detail
}

// reportQuery is what a report was asked for.
type reportQuery struct {
	startDate, endDate string // as asked for
	span               report.Range
	dateField          api.ReportDateField
	grouping           api.PeriodGrouping
	periodLimit        int64
	periodCount        int
	periods            []report.Period // those broken down
	ontology           *ontology.Ontology
	filters            api.ReportFilters
	chosen             store.ReportFilter // by category and counterparty
	inShort            bool
}

// readReport reads what the schema cannot say.
func readReport(p reportParams) (*reportQuery, []validate.Problem) {
	q := &reportQuery{
		startDate:   p.startDate,
		endDate:     p.endDate,
		span:        report.Range{Start: bound(&p.startDate, false), End: bound(&p.endDate, true)},
		dateField:   api.ReportDateFieldProcessedAt,
		grouping:    defaultGrouping,
		periodLimit: defaultPeriodLimit,
		ontology:    ontology.ScheduleC(),
		filters: api.ReportFilters{CategoryNames: []string{}, CategoryPaths: [][]string{},
			CounterpartyIds: []string{}},
		inShort: inShort(p.detail),
	}
	if p.dateField != nil {
		q.dateField = *p.dateField
	}
	if p.grouping != nil {
		q.grouping = *p.grouping
	}
	if p.periodLimit != nil {
		q.periodLimit = *p.periodLimit
	}
	problems := q.readPeriods()
	if q.inShort && p.grouping == nil && p.periodLimit == nil {
		q.periods = nil
	}
	return q, append(problems, q.readCategories(value(p.categoryNames), value(p.categoryPaths))...)
}

func (q *reportQuery) readPeriods() []validate.Problem {
	if q.span.Start.After(q.span.End) {
		return []validate.Problem{queryProblem("endDate", validate.CodeMinimum, "must not be before startDate")}
	}
	periods, count, err := report.Periods(q.span, report.Grouping(q.grouping), q.periodLimit)
	if err != nil {
		advice := fmt.Sprintf("a periodLimit of at most %d", report.MaxPeriods)
		if fitting, ok := report.Fitting(q.span, q.periodLimit); ok {
			advice = string(fitting)
		}
		return []validate.Problem{queryProblem("periodGrouping", validate.CodeMaximum,
			fmt.Sprintf("must break the range down into at most %d periods, and %s gives more; use %s",
				report.MaxPeriods, q.grouping, advice))}
	}
	q.periodCount, q.periods = count, periods
	return nil
}

// readCategories unites the categories that are named and those that are reached by a path, with all under them.
func (q *reportQuery) readCategories(names []string, paths [][]string) []validate.Problem {
	var problems []validate.Problem
	unknown := func(parameter string, i int, what, asked string, write func(*ontology.Category) string) {
		message := fmt.Sprintf("is not the %s of a category of listCategories", what)
		if len(problems) < suggestedFor {
			message += "; nearest: " + nearest(asked, write)
		} else {
			message += fmt.Sprintf("; the nearest are named for the first %d alone", suggestedFor)
		}
		problems = append(problems, queryProblem(fmt.Sprintf("%s/%d", parameter, i), validate.CodeEnum, message))
	}
	for i, name := range names {
		category, ok := q.ontology.Find(name)
		if !ok {
			unknown("categoryNames", i, "name or path", name, byPath)
			continue
		}
		q.choose(category)
	}
	for i, path := range paths {
		category, ok := q.ontology.ByNames(path)
		if !ok {
			unknown("categoryPaths", i, "path", strings.Join(path, " "), byNames)
			continue
		}
		q.choose(category)
	}
	q.filters.CategoryNames = append(q.filters.CategoryNames, names...)
	q.filters.CategoryPaths = append(q.filters.CategoryPaths, paths...)
	return problems
}

func (q *reportQuery) choose(c *ontology.Category) {
	q.chosen.FilterByCategory = true
	q.chosen.CategoryIDs = append(q.chosen.CategoryIDs, c.Descendants()...)
	q.chosen.Uncategorized = q.chosen.Uncategorized || c.Path == ontology.Uncategorized
}

func (q *reportQuery) readOntology(id, key *string) []validate.Problem {
	var problems []validate.Problem
	if id != nil && *id != q.ontology.ID {
		problems = append(problems, queryProblem("ontologyId", validate.CodeEnum,
			"is not the id of an ontology; there is "+q.ontology.ID))
	}
	if key != nil && *key != q.ontology.Key {
		problems = append(problems, queryProblem("ontologyKey", validate.CodeEnum,
			"is not the key of an ontology; there is "+q.ontology.Key))
	}
	return problems
}

// readCounterparties chooses counterparties; what is no id is one that nothing has.
func (q *reportQuery) readCounterparties(ids []string) {
	q.chosen.FilterByCounterparty = len(ids) > 0
	q.chosen.CounterpartyIDs = knownIDs(ids)
	q.filters.CounterpartyIds = append(q.filters.CounterpartyIds, ids...)
}

// filter is the query in the store's terms. A row without an authorized date counts by its processed date, which makes
// authorized_at the primary date.
func (q *reportQuery) filter() store.ReportFilter {
	f := q.chosen
	f.DateField = store.Processed
	if q.dateField == api.ReportDateFieldAuthorizedAt {
		f.DateField = store.Primary
	}
	f.From, f.To = q.span.Days()
	f.PeriodStarts = convert(q.periods, func(p report.Period) time.Time { return p.Start })
	slices.Sort(f.CategoryIDs)
	f.CategoryIDs = slices.Compact(f.CategoryIDs)
	return f
}
