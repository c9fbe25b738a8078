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
             AND m.month NOT IN (
               SELECT d.month
               FROM report_dirty d
               WHERE d.organization_id = business.id) AS taken
      OFFSET 0) t
    CROSS JOIN LATERAL (
      SELECT t.taken AND m.month >= $2::date AND m.last_day <= $3::date AS inside) i
    CROSS JOIN LATERAL (
      SELECT i.inside AND width_bucket(m.month, $4::date[]) = width_bucket(m.last_day, $4::date[]) AS whole) w
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
        AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)
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
      AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)
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
      AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)) t),
parts AS MATERIALIZED (
  SELECT t.id, t.date, t.category_id, t.counterparty_id, t.amount, t.destination, t.answer_id, t.way,
         false AS transfer
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
  WHERE ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)),
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
    AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)
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
    AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)),
sums AS (
  SELECT 'sums' AS of, category_id, NULL::uuid AS counterparty_id, array_to_string(array_agg(day - date '1970-01-01'), ',') AS days,
         array_to_string(array_agg(transaction_count), ',') AS counts,
         array_to_string(array_agg(inflow), ',') AS inflows,
         array_to_string(array_agg(outflow), ',') AS outflows
  FROM (
    SELECT t.category_id, min(t.date) AS day, count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
    FROM live t
    GROUP BY t.category_id, width_bucket(t.date, $4::date[])
    UNION ALL
    SELECT category_id, month, transaction_count, inflow, outflow
    FROM month_categories
    WHERE whole) s
  GROUP BY category_id
  UNION ALL
  SELECT 'sums', category_id, NULL, string_agg(days, ','), string_agg(counts, ','), string_agg(inflows, ','), string_agg(outflows, ',')
  FROM month_categories
  WHERE NOT whole
  GROUP BY category_id)
SELECT of, category_id, counterparty_id, NULL::text AS name, NULL::text AS currency, days,
       counts, inflows, outflows, NULL::text AS amounts, NULL::numeric AS sizes
FROM sums
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
  AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)
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
SELECT 'suggested', suggested_id, NULL, NULL, NULL, NULL, transaction_count::text, inflow::text, outflow::text, NULL, NULL
FROM suggestions
UNION ALL
SELECT 'open', o.suggested_id, o.issue_id, (
         SELECT jsonb_build_object('question', question, 'options', options)::text
         FROM outstanding_issues
         WHERE organization_id = business.id
           AND id = o.issue_id),
       NULL, NULL, o.transaction_count::text, o.inflow::text, o.outflow::text, NULL, NULL
FROM (
  SELECT t.suggested_id, i.issue_id, t.amount > 0 AS incoming, count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
  FROM (
    SELECT t.id, t.amount, t.suggested_id
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
      AND NOT (SELECT coalesce(sum(transaction_count), 0) > 2000 FROM suggestions)) t
  LEFT JOIN LATERAL (
    SELECT it.issue_id
    FROM issue_transactions it
    WHERE it.organization_id = business.id
      AND it.transaction_id = t.id
      AND (it.issue_id IN (SELECT id FROM asked)) IS TRUE
    ORDER BY it.issue_id DESC -- of a family that has come apart, the member's
    LIMIT 1) i ON true
  GROUP BY t.suggested_id, i.issue_id, t.amount > 0) o
UNION ALL
SELECT 'question', NULL, i.id, jsonb_build_object('question', i.question, 'options', i.options)::text, NULL, NULL,
       i.transaction_count::text, (CASE WHEN i.incoming THEN i.impact_amount ELSE 0 END)::text,
       (CASE WHEN i.incoming THEN 0 ELSE i.impact_amount END)::text, NULL, NULL
FROM (
  SELECT *
  FROM outstanding_issues
  WHERE organization_id = business.id
    AND status = 'open'
    AND impact_currency = 'USD'
    AND (SELECT coalesce(sum(transaction_count), 0) > 2000 FROM suggestions)
  ORDER BY impact_amount DESC, id
  LIMIT 20) i
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
    AND ((t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE OR t.category_id IS NULL)
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
