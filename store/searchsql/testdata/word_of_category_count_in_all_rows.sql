SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($2) OR t.category_id = ANY ($3::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($4::integer[])))
LIMIT 1001)) t
