-- +goose Up
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE partners (
  id          text        NOT NULL,
  name        text        NOT NULL,
  created_at  timestamptz NOT NULL,
  disabled_at timestamptz,
  CONSTRAINT partners_pkey PRIMARY KEY (id),
  CONSTRAINT partners_id_length CHECK (char_length(id) BETWEEN 1 AND 200)
);

-- Two secrets of a purpose may be valid at a time, so that a partner can rotate without an interruption.
CREATE TABLE partner_secrets (
  partner_id text        NOT NULL,
  id         uuid        NOT NULL,
  purpose    text        NOT NULL,
  sealed     bytea       NOT NULL,
  created_at timestamptz NOT NULL,
  retired_at timestamptz,
  CONSTRAINT partner_secrets_pkey PRIMARY KEY (partner_id, id),
  CONSTRAINT partner_secrets_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT partner_secrets_purpose CHECK (purpose IN ('token', 'webhook'))
);

CREATE TABLE persons (
  id         uuid        NOT NULL,
  email      text,
  name       text,
  demo       boolean     NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  CONSTRAINT persons_pkey PRIMARY KEY (id)
);

-- A person is known to a partner by the token's subject; equal e-mails never join two persons.
CREATE TABLE identities (
  partner_id text        NOT NULL,
  subject    text        NOT NULL,
  person_id  uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT identities_pkey PRIMARY KEY (partner_id, subject),
  CONSTRAINT identities_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT identities_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id)
);

-- A business of a partner, or a native one, which has neither partner nor business id.
CREATE TABLE organizations (
  id          uuid        NOT NULL,
  partner_id  text,
  business_id text,
  name        text        NOT NULL,
  tier        text,
  created_at  timestamptz NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_business_key UNIQUE (partner_id, business_id),
  CONSTRAINT organizations_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT organizations_native CHECK ((partner_id IS NULL) = (business_id IS NULL)),
  CONSTRAINT organizations_tier CHECK (tier IN ('free', 'paid'))
);

-- One row for each partner that gives a person access; a native membership has no partner.
CREATE TABLE memberships (
  organization_id uuid        NOT NULL,
  person_id       uuid        NOT NULL,
  partner_id      text,
  role            text        NOT NULL,
  created_at      timestamptz NOT NULL,
  revoked_at      timestamptz,
  CONSTRAINT memberships_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT memberships_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id),
  CONSTRAINT memberships_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT memberships_role CHECK (role IN ('owner', 'member'))
);
CREATE UNIQUE INDEX memberships_partner_key ON memberships (organization_id, person_id, partner_id) WHERE partner_id IS NOT NULL;
CREATE UNIQUE INDEX memberships_native_key ON memberships (organization_id, person_id) WHERE partner_id IS NULL;
CREATE INDEX memberships_person ON memberships (person_id, partner_id);

CREATE TABLE oauth_tokens (
  hash       bytea       NOT NULL,
  person_id  uuid        NOT NULL,
  scopes     text[]      NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CONSTRAINT oauth_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT oauth_tokens_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id)
);

-- The payment processor's subscription of a person, as last synced.
CREATE TABLE subscriptions (
  person_id            uuid        NOT NULL,
  status               text        NOT NULL,
  plan                 text,
  interval             text,
  current_period_end   timestamptz,
  cancel_at_period_end boolean     NOT NULL DEFAULT false,
  provider             text        NOT NULL,
  synced_at            timestamptz NOT NULL,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (person_id),
  CONSTRAINT subscriptions_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id),
  CONSTRAINT subscriptions_status CHECK (status IN ('trialing', 'active', 'past_due', 'canceled'))
);

-- +goose Down
DROP TABLE subscriptions, oauth_tokens, memberships, organizations, identities, persons, partner_secrets, partners;
