-- +goose Up

-- Whoever says that a row is in a question has locked the row and written the question, in the same transaction; a row goes only when
-- its business is erased, which looks until it finds nothing. Looking up both for each row again, and locking them for it, was a
-- tenth of what PostgreSQL has to do for a batch of processing. The tests hold the table against both after everything they did.
--
-- A key that goes locks both of its tables, which a report reads in its own order: who waits longer than a moment lets go of what it
-- has, before PostgreSQL would give up one of the two, and tries again.
-- +goose StatementBegin
DO $$
BEGIN
  SET LOCAL lock_timeout = '300ms';
  FOR try IN 1..200 LOOP
    BEGIN
      ALTER TABLE issue_transactions DROP CONSTRAINT IF EXISTS issue_transactions_transaction_fkey;
      ALTER TABLE issue_transactions DROP CONSTRAINT IF EXISTS issue_transactions_issue_fkey;
      SET LOCAL lock_timeout = DEFAULT;
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.1 + random() * 0.2);
    END;
  END LOOP;
  RAISE 'transactions or issue_transactions were in use for a minute: try again' USING ERRCODE = 'lock_not_available';
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE issue_transactions
  ADD CONSTRAINT issue_transactions_transaction_fkey FOREIGN KEY (organization_id, transaction_id) REFERENCES transactions (organization_id, id),
  ADD CONSTRAINT issue_transactions_issue_fkey FOREIGN KEY (organization_id, issue_id) REFERENCES outstanding_issues (organization_id, id);
