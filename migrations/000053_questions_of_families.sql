-- +goose Up

-- The question about many that the rows of one about few would be asked by, were there enough of them: those that come later are
-- told by it that there are. Of questions of before nothing is known, and they stay as they are. The program of the step before leaves
-- it as it is.
ALTER TABLE outstanding_issues ADD COLUMN family text;
CREATE INDEX outstanding_issues_family ON outstanding_issues (organization_id, family) WHERE status = 'open' AND family IS NOT NULL;

-- +goose Down
DROP INDEX outstanding_issues_family;
ALTER TABLE outstanding_issues DROP COLUMN family;
