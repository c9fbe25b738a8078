-- +goose Up

-- Rows of which what an answer says of others is no guess either: those of left_open that it names and says nothing of, and those
-- that an earlier answer of its group decided, which is gone.
ALTER TABLE answers ADD COLUMN excluded uuid[];
CREATE INDEX answers_excluded ON answers (organization_id) WHERE excluded IS NOT NULL AND replaced_at IS NULL;

-- +goose Down
DROP INDEX answers_excluded;
ALTER TABLE answers DROP COLUMN excluded;
