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
    AND words_of(w.texts) LIKE lower($3)
    AND u.text LIKE lower($3)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND NOT w.indexed
    AND u.text LIKE lower($3)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $1::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $1::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date = t.primary_date
  AND t.processing = 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($2)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.primary_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date = t.primary_date
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($5))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
SELECT t.processed_date AS date, t.id
FROM (
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND w.indexed
    AND words_of(w.texts) LIKE lower($8)
    AND u.text LIKE lower($8)
  UNION
  SELECT u.id
  FROM transaction_words w
  CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
  WHERE w.organization_id = $1::uuid
    AND NOT w.indexed
    AND u.text LIKE lower($8)) f
CROSS JOIN LATERAL (
  SELECT *
  FROM transactions
  WHERE organization_id = (SELECT $1::uuid)
    AND id = f.id
  LIMIT 1) t
WHERE t.organization_id = $6::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date <> t.primary_date
  AND t.processing = 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($7)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)
UNION ALL
(SELECT r.date, r.id
FROM (
WITH found AS MATERIALIZED (
SELECT t.processed_date AS date, t.id
FROM transactions t
WHERE t.organization_id = $9::uuid
  AND t.deleted_at IS NULL
  AND t.processed_date <> t.primary_date
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($10))
SELECT date, id FROM found) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21)) r
ORDER BY r.date DESC, r.id DESC
LIMIT 21
