-- +goose Up

-- What searches for words read instead of all rows of a business: the texts of its processed rows, some in a list.
-- Statements that process rows, or change the text of processed ones, add lists; no list is changed. So every processed
-- row that is not deleted is in a list with the text it has; a list may also hold a text that its row had before, and what
-- is found by a list is judged by the row. The lists of a business are put in order, and those that hold like texts are
-- indexed, when there are many: to index the texts of each row with its decision was a third of what processing it cost.
CREATE TABLE transaction_words (
  organization_id uuid    NOT NULL,
  id              bigint  GENERATED ALWAYS AS IDENTITY,
  indexed         boolean NOT NULL,
  transactions    uuid[]  NOT NULL,
  texts           text[]  NOT NULL, -- of each of them, in lower case: LIKE is many times faster than ILIKE
  CONSTRAINT transaction_words_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT transaction_words_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT transaction_words_texts CHECK (cardinality(transactions) = cardinality(texts))
);
CREATE INDEX transaction_words_new ON transaction_words (organization_id) WHERE NOT indexed;

-- +goose StatementBegin
CREATE FUNCTION words_of(texts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_string(texts, E'\n')
$$;
-- +goose StatementEnd
CREATE INDEX transaction_words_texts ON transaction_words USING gin (organization_id, words_of(texts) gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024)
  WHERE indexed;

-- Businesses that have new lists, for whoever indexes them. Rows are only added here, so writers never wait for each other.
CREATE TABLE words_added (
  organization_id uuid        NOT NULL,
  at              timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX words_added_at ON words_added (at);
CREATE INDEX words_added_organization ON words_added (organization_id);

-- +goose StatementBegin
CREATE FUNCTION transactions_words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
  SELECT organization_id, false, array_agg(id ORDER BY place), array_agg(text ORDER BY place)
  FROM (
    SELECT organization_id, id, text, row_number() OVER (PARTITION BY organization_id) AS place
    FROM (
      SELECT t.organization_id, t.id, lower(coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, '')) AS text,
             b.processing = 'processed' AND b.deleted_at IS NULL
               AND (b.merchant, b.description, b.context) IS NOT DISTINCT FROM (t.merchant, t.description, t.context) AS known
      FROM after t
      JOIN before b ON b.organization_id = t.organization_id AND b.id = t.id
      WHERE t.processing = 'processed'
        AND t.deleted_at IS NULL) r
    WHERE NOT known) r
  GROUP BY organization_id, (place - 1) / 16;
  IF FOUND THEN
    INSERT INTO words_added (organization_id)
    SELECT DISTINCT organization_id
    FROM after;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER transactions_words_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_words_changed();

-- Uploaded rows begin unprocessed; one that does not is a list of its own.
-- +goose StatementBegin
CREATE FUNCTION transactions_words_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
  VALUES (NEW.organization_id, false, ARRAY[NEW.id], ARRAY[lower(coalesce(NEW.merchant, '') || E'\n' || NEW.description || E'\n' || coalesce(NEW.context, ''))]);
  INSERT INTO words_added (organization_id)
  VALUES (NEW.organization_id);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER transactions_words_inserted AFTER INSERT ON transactions
  FOR EACH ROW WHEN (NEW.processing = 'processed') EXECUTE FUNCTION transactions_words_inserted();

INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
SELECT organization_id, false, array_agg(id ORDER BY place), array_agg(text ORDER BY place)
FROM (
  SELECT organization_id, id, lower(coalesce(merchant, '') || E'\n' || description || E'\n' || coalesce(context, '')) AS text,
         row_number() OVER (PARTITION BY organization_id) AS place
  FROM transactions
  WHERE processing = 'processed'
    AND deleted_at IS NULL) r
GROUP BY organization_id, (place - 1) / 16;
INSERT INTO words_added (organization_id)
SELECT DISTINCT organization_id
FROM transaction_words;
DROP INDEX transactions_words;

-- +goose Down
CREATE INDEX transactions_words ON transactions
  USING gin (organization_id, (coalesce(merchant, '') || E'\n' || description || E'\n' || coalesce(context, '')) gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024)
  WHERE deleted_at IS NULL AND processing = 'processed';
DROP TRIGGER transactions_words_inserted ON transactions;
DROP TRIGGER transactions_words_changed ON transactions;
DROP FUNCTION transactions_words_inserted, transactions_words_changed;
DROP TABLE words_added, transaction_words;
DROP FUNCTION words_of;
