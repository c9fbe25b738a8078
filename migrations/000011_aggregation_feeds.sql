-- +goose Up

-- What one aggregation token gives: the rows of all accounts behind one login at a bank, up to a cursor. Who takes a feed
-- puts next_at off; whoever stores an update of it does so only over the version that was taken.
CREATE TABLE aggregation_feeds (
  organization_id uuid        NOT NULL,
  fingerprint     bytea       NOT NULL, -- SHA-256 of business and token
  cursor          text        NOT NULL DEFAULT '', -- the provider's; empty at the start
  version         bigint      NOT NULL DEFAULT 1,  -- counts every change of the cursor
  state           text        NOT NULL DEFAULT 'active',
  error_code      text,                 -- the provider's own, of the last attempt
  attempts        integer     NOT NULL DEFAULT 0,  -- since the last success
  snapshots       bigint      NOT NULL DEFAULT 0,  -- counts those of its person that were applied: each is a reason to try again
  seen_accounts   text[]      NOT NULL DEFAULT '{}', -- the provider's ids of the accounts it has shown since the start
  next_at         timestamptz NOT NULL,
  synced_at       timestamptz,
  created_at      timestamptz NOT NULL,
  CONSTRAINT aggregation_feeds_pkey PRIMARY KEY (organization_id, fingerprint),
  CONSTRAINT aggregation_feeds_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT aggregation_feeds_state CHECK (state IN ('active', 'stopped'))
);
CREATE INDEX aggregation_feeds_due ON aggregation_feeds (next_at) WHERE state = 'active';

-- An account takes part in the feed of its token from the feed's start on, or from a new start.
ALTER TABLE aggregation_tokens
  ADD COLUMN fingerprint bytea,                        -- null until a worker has looked at the token
  ADD COLUMN joined boolean NOT NULL DEFAULT false,    -- nothing that the feed gave since its start is missing in the account
  ADD COLUMN feed_account text,                        -- which of the provider's accounts it is
  ADD CONSTRAINT aggregation_tokens_feed_fkey FOREIGN KEY (organization_id, fingerprint) REFERENCES aggregation_feeds (organization_id, fingerprint),
  ADD CONSTRAINT aggregation_tokens_feed_account_key UNIQUE (organization_id, fingerprint, feed_account),
  ADD CONSTRAINT aggregation_tokens_joined CHECK (fingerprint IS NOT NULL OR NOT joined AND feed_account IS NULL);
CREATE INDEX aggregation_tokens_waiting ON aggregation_tokens (organization_id, account_id) WHERE NOT joined;

-- Rows of a feed: the provider's account they came from, and when the provider took one back. Such a row is deleted, and
-- comes back with the provider's; one that a person deleted does not.
ALTER TABLE transactions
  ADD COLUMN feed_account text,
  ADD COLUMN withdrawn_at timestamptz;

-- +goose Down
ALTER TABLE transactions DROP COLUMN withdrawn_at, DROP COLUMN feed_account;
DROP INDEX aggregation_tokens_waiting;
ALTER TABLE aggregation_tokens
  DROP CONSTRAINT aggregation_tokens_joined,
  DROP CONSTRAINT aggregation_tokens_feed_account_key,
  DROP CONSTRAINT aggregation_tokens_feed_fkey,
  DROP COLUMN feed_account,
  DROP COLUMN joined,
  DROP COLUMN fingerprint;
DROP TABLE aggregation_feeds;
