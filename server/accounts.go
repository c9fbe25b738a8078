package server

import (
	"context"
	"time"

	"bizfin/gen/api"
	"bizfin/store"
)

// defaultAccounts is how many accounts a page has unless it is told.
const defaultAccounts = 1000

// ListAccounts lists one page of the accounts of the business.
func (s *Server) ListAccounts(ctx context.Context,
	r api.ListAccountsRequestObject) (api.ListAccountsResponseObject, error) {
	page := pageOf(r.Params.Limit, r.Params.Cursor)
	if r.Params.Limit == nil {
		page.Limit = defaultAccounts
	}
	list, err := principalOf(ctx).organization.Accounts(ctx, value(r.Params.IncludeInactive), page)
	if err != nil {
		return nil, err
	}
	return api.ListAccounts200JSONResponse{Accounts: convert(list.Rows, toAPIAccount),
		NextCursor: optional(list.NextCursor)}, nil
}

// UploadAccounts creates or updates accounts, all or none.
func (s *Server) UploadAccounts(ctx context.Context,
	r api.UploadAccountsRequestObject) (api.UploadAccountsResponseObject, error) {
	records, err := principalOf(ctx).organization.UploadAccounts(ctx, s.Now(), r.Body.SourceId,
		convert(r.Body.Accounts, fromAPIAccount))
	if err != nil {
		return nil, err
	}
	s.metrics.received(kindAccounts, len(records))
	return api.UploadAccounts200JSONResponse{Accounts: convert(records, toAPIRecord)}, nil
}

// DeleteAccount disconnects an account.
func (s *Server) DeleteAccount(ctx context.Context,
	r api.DeleteAccountRequestObject) (api.DeleteAccountResponseObject, error) {
	if err := principalOf(ctx).organization.DeleteAccount(ctx, s.Now(), r.AccountId); err != nil {
		return nil, err
	}
	return api.DeleteAccount200JSONResponse{AccountId: r.AccountId, Deleted: true}, nil
}

func fromAPIAccount(a api.UploadedAccount) store.AccountUpload {
	return store.AccountUpload{
		ExternalID: a.ExternalId, Name: a.Name, Type: string(a.Type), Currency: a.Currency, Balance: a.CurrentBalance,
	}
}

func toAPIRecord(r store.UploadedRecord) api.UploadedRecord {
	return api.UploadedRecord{Id: r.ID, ExternalId: r.ExternalID}
}

func toAPIAccount(a store.Account) api.Account {
	return api.Account{
		Id:             a.ID,
		ExternalId:     a.ExternalID,
		SourceId:       a.SourceID,
		SourceKind:     api.SourceKind(a.SourceKind),
		Name:           a.Name,
		Type:           a.Type,
		Mask:           a.Mask,
		Currency:       a.Currency,
		CurrentBalance: a.CurrentBalance,
		BalanceAt:      utc(a.BalanceAt),
		Status:         api.AccountStatus(a.Status),
		Sync: api.AccountSync{Status: syncStatus(a), Limited: a.HasLimited,
			LastUploadAt:    utc(later(a.LastUploadAt, a.SentAt)),
			LastProcessedAt: utc(a.LastProcessedAt)},
		TransactionCount:     a.TransactionCount,
		FirstTransactionDate: optionalDay(a.FirstDate),
		LastTransactionDate:  optionalDay(a.LastDate),
	}
}

// later is the later of two times that may not be known.
func later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

func syncStatus(a store.Account) api.SyncStatus {
	switch {
	case a.HasPendingWork, a.HasLimited:
		return api.SyncStatusProcessing
	case a.LastUploadAt == nil:
		return api.SyncStatusNever
	default:
		return api.SyncStatusUpToDate
	}
}
