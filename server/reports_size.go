package server

import (
	"fmt"

	"github.com/google/uuid"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/server/validate"
	"bizfin/store"
)

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
