-- +goose Up

-- The parts of rows that an answer split. Such a row has no category of its own: its category_id is -1, which is no category
-- of any ontology, and its source, confidence and reason are those of its parts. Whatever takes the parts in sums them in its
-- place; they add up to it to the cent.
CREATE TABLE transaction_parts (
  organization_id uuid     NOT NULL,
  transaction_id  uuid     NOT NULL,
  ordinal         smallint NOT NULL,
  category_id     integer  NOT NULL,
  amount          bigint   NOT NULL, -- cents, with the sign of the row
  answer_id       uuid     NOT NULL, -- whose split it is, also where its memory or a purchase decided the row
  CONSTRAINT transaction_parts_pkey PRIMARY KEY (organization_id, transaction_id, ordinal),
  CONSTRAINT transaction_parts_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT transaction_parts_ordinal CHECK (ordinal > 0),
  CONSTRAINT transaction_parts_category CHECK (category_id > 0)
);
CREATE INDEX transaction_parts_answer ON transaction_parts (organization_id, answer_id);

-- What reports, lists and counts know of them by. The index reads the table once and holds nothing yet.
CREATE INDEX transactions_split ON transactions (organization_id, processed_date)
  WHERE category_id = -1;

-- A row that is not split any more has no parts, whoever makes it so.
-- +goose StatementBegin
CREATE FUNCTION transaction_parts_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM transaction_parts
  WHERE organization_id = OLD.organization_id
    AND transaction_id = OLD.id;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER transactions_parts_went AFTER UPDATE OF category_id ON transactions
  FOR EACH ROW WHEN (OLD.category_id = -1 AND NEW.category_id IS DISTINCT FROM -1) EXECUTE FUNCTION transaction_parts_went();

-- What was understood of an answer that splits: its shares, as internal/split writes them.
ALTER TABLE answers ADD COLUMN split jsonb;
-- Its amounts are those of a year of which rows came, went or changed since they were spread.
ALTER TABLE answers ADD COLUMN spread_due boolean NOT NULL DEFAULT false;
CREATE INDEX answers_spread_due ON answers (organization_id) WHERE spread_due;
ALTER TABLE business_answers ADD COLUMN split jsonb;

-- +goose Down
ALTER TABLE business_answers DROP COLUMN split;
ALTER TABLE answers DROP COLUMN spread_due, DROP COLUMN split;
DROP TRIGGER transactions_parts_went ON transactions;
DROP FUNCTION transaction_parts_went;
DROP INDEX transactions_split;
UPDATE transactions
SET category_id = NULL,
    category_source = NULL,
    category_confidence = NULL,
    category_reason = NULL
WHERE category_id = -1;
UPDATE answers
SET category_id = NULL,
    mixed = true
WHERE category_id = -1;
UPDATE business_answers
SET category_id = NULL,
    mixed = true
WHERE category_id = -1;
UPDATE answer_rows
SET before_category = NULL,
    before_source = NULL
WHERE before_category = -1;
DROP TABLE transaction_parts;
