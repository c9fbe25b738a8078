package server

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/gen/api"
	"bizfin/internal/answers"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// understood reads an answer: an option, or words that are an option's label, or the name of a category or relationship.
// What a relationship alone says of the money is understood with it. Other words name nothing here; they are kept as
// context.
func understood(issue store.Issue, a api.Answer, person uuid.UUID) store.Answer {
	answer := store.Answer{Person: person, Text: a.Answer, Option: a.SelectedOption}
	if option, ok := chosen(issue, a); ok {
		return choose(answer, issue, option)
	}
	if issue.ObjectType == string(api.IssueObjectTypeCompany) { // the words for rows do not answer what is asked of the business
		return answer
	}
	direction := answers.Either
	if issue.Incoming != nil {
		direction = answers.Out
		if *issue.Incoming {
			direction = answers.In
		}
	}
	category, named := answers.Category(a.Answer, direction)
	if relationship, ok := answers.Relationship(a.Answer); ok {
		answer.Relationship = relationship
		if !named {
			category, named = answers.CategoryOf(relationship, direction)
		}
	}
	if named {
		answer.CategoryID = category.ID
	}
	return answer
}

// chosen finds the option of an answer, by its value or by words that are its value or label. Of the options about the
// business itself, the first is yes and the second no.
func chosen(issue store.Issue, a api.Answer) (store.IssueOption, bool) {
	is := func(o store.IssueOption) bool {
		return answers.Same(o.Value, a.Answer) || answers.Same(o.Label, a.Answer) || o.Value == store.OptionSplit && answers.Mixed(a.Answer)
	}
	if a.SelectedOption != nil {
		is = func(o store.IssueOption) bool { return o.Value == *a.SelectedOption }
	} else if yes, ok := answers.Agrees(a.Answer); ok && issue.ObjectType == string(api.IssueObjectTypeCompany) && len(issue.Options) >= 2 {
		if yes {
			return issue.Options[0], true
		}
		return issue.Options[1], true
	}
	at := slices.IndexFunc(issue.Options, is)
	if at < 0 {
		return store.IssueOption{}, false
	}
	return issue.Options[at], true
}

// choose makes an answer of an option: its category, or that there is no one category, which a category for payments
// that are not yet split says too where it is among the options.
func choose(answer store.Answer, issue store.Issue, option store.IssueOption) store.Answer {
	if option.Value != store.OptionSplit {
		if category, ok := ontology.ScheduleC().ByPath(option.Value); ok {
			answer.CategoryID = category.ID
		}
		answer.AboutOthers = issue.ObjectType == string(api.IssueObjectTypeCompany) && !slices.Contains(issue.Options[:min(2, len(issue.Options))], option)
		return answer
	}
	answer.Note = option.Label
	if remark := strings.TrimSpace(answer.Text); !answers.Same(remark, option.Label) && !answers.Same(remark, option.Value) {
		answer.Note += ": " + remark
	}
	for _, o := range issue.Options {
		if category, ok := ontology.ScheduleC().ByPath(o.Value); ok && category.Unsplit() {
			answer.CategoryID = category.ID
			return answer
		}
	}
	answer.Mixed = true
	return answer
}
