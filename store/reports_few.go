package store

// reportFew are the rows of the range, and one more where they are too many for this form. Categories are chosen from them
// afterwards: to look for a few rows of one among a million would take longer than to sum them.
const reportFew = `
WITH live AS MATERIALIZED ({live}
  LIMIT {few} + 1),
few AS MATERIALIZED (
  SELECT count(*) <= {few} AS yes
  FROM live),`

// pnlRows are the rows by category.
const pnlRows = `
sums AS (
  SELECT 'rows' AS of, category_id, {lists}
  FROM live t
  WHERE (SELECT yes FROM few)
    AND {category}
  GROUP BY category_id` + tooMany + `)`

// cashflowRows are the same, and the rows of the listed counterparties. Those with the largest nets are, equal ones by id.
const cashflowRows = `
largest AS MATERIALIZED (
  SELECT id, {lists}, abs(sum(amount)) AS size, sum(abs(sum(amount))) OVER () AS sizes
  FROM (
    SELECT coalesce(counterparty_id, {nobody}) AS id, date, amount
    FROM live t
    WHERE (SELECT yes FROM few)
      AND {category}
      AND coalesce(category_id <> ALL ({transfers}), true)) t
  GROUP BY id
  ORDER BY size DESC, id
  LIMIT {limit}),
sums AS (
  SELECT CASE WHEN lone THEN 'rows without leg' ELSE 'rows' END AS of, category_id, {lists}
  FROM (
    SELECT coalesce(transfer_id IS NULL AND category_id = ANY ({transfers}), false) AS lone, category_id, date, amount
    FROM live t
    WHERE (SELECT yes FROM few)
      AND {category}) t
  GROUP BY lone, category_id` + tooMany + `)`

// rowLists are the rows of a group as a reportPart has them.
const rowLists = `array_to_string(array_agg(date - {epoch}), ',') AS days, array_to_string(array_agg(amount), ',') AS amounts`

const tooMany = `
  UNION ALL
  SELECT 'too many', NULL, NULL, NULL
  FROM few
  WHERE NOT yes`

// rowsSelect begins the answer of the form for few rows.
const rowsSelect = `
SELECT of, category_id, NULL::uuid AS counterparty_id, NULL::text AS name, NULL::text AS currency, days,
       NULL::text AS counts, NULL::text AS inflows, NULL::text AS outflows, amounts, NULL::numeric AS sizes
FROM sums`

// listedRows are the listed counterparties with their rows.
const listedRows = `
UNION ALL
SELECT 'listed', NULL, l.id, (SELECT c.name FROM counterparties c WHERE c.organization_id = {organization} AND c.id = l.id), NULL, l.days,
       NULL, NULL, NULL, l.amounts, l.sizes
FROM largest l`
