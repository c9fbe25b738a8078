SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM (
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $3::uuid
    AND w.indexed
    AND words_of(w.texts) ~ lower($4)
    AND u.text ~ lower($4)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $3::uuid
    AND NOT w.indexed
    AND u.text ~ lower($4)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $3::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND searched_text(t.merchant, t.description, t.context) ~ lower($2)
  AND (t.primary_date, t.id) < ($5::date, $6::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $7::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) ~ lower($8)
  AND (t.primary_date, t.id) < ($9::date, $10::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
