SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($4::integer[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND (t.category_id = ANY ($2::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($3::integer[])))
  AND t.category_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
