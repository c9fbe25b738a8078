-- +goose Up

-- The rows of a range of amounts, and the other legs of own transfers. Only processed rows are here, so uploads do not pay
-- for it. Paired rows are in it too, so that one index serves both.
DROP INDEX transactions_unpaired;
CREATE INDEX transactions_amount ON transactions (organization_id, amount, primary_date)
  WHERE deleted_at IS NULL AND processing = 'processed';

-- +goose Down
DROP INDEX transactions_amount;
CREATE INDEX transactions_unpaired ON transactions (organization_id, amount, primary_date)
  WHERE deleted_at IS NULL AND processing = 'processed' AND transfer_id IS NULL;
