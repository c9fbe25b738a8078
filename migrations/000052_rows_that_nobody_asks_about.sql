-- +goose NO TRANSACTION
-- +goose Up

-- Rows that are suggested and too small, or too few, to be asked about: more that are like them may come later. Hardly any row is
-- here, and none that waits or that a question is about.
DROP INDEX CONCURRENTLY IF EXISTS transactions_unasked;
CREATE INDEX CONCURRENTLY transactions_unasked ON transactions (organization_id, id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND category_id IS NULL AND NOT needs_attention;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS transactions_unasked;
