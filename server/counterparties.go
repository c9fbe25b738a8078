package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// SearchCounterparties lists one page of the counterparties that match.
func (s *Server) SearchCounterparties(ctx context.Context,
	r api.SearchCounterpartiesRequestObject) (api.SearchCounterpartiesResponseObject, error) {
	words, issues := searchWords(value(r.Params.Query))
	if len(issues) > 0 {
		return nil, unprocessable(issues...)
	}
	filter := store.CounterpartyFilter{
		Words:        words,
		Relationship: string(value(r.Params.Relationship)),
		Type:         string(value(r.Params.Type)),
	}
	list, err := principalOf(ctx).organization.SearchCounterparties(ctx, filter, pageOf(r.Params.Limit,
		r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	counterparties, err := s.withRhythms(ctx, list.Rows)
	if err != nil {
		return nil, err
	}
	answer := api.SearchCounterparties200JSONResponse{Counterparties: counterparties,
		NextCursor: optional(list.NextCursor)}
	if inShort(r.Params.Detail) {
		answer.Summary = &api.CounterpartySummary{Omitted: []string{"counterparties"},
			Rows: convert(counterparties, toAPICounterpartyRow)}
		answer.Counterparties = []api.Counterparty{}
	}
	return answer, nil
}

// GetCounterparty answers one counterparty with what surrounds it.
func (s *Server) GetCounterparty(ctx context.Context,
	r api.GetCounterpartyRequestObject) (api.GetCounterpartyResponseObject, error) {
	const recent, questions = 10, 50
	id, err := parseID(r.CounterpartyId)
	if err != nil {
		return nil, err
	}
	organization := principalOf(ctx).organization
	found, err := organization.Counterparty(ctx, id)
	if err != nil {
		return nil, err
	}
	top, err := organization.TopCategories(ctx, id)
	if err != nil {
		return nil, err
	}
	newest, err := organization.SearchTransactions(ctx, store.TransactionFilter{Counterparty: &id,
		DateField: store.Primary}, store.Page{Limit: recent})
	if err != nil {
		return nil, err
	}
	issues, err := organization.Issues(ctx,
		store.IssueFilter{ObjectType: string(api.IssueObjectTypeCounterparty), ObjectID: id.String()},
		store.Page{Limit: questions})
	if err != nil {
		return nil, err
	}
	described, err := s.withRhythms(ctx, []store.Counterparty{found})
	if err != nil {
		return nil, err
	}
	answer := described[0]
	categories, transactions, questioned := convert(top, toAPICategoryCount), convert(newest.Rows,
		toAPITransaction), convert(issues.Rows, toAPIIssue)
	answer.TopCategories, answer.RecentTransactions = &categories, &transactions
	answer.OpenIssues, answer.OpenIssueCount = &questioned, &issues.Total
	hooks, err := hooksOf(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	answer.Hooks = &hooks
	return api.GetCounterparty200JSONResponse{Counterparty: answer}, nil
}

// hooksOf are the standing hooks of a counterparty with what was answered to them.
func hooksOf(ctx context.Context, organization *store.Organization, id uuid.UUID) ([]api.CounterpartyHook, error) {
	var hooks []api.CounterpartyHook
	for _, incoming := range []bool{true, false} {
		hook, direction := store.Hook{Counterparty: id, Incoming: incoming}, api.CounterpartyHookDirectionOut
		if incoming {
			direction = api.CounterpartyHookDirectionIn
		}
		given, err := organization.AnswersOfCounterparty(ctx, id, incoming)
		if err != nil {
			return nil, err
		}
		hooks = append(hooks, api.CounterpartyHook{HookId: hook.String(), Direction: direction,
			Answers: convert(given, toAPIGivenAnswer)})
	}
	return hooks, nil
}

// withRhythms describes counterparties with what recurs in their statistics.
func (s *Server) withRhythms(ctx context.Context, list []store.Counterparty) ([]api.Counterparty, error) {
	ids := make([]uuid.UUID, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	rhythms, err := principalOf(ctx).organization.Rhythms(ctx, s.Now(), ids)
	if err != nil {
		return nil, err
	}
	described := convert(list, toAPICounterparty)
	for _, c := range described {
		for i := range c.Stats {
			if r, ok := rhythms[c.Id][c.Stats[i].Currency]; ok {
				c.Stats[i].Recurring = &api.Recurrence{Cadence: api.Cadence(r.Cadence), AverageAmount: r.Average,
					NextExpectedDate: day(r.Next)}
			}
		}
	}
	return described, nil
}

// What is shown of a counterparty; how much there is stands beside it.
const (
	shownAliases    = 50
	shownCurrencies = 20
)

func toAPICounterparty(c store.Counterparty) api.Counterparty {
	return api.Counterparty{
		Id:            c.ID,
		Name:          c.Name,
		Aliases:       append([]string{}, c.Aliases[:min(len(c.Aliases), shownAliases)]...),
		AliasCount:    len(c.Aliases),
		Type:          api.CounterpartyType(c.Type),
		Relationship:  api.Relationship(c.Relationship),
		Website:       c.Website,
		Confidence:    c.Confidence,
		Stats:         convert(mostUsed(c.Stats), toAPICounterpartyStats),
		CurrencyCount: len(c.Stats),
	}
}

// mostUsed are the currencies that are shown, by their code as all are.
func mostUsed(all []store.CounterpartyStats) []store.CounterpartyStats {
	if len(all) <= shownCurrencies {
		return all
	}
	byCode := func(a, b store.CounterpartyStats) int { return strings.Compare(a.Currency, b.Currency) }
	shown := slices.Clone(all)
	slices.SortFunc(shown, func(a, b store.CounterpartyStats) int {
		return cmp.Or(cmp.Compare(b.TransactionCount, a.TransactionCount), byCode(a, b))
	})
	shown = shown[:shownCurrencies]
	slices.SortFunc(shown, byCode)
	return shown
}

func toAPICounterpartyStats(s store.CounterpartyStats) api.CounterpartyStats {
	net := s.Inflow.Minus(s.Outflow)
	return api.CounterpartyStats{
		Currency:         s.Currency,
		TransactionCount: s.TransactionCount,
		Inflow:           s.Inflow,
		Outflow:          s.Outflow,
		Net:              net,
		AverageAmount:    net.DividedBy(s.TransactionCount),
		FirstDate:        day(s.FirstDate),
		LastDate:         day(s.LastDate),
	}
}

func toAPICategoryCount(c store.CategoryCount) api.CategoryCount {
	if c.CategoryID == nil {
		root, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
		return api.CategoryCount{CategoryPath: root.Path, Name: root.Name, TransactionCount: c.TransactionCount}
	}
	category := categoryOf(*c.CategoryID)
	return api.CategoryCount{CategoryPath: category.Path, Name: category.Name, TransactionCount: c.TransactionCount}
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
