SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM unnest($6::integer[]) AS g (id)
CROSS JOIN LATERAL (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND t.category_id IN (3250, 30801)
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($2) OR t.category_id = ANY ($3::integer[]))
  AND (t.primary_date, t.id) < ($4::date, $5::uuid)
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
  WHERE w.organization_id = $10::uuid
    AND w.indexed
    AND words_of(w.texts) LIKE lower($11)
    AND u.text LIKE lower($11)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $10::uuid
    AND NOT w.indexed
    AND u.text LIKE lower($11)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $10::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $7::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND (t.category_id IN (3250, 30801)) IS NOT TRUE
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($8) OR t.category_id = ANY ($9::integer[]))
  AND (t.primary_date, t.id) < ($12::date, $13::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $14::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND (searched_text(t.merchant, t.description, t.context) LIKE lower($15) OR t.category_id = ANY ($16::integer[]))
  AND (t.primary_date, t.id) < ($17::date, $18::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
