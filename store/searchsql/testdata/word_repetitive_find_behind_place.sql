SELECT r.date, r.id
FROM (
(SELECT r.date, r.id
FROM (
SELECT t.primary_date AS date, t.id
FROM (
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND w.indexed
    AND words_of(w.texts) ~ lower($3)
    AND u.text ~ lower($3)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND NOT w.indexed
    AND u.text ~ lower($3)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $1::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processing = 'processed'
  AND searched_text(t.merchant, t.description, t.context) ~ lower($2)
  AND (t.primary_date, t.id) < ($4::date, $5::uuid)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) ~ lower($7)
  AND (t.primary_date, t.id) < ($8::date, $9::uuid))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
