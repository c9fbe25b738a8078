SELECT answer.*
FROM (SELECT $1::uuid AS id OFFSET 0) business
CROSS JOIN LATERAL (
WITH
live AS MATERIALIZED (
  SELECT
         count(*) AS transaction_count, string_agg(concat_ws(' ', t.date - date '1970-01-01', t.amount, coalesce(t.category_id, 0),
                               CASE WHEN t.transfer_id IS NOT NULL THEN 1 END), ',') AS list
  FROM (
  SELECT t.date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
  FROM (
    SELECT t.processed_date AS date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
    FROM (SELECT DISTINCT id, $2::date AS first_day, $3::date AS last_day FROM unnest($6::uuid[]) id) g
    CROSS JOIN LATERAL (
      SELECT t.processed_date, t.category_id, t.counterparty_id, t.transfer_id, t.amount
      FROM transactions t
      WHERE t.organization_id = business.id
        AND t.counterparty_id = g.id
        AND t.primary_date >= g.first_day
        AND t.primary_date <= g.last_day
        AND t.deleted_at IS NULL
        AND t.processing = 'processed'
        AND NOT t.pending
        AND t.currency = 'USD'
        AND t.primary_date - t.processed_date = 0
        AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE
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
      AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE
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
      AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE) t
  LIMIT $4::integer + 1) t),
few AS MATERIALIZED (
  SELECT coalesce(sum(transaction_count), 0) <= $4::integer AS yes
  FROM live),
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
  WHERE (t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE
    AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE),
suggestions AS MATERIALIZED (
  SELECT s.suggested_id, sum(s.transaction_count) AS transaction_count, sum(s.inflow) AS inflow, sum(s.outflow) AS outflow
  FROM (
    SELECT t.suggested_id, count(*) AS transaction_count, coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow, coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
    FROM (SELECT $2::date AS first_day, $3::date AS last_day) g
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
    AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE
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
    AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE
      AND t.processed_date >= $2::date
      AND t.processed_date <= $3::date
      AND t.primary_date - t.processed_date <> 0
    GROUP BY t.suggested_id) s
  GROUP BY s.suggested_id),
asked AS MATERIALIZED (
  SELECT id, kind
  FROM outstanding_issues
  WHERE organization_id = business.id
    AND status = 'open')
SELECT 'rows' AS of, NULL::integer AS category_id, NULL::uuid AS counterparty_id,
       list AS name, NULL::text AS currency,
       NULL::text AS days, NULL::text AS counts, NULL::text AS inflows, NULL::text AS outflows, NULL::text AS amounts,
       NULL::numeric AS sizes
FROM live
WHERE (SELECT yes FROM few)
UNION ALL
SELECT 'too many', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM few
WHERE NOT yes
UNION ALL
SELECT *
FROM (
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
  AND (t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE
  AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE
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
    AND (t.category_id IN (SELECT unnest($5::integer[]))) IS TRUE
    AND (t.counterparty_id IN (SELECT unnest($6::uuid[]))) IS TRUE
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
OFFSET 0) t
WHERE (SELECT yes FROM few)
) answer
