package server

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bizfin/gen/api"
	"bizfin/internal/answers"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/visible"
	"bizfin/internal/wording"
	"bizfin/server/validate"
	"bizfin/store"
)

// ListOutstandingIssues lists one page of the questions in a state.
func (s *Server) ListOutstandingIssues(ctx context.Context,
	r api.ListOutstandingIssuesRequestObject) (api.ListOutstandingIssuesResponseObject, error) {
	filter := store.IssueFilter{ObjectType: string(value(r.Params.ObjectType)), Status: string(value(r.Params.Status)),
		Waiting: value(r.Params.Waiting)}
	if filter.Waiting && filter.Status != "" && filter.Status != store.IssueOpen {
		return nil, unprocessable(queryProblem("waiting", validate.CodeEnum,
			"must not be true beside status "+filter.Status+": only open questions wait"))
	}
	page, err := principalOf(ctx).organization.Issues(ctx, filter, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	answer := api.ListOutstandingIssues200JSONResponse{TotalOpen: page.Total, TotalWaiting: page.Waiting,
		NextCursor: optional(page.NextCursor)}
	if inShort(r.Params.Detail) {
		answer.Issues, answer.Summary = []api.OutstandingIssue{}, &api.QuestionSummary{Omitted: []string{"issues"},
			Rows: convert(page.Rows, toAPIQuestionRow)}
	} else {
		answer.Issues = convert(page.Rows, toAPIIssue)
	}
	return answer, nil
}

// AnswerOutstandingIssue stores an answer to a question or a standing hook, and says what became of it.
func (s *Server) AnswerOutstandingIssue(ctx context.Context,
	r api.AnswerOutstandingIssueRequestObject) (api.AnswerOutstandingIssueResponseObject, error) {
	if visible.Blank(r.Body.Answer) {
		return nil, unprocessable(brokenAnswer("must say something: it is blank"))
	}
	hook, err := store.ParseHook(r.Id)
	if err != nil {
		return nil, err
	}
	caller := principalOf(ctx)
	issue, err := caller.organization.Hooked(ctx, hook)
	if err != nil {
		return nil, err
	}
	option, problem, ok := answerProblem(issue, hook, *r.Body)
	if !ok {
		return nil, unprocessable(problem)
	}
	if option == nil {
		// It may name rows that are no longer among the question's.
		if status, again, err := caller.organization.AnsweredSo(ctx, hook, r.Body.Answer); err != nil || again {
			return api.AnswerOutstandingIssue200JSONResponse{Status: api.AnswerStatusStatus(status)}, err
		}
	}
	asked := answers.Asked{
		Context: wording.Context{Options: issue.Options, Incoming: issue.Incoming, Question: issue.Question},
		Company: issue.ObjectType == string(api.IssueObjectTypeCompany),
	}
	if asked.NeedsLines(r.Body.Answer, option) {
		if asked.Lines, err = caller.organization.AskedLines(ctx, hook); err != nil {
			return nil, err
		}
		if asked.About, err = caller.organization.HookedRows(ctx, hook); err != nil {
			return nil, err
		}
	}
	meaning := answers.Understand(asked, r.Body.Answer, option)
	if meaning.Problem != "" {
		return nil, unprocessable(brokenAnswer(meaning.Problem))
	}
	if meaning.Broken != nil {
		return nil, unprocessable(brokenAnswer(meaning.Broken.Error()))
	}
	via := store.ViaPerson
	if caller.credential.oauth != nil {
		via = store.ViaAgent
	}
	status, err := caller.organization.AnswerHook(ctx, s.Now(), hook, store.Answer{
		Meaning: meaning, Person: caller.ID, Via: via, Text: r.Body.Answer, Option: option,
	})
	var misfit *store.MisfitError
	if errors.As(err, &misfit) {
		return nil, unprocessable(brokenAnswer(misfit.Text))
	}
	if err != nil {
		return nil, err
	}
	return api.AnswerOutstandingIssue200JSONResponse{Status: api.AnswerStatusStatus(status)}, nil
}

// brokenAnswer is what is wrong with an answer that is written as a split, or that names rows.
func brokenAnswer(text string) validate.Problem {
	return validate.Problem{In: validate.InBody, Path: "/answer", Code: validate.CodePattern, Message: text}
}

// answerProblem is what is wrong with an answer, where ok is false; else option is what was chosen, if anything.
func answerProblem(issue store.Issue, hook store.Hook, a api.Answer) (option *string, p validate.Problem, ok bool) {
	switch {
	case a.SelectedOption == nil && !issue.AllowsFreeText && !answers.IsReserved(a.Answer):
		return nil, validate.Problem{In: validate.InBody, Path: "/selectedOption", Code: validate.CodeRequired,
			Message: "must be one of the question's options; it takes no free text"}, false
	case a.SelectedOption == nil:
		return nil, p, true
	}
	options := optionValues(issue)
	if chosen, is := offered(options, hook, *a.SelectedOption); is {
		return &chosen, p, true
	}
	message := "must be the value of one of the question's options, or, for a standing hook, the path of a " +
		"category that transactions are assigned to"
	if hook.Standing() {
		message += "; nearest: " + nearestAssignable(*a.SelectedOption)
	} else if len(options) > 0 {
		message += "; its options: " + strings.Join(options, ", ")
	}
	return nil, validate.Problem{In: validate.InBody, Path: "/selectedOption", Code: validate.CodeEnum,
		Message: message}, false
}

// optionValues are the options of a question and of what was asked after it.
func optionValues(issue store.Issue) []string {
	options := issue.Options
	if issue.FollowUp != nil {
		options = slices.Concat(options, issue.FollowUp.Options)
	}
	return convert(options, func(o questions.Option) string { return o.Value })
}

// offered is the value of an option, whichever way it names a category: one of the question's, or, of a standing hook,
// any category.
func offered(options []string, hook store.Hook, named string) (value string, ok bool) {
	if slices.Contains(options, named) {
		return named, true
	}
	category, ok := ontology.ScheduleC().Find(named)
	if !ok {
		return "", false
	}
	return category.Path, slices.Contains(options, category.Path) || hook.Standing() && category.Assignable
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
		FollowUp:       toAPIFollowUp(i.FollowUp),
		Lines:          toAPIIssueLines(i.Lines),
		Answers:        convert(i.Answers, toAPIGivenAnswer),
		CreatedAt:      i.CreatedAt.UTC(),
	}
}

func toAPIIssueLines(lines []store.IssueLine) []api.IssueLine {
	list := make([]api.IssueLine, len(lines))
	for i, l := range lines {
		list[i] = api.IssueLine{
			N: l.N, TransactionId: l.Transaction, Date: day(l.Date), Amount: l.Amount, Currency: l.Currency,
			AccountName: l.AccountName, Description: l.Description,
		}
	}
	return list
}

func toAPIFollowUp(f *store.FollowUp) *api.FollowUp {
	if f == nil {
		return nil
	}
	return &api.FollowUp{Question: answers.AskAfter(f.Answer, f.Several), Answer: f.Answer,
		Options: convert(f.Options, toAPIIssueOption)}
}

func toAPIGivenAnswer(a store.GivenAnswer) api.GivenAnswer {
	return api.GivenAnswer{
		HookId: a.Hook, Status: api.GivenAnswerStatus(a.Status), Answer: a.Answer, SelectedOption: a.SelectedOption,
		By: a.By, Via: api.GivenAnswerVia(a.Via), At: a.At.UTC(), ReplacedAt: utc(a.ReplacedAt), Rows: a.Rows,
		NetProfitEffect: a.NetProfitEffect,
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

func toAPIQuestionRow(i store.Issue) api.QuestionRow {
	row := api.QuestionRow{
		Id: i.ID.String(), Question: i.Question, Amount: i.ImpactAmount, Currency: i.ImpactCurrency,
		TransactionCount: i.TransactionCount, Options: []string{}, FollowUp: optional(i.FollowUp != nil),
	}
	for _, o := range i.Options {
		row.Options = append(row.Options, o.Value)
	}
	return row
}
