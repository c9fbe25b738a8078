-- +goose Up

-- What decisions refer to is checked once a statement, each counterparty and other leg once: a check for each row was a
-- sixth of what it costs to write a decision. Rows that are inserted refer to nothing yet; one that does is still checked
-- by itself.
-- +goose StatementBegin
CREATE FUNCTION transactions_check_changed_references() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT
    FROM (
      SELECT organization_id, counterparty_id FROM after WHERE counterparty_id IS NOT NULL
      EXCEPT
      SELECT organization_id, counterparty_id FROM before) r
    WHERE NOT EXISTS (
      SELECT
      FROM counterparties c
      WHERE c.organization_id = r.organization_id
        AND c.id = r.counterparty_id
      FOR KEY SHARE)) THEN
    RAISE foreign_key_violation USING CONSTRAINT = 'transactions_counterparty_fkey', TABLE = 'transactions',
      MESSAGE = 'the counterparty is not of this organization';
  END IF;
  IF EXISTS (
    SELECT
    FROM (
      SELECT organization_id, transfer_id FROM after WHERE transfer_id IS NOT NULL
      EXCEPT
      SELECT organization_id, transfer_id FROM before) r
    WHERE NOT EXISTS (
      SELECT
      FROM transactions t
      WHERE t.organization_id = r.organization_id
        AND t.id = r.transfer_id
      FOR KEY SHARE)) THEN
    RAISE foreign_key_violation USING CONSTRAINT = 'transactions_transfer_fkey', TABLE = 'transactions',
      MESSAGE = 'the other leg is not of this organization';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER transactions_references ON transactions;
CREATE CONSTRAINT TRIGGER transactions_references AFTER INSERT ON transactions
  FOR EACH ROW WHEN (NEW.counterparty_id IS NOT NULL OR NEW.transfer_id IS NOT NULL)
  EXECUTE FUNCTION transactions_check_references();
CREATE TRIGGER transactions_changed_references AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_check_changed_references();

-- +goose Down
DROP TRIGGER transactions_changed_references ON transactions;
DROP TRIGGER transactions_references ON transactions;
DROP FUNCTION transactions_check_changed_references;
CREATE CONSTRAINT TRIGGER transactions_references AFTER INSERT OR UPDATE OF counterparty_id, transfer_id ON transactions
  FOR EACH ROW WHEN (NEW.counterparty_id IS NOT NULL OR NEW.transfer_id IS NOT NULL)
  EXECUTE FUNCTION transactions_check_references();
