-- +goose Up

-- Where the other leg of an own transfer is looked for. Only processed rows can be one, so uploads do not pay for it.
CREATE INDEX transactions_unpaired ON transactions (organization_id, amount, primary_date)
  WHERE deleted_at IS NULL AND processing = 'processed' AND transfer_id IS NULL;

-- +goose Down
DROP INDEX transactions_unpaired;
