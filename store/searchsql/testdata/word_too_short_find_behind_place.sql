SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND (coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, '')) ILIKE $2
  AND (t.primary_date, t.id) < ($3::date, $4::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $5::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND (coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, '')) ILIKE $6
  AND (t.primary_date, t.id) < ($7::date, $8::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
