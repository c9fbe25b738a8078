-- +goose NO TRANSACTION
-- +goose Up

-- Rows of an answer that was just given have no statistics: whichever index a plan takes, a row is found by both its columns. Without
-- the transaction, each of 5,000 rows was looked for among all of them.
DROP INDEX CONCURRENTLY IF EXISTS answer_rows_said;
CREATE INDEX CONCURRENTLY answer_rows_said ON answer_rows (organization_id, answer_id, transaction_id);
DROP INDEX CONCURRENTLY IF EXISTS answer_rows_answer;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS answer_rows_answer;
CREATE INDEX CONCURRENTLY answer_rows_answer ON answer_rows (organization_id, answer_id);
DROP INDEX CONCURRENTLY IF EXISTS answer_rows_said;
