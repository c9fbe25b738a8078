-- +goose Up

-- What the rows of an answer read before it, by their suggestions: no rule that reads the next ones so outranks it. Of answers of
-- before nothing is known, and rules go on as they did. The program of the step before leaves it as it is.
ALTER TABLE business_answers ADD COLUMN reads integer[];

-- +goose Down
ALTER TABLE business_answers DROP COLUMN reads;
