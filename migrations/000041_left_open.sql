-- +goose Up

-- The rows that an answer was asked about and said nothing of: its memory decides none of them either.
ALTER TABLE answers ADD COLUMN left_open uuid[];
CREATE INDEX answers_left_open ON answers (organization_id) WHERE left_open IS NOT NULL AND replaced_at IS NULL;

-- +goose Down
DROP INDEX answers_left_open;
ALTER TABLE answers DROP COLUMN left_open;
