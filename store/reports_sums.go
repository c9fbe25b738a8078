package store

// reportMonths are the months taken from their roll-up, each whole and within one period, and the gaps between them.
// Where periods begin is decided in one place, which is not SQL.
const reportMonths = `
WITH months AS MATERIALIZED (
  SELECT m.month, m.last_day
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
  FROM months),
live AS NOT MATERIALIZED ({live}),`

// pnlSums are the sums by category, each with a day of its period: those of the live rows and those of the months. OFFSET 0
// has each month looked up by itself.
const pnlSums = `
sums AS (
  SELECT 'sums' AS of, category_id, NULL::uuid AS counterparty_id, array_agg(day - {epoch}) AS days, array_agg(transaction_count) AS counts,
         array_agg(inflow) AS inflows, array_agg(outflow) AS outflows
  FROM (
    SELECT t.category_id, min(t.date) AS day, {flow}
    FROM live t
    GROUP BY t.category_id, width_bucket(t.date, {starts})
    UNION ALL
    SELECT t.category_id, m.month, t.transaction_count, t.inflow, t.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT nullif(c.category_id, 0) AS category_id, c.transaction_count, c.inflow, c.outflow
      FROM report_month_categories c
      WHERE c.organization_id = {organization}
        AND c.month = m.month
      OFFSET 0) t
    WHERE {category}) s
  GROUP BY category_id)`

// cashflowSums are the same by category, and by counterparty where that is listed. Those with the largest nets are, equal
// ones by id.
const cashflowSums = `
parties AS NOT MATERIALIZED (
  SELECT category_id, coalesce(counterparty_id, {nobody}) AS counterparty_id, coalesce(category_id = ANY ({transfers}), false) AS own,
         transfer_id IS NULL AS alone, date, amount
  FROM live),
live_sums AS MATERIALIZED (
  SELECT grouping(t.category_id) = 0 AS by_category, t.category_id, t.lone, t.counterparty_id, t.own, min(t.date) AS day, {flow}
  FROM (
    SELECT category_id, own AND alone AS lone, counterparty_id, own, width_bucket(date, {starts}) AS period, date, amount
    FROM parties) t
  GROUP BY GROUPING SETS ((t.category_id, t.lone, t.period), (t.counterparty_id, t.own))),
largest AS MATERIALIZED (
  SELECT counterparty_id AS id, abs(sum(inflow) - sum(outflow)) AS size, sum(abs(sum(inflow) - sum(outflow))) OVER () AS sizes
  FROM (
    SELECT counterparty_id, inflow, outflow
    FROM live_sums
    WHERE NOT by_category
      AND NOT own
    UNION ALL
    SELECT c.counterparty_id, c.inflow, c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.counterparty_id, c.inflow, c.outflow
      FROM report_month_counterparties c
      WHERE c.organization_id = {organization}
        AND c.month = m.month
      OFFSET 0) c) t
  GROUP BY counterparty_id
  ORDER BY size DESC, id
  LIMIT {limit}),
sums AS (
  SELECT CASE WHEN lone THEN 'sums without leg' ELSE 'sums' END AS of, category_id, counterparty_id, array_agg(day - {epoch}) AS days,
         array_agg(transaction_count) AS counts, array_agg(inflow) AS inflows, array_agg(outflow) AS outflows
  FROM (
    SELECT category_id, lone, NULL::uuid AS counterparty_id, day, transaction_count, inflow, outflow
    FROM live_sums
    WHERE by_category
    UNION ALL
    SELECT nullif(c.category_id, 0), c.alone AND c.category_id = ANY ({transfers}), NULL, m.month, c.transaction_count, c.inflow, c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.category_id, c.alone, c.transaction_count, c.inflow, c.outflow
      FROM report_month_categories c
      WHERE c.organization_id = {organization}
        AND c.month = m.month
      OFFSET 0) c
    UNION ALL
    SELECT NULL, false, t.counterparty_id, min(t.date), {flow}
    FROM parties t
    WHERE NOT t.own
      AND (t.counterparty_id IN (SELECT id FROM largest)) IS TRUE
    GROUP BY t.counterparty_id, width_bucket(t.date, {starts})
    UNION ALL
    SELECT NULL, false, l.id, m.month, c.transaction_count, c.inflow, c.outflow
    FROM largest l
    CROSS JOIN months m
    CROSS JOIN LATERAL (
      SELECT c.transaction_count, c.inflow, c.outflow
      FROM report_month_counterparties c
      WHERE c.organization_id = {organization}
        AND c.month = m.month
        AND c.counterparty_id = l.id
      OFFSET 0) c) s
  GROUP BY category_id, lone, counterparty_id)`

// sumsSelect begins the answer of the form with sums.
const sumsSelect = `
SELECT of, category_id, counterparty_id, NULL::text AS name, NULL::text AS currency, days,
       counts, inflows, outflows, NULL::bigint[] AS amounts, NULL::numeric AS sizes
FROM sums`

// listedSums are the listed counterparties.
const listedSums = `
UNION ALL
SELECT 'listed', NULL, l.id, (SELECT c.name FROM counterparties c WHERE c.organization_id = {organization} AND c.id = l.id), NULL, NULL,
       NULL, NULL, NULL, NULL, l.sizes
FROM largest l`
