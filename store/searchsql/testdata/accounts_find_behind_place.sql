SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($4::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND (t.primary_date, t.id) < ($2::date, $3::uuid)
  AND t.account_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM unnest($8::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $5::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'queued'
  AND (t.primary_date, t.id) < ($6::date, $7::uuid)
  AND t.account_id BETWEEN g.id AND g.id
ORDER BY t.account_id, t.primary_date DESC
FETCH FIRST 21 ROWS WITH TIES) r)
UNION ALL
(SELECT r.date, r.id
FROM unnest($12::uuid[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $9::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'limited'
  AND (t.primary_date, t.id) < ($10::date, $11::uuid)
  AND t.account_id BETWEEN g.id AND g.id
ORDER BY t.account_id, t.primary_date DESC
FETCH FIRST 21 ROWS WITH TIES) r)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
