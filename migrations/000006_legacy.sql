-- +goose Up

-- Who opened the older embedded flow: the native business and the source that hold what their partner's webhook sends.
CREATE TABLE legacy_mappings (
  partner_id      text        NOT NULL,
  subject         text        NOT NULL,
  organization_id uuid        NOT NULL,
  source_id       uuid        NOT NULL,
  created_at      timestamptz NOT NULL,
  CONSTRAINT legacy_mappings_pkey PRIMARY KEY (partner_id, subject),
  CONSTRAINT legacy_mappings_source_key UNIQUE (organization_id, source_id),
  CONSTRAINT legacy_mappings_identity_fkey FOREIGN KEY (partner_id, subject) REFERENCES identities (partner_id, subject),
  CONSTRAINT legacy_mappings_source_fkey FOREIGN KEY (organization_id, source_id) REFERENCES sources (organization_id, id)
);

-- The webhook's log. A row is the accepted snapshot and its event at once: pending until the transaction that stores its
-- effects. The ids of one person are in the order of arrival. The payload is encrypted, and gone when the row has ended.
CREATE TABLE account_snapshots (
  id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  partner_id  text        NOT NULL,
  subject     text        NOT NULL,
  payload     bytea,
  state       text        NOT NULL DEFAULT 'pending',
  attempts    integer     NOT NULL DEFAULT 0,
  next_at     timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  ended_at    timestamptz,
  CONSTRAINT account_snapshots_pkey PRIMARY KEY (id),
  CONSTRAINT account_snapshots_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT account_snapshots_state CHECK (state IN ('pending', 'applied', 'skipped')),
  CONSTRAINT account_snapshots_payload CHECK ((state = 'pending') = (payload IS NOT NULL)),
  CONSTRAINT account_snapshots_ended_at CHECK ((state = 'pending') = (ended_at IS NULL))
);
CREATE INDEX account_snapshots_pending ON account_snapshots (id) WHERE state = 'pending';
CREATE INDEX account_snapshots_person ON account_snapshots (partner_id, subject, id) WHERE state = 'pending';

-- The bank-aggregation tokens of accounts, encrypted. They stand apart from accounts, so that no read of an account can
-- carry one.
CREATE TABLE aggregation_tokens (
  organization_id uuid        NOT NULL,
  account_id      uuid        NOT NULL,
  sealed          bytea       NOT NULL,
  updated_at      timestamptz NOT NULL,
  CONSTRAINT aggregation_tokens_pkey PRIMARY KEY (organization_id, account_id),
  CONSTRAINT aggregation_tokens_account_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
);

-- +goose Down
DROP TABLE aggregation_tokens, account_snapshots, legacy_mappings;
