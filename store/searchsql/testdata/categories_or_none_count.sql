SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NOT NULL
  AND (t.category_id = ANY ($2::integer[]) OR t.category_id IS NULL)
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $3::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing = 'processed'
  AND (t.category_id = ANY ($4::integer[]) OR t.category_id IS NULL)
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $5::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing <> 'processed'
  AND (t.category_id = ANY ($6::integer[]) OR t.category_id IS NULL)
LIMIT 1001)) t
