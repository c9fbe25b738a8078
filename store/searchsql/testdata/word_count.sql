SELECT count(*)
FROM (
(SELECT
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
  AND t.processing = 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($2)
LIMIT 1001)
UNION ALL
(SELECT
FROM transactions t
WHERE t.organization_id = $4::uuid
  AND t.deleted_at IS NULL
  AND t.processing <> 'processed'
  AND searched_text(t.merchant, t.description, t.context) LIKE lower($5)
LIMIT 1001)) t
