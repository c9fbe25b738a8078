SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($3::integer[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NOT NULL
  AND (t.category_id = ANY ($2::integer[]) OR t.category_id IS NULL)
  AND t.category_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing = 'processed'
  AND (t.category_id = ANY ($5::integer[]) OR t.category_id IS NULL)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing <> 'processed'
  AND (t.category_id = ANY ($7::integer[]) OR t.category_id IS NULL)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
