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
  AND t.currency = 'USD'
  AND t.amount >= $2::bigint
  AND t.amount <= $3::bigint
  AND (t.primary_date, t.id) < ($4::date, $5::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND t.currency = 'USD'
  AND t.amount >= $7::bigint
  AND t.amount <= $8::bigint
  AND (t.primary_date, t.id) < ($9::date, $10::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
