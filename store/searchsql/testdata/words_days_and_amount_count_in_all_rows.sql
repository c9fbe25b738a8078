SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.primary_date >= $2::date
  AND t.primary_date <= $3::date
  AND (coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, '')) ILIKE $4
  AND ((coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, '')) ILIKE $5 OR t.category_id = ANY ($6::integer[]))
  AND t.currency = 'USD'
  AND t.amount <= $7::bigint
LIMIT 1001)) t
