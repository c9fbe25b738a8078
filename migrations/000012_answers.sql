-- +goose Up

-- The words of an answer that decides no category: the context of the next rows, which are not asked about again.
ALTER TABLE business_answers ADD COLUMN note text;
-- The key of another counterparty that this one is, by the answer.
ALTER TABLE business_answers ADD COLUMN same_as text;

-- Money that came back, or that came in and is asked about: what a purchase that arrives later can explain.
CREATE INDEX transactions_returned ON transactions (organization_id, counterparty_id, primary_date)
  WHERE deleted_at IS NULL AND processing = 'processed' AND counterparty_id IS NOT NULL AND amount > 0 AND (is_refund OR needs_attention);

-- +goose Down
DROP INDEX transactions_returned;
ALTER TABLE business_answers DROP COLUMN same_as, DROP COLUMN note;
