-- +goose Up

-- Rows that wait for a new month or a higher tier, for whoever releases them.
CREATE INDEX transactions_limited ON transactions (organization_id, account_id) WHERE deleted_at IS NULL AND processing = 'limited';

-- Rows that were decided before and that a change queued again.
CREATE INDEX transactions_again ON transactions (organization_id, account_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processing = 'queued' AND alternatives IS NOT NULL;

-- +goose Down
DROP INDEX transactions_again, transactions_limited;
