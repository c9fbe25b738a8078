-- +goose Up

-- What an answer is expected to change of the net profit, per effort of answering, in cents; and its place in the list, in
-- steps so coarse that rows that arrive seldom move a question while somebody turns its pages: two for each doubling.
ALTER TABLE outstanding_issues ADD COLUMN worth numeric NOT NULL DEFAULT 0;
UPDATE outstanding_issues
SET worth = round(impact_amount / 2)
WHERE status = 'open';
ALTER TABLE outstanding_issues ADD COLUMN rank smallint NOT NULL
  GENERATED ALWAYS AS (-floor(2 * log(2.0, greatest(worth, 1)))::smallint) STORED;
DROP INDEX outstanding_issues_open;
CREATE INDEX outstanding_issues_open ON outstanding_issues (organization_id, skipped, rank, id) WHERE status = 'open';

-- +goose Down
DROP INDEX outstanding_issues_open;
CREATE INDEX outstanding_issues_open ON outstanding_issues (organization_id, skipped, created_at, id) WHERE status = 'open';
ALTER TABLE outstanding_issues DROP COLUMN rank, DROP COLUMN worth;
