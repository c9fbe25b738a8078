-- +goose Up

-- What follows from a change of transactions is written by the program from here on, in the same transaction: it says so by
-- bizfin.kept_by, and these triggers do nothing then. They stay for the programs of the release before, which say nothing.
-- The program calls this function in each transaction that changes some. Before this step there is none, so a program that runs ahead
-- of its schema changes nothing, where both would count.
CREATE FUNCTION kept_by_program() RETURNS text
LANGUAGE sql
RETURN set_config('bizfin.kept_by', 'program', true);

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

-- +goose Down
DROP FUNCTION kept_by_program();
CREATE OR REPLACE TRIGGER transactions_parts_went AFTER UPDATE OF category_id ON transactions
  FOR EACH ROW WHEN (OLD.category_id = -1 AND NEW.category_id IS DISTINCT FROM -1) EXECUTE FUNCTION transaction_parts_went();
CREATE OR REPLACE TRIGGER transactions_changed_references AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_check_changed_references();
CREATE OR REPLACE TRIGGER transactions_words_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_words_changed();
CREATE OR REPLACE TRIGGER transactions_report_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION report_mark_changed();
CREATE OR REPLACE TRIGGER transactions_counts_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_count_changed();
CREATE OR REPLACE TRIGGER transactions_counts_inserted AFTER INSERT ON transactions REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_count_came();
CREATE OR REPLACE TRIGGER transactions_accounts AFTER INSERT ON transactions REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_check_accounts();
