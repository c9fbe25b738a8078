package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
	"bizfin/server/validate"
	"bizfin/store"
)

// How many different words a search may have, and how many characters each of them.
const (
	maxWords      = 32
	maxWordLength = 64
)

// searchWords takes a query apart.
func searchWords(query string) ([]string, []validate.Problem) {
	words := store.SplitWords(query)
	if len(words) > maxWords {
		return nil, []validate.Problem{queryProblem("query", validate.CodeMaxItems,
			fmt.Sprintf("must have at most %d different words", maxWords))}
	}
	if slices.ContainsFunc(words, func(word string) bool { return utf8.RuneCountInString(word) > maxWordLength }) {
		return nil, []validate.Problem{queryProblem("query", validate.CodeMaxLength,
			fmt.Sprintf("must have words of at most %d characters (Unicode code points)", maxWordLength))}
	}
	return words, nil
}

// defaultLimit is how many rows a list returns unless it is told (contract, Limits).
const defaultLimit = 20

func pageOf(limit *api.Limit, after *api.Cursor) store.Page {
	p := store.Page{Limit: defaultLimit, Cursor: value(after)}
	if limit != nil {
		p.Limit = *limit
	}
	return p
}

// transactionFilter reads what the schema cannot say: dates become days, names become ids.
func transactionFilter(p api.SearchTransactionsParams) (store.TransactionFilter, []validate.Problem) {
	var problems []validate.Problem
	f := store.TransactionFilter{
		DateField:  dateField(p.DateField),
		AmountFrom: p.AmountFrom,
		AmountTo:   p.AmountTo,
		Attention:  p.NeedsAttention,
	}
	words, wrong := searchWords(value(p.Query))
	problems = append(problems, wrong...)
	for _, word := range words {
		f.Words = append(f.Words, store.Word{Text: word, CategoryIDs: ontology.ScheduleC().Matching(word)})
	}
	if p.AccountIds != nil && len(*p.AccountIds) > 0 {
		f.FilterByAccount = true
		f.AccountIDs = knownIDs(*p.AccountIds)
	}
	if p.CounterpartyId != nil {
		id, _ := parseID(*p.CounterpartyId) // what is no id is the zero one, which nothing has
		f.Counterparty = &id
	}
	if p.CategoryPath != nil {
		category, ok := ontology.ScheduleC().Find(*p.CategoryPath)
		if ok {
			f.FilterByCategory, f.CategoryIDs, f.Uncategorized = true, category.Descendants(),
				category.Path == ontology.Uncategorized
		} else {
			problems = append(problems, queryProblem("categoryPath", validate.CodeEnum,
				"is not a category of listCategories; nearest: "+nearest(*p.CategoryPath, byPath)))
		}
	}
	f.From, f.To = firstDay(p.DateFrom), lastDay(p.DateTo)
	if f.From != nil && f.To != nil && bound(p.DateFrom, false).After(bound(p.DateTo, true)) {
		problems = append(problems, queryProblem("dateTo", validate.CodeMinimum, "must not be before dateFrom"))
	}
	if f.AmountFrom != nil && f.AmountTo != nil && *f.AmountFrom > *f.AmountTo {
		problems = append(problems, queryProblem("amountTo", validate.CodeMinimum, "must not be less than amountFrom"))
	}
	return f, problems
}

// dateField picks the column. A row without an authorized date counts by its processed date under `authorized` too,
// which makes that the primary date.
func dateField(field *api.TransactionDateField) store.DateField {
	if field != nil && *field == api.TransactionDateFieldProcessed {
		return store.Processed
	}
	return store.Primary
}

// knownIDs are the ids among texts, each once and in order, so that equal sets are equal filters.
func knownIDs(texts []string) []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(texts))
	for _, text := range texts {
		if id, err := parseID(text); err == nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, store.CompareUUIDs)
	return slices.Compact(ids)
}

// nearest names the categories a misspelled one may have meant, as the parameter takes them.
func nearest(text string, write func(*ontology.Category) string) string {
	return strings.Join(convert(ontology.ScheduleC().Nearest(text, 3), write), ", ")
}

// nearestAssignable are the nearest of those that transactions are assigned to.
func nearestAssignable(text string) string {
	const looked, named = 12, 3
	list := slices.DeleteFunc(ontology.ScheduleC().Nearest(text, looked),
		func(c *ontology.Category) bool { return !c.Assignable })
	return strings.Join(convert(list[:min(len(list), named)], byPath), ", ")
}

func byPath(c *ontology.Category) string { return c.Path }

// byNames writes the path of names as JSON.
func byNames(c *ontology.Category) string {
	raw, err := json.Marshal(c.Names)
	if err != nil {
		panic(err) // of texts
	}
	return string(raw)
}

func queryProblem(name, code, message string) validate.Problem {
	return validate.Problem{In: validate.InQuery, Path: "/" + name, Code: code, Message: message}
}
