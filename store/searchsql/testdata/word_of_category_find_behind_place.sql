SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($7::integer[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.category_id IN (3250, 30801, -1)
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($2) OR t.category_id = ANY ($3::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($4::integer[])))
  AND (t.primary_date, t.id) < ($5::date, $6::uuid)
  AND t.category_id = g.id
ORDER BY t.primary_date DESC, t.id DESC
LIMIT 21) r)
UNION ALL
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM (
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND w.indexed
    AND words_of(w.texts) LIKE lower($12)
    AND u.text LIKE lower($12)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND NOT w.indexed
    AND u.text LIKE lower($12)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $1::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $8::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND (t.category_id IN (3250, 30801, -1)) IS NOT TRUE
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($9) OR t.category_id = ANY ($10::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($11::integer[])))
  AND (t.primary_date, t.id) < ($13::date, $14::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $15::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($16) OR t.category_id = ANY ($17::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY ($18::integer[])))
  AND (t.primary_date, t.id) < ($19::date, $20::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
