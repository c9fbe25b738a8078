SELECT answer.*
FROM (SELECT $1::uuid AS id OFFSET 0) business
CROSS JOIN LATERAL (
WITH months AS MATERIALIZED (
  SELECT month, last_day, year, inside, whole, netted, netted AND by_year AS listed
  FROM (
    SELECT m.month, m.last_day, y.year, y.outside, t.taken, i.inside, w.whole,
           count(*) OVER of_year = min(coalesce(m.in_sums, 0)) OVER of_year
             AND count(*) FILTER (WHERE i.inside) OVER of_year >= 3
             AND bool_and(i.inside OR y.outside) OVER of_year AS netted,
           bool_and(w.whole OR y.outside) OVER of_year AS by_year
    FROM report_months m
    CROSS JOIN LATERAL (
      SELECT date_trunc('year', m.month)::date AS year, m.month > $3::date OR m.last_day < $2::date AS outside) y
    CROSS JOIN LATERAL (
      SELECT m.suggestions
             AND m.transfers = $4::integer[]
             AND m.month NOT IN (
               SELECT d.month
               FROM report_dirty d
               WHERE d.organization_id = business.id) AS taken
      OFFSET 0) t
    CROSS JOIN LATERAL (
      SELECT t.taken AND m.month >= $2::date AND m.last_day <= $3::date AS inside) i
    CROSS JOIN LATERAL (
      SELECT i.inside AND width_bucket(m.month, $7::date[]) = width_bucket(m.last_day, $7::date[]) AS whole) w
    WHERE m.organization_id = business.id
      AND m.month >= date_trunc('year', $2::date)::date
      AND m.month < (date_trunc('year', $3::date) + interval '1 year')::date
    WINDOW of_year AS (PARTITION BY y.year)) m
  WHERE taken
    AND NOT outside),
years AS MATERIALIZED (
  SELECT year, listed, first, last, bool_and(first = 1 AND last = 12) OVER () AS uncut
  FROM (
    SELECT year, bool_and(listed) AS listed,
           CASE WHEN $2::date > year THEN extract(month FROM $2::date)::integer ELSE 1 END AS first,
           CASE WHEN $3::date < year + 365 THEN extract(month FROM $3::date)::integer ELSE 12 END AS last
    FROM months
    WHERE netted
    GROUP BY year) y),
gaps AS MATERIALIZED (
  SELECT first_day, last_day
  FROM (
    SELECT last_day + 1 AS first_day, coalesce(lead(month) OVER (ORDER BY month) - 1, $3::date) AS last_day
    FROM months
    UNION ALL
    SELECT $2::date, coalesce(min(month) - 1, $3::date)
    FROM months) g
  WHERE first_day <= last_day),
live AS NOT MATERIALIZED (
  SELECT t.date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
  FROM (
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM gaps g
    CROSS JOIN LATERAL (
      SELECT t.processed_date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
      FROM transactions t
      WHERE t.organization_id = business.id
        AND t.processed_date >= g.first_day
        AND t.processed_date <= g.last_day
        AND t.deleted_at IS NULL
        AND t.processing = 'processed'
        AND NOT t.pending
        AND t.currency = 'USD'
        AND t.primary_date - t.processed_date = 0
        AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
      OFFSET 0) t
    UNION ALL
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = business.id
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND t.processing = 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND t.primary_date - t.processed_date <> 0
      AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
    UNION ALL
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = business.id
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND t.processing <> 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE) t),
parts AS MATERIALIZED (
  SELECT t.id, t.date, t.category_id, t.counterparty_id, t.amount, t.destination, t.answer_id, t.way,
         t.category_id = ANY ($4::integer[]) AS transfer
  FROM (
    SELECT t.id, t.processed_date AS date, p.category_id, t.counterparty_id, p.amount, p.answer_id, p.way,
           CASE WHEN t.processing = 'processed' AND t.transfer_id IS NULL THEN t.destination END AS destination
    FROM transactions t
    CROSS JOIN LATERAL (
      SELECT category_id, amount, answer_id, way
      FROM transaction_parts
      WHERE organization_id = business.id
        AND transaction_id = t.id
      OFFSET 0) p
    WHERE t.organization_id = business.id
      AND t.category_id = -1
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND NOT t.pending
      AND t.currency = 'USD') t
  WHERE (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE),
asked AS MATERIALIZED (
  SELECT id, kind
  FROM outstanding_issues
  WHERE organization_id = business.id
    AND status = 'open'),
suggestions AS MATERIALIZED (
  SELECT s.suggested_id, sum(s.transaction_count) AS transaction_count, sum(s.inflow) AS inflow, sum(s.outflow) AS outflow
  FROM (
    SELECT t.suggested_id, count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
    FROM gaps g
    CROSS JOIN LATERAL (
      SELECT t.suggested_id, t.amount
  FROM transactions t
  WHERE t.organization_id = business.id
    AND t.deleted_at IS NULL
    AND t.processing = 'processed'
    AND NOT t.pending
    AND t.currency = 'USD'
    AND t.category_id IS NULL
    AND t.suggested_id IS NOT NULL
      AND t.processed_date >= g.first_day
      AND t.processed_date <= g.last_day
      AND t.primary_date - t.processed_date = 0
      OFFSET 0) t
    GROUP BY t.suggested_id
    UNION ALL
    SELECT t.suggested_id, count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
  FROM transactions t
  WHERE t.organization_id = business.id
    AND t.deleted_at IS NULL
    AND t.processing = 'processed'
    AND NOT t.pending
    AND t.currency = 'USD'
    AND t.category_id IS NULL
    AND t.suggested_id IS NOT NULL
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.primary_date - t.processed_date <> 0
    GROUP BY t.suggested_id
    UNION ALL
    SELECT c.suggested_id, c.transaction_count, c.inflow, c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.suggested_id, c.transaction_count, c.inflow, c.outflow
      FROM report_month_suggestions c
      WHERE c.organization_id = business.id
        AND c.month = m.month
      OFFSET 0) c
    WHERE m.inside
    UNION ALL
    SELECT c.suggested_id, c.transaction_count, c.inflow, c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.suggested_id, d.transaction_count, d.inflow, d.outflow
      FROM report_month_suggestions c
      CROSS JOIN LATERAL unnest(
        string_to_array(c.days, ',')::integer[],
        string_to_array(c.counts, ',')::bigint[],
        string_to_array(c.inflows, ',')::numeric[],
        string_to_array(c.outflows, ',')::numeric[]) d (day, transaction_count, inflow, outflow)
      WHERE c.organization_id = business.id
        AND c.month = m.month
        AND d.day >= $2::date - date '1970-01-01'
        AND d.day <= $3::date - date '1970-01-01'
      OFFSET 0) c
    WHERE NOT m.inside) s
  GROUP BY s.suggested_id),
month_categories AS NOT MATERIALIZED (
  SELECT t.category_id, t.alone, m.month, m.whole,
         t.transaction_count, t.inflow, t.outflow, t.days, t.counts, t.inflows, t.outflows
  FROM months m
  CROSS JOIN LATERAL (
    SELECT nullif(c.category_id, 0) AS category_id, c.alone,
           c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
    FROM report_month_categories c
    WHERE c.organization_id = business.id
      AND c.month = m.month
    OFFSET 0) t
  WHERE NOT m.listed
    AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
  UNION ALL
  SELECT t.category_id, t.alone, y.year, false, NULL, NULL, NULL, t.days, t.counts, t.inflows, t.outflows
  FROM years y
  CROSS JOIN LATERAL (
    SELECT nullif(c.category_id, 0) AS category_id, c.alone, c.days, c.counts, c.inflows, c.outflows
    FROM report_year_categories c
    WHERE c.organization_id = business.id
      AND c.year = y.year
    OFFSET 0) t
  WHERE y.listed
    AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE),
parties AS NOT MATERIALIZED (
  SELECT coalesce(counterparty_id, '00000000-0000-0000-0000-000000000000'::uuid) AS counterparty_id, date, amount
  FROM (
  SELECT t.date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
  FROM (
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM (SELECT $2::date AS first_day, $3::date AS last_day) g
    CROSS JOIN LATERAL (
      SELECT t.processed_date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
      FROM transactions t
      WHERE t.organization_id = business.id
        AND t.processed_date >= g.first_day
        AND t.processed_date <= g.last_day
        AND t.deleted_at IS NULL
        AND t.processing = 'processed'
        AND NOT t.pending
        AND t.currency = 'USD'
        AND t.primary_date - t.processed_date = 0
        AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
      OFFSET 0) t
    UNION ALL
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = business.id
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND t.processing = 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND t.primary_date - t.processed_date <> 0
      AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
    UNION ALL
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = business.id
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND t.processing <> 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE) t) t
  WHERE coalesce(category_id <> ALL ($5::integer[]), true)),
largest AS MATERIALIZED (
  SELECT id, abs(net) AS size, sum(abs(net)) OVER () AS sizes
  FROM (
    SELECT coalesce(y.id, o.id) AS id, coalesce(y.net + o.net, y.net, o.net) AS net
    FROM (
      SELECT counterparty_id AS id, sum(net) AS net
      FROM report_year_counterparties
      WHERE organization_id = business.id
        AND year = ANY (ARRAY (SELECT year FROM years WHERE uncut))
        AND (SELECT bool_or(uncut) FROM years)
        AND false
      GROUP BY counterparty_id) y
    FULL JOIN (
  SELECT counterparty_id AS id, sum(net) AS net
  FROM (
    SELECT counterparty_id, sum(amount) AS net
    FROM parties
    GROUP BY counterparty_id
    UNION ALL
    SELECT coalesce(counterparty_id, '00000000-0000-0000-0000-000000000000'::uuid), amount
    FROM parts
    WHERE NOT transfer
    UNION ALL
    SELECT c.counterparty_id, c.inflow - c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.counterparty_id, c.inflow, c.outflow
      FROM report_month_counterparties c
      WHERE c.organization_id = business.id
        AND c.month = m.month
      OFFSET 0) c
    WHERE m.inside
      AND NOT m.netted
      AND false
    UNION ALL
    SELECT c.counterparty_id, c.nets[y.last + 1] - c.nets[y.first]
    FROM years y
    CROSS JOIN LATERAL (
      SELECT c.counterparty_id, c.nets
      FROM report_year_counterparties c
      WHERE c.organization_id = business.id
        AND c.year = y.year
      OFFSET 0) c
    WHERE NOT y.uncut
      AND false
    UNION ALL
    SELECT c.counterparty_id, c.inflow - c.outflow
    FROM months m
    CROSS JOIN LATERAL (
      SELECT c.counterparty_id, d.inflow, d.outflow
      FROM report_month_counterparties c
      CROSS JOIN LATERAL unnest(
        string_to_array(c.days, ',')::integer[],
        string_to_array(c.inflows, ',')::numeric[],
        string_to_array(c.outflows, ',')::numeric[]) d (day, inflow, outflow)
      WHERE c.organization_id = business.id
        AND c.month = m.month
        AND d.day >= $2::date - date '1970-01-01'
        AND d.day <= $3::date - date '1970-01-01'
      OFFSET 0) c
    WHERE NOT m.inside
      AND false) t
  GROUP BY counterparty_id) o ON o.id = y.id) n
  ORDER BY size DESC, id
  LIMIT $6::integer),
month_sums AS NOT MATERIALIZED (
  SELECT category_id,
         alone AND coalesce(category_id = ANY ($4::integer[]), false) AS lone,
         NULL::uuid AS counterparty_id,
         month, whole, transaction_count, inflow, outflow, days, counts, inflows, outflows
  FROM month_categories
  UNION ALL
  SELECT NULL, false, l.id,
         m.month, m.whole, c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
  FROM largest l
  CROSS JOIN months m
  CROSS JOIN LATERAL (
    SELECT c.transaction_count, c.inflow, c.outflow, c.days, c.counts, c.inflows, c.outflows
    FROM report_month_counterparties c
    WHERE c.organization_id = business.id
      AND c.month = m.month
      AND c.counterparty_id = l.id
    OFFSET 0) c
  WHERE NOT m.listed
    AND false
  UNION ALL
  SELECT NULL, false, l.id,
         y.year, false, NULL, NULL, NULL, c.days, c.counts, c.inflows, c.outflows
  FROM largest l
  CROSS JOIN years y
  CROSS JOIN LATERAL (
    SELECT c.days, c.counts, c.inflows, c.outflows
    FROM report_year_counterparties c
    WHERE c.organization_id = business.id
      AND c.year = y.year
      AND c.counterparty_id = l.id
    OFFSET 0) c
  WHERE y.listed
    AND false),
sums AS (
  SELECT CASE WHEN lone THEN 'sums without leg' ELSE 'sums' END AS of, category_id, counterparty_id, array_to_string(array_agg(day - date '1970-01-01'), ',') AS days,
         array_to_string(array_agg(transaction_count), ',') AS counts,
         array_to_string(array_agg(inflow), ',') AS inflows,
         array_to_string(array_agg(outflow), ',') AS outflows
  FROM (
    SELECT t.category_id, t.lone, NULL::uuid AS counterparty_id, min(t.date) AS day, count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
    FROM (
      SELECT category_id, coalesce(transfer_id IS NULL AND category_id = ANY ($4::integer[]), false) AS lone,
             date, amount
      FROM live) t
    GROUP BY t.category_id, t.lone, width_bucket(t.date, $7::date[])
    UNION ALL
    SELECT NULL, false, t.counterparty_id, min(t.date), count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
    FROM parties t
    WHERE (t.counterparty_id IN (SELECT id FROM largest)) IS TRUE
    GROUP BY t.counterparty_id, width_bucket(t.date, $7::date[])
    UNION ALL
    SELECT category_id, lone, counterparty_id, month, transaction_count, inflow, outflow
    FROM month_sums
    WHERE whole) s
  GROUP BY category_id, lone, counterparty_id
  UNION ALL
  SELECT CASE WHEN lone THEN 'sums without leg' ELSE 'sums' END, category_id, counterparty_id, string_agg(days, ','), string_agg(counts, ','), string_agg(inflows, ','), string_agg(outflows, ',')
  FROM month_sums
  WHERE NOT whole
  GROUP BY category_id, lone, counterparty_id)
SELECT of, category_id, counterparty_id, NULL::text AS name, NULL::text AS currency, days,
       counts, inflows, outflows, NULL::text AS amounts, NULL::numeric AS sizes
FROM sums
UNION ALL
SELECT 'listed', NULL, NULL, json_object_agg(l.id, c.name)::text, NULL, NULL,
       NULL, NULL, NULL, NULL, max(l.sizes)
FROM largest l
LEFT JOIN LATERAL (
  SELECT c.name
  FROM counterparties c
  WHERE c.organization_id = business.id
    AND c.id = l.id
  OFFSET 0) c ON true
UNION ALL
SELECT CASE WHEN t.pending THEN 'pending' ELSE 'left out' END AS of, NULL::integer AS category_id, NULL::uuid AS counterparty_id,
       NULL::text AS name, t.currency, NULL::text AS days,
       (count(*) FILTER (WHERE t.ordinal IS NULL) + count(DISTINCT t.id) FILTER (WHERE t.ordinal IS NOT NULL))::text AS counts,
       coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0)::text AS inflows, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0)::text AS outflows, NULL::text AS amounts, NULL::numeric AS sizes
FROM (
  SELECT t.id, t.pending, t.currency, t.counterparty_id, p.ordinal,
         coalesce(p.category_id, t.category_id) AS category_id, coalesce(p.amount, t.amount) AS amount
  FROM transactions t
  LEFT JOIN LATERAL (
    SELECT ordinal, category_id, amount
    FROM transaction_parts
    WHERE organization_id = business.id
      AND transaction_id = t.id
      AND t.category_id = -1
    OFFSET 0) p ON true
  WHERE t.organization_id = business.id
    AND t.processed_date >= $2::date
    AND t.processed_date <= $3::date
    AND t.deleted_at IS NULL
    AND (t.pending OR t.currency <> 'USD')) t
WHERE t.category_id IS DISTINCT FROM -1
  AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
GROUP BY t.pending, t.currency
UNION ALL
SELECT 'through', NULL, NULL, NULL, NULL, (day - date '1970-01-01')::text, NULL, NULL, NULL, NULL, NULL
FROM (
  SELECT greatest(two_dates.day, (
           SELECT primary_date
           FROM transactions
           WHERE organization_id = business.id
             AND deleted_at IS NULL
             AND processing = 'processed'
             AND processed_date >= primary_date
             AND primary_date > coalesce(two_dates.day, '-infinity')
           ORDER BY primary_date DESC, id DESC
           LIMIT 1), (
           SELECT max(primary_date)
           FROM (
WITH RECURSIVE waiting AS (
(SELECT processing, account_id, primary_date
FROM transactions
WHERE organization_id = business.id
  AND deleted_at IS NULL
  AND processing <> 'processed'
  AND processed_date >= primary_date
ORDER BY processing, account_id, primary_date DESC
LIMIT 1)
UNION ALL
SELECT n.*
FROM waiting w
CROSS JOIN LATERAL (
SELECT processing, account_id, primary_date
FROM transactions
WHERE organization_id = business.id
  AND deleted_at IS NULL
  AND processing <> 'processed'
  AND processed_date >= primary_date
  AND (processing, account_id) > (w.processing, w.account_id)
ORDER BY processing, account_id, primary_date DESC
LIMIT 1) n)
SELECT *
FROM waiting) w)) AS day
  FROM (
    SELECT (
      SELECT processed_date
      FROM transactions
      WHERE organization_id = business.id
        AND deleted_at IS NULL
        AND processed_date <> primary_date
      ORDER BY processed_date DESC, id DESC
      LIMIT 1) AS day
    OFFSET 0) two_dates) t
UNION ALL
SELECT 'source', NULL, s.id,
       jsonb_build_object('kind', s.kind, 'state', s.state, 'lastUploadAt', (
         SELECT greatest(max(last_upload_at), max(sent_at))
         FROM accounts
         WHERE organization_id = business.id
           AND source_id = s.id))::text,
       NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM sources s
WHERE s.organization_id = business.id
UNION ALL
SELECT CASE WHEN transfer THEN 'parts of transfers' ELSE 'parts' END, category_id, NULL, string_agg(id::text, ','),
       NULL, string_agg((date - date '1970-01-01')::text, ','), NULL, NULL, NULL, string_agg(amount::text, ','), NULL
FROM parts
GROUP BY transfer, category_id
UNION ALL
SELECT 'parts of listed', NULL, counterparty_id, NULL, NULL, string_agg((date - date '1970-01-01')::text, ','),
       string_agg('1', ','), string_agg(inflow::text, ','), string_agg(outflow::text, ','), NULL, NULL
FROM (
  SELECT coalesce(t.counterparty_id, '00000000-0000-0000-0000-000000000000'::uuid) AS counterparty_id, t.date, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
  FROM parts t
  WHERE NOT t.transfer
  GROUP BY t.id, t.counterparty_id, t.date) t
GROUP BY counterparty_id
UNION ALL
SELECT 'deleted leg', NULL, NULL, NULL, NULL, NULL, count(*)::text, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0)::text, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0)::text, NULL, NULL
FROM transactions leg
CROSS JOIN LATERAL (
  SELECT t.amount
  FROM transactions t
  WHERE t.organization_id = business.id
    AND t.transfer_id = leg.id
    AND t.processed_date >= $2::date
    AND t.processed_date <= $3::date
    AND t.deleted_at IS NULL
    AND NOT t.pending
    AND t.currency = 'USD'
    AND t.category_id = ANY ($4::integer[])
    AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
  OFFSET 0) t
WHERE leg.organization_id = business.id
  AND leg.deleted_at IS NOT NULL

UNION ALL
SELECT 'suggested', suggested_id, NULL, NULL, NULL, NULL, transaction_count::text, inflow::text, outflow::text, NULL, NULL
FROM suggestions
UNION ALL
SELECT 'outside', NULL, NULL, NULL, NULL, NULL, sum(s.transaction_count)::text, sum(s.inflow)::text, sum(s.outflow)::text,
       NULL, NULL
FROM (
  SELECT count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
  FROM (
  SELECT t.date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
  FROM (
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM gaps g
    CROSS JOIN LATERAL (
      SELECT t.processed_date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
      FROM transactions t
      WHERE t.organization_id = business.id
        AND t.processed_date >= g.first_day
        AND t.processed_date <= g.last_day
        AND t.deleted_at IS NULL
        AND t.processing = 'processed'
        AND NOT t.pending
        AND t.currency = 'USD'
        AND t.primary_date - t.processed_date = 0
        AND coalesce(t.category_id, 0) IN (0, 9700, 9701, 9007, 9704, 9703, 9702) AND NOT (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
      OFFSET 0) t
    UNION ALL
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = business.id
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND t.processing = 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND t.primary_date - t.processed_date <> 0
      AND coalesce(t.category_id, 0) IN (0, 9700, 9701, 9007, 9704, 9703, 9702) AND NOT (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
    UNION ALL
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM transactions t
    WHERE t.organization_id = business.id
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.deleted_at IS NULL
      AND t.processing <> 'processed'
      AND NOT t.pending
      AND t.currency = 'USD'
      AND coalesce(t.category_id, 0) IN (0, 9700, 9701, 9007, 9704, 9703, 9702) AND NOT (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE) t) t
  UNION ALL
  SELECT c.transaction_count, c.inflow, c.outflow
  FROM months m
  CROSS JOIN LATERAL (
    SELECT c.transaction_count, c.inflow, c.outflow
    FROM report_month_categories c
    WHERE c.organization_id = business.id
      AND c.month = m.month
      AND c.category_id IN (0, 9700, 9701, 9007, 9704, 9703, 9702)
      AND (c.category_id = ANY ($8::integer[])) IS NOT TRUE
    OFFSET 0) c
  WHERE m.inside
  UNION ALL
  SELECT c.transaction_count, c.inflow, c.outflow
  FROM months m
  CROSS JOIN LATERAL (
    SELECT d.transaction_count, d.inflow, d.outflow
    FROM report_month_categories c
    CROSS JOIN LATERAL unnest(
      string_to_array(c.days, ',')::integer[],
      string_to_array(c.counts, ',')::bigint[],
      string_to_array(c.inflows, ',')::numeric[],
      string_to_array(c.outflows, ',')::numeric[]) d (day, transaction_count, inflow, outflow)
    WHERE c.organization_id = business.id
      AND c.month = m.month
      AND c.category_id IN (0, 9700, 9701, 9007, 9704, 9703, 9702)
      AND (c.category_id = ANY ($8::integer[])) IS NOT TRUE
      AND d.day >= $2::date - date '1970-01-01'
      AND d.day <= $3::date - date '1970-01-01'
    OFFSET 0) c
  WHERE NOT m.inside) s
UNION ALL
SELECT 'missing', m.category_id, NULL, m.destination, m.standing,
       (min(m.date) - date '1970-01-01') || ',' || (max(m.date) - date '1970-01-01'),
       count(*)::text, coalesce(sum(m.amount) FILTER (WHERE m.amount > 0), 0)::text, coalesce(-sum(m.amount) FILTER (WHERE m.amount < 0), 0)::text, NULL, NULL
FROM (
  SELECT t.processed_date AS date, t.amount, t.destination, coalesce(t.category_id, t.suggested_id) AS category_id,
         CASE WHEN t.category_id IS NULL THEN 'suggested' ELSE 'established' END AS standing
  FROM transactions t
  WHERE t.organization_id = business.id
    AND t.deleted_at IS NULL
    AND t.processing = 'processed'
    AND NOT t.pending
    AND t.currency = 'USD'
    AND t.transfer_id IS NULL
    AND t.destination IS NOT NULL
    AND coalesce(t.category_id, t.suggested_id) <> -1
    AND t.processed_date >= $2::date
    AND t.processed_date <= $3::date
    AND (t.category_id IN (SELECT unnest($8::integer[]))) IS TRUE
  UNION ALL
  SELECT date, amount, destination, category_id, 'established'
  FROM parts
  WHERE destination IS NOT NULL) m
GROUP BY m.destination, m.category_id, m.standing
UNION ALL
SELECT 'business', NULL, NULL, NULL, NULL, NULL, concat_ws(',', (
         SELECT concat_ws(',', count(*) FILTER (WHERE processing = 'queued'), count(*) FILTER (WHERE processing = 'limited'))
         FROM transactions
         WHERE organization_id = business.id
           AND deleted_at IS NULL
           AND processing <> 'processed'), (
         SELECT count(*)
         FROM asked), (
         SELECT count(*)
         FROM asked i
         CROSS JOIN LATERAL (
           SELECT t.id
           FROM issue_transactions it
           JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
           WHERE it.organization_id = business.id
             AND it.issue_id = i.id
             AND t.deleted_at IS NULL
             AND t.processed_date >= $2::date
             AND t.processed_date <= $3::date
           LIMIT 1) t
         WHERE i.kind = 'changed'),
         EXISTS (SELECT FROM standing_due WHERE organization_id = business.id)::integer,
         EXISTS (SELECT FROM answer_rows WHERE organization_id = business.id AND filed)::integer),
       NULL, NULL, NULL, NULL


) answer
