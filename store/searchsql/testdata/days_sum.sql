SELECT s.currency, s.transaction_count, s.inflow + d.inflow AS inflow, s.outflow + d.outflow AS outflow
FROM (
  SELECT t.currency, count(*) AS transaction_count,
         coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow,
         coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow,
         array_agg(t.id) FILTER (WHERE t.category_id = -1) AS divided
  FROM (
(SELECT t.currency, t.amount, t.category_id, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.primary_date >= $2::date
  AND t.primary_date <= $3::date
LIMIT 10001)
UNION ALL
(SELECT t.currency, t.amount, t.category_id, t.id
FROM (
WITH RECURSIVE waiting AS (
(SELECT processing, account_id, primary_date
FROM transactions
WHERE organization_id = $1::uuid
  AND deleted_at IS NULL
  AND processing <> 'processed'
ORDER BY processing, account_id, primary_date DESC
LIMIT 1)
UNION ALL
SELECT n.*
FROM waiting w
CROSS JOIN LATERAL (
SELECT processing, account_id, primary_date
FROM transactions
WHERE organization_id = $1::uuid
  AND deleted_at IS NULL
  AND processing <> 'processed'
  AND (processing, account_id) > (w.processing, w.account_id)
ORDER BY processing, account_id, primary_date DESC
LIMIT 1) n)
SELECT *
FROM waiting) g
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions t
  WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND t.primary_date >= $5::date
  AND t.primary_date <= $6::date
  AND t.processing = g.processing
  AND t.account_id BETWEEN g.account_id AND g.account_id
  OFFSET 0) t
LIMIT 10001)) t
  GROUP BY t.currency) s
CROSS JOIN LATERAL (
  SELECT coalesce(sum(p.inflow - greatest(t.amount, 0)), 0) AS inflow,
         coalesce(sum(p.outflow + least(t.amount, 0)), 0) AS outflow
  FROM unnest(s.divided) AS u (id)
  CROSS JOIN LATERAL (
    SELECT *
    FROM transactions
    WHERE organization_id = (SELECT $1::uuid)
      AND id = u.id
    LIMIT 1) t
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(p.amount) FILTER (WHERE p.amount > 0), 0) AS inflow,
           coalesce(-sum(p.amount) FILTER (WHERE p.amount < 0), 0) AS outflow
    FROM transaction_parts p
    WHERE p.organization_id = (SELECT $1::uuid)
  AND p.transaction_id = t.id) p) d
ORDER BY s.transaction_count DESC, s.currency
