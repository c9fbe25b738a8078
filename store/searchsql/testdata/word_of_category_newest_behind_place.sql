SELECT t.primary_date AS date, t.id
FROM (
  SELECT *
  FROM transactions t
  WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND (t.primary_date, t.id) < ($2::date, $3::uuid)
  ORDER BY t.primary_date DESC, t.id DESC
  LIMIT 2500) t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($5) OR t.category_id = ANY ($6::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($7::integer[])))
LIMIT 21
