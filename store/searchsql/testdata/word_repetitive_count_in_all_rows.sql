SELECT count(*)
FROM (
(SELECT
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND searched_text(t.merchant, t.description, t.context) ~ lower($2)
LIMIT 1001)) t
