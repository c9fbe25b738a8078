package server

import (
	"context"
	"fmt"
	"slices"

	"bizfin/gen/api"
	"bizfin/server/validate"
	"bizfin/store"
)

// ListOutstandingIssues lists one page of the open questions.
func (s *Server) ListOutstandingIssues(ctx context.Context, r api.ListOutstandingIssuesRequestObject) (api.ListOutstandingIssuesResponseObject, error) {
	filter := store.IssueFilter{ObjectType: string(value(r.Params.ObjectType))}
	page, err := principalOf(ctx).organization.OpenIssues(ctx, filter, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListOutstandingIssues200JSONResponse{Issues: convert(page.Rows, toAPIIssue), TotalOpen: page.Total, NextCursor: optional(page.NextCursor)}, nil
}

// AnswerOutstandingIssue saves the answer to a question.
func (s *Server) AnswerOutstandingIssue(ctx context.Context, r api.AnswerOutstandingIssueRequestObject) (api.AnswerOutstandingIssueResponseObject, error) {
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
	err = caller.organization.AnswerIssue(ctx, s.Now(), id, understood(issue, *r.Body, caller.ID))
	if err != nil {
		return nil, err
	}
	return api.AnswerOutstandingIssue200JSONResponse{Status: api.AnswerStatusStatusAccepted}, nil
}

func answerProblem(issue store.Issue, a api.Answer) (validate.Issue, bool) {
	switch {
	case a.SelectedOption == nil && !issue.AllowsFreeText:
		return validate.Issue{In: validate.InBody, Path: "/selectedOption", Code: validate.CodeRequired, Message: "must be one of the question's options; it takes no free text"}, true
	case a.SelectedOption != nil && !slices.ContainsFunc(issue.Options, func(o store.IssueOption) bool { return o.Value == *a.SelectedOption }):
		return validate.Issue{In: validate.InBody, Path: "/selectedOption", Code: validate.CodeEnum, Message: "must be the value of one of the question's options"}, true
	default:
		return validate.Issue{}, false
	}
}

func toAPIIssue(i store.Issue) api.OutstandingIssue {
	return api.OutstandingIssue{
		Id:             i.ID.String(),
		ObjectType:     api.IssueObjectType(i.ObjectType),
		ObjectId:       i.ObjectID,
		Kind:           i.Kind,
		Question:       i.Question,
		Why:            whyOf(i),
		Impact:         api.IssueImpact{Amount: i.ImpactAmount, Currency: i.ImpactCurrency, TransactionCount: i.TransactionCount},
		Options:        convert(i.Options, toAPIIssueOption),
		AllowsFreeText: i.AllowsFreeText,
		Status:         api.IssueStatus(i.Status),
		CreatedAt:      i.CreatedAt.UTC(),
	}
}

func toAPIIssueOption(o store.IssueOption) api.IssueOption {
	return api.IssueOption{Value: o.Value, Label: o.Label, Description: o.Description}
}

// whyOf is why a question is asked: its own reason, or the money that waits for it.
func whyOf(i store.Issue) string {
	if i.Why != "" {
		return i.Why
	}
	if i.TransactionCount == 1 {
		return fmt.Sprintf("1 transaction%s, %s %s, waits for it: the bank's line does not say what it means for the tax form.", period(i), i.ImpactAmount, i.ImpactCurrency)
	}
	return fmt.Sprintf("%d transactions%s, %s %s in all, wait for it: the bank's lines do not say what they mean for the tax form.",
		i.TransactionCount, period(i), i.ImpactAmount, i.ImpactCurrency)
}

// period is when the rows of a question were, as words behind them.
func period(i store.Issue) string {
	const day = "January 2, 2006"
	switch {
	case i.FirstDay == nil || i.LastDay == nil:
		return ""
	case i.FirstDay.Equal(*i.LastDay):
		return " of " + i.FirstDay.Format(day)
	default:
		return fmt.Sprintf(" from %s to %s", i.FirstDay.Format(day), i.LastDay.Format(day))
	}
}
