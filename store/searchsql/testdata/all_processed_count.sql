SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date = t.primary_date
  AND t.processing = 'processed'
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $2::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date = t.primary_date
  AND t.processing <> 'processed'
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $3::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date <> t.primary_date
LIMIT 1001)) t
