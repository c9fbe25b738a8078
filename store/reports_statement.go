package store

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

// flow are the columns of a FlowSum. sum of bigint is exact at any size.
const flow = `count(*) AS transaction_count,
	coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow,
	coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow`

// reportStatement is one statement for a whole report. It takes months from their roll-up where that says the same as
// their rows (see RollUp), and reads all other rows one by one.
type reportStatement struct {
	ReportFilter
	cashflow       bool
	transfers      []int // with cashflow, and so the next
	counterparties int
}

// build returns the statement and its arguments. Its text is one of few, so that each is planned once.
func (r reportStatement) build(organization uuid.UUID) (string, arguments) {
	w := where{args: new(arguments)}
	starts := make(pq.StringArray, len(r.PeriodStarts))
	for i, start := range r.PeriodStarts {
		starts[i] = start.Format(time.DateOnly)
	}
	parts := []string{reportMonths, reportLive, pnlCategories, reportSelect, reportBeside, reportOrder}
	names := map[string]string{
		"organization": w.args.add(organization) + "::uuid",
		"from":         w.args.add(r.From.Format(time.DateOnly)) + "::date",
		"to":           w.args.add(r.To.Format(time.DateOnly)) + "::date",
		"starts":       w.args.add(starts) + "::date[]",
		"date":         string(r.DateField),
		"flow":         flow,
		// Rows without a counterparty have the zero id here, which no counterparty has: keys that may be null do not hash.
		"nobody":   "'00000000-0000-0000-0000-000000000000'::uuid",
		"usable":   "true",
		"category": "true",
		"chosen":   "true",
	}
	if r.cashflow {
		parts = []string{reportMonths, reportLive, cashflowSums, reportSelect, cashflowBeside, reportBeside, reportOrder}
		names["transfers"] = w.args.add(pq.Array(r.transfers)) + "::integer[]"
		names["limit"] = w.args.add(r.counterparties) + "::integer"
		names["usable"] = "m.transfers = {transfers}"
	}
	if r.FilterByCategory {
		condition := "t.category_id = ANY (?::integer[])"
		if r.Uncategorized {
			condition = "(" + condition + " OR t.category_id IS NULL)"
		}
		w.and(condition, pq.Array(r.CategoryIDs))
		names["category"] = w.String()
	}
	if r.FilterByCounterparty {
		w.and("t.counterparty_id = ANY (?::uuid[])", uuids(r.CounterpartyIDs))
	}
	if len(w.conditions) > 0 {
		names["chosen"] = w.String()
	}
	// No roll-up has the categories of a counterparty.
	if r.FilterByCounterparty || r.cashflow && r.FilterByCategory {
		names["usable"] = "false"
	}
	return filled(strings.Join(parts, "\n"), names), *w.args
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

// reportMonths are the months taken from their roll-up, each whole and within one period, and the gaps between them.
const reportMonths = `
WITH months AS MATERIALIZED (
  SELECT m.month, m.last_day, width_bucket(m.month, {starts}) - 1 AS period
  FROM report_months m
  WHERE m.organization_id = {organization}
    AND m.month >= {from}
    AND m.last_day <= {to}
    AND width_bucket(m.month, {starts}) = width_bucket(m.last_day, {starts})
    AND {usable}
    AND NOT EXISTS (
      SELECT
      FROM report_dirty d
      WHERE d.organization_id = {organization}
        AND d.month = m.month)),
gaps AS MATERIALIZED (
  SELECT last_day + 1 AS first_day, coalesce(lead(month) OVER (ORDER BY month) - 1, {to}) AS last_day
  FROM months
  UNION ALL
  SELECT {from}, coalesce(min(month) - 1, {to})
  FROM months),`

// reportLive are the rows that the report counts and no roll-up does: those of the gaps by the index that holds all a
// report needs, those whose dates differ, and those that are not processed, which are outside of that index so that an
// upload does not pay for it. OFFSET 0 has each gap looked up by itself: the planner would read all rows to join them. Where
// periods begin is decided in one place, which is not SQL.
const reportLive = `
live AS (
  SELECT width_bucket(t.date, {starts}) - 1 AS period, t.category_id, t.counterparty_id, t.transfer_id, t.amount
  FROM (
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM gaps g
    CROSS JOIN LATERAL (
      SELECT t.processed_date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
      FROM transactions t
      WHERE t.organization_id = {organization}
        AND t.processed_date >= g.first_day
        AND t.processed_date <= g.last_day
        AND t.deleted_at IS NULL
        AND t.processing = 'processed'
        AND NOT t.pending
        AND t.currency = 'USD'
        AND t.primary_date - t.processed_date = 0
        AND {chosen}
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
      AND {chosen}
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
      AND {chosen}) t)`

// pnlCategories are the sums by category and period, in parts: those of the live rows and those of each month.
const pnlCategories = `,
categories AS (
  SELECT 'category' AS of, t.category_id, t.period, {flow}
  FROM live t
  GROUP BY t.category_id, t.period
  UNION ALL
  SELECT 'category', t.category_id, t.period, t.transaction_count, t.inflow, t.outflow
  FROM (
    SELECT nullif(c.category_id, 0) AS category_id, m.period, c.transaction_count, c.inflow, c.outflow
    FROM months m
    JOIN report_month_categories c ON c.organization_id = {organization} AND c.month = m.month) t
  WHERE {category})`

// cashflowSums are the same by category and by counterparty, with one pass over the live rows for both. The
// counterparties with the largest nets are listed, equal ones by id.
const cashflowSums = `,
live_sums AS MATERIALIZED (
  SELECT grouping(t.category_id) = 0 AS by_category, t.category_id, t.alone, t.counterparty_id, t.own, t.period, {flow}
  FROM (
    SELECT category_id, transfer_id IS NULL AS alone, coalesce(counterparty_id, {nobody}) AS counterparty_id,
           coalesce(category_id = ANY ({transfers}), false) AS own, period, amount
    FROM live) t
  GROUP BY GROUPING SETS ((t.category_id, t.alone, t.period), (t.counterparty_id, t.own, t.period))),
categories AS (
  SELECT CASE WHEN s.alone AND s.category_id = ANY ({transfers}) THEN 'category without leg' ELSE 'category' END AS of,
         s.category_id, s.period, s.transaction_count, s.inflow, s.outflow
  FROM (
    SELECT category_id, alone, period, transaction_count, inflow, outflow
    FROM live_sums
    WHERE by_category
    UNION ALL
    SELECT nullif(c.category_id, 0), c.alone, m.period, c.transaction_count, c.inflow, c.outflow
    FROM months m
    JOIN report_month_categories c ON c.organization_id = {organization} AND c.month = m.month) s),
parties AS NOT MATERIALIZED (
  SELECT counterparty_id, period, transaction_count, inflow, outflow
  FROM live_sums
  WHERE NOT by_category
    AND NOT own
  UNION ALL
  SELECT c.counterparty_id, m.period, c.transaction_count, c.inflow, c.outflow
  FROM months m
  JOIN report_month_counterparties c ON c.organization_id = {organization} AND c.month = m.month),
largest AS MATERIALIZED (
  SELECT n.id, n.sizes, row_number() OVER (ORDER BY n.size DESC, n.id) AS place
  FROM (
    SELECT counterparty_id AS id, abs(sum(inflow) - sum(outflow)) AS size, sum(abs(sum(inflow) - sum(outflow))) OVER () AS sizes
    FROM parties
    GROUP BY 1
    ORDER BY size DESC, id
    LIMIT {limit}) n)`

// reportSelect begins the answer, whose rows readReport reads.
const reportSelect = `
SELECT of, category_id, counterparty_id, name, currency, period, transaction_count, inflow, outflow, sizes
FROM (
SELECT s.of, s.category_id, NULL::uuid AS counterparty_id, NULL::text AS name, NULL::text AS currency, s.period,
       s.transaction_count, s.inflow, s.outflow, NULL::numeric AS sizes, 0 AS place
FROM categories s`

const reportOrder = `) report
ORDER BY place, period, currency`

// cashflowBeside are the listed counterparties, and the transfers whose other leg is deleted.
const cashflowBeside = `
UNION ALL
SELECT 'counterparty', NULL, nullif(l.id, {nobody}), (SELECT c.name FROM counterparties c WHERE c.organization_id = {organization} AND c.id = l.id), NULL,
       s.period, s.transaction_count, s.inflow, s.outflow, l.sizes, l.place
FROM largest l
JOIN parties s ON s.counterparty_id = l.id
UNION ALL
SELECT 'deleted leg', NULL, NULL, NULL, NULL, 0, {flow}, NULL, 0
FROM transactions leg
JOIN transactions t ON t.organization_id = leg.organization_id AND t.transfer_id = leg.id
WHERE leg.organization_id = {organization}
  AND leg.deleted_at IS NOT NULL
  AND t.organization_id = {organization}
  AND t.{date} >= {from}
  AND t.{date} <= {to}
  AND t.deleted_at IS NULL
  AND t.transfer_id IS NOT NULL
  AND NOT t.pending
  AND t.currency = 'USD'
  AND t.category_id = ANY ({transfers})
  AND {chosen}`

// reportBeside is what the same range and filters hold beside the rows of the report, and what the business waits for.
// With the rows left out, every row of the range counts once.
const reportBeside = `
UNION ALL
SELECT 'left out', NULL, NULL, NULL, t.currency, 0, {flow}, NULL, 0
FROM transactions t
WHERE t.organization_id = {organization}
  AND t.{date} >= {from}
  AND t.{date} <= {to}
  AND t.deleted_at IS NULL
  AND (t.pending OR t.currency <> 'USD')
  AND {chosen}
GROUP BY t.currency
UNION ALL
SELECT t.processing, NULL, NULL, NULL, NULL, 0, count(*), 0, 0, NULL, 0
FROM transactions t
WHERE t.organization_id = {organization}
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
GROUP BY t.processing
UNION ALL
SELECT 'issues', NULL, NULL, NULL, NULL, 0, count(*), 0, 0, NULL, 0
FROM outstanding_issues
WHERE organization_id = {organization}
  AND status = 'open'`
