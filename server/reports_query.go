package server

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

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

// suggestedFor is for how many unknown categories of a request the nearest are looked for: each takes as long as a
// whole small request.
const suggestedFor = 5

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

// maxCells is how many sums of a period a report may have: with the series, of each category and of each counterparty.
const maxCells = 50_000

// tooManyCells refuses a report that breaks so many categories and counterparties down into too many periods.
func (q *reportQuery) tooManyCells(rows int) []validate.Problem {
	rows++ // the series
	if rows*len(q.periods) <= maxCells {
		return nil
	}
	advice := fmt.Sprintf("a periodLimit of at most %d", maxCells/rows)
	coarse := []api.PeriodGrouping{api.PeriodGroupingWeek, api.PeriodGroupingMonth, api.PeriodGroupingQuarter}
	for _, coarser := range coarse {
		periods, count, err := report.Periods(q.span, report.Grouping(coarser), q.periodLimit)
		if err == nil && count < q.periodCount && rows*len(periods) <= maxCells {
			advice = fmt.Sprintf("%s, or %s", coarser, advice)
			break
		}
	}
	return []validate.Problem{queryProblem("periodGrouping", validate.CodeMaximum, fmt.Sprintf(
		"must give at most %d sums, and %d periods of %d categories and counterparties are more; use %s",
		maxCells, len(q.periods), rows, advice))}
}

// categoriesOf counts the categories with rows and those above them.
func (q *reportQuery) categoriesOf(sums []store.CategorySum) int {
	seen := map[*ontology.Category]bool{}
	for _, sum := range sums {
		if sum.CategoryID == nil {
			seen[nil] = true // uncategorized
			continue
		}
		for c := categoryOf(*sum.CategoryID); c != nil && !seen[c]; c = c.Parent {
			seen[c] = true
		}
	}
	return len(seen)
}

func counterpartiesOf(sums []store.CounterpartySum) int {
	seen := map[uuid.UUID]bool{}
	for _, sum := range sums {
		seen[value(sum.CounterpartyID)] = true
	}
	return len(seen)
}
