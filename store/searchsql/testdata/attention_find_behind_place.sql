SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.needs_attention
  AND (t.primary_date, t.id) < ($2::date, $3::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
