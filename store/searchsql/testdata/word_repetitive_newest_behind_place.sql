SELECT t.primary_date AS date, t.id
FROM (
SELECT *
FROM (
(SELECT t.*
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND (t.primary_date, t.id) < ($2::date, $3::uuid)
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 2500)
UNION ALL
(SELECT t.*
FROM (
WITH RECURSIVE waiting AS (
(SELECT processing, account_id, primary_date
FROM transactions
WHERE organization_id = $1::uuid
  AND deleted_at IS NULL
  AND processing <> 'processed'
ORDER BY processing, account_id, primary_date DESC
LIMIT 1)
UNION ALL
SELECT n.*
FROM waiting w
CROSS JOIN LATERAL (
SELECT processing, account_id, primary_date
FROM transactions
WHERE organization_id = $1::uuid
  AND deleted_at IS NULL
  AND processing <> 'processed'
  AND (processing, account_id) > (w.processing, w.account_id)
ORDER BY processing, account_id, primary_date DESC
LIMIT 1) n)
SELECT *
FROM waiting) g
CROSS JOIN LATERAL (
SELECT *
FROM transactions t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND (t.primary_date, t.id) < ($5::date, $6::uuid)
  AND t.processing = g.processing
  AND t.account_id BETWEEN g.account_id AND g.account_id
ORDER BY t.account_id, t.primary_date DESC
FETCH FIRST 2500 ROWS WITH TIES) t
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 2500)) t
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 2500) t
WHERE t.organization_id = $7::uuid
  AND t.deleted_at IS NULL
  AND searched_text(t.merchant, t.description, t.context) ~ lower($8)
LIMIT 21
