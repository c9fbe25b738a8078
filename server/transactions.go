package server

import (
	"context"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// UploadTransactions creates or updates transactions of an account, all or none.
func (s *Server) UploadTransactions(ctx context.Context,
	r api.UploadTransactionsRequestObject) (api.UploadTransactionsResponseObject, error) {
	uploaded, err := principalOf(ctx).organization.UploadTransactions(ctx, s.Now(), r.AccountId,
		convert(r.Body.Transactions, fromAPITransaction))
	if err != nil {
		return nil, err
	}
	s.Accepted(ctx, uploaded.Event)
	s.metrics.received(kindTransactions, len(uploaded.Records))
	return api.UploadTransactions200JSONResponse{Transactions: convert(uploaded.Records, toAPIRecord)}, nil
}

// DeleteTransaction hides a transaction from everything.
func (s *Server) DeleteTransaction(ctx context.Context,
	r api.DeleteTransactionRequestObject) (api.DeleteTransactionResponseObject, error) {
	if err := principalOf(ctx).organization.DeleteTransaction(ctx, s.Now(), r.TransactionId); err != nil {
		return nil, err
	}
	return api.DeleteTransaction200JSONResponse{TransactionId: r.TransactionId, Deleted: true}, nil
}

// SearchTransactions lists one page of the transactions that match.
func (s *Server) SearchTransactions(ctx context.Context,
	r api.SearchTransactionsRequestObject) (api.SearchTransactionsResponseObject, error) {
	filter, issues := transactionFilter(r.Params)
	if len(issues) > 0 {
		return nil, unprocessable(issues...)
	}
	search := principalOf(ctx).organization.SearchTransactions
	if inShort(r.Params.Detail) {
		search = principalOf(ctx).organization.SearchAndSumTransactions
	}
	page, err := search(ctx, filter, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	answer := api.SearchTransactions200JSONResponse{
		TotalMatched:            page.TotalMatched,
		TotalMatchedIsExact:     page.TotalIsExact,
		ExcludedOtherCurrencies: page.ExcludedOtherCurrencies,
		NextCursor:              optional(page.NextCursor),
	}
	if inShort(r.Params.Detail) {
		answer.Transactions, answer.Summary = []api.Transaction{}, toAPITransactionSummary(page, filter.DateField)
	} else {
		answer.Transactions = convert(page.Rows, toAPITransaction)
	}
	return answer, nil
}

// GetTransaction answers one transaction with the categories that were considered for it, and what was answered.
func (s *Server) GetTransaction(ctx context.Context,
	r api.GetTransactionRequestObject) (api.GetTransactionResponseObject, error) {
	id, err := parseID(r.TransactionId)
	if err != nil {
		return nil, err
	}
	organization := principalOf(ctx).organization
	transaction, err := organization.Transaction(ctx, id)
	if err != nil {
		return nil, err
	}
	given, err := organization.AnswersOfTransaction(ctx, id)
	if err != nil {
		return nil, err
	}
	answer := toAPITransaction(transaction)
	considered := toAPIAlternatives(transaction.Alternatives)
	answers, hook := convert(given, toAPIGivenAnswer), store.Hook{Transaction: id}.String()
	answer.Alternatives, answer.HookId, answer.Answers = &considered, &hook, &answers
	return api.GetTransaction200JSONResponse{Transaction: answer}, nil
}

func fromAPITransaction(t api.UploadedTransaction) store.TransactionUpload {
	return store.TransactionUpload{
		ExternalID: t.ExternalId, Amount: t.Amount, Date: t.Date, Description: t.Description,
		Pending: value(t.Pending), Currency: value(t.Currency),
	}
}

func toAPITransaction(t store.Transaction) api.Transaction {
	return api.Transaction{
		Id:                    t.ID,
		ExternalId:            t.ExternalID,
		AccountId:             t.AccountID,
		AccountName:           t.AccountName,
		Amount:                t.Amount,
		Currency:              t.Currency,
		PrimaryDate:           day(t.PrimaryDate),
		AuthorizedAt:          utc(t.AuthorizedDate),
		ProcessedAt:           t.ProcessedDate.UTC(),
		Description:           t.Description,
		Merchant:              t.Merchant,
		Pending:               t.Pending,
		Category:              toAPITransactionCategory(t),
		Parts:                 toAPIParts(t),
		Suggestion:            toAPISuggestion(t),
		Counterparty:          toAPICounterpartyRef(t),
		IsTransfer:            isTransfer(t),
		TransferTransactionId: t.TransferID,
		IsRefund:              t.IsRefund,
		NeedsAttention:        t.NeedsAttention,
		ProcessingStatus:      api.ProcessingStatus(t.Processing),
		FilingState:           api.FilingState(t.FilingState),
		Context:               t.Context,
		Comments:              convert(t.Comments, toAPIComment),
		CommentCount:          t.CommentCount,
		IssueIds:              append([]string{}, t.IssueIDs[:min(len(t.IssueIDs), mostIssues)]...),
		IssueCount:            int64(len(t.IssueIDs)),
		CreatedAt:             t.CreatedAt.UTC(),
		UpdatedAt:             t.UpdatedAt.UTC(),
	}
}

// toAPITransactionSummary is a page of rows in short; by is the date that they are listed by.
func toAPITransactionSummary(page store.TransactionPage, by store.DateField) *api.TransactionSummary {
	const mostSums = 10
	summary := &api.TransactionSummary{
		Omitted: []string{"transactions"},
		Rows: convert(page.Rows, func(t store.Transaction) api.TransactionRow {
			return toAPITransactionRow(t, by)
		}),
	}
	if page.Sums != nil {
		sums := convert(page.Sums[:min(len(page.Sums), mostSums)], toAPITransactionSum)
		count := len(page.Sums)
		summary.Sums, summary.CurrencyCount = &sums, &count
	}
	return summary
}

func toAPITransactionSum(s store.CurrencySum) api.TransactionSum {
	return api.TransactionSum{Currency: s.Currency, TransactionCount: s.TransactionCount, Inflow: s.Inflow,
		Outflow: s.Outflow, Net: s.Inflow.Minus(s.Outflow)}
}

// toAPITransactionRow is a row in short. The texts share what its other members leave of its size.
func toAPITransactionRow(t store.Transaction, by store.DateField) api.TransactionRow {
	row := api.TransactionRow{
		Id: t.ID, Date: day(t.PrimaryDate), Amount: t.Amount, Currency: t.Currency,
		Pending: optional(t.Pending), NeedsAttention: optional(t.NeedsAttention), PartCount: optional(len(t.Parts)),
	}
	if by == store.Processed {
		row.Date = day(t.ProcessedDate)
	}
	if category := toAPITransactionCategory(t); category != nil {
		row.CategoryPath = &category.CategoryPath
	}
	if suggestion := toAPISuggestion(t); suggestion != nil {
		row.SuggestedPath = &suggestion.CategoryPath
	}
	name := t.CounterpartyName
	if name == nil {
		name = t.Merchant
	}
	if name != nil {
		row.Counterparty = new(string)
		*row.Counterparty = shortened(*name, min(nameSize, (rowSize-jsonSize(row))/2))
	}
	row.Description = shortened(t.Description, rowSize-jsonSize(row))
	return row
}

// mostIssues are the most questions that a row names.
const mostIssues = 50

func toAPITransactionCategory(t store.Transaction) *api.TransactionCategory {
	if t.CategoryID == nil {
		return nil
	}
	category := categoryOf(*t.CategoryID)
	return &api.TransactionCategory{
		Id:           category.IDString(),
		CategoryPath: category.Path,
		Path:         category.Names,
		Name:         category.Name,
		Source:       api.CategorySource(value(t.CategorySource)),
		Confidence:   value(t.CategoryConfidence),
		Reason:       value(t.CategoryReason),
	}
}

// toAPIParts are the parts of a row that is several things.
func toAPIParts(t store.Transaction) []api.TransactionPart {
	return convert(t.Parts, func(p store.Part) api.TransactionPart {
		category := categoryOf(p.CategoryID)
		return api.TransactionPart{
			CategoryPath: category.Path, Name: category.Name, Amount: p.Amount,
			Standing: api.TransactionPartStandingEstablished,
			Source:   api.CategorySource(value(t.CategorySource)), Reason: value(t.CategoryReason),
		}
	})
}

// toAPISuggestion is what a row without a category seems to be. That nothing is known of it is no suggestion, and a row
// that is to be decided again has none until then.
func toAPISuggestion(t store.Transaction) *api.TransactionSuggestion {
	if t.CategoryID != nil || len(t.Parts) > 0 || t.SuggestedID == nil ||
		t.Processing != string(api.ProcessingStatusProcessed) {
		return nil
	}
	category := categoryOf(*t.SuggestedID)
	if category.Is(ontology.Uncategorized) {
		return nil
	}
	return &api.TransactionSuggestion{
		CategoryPath: category.Path, Confidence: value(t.SuggestedSure), Reason: value(t.SuggestedReason),
	}
}

func toAPICounterpartyRef(t store.Transaction) *api.CounterpartyRef {
	if t.CounterpartyID == nil {
		return nil
	}
	return &api.CounterpartyRef{
		Id:           *t.CounterpartyID,
		Name:         value(t.CounterpartyName),
		Type:         api.CounterpartyType(value(t.CounterpartyType)),
		Relationship: api.Relationship(value(t.Relationship)),
	}
}

// isTransfer is whether the row moves money between own accounts: its category says so, or its other leg was found.
func isTransfer(t store.Transaction) bool {
	return t.TransferID != nil || t.CategoryID != nil && categoryOf(*t.CategoryID).Is("transfer")
}

func toAPIAlternatives(list []store.Alternative) []api.CategoryAlternative {
	return convert(list, func(a store.Alternative) api.CategoryAlternative {
		return api.CategoryAlternative{CategoryPath: categoryOf(a.CategoryID).Path, Confidence: a.Confidence}
	})
}

func toAPIComment(c store.Comment) api.Comment {
	return api.Comment{Id: c.ID, Author: c.Author, Text: c.Text, CreatedAt: c.CreatedAt.UTC()}
}
