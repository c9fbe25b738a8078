-- +goose Up

-- How many rows each account has, and in what state, so that nobody counts them to say so. Whatever changes rows adds what
-- it changed to transaction_counts_added, in its own transaction; from time to time these are added up into the one row of
-- the account. The numbers of an account are the sums over both tables: exact at any time, and no writer waits for another.
CREATE TABLE transaction_counts (
  organization_id uuid   NOT NULL,
  account_id      uuid   NOT NULL,
  transactions    bigint NOT NULL, -- undeleted; all others are of these
  pending         bigint NOT NULL,
  categorized     bigint NOT NULL, -- their category is one, and not of the branch uncategorized
  needs_attention bigint NOT NULL,
  limited         bigint NOT NULL,
  queued          bigint NOT NULL,
  CONSTRAINT transaction_counts_pkey PRIMARY KEY (organization_id, account_id),
  CONSTRAINT transaction_counts_account_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) WITH (fillfactor = 50);

CREATE TABLE transaction_counts_added (
  organization_id uuid   NOT NULL,
  account_id      uuid   NOT NULL,
  transactions    bigint NOT NULL,
  pending         bigint NOT NULL,
  categorized     bigint NOT NULL,
  needs_attention bigint NOT NULL,
  limited         bigint NOT NULL,
  queued          bigint NOT NULL,
  at              timestamptz NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX transaction_counts_added_account ON transaction_counts_added (organization_id, account_id);
CREATE INDEX transaction_counts_added_at ON transaction_counts_added (at);

-- The same of counterparties, by the currency and category of their rows: what they came to, and what they are for.
CREATE TABLE counterparty_counts (
  organization_id uuid    NOT NULL,
  counterparty_id uuid    NOT NULL,
  currency        text    NOT NULL,
  category_id     integer NOT NULL, -- 0 for none
  transactions    bigint  NOT NULL, -- undeleted
  inflow          numeric NOT NULL, -- cents
  outflow         numeric NOT NULL, -- cents, positive
  CONSTRAINT counterparty_counts_pkey PRIMARY KEY (organization_id, counterparty_id, currency, category_id),
  CONSTRAINT counterparty_counts_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
) WITH (fillfactor = 70);

CREATE TABLE counterparty_counts_added (
  organization_id uuid    NOT NULL,
  counterparty_id uuid    NOT NULL,
  currency        text    NOT NULL,
  category_id     integer NOT NULL,
  transactions    bigint  NOT NULL,
  inflow          numeric NOT NULL,
  outflow         numeric NOT NULL,
  at              timestamptz NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
CREATE INDEX counterparty_counts_added_counterparty ON counterparty_counts_added (organization_id, counterparty_id);
CREATE INDEX counterparty_counts_added_at ON counterparty_counts_added (at);

-- The categories that count as none are those of the branch uncategorized of the ontology.
-- +goose StatementBegin
CREATE FUNCTION is_categorized(category_id integer) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(category_id NOT IN (9007, 9700, 9701, 9702, 9703, 9704), false)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION transactions_count_came() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_counts_added
  SELECT organization_id, account_id, count(*), count(*) FILTER (WHERE pending),
         count(*) FILTER (WHERE is_categorized(category_id)), count(*) FILTER (WHERE needs_attention),
         count(*) FILTER (WHERE processing = 'limited'), count(*) FILTER (WHERE processing = 'queued')
  FROM after
  WHERE deleted_at IS NULL
  GROUP BY organization_id, account_id;
  INSERT INTO counterparty_counts_added
  SELECT organization_id, counterparty_id, currency, coalesce(category_id, 0), count(*), sum(greatest(amount, 0)),
         sum(greatest(-amount::numeric, 0))
  FROM after
  WHERE deleted_at IS NULL
    AND counterparty_id IS NOT NULL
  GROUP BY organization_id, counterparty_id, currency, coalesce(category_id, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION transactions_count_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_counts_added
  SELECT organization_id, account_id, -count(*), -count(*) FILTER (WHERE pending),
         -count(*) FILTER (WHERE is_categorized(category_id)), -count(*) FILTER (WHERE needs_attention),
         -count(*) FILTER (WHERE processing = 'limited'), -count(*) FILTER (WHERE processing = 'queued')
  FROM before
  WHERE deleted_at IS NULL
  GROUP BY organization_id, account_id;
  INSERT INTO counterparty_counts_added
  SELECT organization_id, counterparty_id, currency, coalesce(category_id, 0), -count(*), -sum(greatest(amount, 0)),
         -sum(greatest(-amount::numeric, 0))
  FROM before
  WHERE deleted_at IS NULL
    AND counterparty_id IS NOT NULL
  GROUP BY organization_id, counterparty_id, currency, coalesce(category_id, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- Most changes leave some numbers or all of them as they are.
-- +goose StatementBegin
CREATE FUNCTION transactions_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transaction_counts_added
  SELECT *
  FROM (
    SELECT organization_id, account_id, sum(n) AS transactions, sum(n * pending::integer) AS pending,
           sum(n * is_categorized(category_id)::integer) AS categorized, sum(n * needs_attention::integer) AS needs_attention,
           sum(n * (processing = 'limited')::integer) AS limited, sum(n * (processing = 'queued')::integer) AS queued
    FROM (
      SELECT -1 AS n, organization_id, account_id, pending, category_id, needs_attention, processing
      FROM before
      WHERE deleted_at IS NULL
      UNION ALL
      SELECT 1, organization_id, account_id, pending, category_id, needs_attention, processing
      FROM after
      WHERE deleted_at IS NULL) r
    GROUP BY organization_id, account_id) c
  WHERE (transactions, pending, categorized, needs_attention, limited, queued) <> (0, 0, 0, 0, 0, 0);
  INSERT INTO counterparty_counts_added
  SELECT *
  FROM (
    SELECT organization_id, counterparty_id, currency, coalesce(category_id, 0), sum(n) AS transactions,
           sum(n * greatest(amount::numeric, 0)) AS inflow, sum(n * greatest(-amount::numeric, 0)) AS outflow
    FROM (
      SELECT -1 AS n, organization_id, counterparty_id, currency, category_id, amount
      FROM before
      WHERE deleted_at IS NULL
        AND counterparty_id IS NOT NULL
      UNION ALL
      SELECT 1, organization_id, counterparty_id, currency, category_id, amount
      FROM after
      WHERE deleted_at IS NULL
        AND counterparty_id IS NOT NULL) r
    GROUP BY organization_id, counterparty_id, currency, coalesce(category_id, 0)) c
  WHERE (transactions, inflow, outflow) <> (0, 0, 0);
  RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER transactions_counts_inserted AFTER INSERT ON transactions REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_count_came();
CREATE TRIGGER transactions_counts_changed AFTER UPDATE ON transactions REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_count_changed();
CREATE TRIGGER transactions_counts_removed AFTER DELETE ON transactions REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_count_went();

-- The triggers hold writers up until the end of this step, so nothing is missed and nothing counted twice; the program of
-- the release before may run on.
INSERT INTO transaction_counts
SELECT organization_id, account_id, count(*), count(*) FILTER (WHERE pending),
       count(*) FILTER (WHERE is_categorized(category_id)), count(*) FILTER (WHERE needs_attention),
       count(*) FILTER (WHERE processing = 'limited'), count(*) FILTER (WHERE processing = 'queued')
FROM transactions
WHERE deleted_at IS NULL
GROUP BY organization_id, account_id;

INSERT INTO counterparty_counts
SELECT organization_id, counterparty_id, currency, coalesce(category_id, 0), count(*), sum(greatest(amount, 0)),
       sum(greatest(-amount::numeric, 0))
FROM transactions
WHERE deleted_at IS NULL
  AND counterparty_id IS NOT NULL
GROUP BY organization_id, counterparty_id, currency, coalesce(category_id, 0);

-- Queued rows of an account are found among any number of limited ones, and whether it has limited ones is one look.
DROP INDEX transactions_open, transactions_limited;
CREATE INDEX transactions_open ON transactions (organization_id, account_id, processing, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processing <> 'processed';

-- +goose Down
DROP INDEX transactions_open;
CREATE INDEX transactions_open ON transactions (organization_id, account_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processing <> 'processed';
CREATE INDEX transactions_limited ON transactions (organization_id, account_id) WHERE deleted_at IS NULL AND processing = 'limited';
DROP TRIGGER transactions_counts_removed ON transactions;
DROP TRIGGER transactions_counts_changed ON transactions;
DROP TRIGGER transactions_counts_inserted ON transactions;
DROP FUNCTION transactions_count_changed, transactions_count_went, transactions_count_came;
DROP FUNCTION is_categorized;
DROP TABLE counterparty_counts_added, counterparty_counts, transaction_counts_added, transaction_counts;
