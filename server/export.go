package server

import (
	"context"
	"fmt"
	"time"

	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
)

// ReportsOfYear are a business's reports of a calendar year by month, as the operations answer them.
func ReportsOfYear(ctx context.Context, o *store.Organization, now time.Time, year int) (cashflow, pnl any, err error) {
	q, problems := readReport(reportParams{startDate: fmt.Sprintf("%04d-01-01", year),
		endDate: fmt.Sprintf("%04d-12-31", year)})
	if len(problems) > 0 {
		return nil, nil, fmt.Errorf("server: the reports of %d: %s", year, problems[0].Message)
	}
	transfers, _ := q.ontology.ByPath(report.Transfer)
	flows, err := o.CashflowSums(ctx, q.filter(), transfers.Descendants(), listedCounterparties)
	if err != nil {
		return nil, nil, err
	}
	profit, err := o.PnlSums(ctx, q.filter())
	if err != nil {
		return nil, nil, err
	}
	return q.cashflow(now, flows), q.pnl(now, profit), nil
}

// CategoryPaths are the paths of all categories by their ids.
func CategoryPaths() map[int32]string {
	paths := map[int32]string{}
	var add func(list []*ontology.Category)
	add = func(list []*ontology.Category) {
		for _, c := range list {
			paths[int32(c.ID)] = c.Path
			add(c.Children)
		}
	}
	add(ontology.ScheduleC().Roots)
	return paths
}
