SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NOT NULL
  AND (t.category_id = ANY ($2::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($3::integer[])) OR t.category_id IS NULL)
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing = 'processed'
  AND (t.category_id = ANY ($5::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($6::integer[])) OR t.category_id IS NULL)
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $7::uuid
  AND t.deleted_at IS NULL
  AND t.category_id IS NULL
  AND t.processing <> 'processed'
  AND (t.category_id = ANY ($8::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($9::integer[])) OR t.category_id IS NULL)
LIMIT 1001)) t
