-- +goose Up

-- Since when a business waits for the next batch of its rows to be decided anew: whoever waits longest is next. The program
-- of the step before leaves it as it is.
ALTER TABLE standing_due ADD COLUMN since timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE standing_due DROP COLUMN since;
