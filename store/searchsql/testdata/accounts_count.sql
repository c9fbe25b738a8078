SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.account_id = ANY ($2::uuid[])
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $3::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'queued'
  AND t.account_id = ANY ($4::uuid[])
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $5::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'limited'
  AND t.account_id = ANY ($6::uuid[])
LIMIT 1001)) t
