SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.primary_date >= $2::date
  AND t.primary_date <= $3::date
LIMIT 1001)
UNION ALL
(SELECT
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
  AND t.primary_date >= $5::date
  AND t.primary_date <= $6::date
  AND t.processing = g.processing
  AND t.account_id BETWEEN g.account_id AND g.account_id
  OFFSET 0) t
LIMIT 1001)) t
