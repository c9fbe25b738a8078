-- +goose Up

-- Since when the end of a partner is under way: where who began it was killed, a worker goes on.
ALTER TABLE partners ADD COLUMN erasing_at timestamptz;

CREATE INDEX outstanding_issues_answered ON outstanding_issues (ended_at) WHERE status = 'answered';

-- +goose Down
DROP INDEX outstanding_issues_answered;
ALTER TABLE partners DROP COLUMN erasing_at;
