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
  AND t.category_id IN (3250, 30801, -1)
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($2) OR t.category_id = ANY ($3::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($4::integer[])))
LIMIT 10001)
UNION ALL
(SELECT t.currency, t.amount, t.category_id, t.id
FROM (
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND w.indexed
    AND words_of(w.texts) LIKE lower($9)
    AND u.text LIKE lower($9)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND NOT w.indexed
    AND u.text LIKE lower($9)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $1::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $5::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND (t.category_id IN (3250, 30801, -1)) IS NOT TRUE
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($6) OR t.category_id = ANY ($7::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($8::integer[])))
LIMIT 10001)
UNION ALL
(SELECT t.currency, t.amount, t.category_id, t.id
FROM transactions t
WHERE t.organization_id = $10::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($11) OR t.category_id = ANY ($12::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($13::integer[])))
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
  AND p.transaction_id = t.id
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($14) OR p.category_id = ANY ($15::integer[]))) p) d
ORDER BY s.transaction_count DESC, s.currency
