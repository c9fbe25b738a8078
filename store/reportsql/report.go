// Package reportsql writes the statements of reports. Their texts are the templates beside this file; testdata has each
// of them whole. It knows no database: package store asks them.
package reportsql

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/ontology"
	"bizfin/internal/split"
	"bizfin/store/statement"
)

// Filter chooses the undeleted transactions a report is about.
type Filter struct {
	DateField statement.DateField
	From, To  time.Time // inclusive days in UTC

	// PeriodStarts are the first days of the periods to break down, ascending and without gaps; the last period ends
	// with To or later. A row before the first of them counts in period -1.
	PeriodStarts []time.Time

	CategoryIDs     []int       // with FilterByCategory
	CounterpartyIDs []uuid.UUID // with FilterByCounterparty

	FilterByCategory     bool // an empty list then chooses none
	Uncategorized        bool // with FilterByCategory: rows without a category too
	FilterByCounterparty bool
}

// HidesUncategorized is whether the filter leaves out all rows without a category.
func (f Filter) HidesUncategorized() bool { return f.FilterByCategory && !f.Uncategorized }

// Report is one statement for a whole report, in one of two forms. The first reads the rows of the report and gives up
// where they are more than a few. The other has sums made of them, and takes months from their roll-up (see
// store.DB.RollUp).
type Report struct {
	Filter
	Cashflow       bool
	Transfers      []int // ids of categories; with Cashflow, and so the next
	Counterparties int   // how many are listed
	Few            int   // up to how many rows the first form reads; 0 for the other form
}

// MostOpen is up to how many rows without a category are taken apart by their questions.
const MostOpen = 2000

// Sums are the columns of a group of rows t, and Lists those of several such groups with a day each, as texts with
// commas. The roll-up keeps the same. sum of bigint is exact at any size.
const (
	Sums = `count(*) AS transaction_count, ` + inflow + ` AS inflow, ` + outflow + ` AS outflow`

	Lists = `array_to_string(array_agg(day - date '1970-01-01'), ',') AS days,
         array_to_string(array_agg(transaction_count), ',') AS counts,
         array_to_string(array_agg(inflow), ',') AS inflows,
         array_to_string(array_agg(outflow), ',') AS outflows`

	inflow  = `coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0)`
	outflow = `coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0)`
)

// Statement returns the statement about a business and its arguments. There are a handful of texts, each planned once
// by a connection: the organization is hidden from the planner (statement.OfBusiness), without which PostgreSQL would
// think a new plan for each report worth the millisecond or two that it takes. So each part must be planned well by one
// that does not know how many rows there are.
func (r Report) Statement(organization uuid.UUID) (query string, args []any) {
	parameters := r.parameters(organization)
	for _, p := range parameters {
		args = append(args, p.value)
	}
	return r.form().text(parameters), args
}

// parameter is an argument with the name that the templates have for it.
type parameter struct {
	name, kind string
	value      any
}

func (r Report) parameters(organization uuid.UUID) []parameter {
	list := []parameter{
		{"organization", "uuid", organization},
		{"from", "date", r.From.Format(time.DateOnly)},
		{"to", "date", r.To.Format(time.DateOnly)},
	}
	if r.Cashflow {
		list = append(list,
			parameter{"transfers", "integer[]", pq.Array(r.Transfers)},
			parameter{"apart", "integer[]", pq.Array(append(slices.Clone(r.Transfers), split.Category))},
			parameter{"limit", "integer", r.Counterparties})
	}
	if r.Few > 0 {
		list = append(list, parameter{"few", "integer", r.Few})
	} else {
		list = append(list, parameter{"starts", "date[]", days(r.PeriodStarts)})
	}
	if r.FilterByCategory {
		list = append(list, parameter{"categories", "integer[]", pq.Array(r.CategoryIDs)})
	}
	if r.FilterByCounterparty {
		list = append(list, parameter{"counterparties", "uuid[]", statement.UUIDs(r.CounterpartyIDs)})
	}
	return list
}

func days(list []time.Time) pq.StringArray {
	out := make(pq.StringArray, len(list))
	for i, day := range list {
		out[i] = day.Format(time.DateOnly)
	}
	return out
}

// form is all that the text of a statement depends on.
type form struct {
	Date                                        statement.DateField
	Cashflow, Few                               bool
	ByCategory, OrUncategorized, ByCounterparty bool
}

func (r Report) form() form {
	return form{
		Date: r.DateField, Cashflow: r.Cashflow, Few: r.Few > 0,
		ByCategory: r.FilterByCategory, OrUncategorized: r.FilterByCategory && r.Uncategorized,
		ByCounterparty: r.FilterByCounterparty,
	}
}

// name is that of the form's template.
func (f form) name() string {
	switch {
	case f.Cashflow && f.Few:
		return "cashflow_rows.sql.tmpl"
	case f.Cashflow:
		return "cashflow_sums.sql.tmpl"
	case f.Few:
		return "pnl_rows.sql.tmpl"
	default:
		return "pnl_sums.sql.tmpl"
	}
}

//go:embed *.sql.tmpl
var files embed.FS

var (
	templates = statement.Texts(files)
	texts     sync.Map // of string by form: to fill one in takes longer than a request should wait, and there are 48
)

func (f form) text(parameters []parameter) string {
	if known, ok := texts.Load(f); ok {
		return known.(string)
	}
	text := statement.OfBusiness(statement.Filled(templates, f.name(), f.names(parameters)))
	texts.Store(f, text)
	return text
}

// processedLate are rows that are not processed before their primary date.
const processedLate = "processed_date >= primary_date"

// names are what the templates are filled in with.
type names map[string]any

func (f form) names(parameters []parameter) names {
	n := names{"form": f, "date": f.Date, "sums": Sums, "lists": Lists, "inflow": inflow, "outflow": outflow}
	for i, p := range parameters {
		n[p.name] = "$" + strconv.Itoa(i+1) + "::" + p.kind
	}
	n["organization"] = statement.BusinessID
	n["waiting"] = statement.Waiting(statement.BusinessID, statement.Newest)
	n["waiting_processed_late"] = statement.Waiting(statement.BusinessID, statement.Newest, processedLate)
	n["processed_late"] = processedLate
	n["range"] = "(SELECT $2::date AS first_day, $3::date AS last_day)"
	switch {
	case !f.Few:
		n["spans"] = "gaps"
	case f.ByCounterparty:
		n["spans"] = fmt.Sprintf(
			"(SELECT DISTINCT id, $2::date AS first_day, $3::date AS last_day FROM unnest(%s) id)", n["counterparties"])
	default:
		n["spans"] = n["range"]
	}
	f.choose(n)
	return n
}

// choose adds the conditions of the filters. Ids are looked up in a hash table, also by a plan that does not know how
// many they are.
func (f form) choose(n names) {
	var category, party []string
	if f.ByCategory {
		condition := fmt.Sprintf("(t.category_id IN (SELECT unnest(%s))) IS TRUE", n["categories"])
		if f.OrUncategorized {
			condition = "(" + condition + " OR t.category_id IS NULL)"
		}
		category = []string{condition}
	}
	if f.ByCounterparty {
		party = []string{fmt.Sprintf("(t.counterparty_id IN (SELECT unnest(%s))) IS TRUE", n["counterparties"])}
	}
	n["category"], n["party"], n["chosen"] = category, party, slices.Concat(category, party)
	n["open"] = !f.ByCategory || f.OrUncategorized
	n["most"] = MostOpen
	n["none"] = none
	n["counted"] = n["chosen"]
	if f.Few {
		n["counted"] = party // categories are chosen by who asked
	}
}

// WithoutCategory has the rows read that have no category and are not chosen.
func (n names) WithoutCategory() names {
	other := maps.Clone(n)
	without := "coalesce(t.category_id, 0) IN (" + none + ")"
	for _, chosen := range n["category"].([]string) {
		without += " AND NOT " + chosen
	}
	other["counted"] = append([]string{without}, n["party"].([]string)...)
	return other
}

// None are the categories that say of a row that it has none: 0, as roll-ups have it, and those of the branch.
var None = func() []int {
	branch, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
	return append([]int{0}, branch.Descendants()...)
}()

// none is their list.
var none = strings.Trim(strings.ReplaceAll(fmt.Sprint(None), " ", ", "), "[]")

// Over has the rows read that are in other spans.
func (n names) Over(spans string) names {
	other := maps.Clone(n)
	other["spans"] = spans
	return other
}
