SELECT t.primary_date AS date, t.id
FROM (
  SELECT *
  FROM transactions t
  WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.primary_date >= $2::date
  AND t.primary_date <= $3::date
  AND (t.primary_date, t.id) < ($4::date, $5::uuid)
  ORDER BY t.primary_date DESC, t.id DESC
  LIMIT 2500) t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.primary_date >= $7::date
  AND t.primary_date <= $8::date
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($9)
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($10) OR t.category_id = ANY ($11::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($12::integer[])))
  AND t.currency = 'USD'
  AND t.amount <= $13::bigint
LIMIT 21
