package store

// reportMonths are the months taken from their roll-up and the gaps between them. A month that lies within the range and one
// period is summed as a whole, of others the days are summed here. Where periods begin is decided in one place, which is
// not SQL.
const reportMonths = `
WITH months AS MATERIALIZED (
  SELECT month, last_day, inside, inside AND width_bucket(month, {starts}) = width_bucket(last_day, {starts}) AS whole
  FROM (
    SELECT m.month, m.last_day, m.month >= {from} AND m.last_day <= {to} AS inside
    FROM report_months m
    WHERE m.organization_id = {organization}
      AND m.last_day >= {from}
      AND m.month <= {to}
      AND {usable}
      AND NOT EXISTS (
        SELECT
        FROM report_dirty d
        WHERE d.organization_id = {organization}
          AND d.month = m.month)) m),
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
month_sums AS NOT MATERIALIZED (
  SELECT t.category_id, m.month, m.whole, t.transaction_count, t.inflow, t.outflow, t.days, t.counts, t.inflows, t.outflows
  FROM months m
  CROSS JOIN LATERAL (
    SELECT nullif(c.category_id, 0) AS category_id, c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
    FROM report_month_categories c
    WHERE c.organization_id = {organization}
      AND c.month = m.month
    OFFSET 0) t
  WHERE {category}),
sums AS (
  SELECT 'sums' AS of, category_id, NULL::uuid AS counterparty_id, {lists}
  FROM (
    SELECT t.category_id, min(t.date) AS day, {flow}
    FROM live t
    GROUP BY t.category_id, width_bucket(t.date, {starts})
    UNION ALL
    SELECT category_id, month, transaction_count, inflow, outflow
    FROM month_sums
    WHERE whole) s
  GROUP BY category_id
  UNION ALL
  SELECT 'sums', category_id, NULL, {joined}
  FROM month_sums
  WHERE NOT whole
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
      OFFSET 0) c
    WHERE m.inside
    UNION ALL
    SELECT c.counterparty_id, c.inflow, c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.counterparty_id, d.inflow, d.outflow
      FROM report_month_counterparties c
      CROSS JOIN LATERAL unnest(
        string_to_array(c.days, ',')::integer[], string_to_array(c.inflows, ',')::numeric[], string_to_array(c.outflows, ',')::numeric[]) d (day, inflow, outflow)
      WHERE c.organization_id = {organization}
        AND c.month = m.month
        AND d.day >= {from} - {epoch}
        AND d.day <= {to} - {epoch}
      OFFSET 0) c
    WHERE NOT m.inside) t
  GROUP BY counterparty_id
  ORDER BY size DESC, id
  LIMIT {limit}),
month_sums AS NOT MATERIALIZED (
  SELECT nullif(c.category_id, 0) AS category_id, c.alone AND c.category_id = ANY ({transfers}) AS lone, NULL::uuid AS counterparty_id,
         m.month, m.whole, c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
  FROM months m
  CROSS JOIN LATERAL (
    SELECT c.category_id, c.alone, c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
    FROM report_month_categories c
    WHERE c.organization_id = {organization}
      AND c.month = m.month
    OFFSET 0) c
  UNION ALL
  SELECT NULL, false, l.id, m.month, m.whole, c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
  FROM largest l
  CROSS JOIN months m
  CROSS JOIN LATERAL (
    SELECT c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
    FROM report_month_counterparties c
    WHERE c.organization_id = {organization}
      AND c.month = m.month
      AND c.counterparty_id = l.id
    OFFSET 0) c),
sums AS (
  SELECT {cashflow} AS of, category_id, counterparty_id, {lists}
  FROM (
    SELECT category_id, lone, NULL::uuid AS counterparty_id, day, transaction_count, inflow, outflow
    FROM live_sums
    WHERE by_category
    UNION ALL
    SELECT NULL, false, t.counterparty_id, min(t.date), {flow}
    FROM parties t
    WHERE NOT t.own
      AND (t.counterparty_id IN (SELECT id FROM largest)) IS TRUE
    GROUP BY t.counterparty_id, width_bucket(t.date, {starts})
    UNION ALL
    SELECT category_id, lone, counterparty_id, month, transaction_count, inflow, outflow
    FROM month_sums
    WHERE whole) s
  GROUP BY category_id, lone, counterparty_id
  UNION ALL
  SELECT {cashflow}, category_id, counterparty_id, {joined}
  FROM month_sums
  WHERE NOT whole
  GROUP BY category_id, lone, counterparty_id)`

// sumLists are the sums of a group as a reportPart has them, each with a day.
const sumLists = `array_to_string(array_agg(day - date '1970-01-01'), ',') AS days, array_to_string(array_agg(transaction_count), ',') AS counts,
         array_to_string(array_agg(inflow), ',') AS inflows, array_to_string(array_agg(outflow), ',') AS outflows`

// joinedLists are those of several months.
const joinedLists = `string_agg(days, ','), string_agg(counts, ','), string_agg(inflows, ','), string_agg(outflows, ',')`

// sumsSelect begins the answer of the form with sums.
const sumsSelect = `
SELECT of, category_id, counterparty_id, NULL::text AS name, NULL::text AS currency, days,
       counts, inflows, outflows, NULL::text AS amounts, NULL::numeric AS sizes
FROM sums`

// listedSums are the listed counterparties.
const listedSums = `
UNION ALL
SELECT 'listed', NULL, l.id, (SELECT c.name FROM counterparties c WHERE c.organization_id = {organization} AND c.id = l.id), NULL, NULL,
       NULL, NULL, NULL, NULL, l.sizes
FROM largest l`
