-- +goose Up

-- An answer that names rows may divide each part of them in its own way: the first is in split, as ever, and these are the others.
-- What answer_rows say of a row has -2 for the second way, -3 for the third and so on; a transaction that has parts has -1, whichever
-- way divides it.
ALTER TABLE answers ADD COLUMN further_splits jsonb;

-- Which way of the answer divided the row, or divides the next ones.
ALTER TABLE transaction_parts ADD COLUMN way smallint NOT NULL DEFAULT 1;
ALTER TABLE business_answers ADD COLUMN way smallint NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE business_answers DROP COLUMN way;
ALTER TABLE transaction_parts DROP COLUMN way;
ALTER TABLE answers DROP COLUMN further_splits;
