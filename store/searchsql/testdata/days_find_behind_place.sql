SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.primary_date >= $2::date
  AND t.primary_date <= $3::date
  AND (t.primary_date, t.id) < ($4::date, $5::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
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
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND t.primary_date >= $7::date
  AND t.primary_date <= $8::date
  AND (t.primary_date, t.id) < ($9::date, $10::uuid)
  AND t.processing = g.processing
  AND t.account_id BETWEEN g.account_id AND g.account_id
ORDER BY t.account_id, t.primary_date DESC
FETCH FIRST 21 ROWS WITH TIES) r)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
