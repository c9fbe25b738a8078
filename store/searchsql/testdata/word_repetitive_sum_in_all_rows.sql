SELECT t.currency, count(*) AS transaction_count,
       coalesce(sum(t.amount) FILTER (WHERE t.amount > 0), 0) AS inflow,
       coalesce(-sum(t.amount) FILTER (WHERE t.amount < 0), 0) AS outflow
FROM (
(SELECT t.currency, t.amount
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND searched_text(t.merchant, t.description, t.context) ~ lower($2)
LIMIT 10001)) t
GROUP BY t.currency
ORDER BY transaction_count DESC, t.currency
