-- +goose Up

-- A row that leaves a question keeps its number there: it comes back by it, and no other row has it meanwhile. The program of the step
-- before, which does not know the table, removes questions and erases businesses, so that what is here goes with them.
CREATE TABLE issue_numbers (
  organization_id uuid NOT NULL,
  issue_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  n integer NOT NULL,
  CONSTRAINT issue_numbers_pkey PRIMARY KEY (organization_id, issue_id, transaction_id),
  CONSTRAINT issue_numbers_issue_fkey FOREIGN KEY (organization_id, issue_id) REFERENCES outstanding_issues (organization_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE issue_numbers;
