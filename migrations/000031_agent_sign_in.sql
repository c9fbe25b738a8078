-- +goose Up

-- Where a partner signs people in that come from an agent; null takes part in no sign-in.
ALTER TABLE partners ADD COLUMN sign_in_url text;

-- Programs that registered themselves (RFC 7591). Those that have a metadata document are in no table.
CREATE TABLE agent_clients (
  id            text        NOT NULL,
  name          text        NOT NULL, -- the program's own word
  redirect_uris text[]      NOT NULL,
  created_at    timestamptz NOT NULL,
  used_at       timestamptz,          -- when somebody last gave it access
  CONSTRAINT agent_clients_pkey PRIMARY KEY (id)
);
CREATE INDEX agent_clients_unused ON agent_clients (created_at) WHERE used_at IS NULL;

-- A sign-in under way, with what its program said when it began. Secrets are here as hashes.
CREATE TABLE agent_requests (
  hash          bytea       NOT NULL, -- of its id
  browser_hash  bytea       NOT NULL, -- of the cookie of the browser that began it
  return_hash   bytea,                -- of what the browser that was at the partner brings back, once
  stage         text        NOT NULL,
  partner_id    text,
  person_id     uuid,
  client_id     text        NOT NULL,
  client_name   text        NOT NULL,
  registered    boolean     NOT NULL, -- by itself, so that its name is its own word
  redirect_uri  text        NOT NULL,
  state         text        NOT NULL,
  challenge     text        NOT NULL,
  scopes        text[]      NOT NULL,
  resource      text        NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  CONSTRAINT agent_requests_pkey PRIMARY KEY (hash),
  CONSTRAINT agent_requests_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT agent_requests_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id),
  CONSTRAINT agent_requests_stage CHECK (stage IN ('begun', 'accepted', 'refused', 'returned', 'answered')),
  CONSTRAINT agent_requests_accepted CHECK (stage NOT IN ('accepted', 'returned') OR partner_id IS NOT NULL AND person_id IS NOT NULL)
);
CREATE INDEX agent_requests_ended ON agent_requests (expires_at);
CREATE INDEX agent_requests_person ON agent_requests (person_id);

-- What a person lets a program do, on the word of one partner. It ends with the first of: its time, the person's or the
-- partner's word, the partner, the last of its businesses.
CREATE TABLE agent_grants (
  id           uuid        NOT NULL,
  kind         text        NOT NULL, -- the person agreed (consent), or the partner's backend asked (exchange)
  person_id    uuid        NOT NULL,
  partner_id   text        NOT NULL,
  client_id    text,
  client_name  text,
  redirect_uri text,
  resource     text        NOT NULL,
  scopes       text[]      NOT NULL,
  role         text        NOT NULL, -- the highest it acts with
  created_at   timestamptz NOT NULL,
  used_at      timestamptz NOT NULL, -- to within an hour
  expires_at   timestamptz NOT NULL,
  revoked_at   timestamptz,
  code_hash    bytea,
  challenge    text,
  redeemed_at  timestamptz,          -- when the code was
  generation   integer     NOT NULL DEFAULT 0, -- of the refresh token that is next
  CONSTRAINT agent_grants_pkey PRIMARY KEY (id),
  CONSTRAINT agent_grants_code_key UNIQUE (code_hash),
  CONSTRAINT agent_grants_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id),
  CONSTRAINT agent_grants_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT agent_grants_kind CHECK (kind IN ('consent', 'exchange')),
  CONSTRAINT agent_grants_role CHECK (role IN ('owner', 'member')),
  CONSTRAINT agent_grants_consent CHECK (kind = 'exchange' OR num_nulls(client_id, client_name, redirect_uri, code_hash, challenge) = 0)
);
CREATE INDEX agent_grants_person ON agent_grants (person_id, partner_id);
CREATE INDEX agent_grants_partner ON agent_grants (partner_id);
CREATE INDEX agent_grants_client ON agent_grants (client_id);
CREATE INDEX agent_grants_ended ON agent_grants (least(expires_at, revoked_at));

-- The businesses that a grant is about.
CREATE TABLE agent_grant_organizations (
  organization_id uuid NOT NULL,
  grant_id        uuid NOT NULL,
  CONSTRAINT agent_grant_organizations_pkey PRIMARY KEY (organization_id, grant_id),
  CONSTRAINT agent_grant_organizations_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT agent_grant_organizations_grant_fkey FOREIGN KEY (grant_id) REFERENCES agent_grants (id) ON DELETE CASCADE
);
CREATE INDEX agent_grant_organizations_grant ON agent_grant_organizations (grant_id);

CREATE TABLE agent_tokens (
  hash       bytea       NOT NULL,
  grant_id   uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CONSTRAINT agent_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT agent_tokens_grant_fkey FOREIGN KEY (grant_id) REFERENCES agent_grants (id) ON DELETE CASCADE
);
CREATE INDEX agent_tokens_grant ON agent_tokens (grant_id);
CREATE INDEX agent_tokens_ended ON agent_tokens (expires_at);

-- Those that were replaced stay while their grant does: one that comes back late tells of a theft.
CREATE TABLE agent_refresh_tokens (
  hash        bytea       NOT NULL,
  grant_id    uuid        NOT NULL,
  generation  integer     NOT NULL,
  replaced_at timestamptz,
  CONSTRAINT agent_refresh_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT agent_refresh_tokens_grant_fkey FOREIGN KEY (grant_id) REFERENCES agent_grants (id) ON DELETE CASCADE
);
CREATE INDEX agent_refresh_tokens_grant ON agent_refresh_tokens (grant_id);

-- +goose Down
DROP TABLE agent_refresh_tokens, agent_tokens, agent_grant_organizations, agent_grants, agent_requests, agent_clients;
ALTER TABLE partners DROP COLUMN sign_in_url;
