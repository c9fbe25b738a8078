-- +goose Up

-- Whoever says that a row is in a question has locked the row and written the question, in the same transaction; a row goes only when
-- its business is erased, which looks until it finds nothing. Looking up both for each row again, and locking them for it, was a
-- tenth of what PostgreSQL has to do for a batch of processing. The tests hold the table against both after everything they did.
ALTER TABLE issue_transactions
  DROP CONSTRAINT IF EXISTS issue_transactions_transaction_fkey,
  DROP CONSTRAINT IF EXISTS issue_transactions_issue_fkey;

-- +goose Down
ALTER TABLE issue_transactions
  ADD CONSTRAINT issue_transactions_transaction_fkey FOREIGN KEY (organization_id, transaction_id) REFERENCES transactions (organization_id, id),
  ADD CONSTRAINT issue_transactions_issue_fkey FOREIGN KEY (organization_id, issue_id) REFERENCES outstanding_issues (organization_id, id);
