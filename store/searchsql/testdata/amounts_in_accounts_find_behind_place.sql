SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($6::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.account_id = ANY ($2::uuid[])
  AND t.currency = 'USD'
  AND t.amount >= $3::bigint
  AND (t.primary_date, t.id) < ($4::date, $5::uuid)
  AND t.account_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM unnest($12::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $7::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'queued'
  AND t.account_id = ANY ($8::uuid[])
  AND t.currency = 'USD'
  AND t.amount >= $9::bigint
  AND (t.primary_date, t.id) < ($10::date, $11::uuid)
  AND t.account_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM unnest($18::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $13::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'limited'
  AND t.account_id = ANY ($14::uuid[])
  AND t.currency = 'USD'
  AND t.amount >= $15::bigint
  AND (t.primary_date, t.id) < ($16::date, $17::uuid)
  AND t.account_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
