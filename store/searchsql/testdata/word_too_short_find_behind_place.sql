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
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($2)
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
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($6)
  AND (t.primary_date, t.id) < ($7::date, $8::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
