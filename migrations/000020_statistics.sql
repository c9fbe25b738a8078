-- +goose Up

-- Most businesses have a few accounts, and one can have 20,000. To the planner, any index that begins with the business is as
-- good as the right one where businesses are small on average, and each lookup then reads all of a large one: checks of
-- references too, whose plans are kept. So it is told that businesses are large.
ALTER TABLE accounts ALTER COLUMN organization_id SET (n_distinct = -0.005);
ALTER TABLE aggregation_tokens ALTER COLUMN organization_id SET (n_distinct = -0.005);
ALTER TABLE counterparties ALTER COLUMN organization_id SET (n_distinct = -0.005);
ALTER TABLE outstanding_issues ALTER COLUMN organization_id SET (n_distinct = -0.005);
ANALYZE accounts, aggregation_tokens, counterparties, outstanding_issues;

-- +goose Down
ALTER TABLE outstanding_issues ALTER COLUMN organization_id RESET (n_distinct);
ALTER TABLE counterparties ALTER COLUMN organization_id RESET (n_distinct);
ALTER TABLE aggregation_tokens ALTER COLUMN organization_id RESET (n_distinct);
ALTER TABLE accounts ALTER COLUMN organization_id RESET (n_distinct);
