-- +goose Up

-- Every key of a business row leads with organization_id: no row can point into another business, and the tables can
-- be partitioned or distributed by it without a key change.
CREATE TABLE sources (
  organization_id uuid        NOT NULL,
  id              uuid        NOT NULL,
  kind            text        NOT NULL,
  partner_id      text,
  state           text        NOT NULL,
  created_at      timestamptz NOT NULL,
  revoked_at      timestamptz,
  CONSTRAINT sources_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT sources_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT sources_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT sources_kind CHECK (kind IN ('api', 'aggregator', 'csv', 'legacy')),
  CONSTRAINT sources_state CHECK (state IN ('connected', 'revoked')),
  CONSTRAINT sources_revoked_at CHECK ((state = 'revoked') = (revoked_at IS NOT NULL)),
  CONSTRAINT sources_api_partner CHECK (kind <> 'api' OR partner_id IS NOT NULL)
);
CREATE UNIQUE INDEX sources_api_key ON sources (organization_id, partner_id) WHERE kind = 'api';

CREATE TABLE accounts (
  organization_id   uuid        NOT NULL,
  id                uuid        NOT NULL,
  source_id         uuid        NOT NULL,
  external_id       text        NOT NULL,
  name              text        NOT NULL,
  type              text        NOT NULL,
  mask              text,
  currency          text        NOT NULL,
  current_balance   bigint      NOT NULL, -- cents
  status            text        NOT NULL,
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  last_upload_at    timestamptz,          -- of transactions
  last_processed_at timestamptz,
  CONSTRAINT accounts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT accounts_external_id_key UNIQUE (organization_id, source_id, external_id),
  CONSTRAINT accounts_source_fkey FOREIGN KEY (organization_id, source_id) REFERENCES sources (organization_id, id),
  CONSTRAINT accounts_status CHECK (status IN ('active', 'disconnected', 'inactive', 'disabled')),
  CONSTRAINT accounts_currency CHECK (char_length(currency) = 3)
) WITH (fillfactor = 80);

CREATE TABLE counterparties (
  organization_id uuid        NOT NULL,
  id              uuid        NOT NULL,
  name            text        NOT NULL,
  aliases         text[]      NOT NULL DEFAULT '{}',
  type            text        NOT NULL,
  relationship    text        NOT NULL,
  website         text,
  confidence      integer     NOT NULL, -- ten-thousandths
  last_date       date        NOT NULL, -- newest primary date of its transactions: the order of the list
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  CONSTRAINT counterparties_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT counterparties_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT counterparties_confidence CHECK (confidence BETWEEN 0 AND 10000)
);
CREATE INDEX counterparties_list ON counterparties (organization_id, last_date DESC, id DESC);

-- Wide columns first, so that rows carry no padding.
CREATE TABLE transactions (
  organization_id     uuid        NOT NULL,
  id                  uuid        NOT NULL,
  source_id           uuid        NOT NULL,
  account_id          uuid        NOT NULL,
  amount              bigint      NOT NULL, -- cents; positive is incoming
  created_at          timestamptz NOT NULL,
  updated_at          timestamptz NOT NULL,
  deleted_at          timestamptz,
  authorized_date     date,
  processed_date      date        NOT NULL,
  primary_date        date        NOT NULL GENERATED ALWAYS AS (coalesce(authorized_date, processed_date)) STORED,
  revision            integer     NOT NULL DEFAULT 1, -- counts every change; a decision is written only over the revision it read
  pending             boolean     NOT NULL DEFAULT false,
  is_refund           boolean     NOT NULL DEFAULT false,
  needs_attention     boolean     NOT NULL DEFAULT false,
  external_id         text        NOT NULL,
  currency            text        NOT NULL,
  description         text        NOT NULL,
  processing          text        NOT NULL DEFAULT 'queued',
  filing_state        text        NOT NULL DEFAULT 'unfiled',
  category_id         integer,
  category_confidence integer,              -- ten-thousandths
  category_source     text,
  category_reason     text,
  alternatives        jsonb,
  counterparty_id     uuid,
  transfer_id         uuid,                 -- the other leg
  merchant            text,
  context             text,
  CONSTRAINT transactions_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT transactions_external_id_key UNIQUE (organization_id, source_id, external_id),
  CONSTRAINT transactions_currency CHECK (char_length(currency) = 3),
  CONSTRAINT transactions_processing CHECK (processing IN ('queued', 'processed', 'limited')),
  CONSTRAINT transactions_filing_state CHECK (filing_state IN ('unfiled', 'filed')),
  CONSTRAINT transactions_category CHECK ((category_id IS NULL) = (category_source IS NULL) AND (category_id IS NULL) = (category_confidence IS NULL)),
  CONSTRAINT transactions_category_source CHECK (category_source IN ('rule', 'memory', 'merchant', 'model', 'user')),
  CONSTRAINT transactions_category_confidence CHECK (category_confidence BETWEEN 0 AND 10000)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

CREATE INDEX transactions_list ON transactions (organization_id, primary_date DESC, id DESC) WHERE deleted_at IS NULL;

-- Most sources give one date, so the other order needs an index only where the dates differ.
CREATE INDEX transactions_processed_date ON transactions (organization_id, processed_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processed_date <> primary_date;

-- An account's rows are in one of two indexes, so that an upload writes one of them: the open ones are what the worker
-- has still to decide, newest first.
CREATE INDEX transactions_open ON transactions (organization_id, account_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processing <> 'processed';
CREATE INDEX transactions_account ON transactions (organization_id, account_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND processing = 'processed';

CREATE INDEX transactions_category ON transactions (organization_id, category_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND category_id IS NOT NULL;
CREATE INDEX transactions_uncategorized ON transactions (organization_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND category_id IS NULL AND processing = 'processed';
CREATE INDEX transactions_counterparty ON transactions (organization_id, counterparty_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND counterparty_id IS NOT NULL;
CREATE INDEX transactions_attention ON transactions (organization_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND needs_attention;
CREATE INDEX transactions_other_currency ON transactions (organization_id, primary_date DESC, id DESC)
  WHERE deleted_at IS NULL AND currency <> 'USD';

-- Words of processed rows only: an upload does not pay for this index, the worker pays once for each row.
CREATE INDEX transactions_words ON transactions
  USING gin (organization_id, (coalesce(merchant, '') || E'\n' || description || E'\n' || coalesce(context, '')) gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024)
  WHERE deleted_at IS NULL AND processing = 'processed';

-- A row's counterparty and its other leg are rows of the same business. A declared foreign key would queue a check for
-- every uploaded row, though all of them begin without either, and cost a tenth of the upload rate.
-- +goose StatementBegin
CREATE FUNCTION transactions_check_references() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.counterparty_id IS NOT NULL THEN
    PERFORM FROM counterparties WHERE organization_id = NEW.organization_id AND id = NEW.counterparty_id FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE foreign_key_violation USING CONSTRAINT = 'transactions_counterparty_fkey', TABLE = 'transactions',
        MESSAGE = 'the counterparty is not of this organization';
    END IF;
  END IF;
  IF NEW.transfer_id IS NOT NULL THEN
    PERFORM FROM transactions WHERE organization_id = NEW.organization_id AND id = NEW.transfer_id FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE foreign_key_violation USING CONSTRAINT = 'transactions_transfer_fkey', TABLE = 'transactions',
        MESSAGE = 'the other leg is not of this organization';
    END IF;
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER transactions_references AFTER INSERT OR UPDATE OF counterparty_id, transfer_id ON transactions
  FOR EACH ROW WHEN (NEW.counterparty_id IS NOT NULL OR NEW.transfer_id IS NOT NULL)
  EXECUTE FUNCTION transactions_check_references();

-- Every row belongs to an account of its business and source. Checked once a statement: a declared foreign key looks the
-- same account up again for each of 500 rows, a tenth of the upload rate. Accounts are never deleted.
-- +goose StatementBegin
CREATE FUNCTION transactions_check_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT
    FROM (SELECT DISTINCT organization_id, source_id, account_id FROM fresh) f
    WHERE NOT EXISTS (
      SELECT
      FROM accounts a
      WHERE a.organization_id = f.organization_id
        AND a.id = f.account_id
        AND a.source_id = f.source_id
      FOR KEY SHARE)) THEN
    RAISE foreign_key_violation USING CONSTRAINT = 'transactions_account_fkey', TABLE = 'transactions',
      MESSAGE = 'the account is not of this organization and source';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER transactions_accounts AFTER INSERT ON transactions REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION transactions_check_accounts();

CREATE TABLE transaction_comments (
  organization_id uuid        NOT NULL,
  transaction_id  uuid        NOT NULL,
  id              uuid        NOT NULL,
  author          text        NOT NULL,
  text            text        NOT NULL,
  created_at      timestamptz NOT NULL,
  CONSTRAINT transaction_comments_pkey PRIMARY KEY (organization_id, transaction_id, id),
  CONSTRAINT transaction_comments_transaction_fkey FOREIGN KEY (organization_id, transaction_id) REFERENCES transactions (organization_id, id)
);

-- The event of an accepted upload: one row an account, with a new generation at each upload. Whoever processes it
-- deletes it only where the generation is still the one they saw, together with the effects.
CREATE TABLE pending_work (
  organization_id uuid        NOT NULL,
  account_id      uuid        NOT NULL,
  generation      bigint      NOT NULL DEFAULT 1,
  attempts        integer     NOT NULL DEFAULT 0,
  next_at         timestamptz NOT NULL,
  CONSTRAINT pending_work_pkey PRIMARY KEY (organization_id, account_id),
  CONSTRAINT pending_work_account_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
) WITH (fillfactor = 50);
CREATE INDEX pending_work_due ON pending_work (next_at);

-- +goose Down
DROP TABLE pending_work, transaction_comments, transactions, counterparties, accounts, sources;
DROP FUNCTION transactions_check_references, transactions_check_accounts;
