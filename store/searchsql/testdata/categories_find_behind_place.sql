SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($5::integer[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.category_id = ANY ($2::integer[])
  AND (t.primary_date, t.id) < ($3::date, $4::uuid)
  AND t.category_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
