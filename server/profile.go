package server

import (
	"context"
	"errors"

	"bizfin/gen/api"
	"bizfin/store"
)

// GetProfile answers who is calling, the business and how much data there is.
func (s *Server) GetProfile(ctx context.Context, _ api.GetProfileRequestObject) (api.GetProfileResponseObject, error) {
	caller := principalOf(ctx)
	details, err := caller.organization.Details(ctx)
	if err != nil {
		return nil, err
	}
	coverage, err := caller.organization.Coverage(ctx, s.Now())
	if err != nil {
		return nil, err
	}
	reachable, count, err := s.reachable(ctx, caller, details)
	if err != nil {
		return nil, err
	}
	return api.GetProfile200JSONResponse{
		User: api.ProfileUser{Id: caller.ID, Email: caller.Email, Name: caller.Name,
			Role: api.Role(caller.Role)},
		Organization: api.ProfileOrganization{Id: caller.organization.ID, Name: details.Name,
			Tier: (*api.Tier)(details.Tier), BusinessId: details.BusinessID},
		Organizations:     convert(reachable, toAPIReachable),
		OrganizationCount: count,
		Coverage:          toAPICoverage(coverage),
		Processing: api.ProcessingUsage{
			Tier:          (*api.Tier)(details.Tier),
			MonthlyLimit:  s.monthlyLimit(details.Tier),
			UsedThisMonth: coverage.UsedThisMonth,
			Pending:       coverage.PendingWork,
		},
	}, nil
}

// mostReachable are the most organizations of a profile.
const mostReachable = 1000

// reachable lists what an OAuth token reaches, and counts it; a partner token reaches the business it signed.
func (s *Server) reachable(ctx context.Context, caller principal,
	details store.OrganizationDetails) (list []store.Reachable, count int64, err error) {
	if caller.credential.oauth != nil {
		return s.reachableBy(ctx, *caller.credential.oauth, mostReachable)
	}
	return []store.Reachable{{ID: caller.organization.ID, Name: details.Name, Role: caller.Role}}, 1, nil
}

// monthlyLimit is how many new transactions a tier categorizes a month; nil is without limit.
func (s *Server) monthlyLimit(tier *string) *int64 {
	if value(tier) == string(api.TierPaid) {
		return nil
	}
	limit := s.FreeMonthly
	return &limit
}

func toAPIReachable(r store.Reachable) api.ReachableOrganization {
	return api.ReachableOrganization{Id: r.ID, Name: r.Name, Role: api.Role(r.Role)}
}

func toAPICoverage(c store.Coverage) api.Coverage {
	return api.Coverage{
		Accounts: api.AccountCounts{Total: c.Accounts, Active: c.ActiveAccounts},
		Transactions: api.TransactionCounts{
			Total:          c.Transactions,
			Pending:        c.TransactionCoverage.Pending,
			Categorized:    c.Categorized,
			Uncategorized:  c.Transactions - c.Categorized,
			NeedsAttention: c.NeedsAttention,
			Limited:        c.Limited,
			Queued:         c.Queued,
		},
		FirstTransactionDate: optionalDay(c.FirstDate),
		LastTransactionDate:  optionalDay(c.LastDate),
		LastUploadAt:         utc(c.LastUploadAt),
		Counterparties:       c.Counterparties,
		OutstandingIssues:    min(c.OpenIssues, store.MostOpen),
		Sources: convert(c.Sources, func(s store.SourceCoverage) api.SourceCoverage {
			return api.SourceCoverage{Id: s.ID, Kind: api.SourceKind(s.Kind), State: api.SourceState(s.State),
				Accounts: s.Accounts, LastUploadAt: utc(s.LastUploadAt)}
		}),
	}
}

// GetBillingStatus answers the caller's own subscription.
func (s *Server) GetBillingStatus(ctx context.Context,
	_ api.GetBillingStatusRequestObject) (api.GetBillingStatusResponseObject, error) {
	found, err := s.Store.Subscription(ctx, principalOf(ctx).ID)
	if errors.Is(err, store.ErrNotFound) {
		none := api.Subscription{Status: api.SubscriptionStatusNone}
		return api.GetBillingStatus200JSONResponse{Subscription: none}, nil
	}
	if err != nil {
		return nil, err
	}
	return api.GetBillingStatus200JSONResponse{Subscription: api.Subscription{
		Status:            api.SubscriptionStatus(found.Status),
		Plan:              found.Plan,
		Interval:          found.Interval,
		CurrentPeriodEnd:  utc(found.CurrentPeriodEnd),
		CancelAtPeriodEnd: found.CancelAtPeriodEnd,
		Provider:          &found.Provider,
		SyncedAt:          utc(&found.SyncedAt),
	}}, nil
}
