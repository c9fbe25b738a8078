-- +goose Up

-- The rows of left_open that an answer names and says nothing of: what it says of others is no guess of them either.
ALTER TABLE answers ADD COLUMN excluded uuid[];

-- +goose Down
ALTER TABLE answers DROP COLUMN excluded;
