-- +goose Up

-- The rows of a question that its answer left open, or that nobody was shown: what is remembered of it decides none of them.
ALTER TABLE answers ADD COLUMN left_open uuid[];

-- +goose Down
ALTER TABLE answers DROP COLUMN left_open;
