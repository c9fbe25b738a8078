SELECT t.currency, count(*) AS transaction_count,
       coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow,
       coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
FROM (
(SELECT t.currency, t.amount
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.account_id = ANY ($2::uuid[])
LIMIT 10001)
UNION ALL
(SELECT t.currency, t.amount
FROM transactions t
WHERE t.organization_id = $3::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'queued'
  AND t.account_id = ANY ($4::uuid[])
LIMIT 10001)
UNION ALL
(SELECT t.currency, t.amount
FROM transactions t
WHERE t.organization_id = $5::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'limited'
  AND t.account_id = ANY ($6::uuid[])
LIMIT 10001)) t
GROUP BY t.currency
ORDER BY transaction_count DESC, t.currency
