SELECT t.currency, count(*) AS transaction_count, coalesce(sum(t.inflow), 0) AS inflow, coalesce(-sum(t.outflow), 0) AS outflow
FROM (
(SELECT t.currency,
        CASE WHEN t.category_id = -1 THEN (
  SELECT sum(p.amount)::bigint
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
  AND p.transaction_id = t.id AND p.amount > 0) ELSE greatest(t.amount, 0) END AS inflow,
        CASE WHEN t.category_id = -1 THEN (
  SELECT sum(p.amount)::bigint
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
  AND p.transaction_id = t.id AND p.amount < 0) ELSE least(t.amount, 0) END AS outflow
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($2)
LIMIT 10001)
UNION ALL
(SELECT t.currency,
        CASE WHEN t.category_id = -1 THEN (
  SELECT sum(p.amount)::bigint
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
  AND p.transaction_id = t.id AND p.amount > 0) ELSE greatest(t.amount, 0) END AS inflow,
        CASE WHEN t.category_id = -1 THEN (
  SELECT sum(p.amount)::bigint
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
  AND p.transaction_id = t.id AND p.amount < 0) ELSE least(t.amount, 0) END AS outflow
FROM transactions t
WHERE t.organization_id = $3::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($4)
LIMIT 10001)) t
GROUP BY t.currency
ORDER BY transaction_count DESC, t.currency
