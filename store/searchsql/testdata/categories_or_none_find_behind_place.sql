SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($5::integer[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NOT NULL
  AND (t.category_id = ANY ($2::integer[]) OR t.category_id IS NULL)
  AND (t.primary_date, t.id) < ($3::date, $4::uuid)
  AND t.category_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing = 'processed'
  AND (t.category_id = ANY ($7::integer[]) OR t.category_id IS NULL)
  AND (t.primary_date, t.id) < ($8::date, $9::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $10::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing <> 'processed'
  AND (t.category_id = ANY ($11::integer[]) OR t.category_id IS NULL)
  AND (t.primary_date, t.id) < ($12::date, $13::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
