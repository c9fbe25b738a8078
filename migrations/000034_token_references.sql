-- +goose Up

-- A list of an older person keeps its tokens beside accounts that it has just written or locked, so they are there. To ask
-- again for each of 20,000, by a plan that the connection made while the service had ten, read them all each time: a minute,
-- which no statement has. Whoever ends accounts ends their tokens first.
ALTER TABLE aggregation_tokens DROP CONSTRAINT aggregation_tokens_account_fkey;

-- +goose Down
ALTER TABLE aggregation_tokens
  ADD CONSTRAINT aggregation_tokens_account_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id);
