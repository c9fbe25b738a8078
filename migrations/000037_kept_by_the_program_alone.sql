-- +goose Up

-- The program of the step before writes what follows from a change of transactions, too. The triggers that did it for the programs
-- before that did nothing since, but PostgreSQL kept the rows of every statement for them: a tenth of what it costs to decide rows.
-- kept_by_program() stays, since that program calls it; their functions stay for whoever goes a step back.
DROP TRIGGER IF EXISTS transactions_accounts ON transactions;
DROP TRIGGER IF EXISTS transactions_counts_inserted ON transactions;
DROP TRIGGER IF EXISTS transactions_counts_changed ON transactions;
DROP TRIGGER IF EXISTS transactions_report_changed ON transactions;
DROP TRIGGER IF EXISTS transactions_words_changed ON transactions;
DROP TRIGGER IF EXISTS transactions_changed_references ON transactions;
DROP TRIGGER IF EXISTS transactions_parts_went ON transactions;

-- +goose Down
CREATE OR REPLACE TRIGGER transactions_accounts AFTER INSERT ON transactions REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT WHEN (current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION transactions_check_accounts();
CREATE OR REPLACE TRIGGER transactions_counts_inserted AFTER INSERT ON transactions REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT WHEN (current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION transactions_count_came();
CREATE OR REPLACE TRIGGER transactions_counts_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT WHEN (current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION transactions_count_changed();
CREATE OR REPLACE TRIGGER transactions_report_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT WHEN (current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION report_mark_changed();
CREATE OR REPLACE TRIGGER transactions_words_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT WHEN (current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION transactions_words_changed();
CREATE OR REPLACE TRIGGER transactions_changed_references AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT WHEN (current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION transactions_check_changed_references();
CREATE OR REPLACE TRIGGER transactions_parts_went AFTER UPDATE OF category_id ON transactions
  FOR EACH ROW WHEN (OLD.category_id = -1 AND NEW.category_id IS DISTINCT FROM -1
    AND current_setting('bizfin.kept_by', true) IS DISTINCT FROM 'program')
  EXECUTE FUNCTION transaction_parts_went();
