SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND (coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, '')) ILIKE $2
LIMIT 1001)) t
