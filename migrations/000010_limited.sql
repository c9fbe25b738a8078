-- +goose Up

-- Rows that wait for a new month or a higher tier, for whoever releases them.
CREATE INDEX transactions_limited ON transactions (organization_id, account_id) WHERE deleted_at IS NULL AND processing = 'limited';

-- +goose Down
DROP INDEX transactions_limited;
