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
      AND m.month NOT IN (
        SELECT d.month
        FROM report_dirty d
        WHERE d.organization_id = {organization})) m),
gaps AS MATERIALIZED (
  SELECT last_day + 1 AS first_day, coalesce(lead(month) OVER (ORDER BY month) - 1, {to}) AS last_day
  FROM months
  UNION ALL
  SELECT {from}, coalesce(min(month) - 1, {to})
  FROM months),
live AS NOT MATERIALIZED ({live}),`

// monthCategories are the categories of the months. OFFSET 0 has each month looked up by itself.
const monthCategories = `
month_categories AS NOT MATERIALIZED (
  SELECT t.category_id, t.alone, m.month, m.whole, t.transaction_count, t.inflow, t.outflow, t.days, t.counts, t.inflows, t.outflows
  FROM months m
  CROSS JOIN LATERAL (
    SELECT nullif(c.category_id, 0) AS category_id, c.alone, c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
    FROM report_month_categories c
    WHERE c.organization_id = {organization}
      AND c.month = m.month
    OFFSET 0) t
  WHERE {category}),`

// pnlSums are the sums by category, each with a day of its period: those of the live rows and those of the months.
const pnlSums = `
sums AS (
  SELECT 'sums' AS of, category_id, NULL::uuid AS counterparty_id, {lists}
  FROM (
    SELECT t.category_id, min(t.date) AS day, {flow}
    FROM live t
    GROUP BY t.category_id, width_bucket(t.date, {starts})
    UNION ALL
    SELECT category_id, month, transaction_count, inflow, outflow
    FROM month_categories
    WHERE whole) s
  GROUP BY category_id
  UNION ALL
  SELECT 'sums', category_id, NULL, {joined}
  FROM month_categories
  WHERE NOT whole
  GROUP BY category_id)`

// cashflowSums are the same by category, and by counterparty where that is listed. Those with the largest nets are, equal
// ones by id. No roll-up has the categories of a counterparty: where some are chosen, its rows are read one by one.
const cashflowSums = `
parties AS NOT MATERIALIZED (
  SELECT coalesce(counterparty_id, {nobody}) AS counterparty_id, date, amount
  FROM ({party_live}) t
  WHERE coalesce(category_id <> ALL ({transfers}), true)),
largest AS MATERIALIZED (
  SELECT counterparty_id AS id, abs(sum(net)) AS size, sum(abs(sum(net))) OVER () AS sizes
  FROM (
    SELECT counterparty_id, sum(amount) AS net
    FROM parties
    GROUP BY counterparty_id
    UNION ALL
    SELECT c.counterparty_id, c.inflow - c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.counterparty_id, c.inflow, c.outflow
      FROM report_month_counterparties c
      WHERE c.organization_id = {organization}
        AND c.month = m.month
      OFFSET 0) c
    WHERE m.inside
      AND {parties_rolled_up}
    UNION ALL
    SELECT c.counterparty_id, c.inflow - c.outflow
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
    WHERE NOT m.inside
      AND {parties_rolled_up}) t
  GROUP BY counterparty_id
  ORDER BY size DESC, id
  LIMIT {limit}),
month_sums AS NOT MATERIALIZED (
  SELECT category_id, alone AND coalesce(category_id = ANY ({transfers}), false) AS lone, NULL::uuid AS counterparty_id,
         month, whole, transaction_count, inflow, outflow, days, counts, inflows, outflows
  FROM month_categories
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
    OFFSET 0) c
  WHERE {parties_rolled_up}),
sums AS (
  SELECT {cashflow} AS of, category_id, counterparty_id, {lists}
  FROM (
    SELECT t.category_id, t.lone, NULL::uuid AS counterparty_id, min(t.date) AS day, {flow}
    FROM (
      SELECT category_id, coalesce(transfer_id IS NULL AND category_id = ANY ({transfers}), false) AS lone, date, amount
      FROM live) t
    GROUP BY t.category_id, t.lone, width_bucket(t.date, {starts})
    UNION ALL
    SELECT NULL, false, t.counterparty_id, min(t.date), {flow}
    FROM parties t
    WHERE (t.counterparty_id IN (SELECT id FROM largest)) IS TRUE
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
