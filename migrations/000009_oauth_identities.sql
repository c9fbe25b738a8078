-- +goose Up

-- A person is known to an OAuth issuer by the subject of its tokens. An administrator links the two; nothing else does.
CREATE TABLE oauth_identities (
  issuer     text        NOT NULL,
  subject    text        NOT NULL,
  person_id  uuid        NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT oauth_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT oauth_identities_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id)
);

-- +goose Down
DROP TABLE oauth_identities;
