-- +goose NO TRANSACTION
-- +goose Up

-- What a row was remembered from before an answer decided it: where that one is taken back, the row follows the other again.
ALTER TABLE answer_rows ADD COLUMN IF NOT EXISTS before_answer uuid;

-- Rows that were decided before their answer was noted with them were found by whom it is about, and by what people are told of them.
-- They are given the newest answer that they may follow: what people are told is compared for the last time. It is done business by
-- business, so that nobody waits for more than its own; a step that is taken again does what is left.
-- +goose StatementBegin
DO $$
DECLARE
  business uuid;
BEGIN
  FOR business IN SELECT DISTINCT organization_id FROM business_answers WHERE answer_id IS NOT NULL ORDER BY 1 LOOP
    WITH RECURSIVE meant (id, key) AS ( -- whom a memory is about, and whom that one became
      SELECT id, counterparty_key
      FROM business_answers
      WHERE organization_id = business
        AND answer_id IS NOT NULL
      UNION
      SELECT m.id, b.same_as
      FROM meant m
      JOIN business_answers b ON b.organization_id = business AND b.counterparty_key = m.key
      WHERE b.same_as IS NOT NULL),
    memory AS MATERIALIZED (
      SELECT b.id, b.answer_id, b.counterparty_key, b.incoming, b.category_id, b.created_at, nullif(b.note, '') AS note,
             strpos(b.counterparty_key, ':') > 0 AS narrow,
             starts_with(b.counterparty_key, 'transfer:') AS both_ways,
             NOT EXISTS (
               SELECT
               FROM business_answers other
               WHERE other.organization_id = business
                 AND other.counterparty_key = b.counterparty_key
                 AND other.incoming <> b.incoming) AS only_way,
             ARRAY (SELECT key FROM meant WHERE meant.id = b.id) AS keys
      FROM business_answers b
      WHERE b.organization_id = business
        AND b.answer_id IS NOT NULL),
    unnoted AS MATERIALIZED (
      SELECT t.id, t.amount > 0 AS incoming, t.category_id, t.suggested_id, coalesce(t.context, '') AS context,
             CASE WHEN t.category_source = 'memory' THEN t.category_reason END AS remembered,
             CASE WHEN t.category_id IS NULL THEN t.suggested_reason END AS suggested,
             coalesce(c.key, '') AS key, t.needs_attention OR t.merchant IS DISTINCT FROM c.name
               AND strpos(' ' || upper(t.description) || ' ', ' ' || upper(c.name) || ' ') = 0 AS of_another_line
      FROM transactions t
      LEFT JOIN counterparties c ON c.organization_id = business AND c.id = t.counterparty_id
      WHERE t.organization_id = business
        AND t.answer_id IS NULL
        AND t.deleted_at IS NULL
        AND (t.category_source = 'memory' OR t.category_id IS NULL AND t.suggested_id IS NOT NULL OR t.context IS NOT NULL)),
    followed AS MATERIALIZED (
      SELECT DISTINCT ON (t.id) t.id, m.answer_id
      FROM unnoted t
      JOIN memory m ON m.incoming = t.incoming OR m.both_ways OR m.only_way AND t.remembered IS NOT NULL
      WHERE t.remembered IS NOT NULL AND t.key = ANY (m.keys)
         OR t.category_id = m.category_id AND (t.remembered IS NOT NULL AND t.of_another_line
           OR m.counterparty_key = 'company:sales_tax'
             AND t.remembered = 'Sales tax passed on to the state; whether receipts include it was answered before'
           OR m.counterparty_key = 'lines:deposits'
             AND t.remembered = 'Cash or a check paid in; what these are was answered before'
           OR m.narrow AND t.remembered = 'What payments like it are was answered before')
         OR m.narrow AND m.category_id IN (t.suggested_id, -1)
           AND t.suggested = 'What was answered of most that are like it; this one was not among them'
         OR strpos(t.context, m.note) > 0 AND (t.key = ANY (m.keys) OR m.narrow)
      ORDER BY t.id, t.key = ANY (m.keys) DESC, m.category_id IS NOT DISTINCT FROM coalesce(t.category_id, t.suggested_id) DESC,
        m.created_at DESC, m.id),
    locked AS MATERIALIZED ( -- in the order of all who write
      SELECT t.id
      FROM transactions t
      JOIN followed f ON f.id = t.id
      WHERE t.organization_id = business
      ORDER BY t.id
      FOR NO KEY UPDATE OF t)
    UPDATE transactions t
    SET answer_id = f.answer_id
    FROM followed f
    JOIN locked l ON l.id = f.id
    WHERE t.organization_id = business
      AND t.id = f.id
      AND t.answer_id IS NULL;
    COMMIT;
  END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE answer_rows DROP COLUMN IF EXISTS before_answer;
