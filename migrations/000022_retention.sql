-- +goose Up

-- When what has ended is next removed, and how far the texts of rows were looked through for old ones. Its one row is taken
-- by one worker at a time, by the database's clock.
CREATE TABLE retention (
  one        boolean     NOT NULL DEFAULT true,
  next_at    timestamptz NOT NULL DEFAULT now(),
  text_owner uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', -- the organization of a list of
  text_list  bigint      NOT NULL DEFAULT 0,                                      -- transaction_words; the next one comes after it
  CONSTRAINT retention_pkey PRIMARY KEY (one),
  CONSTRAINT retention_one CHECK (one)
);
INSERT INTO retention DEFAULT VALUES;

CREATE INDEX account_snapshots_ended ON account_snapshots (ended_at) WHERE state IN ('applied', 'skipped');
CREATE INDEX account_snapshots_applied ON account_snapshots (partner_id, subject, id) WHERE state = 'applied';
CREATE INDEX oauth_tokens_ended ON oauth_tokens (least(expires_at, revoked_at));
CREATE INDEX outstanding_issues_closed ON outstanding_issues (ended_at) WHERE status = 'closed';

-- +goose Down
DROP INDEX outstanding_issues_closed, oauth_tokens_ended, account_snapshots_applied, account_snapshots_ended;
DROP TABLE retention;
