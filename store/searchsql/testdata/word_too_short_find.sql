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
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($2))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $3::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($4))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
