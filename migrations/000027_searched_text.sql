-- +goose Up

-- The text of a row that words are looked for in, as the lists of texts hold it: in lower case, since LIKE is many times faster
-- than ILIKE.
-- +goose StatementBegin
CREATE FUNCTION searched_text(merchant text, description text, context text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN lower(coalesce(merchant, '') || E'\n' || description || E'\n' || coalesce(context, ''));
-- +goose StatementEnd

-- A row that was decided has alternatives, if only an empty list of them.
-- +goose StatementBegin
CREATE FUNCTION never_decided(alternatives jsonb) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN alternatives IS NULL;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION transactions_words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
  SELECT organization_id, false, array_agg(id ORDER BY place), array_agg(text ORDER BY place)
  FROM (
    SELECT organization_id, id, text, row_number() OVER (PARTITION BY organization_id) AS place
    FROM (
      SELECT t.organization_id, t.id, searched_text(t.merchant, t.description, t.context) AS text,
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

CREATE OR REPLACE FUNCTION transactions_words_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
  VALUES (NEW.organization_id, false, ARRAY[NEW.id], ARRAY[searched_text(NEW.merchant, NEW.description, NEW.context)]);
  INSERT INTO words_added (organization_id)
  VALUES (NEW.organization_id);
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION transactions_words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION transactions_words_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
  VALUES (NEW.organization_id, false, ARRAY[NEW.id], ARRAY[lower(coalesce(NEW.merchant, '') || E'\n' || NEW.description || E'\n' || coalesce(NEW.context, ''))]);
  INSERT INTO words_added (organization_id)
  VALUES (NEW.organization_id);
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION never_decided, searched_text;
