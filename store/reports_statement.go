package store

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

// fewRows is up to how many rows a report adds up by itself, which is faster than to have PostgreSQL sum and print them.
const fewRows = 5000

// reportStatement is one statement for a whole report, in one of two forms. The first reads the rows of the report and
// gives up where they are more than a few. The other has sums made of them, and takes months from their roll-up (see
// RollUp).
type reportStatement struct {
	ReportFilter
	cashflow       bool
	transfers      []int // with cashflow, and so the next
	counterparties int
	few            int // up to how many rows the first form reads; 0 for the other form
}

// build returns the statement and its arguments. There are a handful of texts, each planned once by a connection: the
// organization is hidden from the planner in a query of its own, without which PostgreSQL would think a new plan for each
// report worth the millisecond or two that it takes. So each part must be planned well by one that does not know how many
// rows there are.
func (r reportStatement) build(organization uuid.UUID) (string, arguments) {
	var args arguments
	names := map[string]string{
		"organization": "(SELECT " + args.add(organization) + "::uuid)",
		"from":         args.add(r.From.Format(time.DateOnly)) + "::date",
		"to":           args.add(r.To.Format(time.DateOnly)) + "::date",
		"date":         string(r.DateField),
		"epoch":        "date '1970-01-01'",
		"flow":         flow,
		"inflow":       inflow,
		"outflow":      outflow,
		"live":         reportLive,
		"within":       "t.processed_date >= g.first_day AND t.processed_date <= g.last_day",
		// Rows without a counterparty have the zero id here, which no counterparty has: keys that may be null do not hash.
		"nobody": "'00000000-0000-0000-0000-000000000000'::uuid",
		"usable": "true",
	}
	if r.cashflow {
		names["transfers"] = args.add(pq.Array(r.transfers)) + "::integer[]"
		names["limit"] = args.add(r.counterparties) + "::integer"
		names["usable"] = "m.transfers = {transfers}"
	}
	if r.few > 0 {
		names["few"] = args.add(r.few) + "::integer"
		names["spans"] = wholeRange
		names["lists"] = rowLists
	} else {
		names["starts"] = args.add(startsOf(r.PeriodStarts)) + "::date[]"
		names["spans"] = "gaps"
		names["lists"] = sumLists
		names["joined"] = joinedLists
		names["cashflow"] = "CASE WHEN lone THEN 'sums without leg' ELSE 'sums' END"
		names["party_live"] = reportLive
		names["parties_rolled_up"] = "true"
	}
	r.choose(names, &args)
	return filled(strings.Join(r.parts(), "\n"), names), args
}

// choose fills in what rows are filtered by, and what reads them for it. Ids are looked up in a hash table, also by a plan
// that does not know how many they are.
func (r reportStatement) choose(names map[string]string, args *arguments) {
	category, party := "true", "true"
	if r.FilterByCategory {
		category = "(t.category_id IN (SELECT unnest(" + args.add(pq.Array(r.CategoryIDs)) + "::integer[]))) IS TRUE"
		if r.Uncategorized {
			category = "(" + category + " OR t.category_id IS NULL)"
		}
		names["party_live"] = strings.ReplaceAll(reportLive, "{spans}", wholeRange)
		names["parties_rolled_up"] = "false"
	}
	if r.FilterByCounterparty {
		names["ids"] = args.add(uuids(r.CounterpartyIDs)) + "::uuid[]"
		party = "(t.counterparty_id IN (SELECT unnest({ids}))) IS TRUE"
		names["usable"] = "false" // no roll-up has the categories of a counterparty
		if r.few > 0 {
			names["spans"], names["within"] = spansOfParties, withinParties
		}
	}
	names["category"], names["party"] = category, party
	names["chosen"] = "{category} AND {party}"
	names["counted"] = "{chosen}"
	if r.few > 0 {
		names["counted"] = "{party}" // see reportFew
	}
}

// parts are the texts of the statement in their order.
func (r reportStatement) parts() []string {
	switch {
	case r.few > 0 && r.cashflow:
		return []string{reportFew, cashflowRows, rowsSelect, listedRows, deletedLegs, reportBeside}
	case r.few > 0:
		return []string{reportFew, pnlRows, rowsSelect, reportBeside}
	case r.cashflow:
		return []string{reportMonths, monthCategories, cashflowSums, sumsSelect, listedSums, deletedLegs, reportBeside}
	default:
		return []string{reportMonths, monthCategories, pnlSums, sumsSelect, reportBeside}
	}
}

func startsOf(periods []time.Time) pq.StringArray {
	starts := make(pq.StringArray, len(periods))
	for i, start := range periods {
		starts[i] = start.Format(time.DateOnly)
	}
	return starts
}

// filled replaces each {name} of a text, and those in what it is replaced by.
func filled(text string, names map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(filled(names[name], names))
		text = after
	}
}

// flow are the columns of a FlowSum. sum of bigint is exact at any size.
const (
	flow    = `count(*) AS transaction_count, ` + inflow + ` AS inflow, ` + outflow + ` AS outflow`
	inflow  = `coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0)`
	outflow = `coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0)`
)

// reportLive are the rows that the report counts, read one by one: those of the spans by the index that holds all a
// report needs, those whose dates differ, and those that are not processed, which are outside of that index so that an
// upload does not pay for it. OFFSET 0 has each span looked up by itself: the planner would read all rows to join them.
const reportLive = `
  SELECT t.date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
  FROM (
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM {spans} g
    CROSS JOIN LATERAL (
      SELECT t.processed_date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
      FROM transactions t
      WHERE t.organization_id = {organization}
        AND {within}
        AND t.deleted_at IS NULL
        AND t.processing = 'processed'
        AND NOT t.pending
        AND t.currency = 'USD'
        AND t.primary_date - t.processed_date = 0
        AND {counted}
      OFFSET 0) t
    UNION ALL
    SELECT t.{date} AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = {organization}
      AND t.{date} >= {from}
      AND t.{date} <= {to}
      AND t.deleted_at IS NULL
      AND t.processing = 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND t.primary_date - t.processed_date <> 0
      AND {counted}
    UNION ALL
    SELECT t.{date} AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = {organization}
      AND t.{date} >= {from}
      AND t.{date} <= {to}
      AND t.deleted_at IS NULL
      AND t.processing <> 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND {counted}) t`

// deletedLegs are the transfers whose other leg is deleted, each looked up by itself. Mostly there are none: who deletes a
// leg has the other one paired anew.
const deletedLegs = `
UNION ALL
SELECT 'deleted leg', NULL, NULL, NULL, NULL, NULL, count(*)::text, {inflow}::text, {outflow}::text, NULL, NULL
FROM transactions leg
CROSS JOIN LATERAL (
  SELECT t.amount
  FROM transactions t
  WHERE t.organization_id = leg.organization_id
    AND t.transfer_id = leg.id
    AND t.{date} >= {from}
    AND t.{date} <= {to}
    AND t.deleted_at IS NULL
    AND NOT t.pending
    AND t.currency = 'USD'
    AND t.category_id = ANY ({transfers})
    AND {chosen}
  OFFSET 0) t
WHERE leg.organization_id = {organization}
  AND leg.deleted_at IS NOT NULL`

// wholeRange is the one span of a report without a roll-up.
const wholeRange = `(SELECT {from} AS first_day, {to} AS last_day)`

// The rows of some counterparties, where they are few, are found by an index of their own. Its date is the other one, which
// for the rows that are read by spans is the same.
const (
	spansOfParties = `(SELECT DISTINCT id, {from} AS first_day, {to} AS last_day FROM unnest({ids}) id)`
	withinParties  = `t.counterparty_id = g.id AND t.primary_date >= g.first_day AND t.primary_date <= g.last_day`
)

// reportBeside is what the same range and filters hold beside the rows of the report, and what the business waits for.
// With the rows left out, every row of the range counts once.
const reportBeside = `
UNION ALL
SELECT 'left out', NULL, NULL, NULL, t.currency, NULL, count(*)::text, {inflow}::text, {outflow}::text, NULL, NULL
FROM transactions t
WHERE t.organization_id = {organization}
  AND t.{date} >= {from}
  AND t.{date} <= {to}
  AND t.deleted_at IS NULL
  AND (t.pending OR t.currency <> 'USD')
  AND {chosen}
GROUP BY t.currency
UNION ALL
SELECT t.processing, NULL, NULL, NULL, NULL, NULL, count(*)::text, NULL, NULL, NULL, NULL
FROM transactions t
WHERE t.organization_id = {organization}
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
GROUP BY t.processing
UNION ALL
SELECT 'issues', NULL, NULL, NULL, NULL, NULL, count(*)::text, NULL, NULL, NULL, NULL
FROM outstanding_issues
WHERE organization_id = {organization}
  AND status = 'open'`
