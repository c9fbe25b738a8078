-- +goose NO TRANSACTION
-- +goose Up

-- The list has an index of the rows that are processed alone. Those that wait are found by transactions_waiting, account by
-- account. An upload writes one entry less for each row: a quarter of what PostgreSQL has to do for it.
DROP INDEX CONCURRENTLY IF EXISTS transactions_newest;
CREATE INDEX CONCURRENTLY transactions_newest ON transactions (organization_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processing = 'processed';
DROP INDEX CONCURRENTLY IF EXISTS transactions_list;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS transactions_list;
CREATE INDEX CONCURRENTLY transactions_list ON transactions (organization_id, primary_date DESC, id DESC) WHERE deleted_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS transactions_newest;
