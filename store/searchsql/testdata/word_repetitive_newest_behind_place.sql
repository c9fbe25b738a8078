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
  AND searched_text(t.merchant, t.description, t.context) ~ lower($5)
LIMIT 21
