SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($3::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.currency = 'USD'
  AND t.amount >= $2::bigint
  AND t.account_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM unnest($6::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'queued'
  AND t.currency = 'USD'
  AND t.amount >= $5::bigint
  AND t.account_id BETWEEN g.id AND g.id
ORDER BY t.account_id, t.primary_date DESC
FETCH FIRST 21 ROWS WITH TIES) r)
UNION ALL
(SELECT r.date, r.id
FROM unnest($9::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $7::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'limited'
  AND t.currency = 'USD'
  AND t.amount >= $8::bigint
  AND t.account_id BETWEEN g.id AND g.id
ORDER BY t.account_id, t.primary_date DESC
FETCH FIRST 21 ROWS WITH TIES) r)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
