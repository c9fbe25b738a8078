package server

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/server/validate"
	"bizfin/store"
)

// SearchCounterparties lists one page of the counterparties that match.
func (s *Server) SearchCounterparties(ctx context.Context, r api.SearchCounterpartiesRequestObject) (api.SearchCounterpartiesResponseObject, error) {
	filter := store.CounterpartyFilter{
		Words:        store.SplitWords(value(r.Params.Query)),
		Relationship: string(value(r.Params.Relationship)),
		Type:         string(value(r.Params.Type)),
	}
	if len(filter.Words) > maxWords {
		return nil, unprocessable(queryIssue("query", validate.CodeMaxItems, fmt.Sprintf("must have at most %d different words", maxWords)))
	}
	list, err := principalOf(ctx).organization.SearchCounterparties(ctx, filter, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	counterparties, err := s.withRhythms(ctx, list.Rows)
	if err != nil {
		return nil, err
	}
	return api.SearchCounterparties200JSONResponse{Counterparties: counterparties, NextCursor: optional(list.NextCursor)}, nil
}

// GetCounterparty answers one counterparty with what surrounds it.
func (s *Server) GetCounterparty(ctx context.Context, r api.GetCounterpartyRequestObject) (api.GetCounterpartyResponseObject, error) {
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
	newest, err := organization.SearchTransactions(ctx, store.TransactionFilter{Counterparty: &id, DateField: store.Primary}, store.Page{Limit: recent})
	if err != nil {
		return nil, err
	}
	issues, err := organization.OpenIssues(ctx, store.IssueFilter{ObjectType: string(api.IssueObjectTypeCounterparty), ObjectID: id.String()}, store.Page{Limit: questions})
	if err != nil {
		return nil, err
	}
	described, err := s.withRhythms(ctx, []store.Counterparty{found})
	if err != nil {
		return nil, err
	}
	answer := described[0]
	categories, transactions, open := convert(top, toAPICategoryCount), convert(newest.Rows, toAPITransaction), convert(issues.Rows, toAPIIssue)
	answer.TopCategories, answer.RecentTransactions, answer.OpenIssues = &categories, &transactions, &open
	return api.GetCounterparty200JSONResponse{Counterparty: answer}, nil
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
				c.Stats[i].Recurring = &api.Recurrence{Cadence: api.Cadence(r.Cadence), AverageAmount: r.Average, NextExpectedDate: day(r.Next)}
			}
		}
	}
	return described, nil
}

func toAPICounterparty(c store.Counterparty) api.Counterparty {
	return api.Counterparty{
		Id:           c.ID,
		Name:         c.Name,
		Aliases:      append([]string{}, c.Aliases...),
		Type:         api.CounterpartyType(c.Type),
		Relationship: api.Relationship(c.Relationship),
		Website:      c.Website,
		Confidence:   c.Confidence,
		Stats:        convert(c.Stats, toAPICounterpartyStats),
	}
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
