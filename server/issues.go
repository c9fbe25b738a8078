package server

import (
	"context"
	"slices"

	"bizfin/gen/api"
	"bizfin/internal/questions"
	"bizfin/server/validate"
	"bizfin/store"
)

// ListOutstandingIssues lists one page of the open questions.
func (s *Server) ListOutstandingIssues(ctx context.Context,
	r api.ListOutstandingIssuesRequestObject) (api.ListOutstandingIssuesResponseObject, error) {
	filter := store.IssueFilter{ObjectType: string(value(r.Params.ObjectType))}
	page, err := principalOf(ctx).organization.OpenIssues(ctx, filter, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListOutstandingIssues200JSONResponse{Issues: convert(page.Rows, toAPIIssue), TotalOpen: page.Total,
		NextCursor: optional(page.NextCursor)}, nil
}

// AnswerOutstandingIssue saves the answer to a question.
func (s *Server) AnswerOutstandingIssue(ctx context.Context,
	r api.AnswerOutstandingIssueRequestObject) (api.AnswerOutstandingIssueResponseObject, error) {
	id, err := parseID(r.Id)
	if err != nil {
		return nil, err
	}
	caller := principalOf(ctx)
	issue, err := caller.organization.Issue(ctx, id)
	if err != nil {
		return nil, err
	}
	if problem, ok := answerProblem(issue, *r.Body); ok {
		return nil, unprocessable(problem)
	}
	asked := questions.Asked{
		Company: issue.ObjectType == string(api.IssueObjectTypeCompany), Options: issue.Options,
		Incoming: issue.Incoming,
	}
	err = caller.organization.AnswerIssue(ctx, s.Now(), id, store.Answer{
		Meaning: questions.Understand(asked, r.Body.Answer, r.Body.SelectedOption),
		Person:  caller.ID, Text: r.Body.Answer, Option: r.Body.SelectedOption,
	})
	if err != nil {
		return nil, err
	}
	return api.AnswerOutstandingIssue200JSONResponse{Status: api.AnswerStatusStatusAccepted}, nil
}

func answerProblem(issue store.Issue, a api.Answer) (validate.Problem, bool) {
	switch {
	case a.SelectedOption == nil && !issue.AllowsFreeText:
		return validate.Problem{In: validate.InBody, Path: "/selectedOption", Code: validate.CodeRequired,
			Message: "must be one of the question's options; it takes no free text"}, true
	case a.SelectedOption != nil && !slices.ContainsFunc(issue.Options,
		func(o questions.Option) bool { return o.Value == *a.SelectedOption }):
		return validate.Problem{In: validate.InBody, Path: "/selectedOption", Code: validate.CodeEnum,
			Message: "must be the value of one of the question's options"}, true
	default:
		return validate.Problem{}, false
	}
}

func toAPIIssue(i store.Issue) api.OutstandingIssue {
	return api.OutstandingIssue{
		Id:         i.ID.String(),
		ObjectType: api.IssueObjectType(i.ObjectType),
		ObjectId:   i.ObjectID,
		Kind:       i.Kind,
		Question:   i.Question,
		Why:        whyOf(i),
		Impact: api.IssueImpact{Amount: i.ImpactAmount, Currency: i.ImpactCurrency,
			TransactionCount: i.TransactionCount},
		Options:        convert(i.Options, toAPIIssueOption),
		AllowsFreeText: i.AllowsFreeText,
		Status:         api.IssueStatus(i.Status),
		CreatedAt:      i.CreatedAt.UTC(),
	}
}

func toAPIIssueOption(o questions.Option) api.IssueOption {
	return api.IssueOption{Value: o.Value, Label: o.Label, Description: o.Description}
}

// whyOf is why a question is asked: its own reason, or the money that waits for it.
func whyOf(i store.Issue) string {
	if i.Why != "" {
		return i.Why
	}
	return questions.Why(questions.Waiting{
		Rows: i.TransactionCount, Amount: i.ImpactAmount, Currency: i.ImpactCurrency, From: i.FirstDay, To: i.LastDay,
	})
}
