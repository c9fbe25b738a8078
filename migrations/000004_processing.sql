-- +goose Up

-- What merges the variants of a counterparty's name within a business.
ALTER TABLE counterparties ADD COLUMN key text;
CREATE UNIQUE INDEX counterparties_key ON counterparties (organization_id, key) WHERE key IS NOT NULL;

-- How many transactions a business had processed in a calendar month (UTC), where its tier is limited.
CREATE TABLE processing_months (
  organization_id uuid   NOT NULL,
  month           date   NOT NULL,
  processed       bigint NOT NULL,
  CONSTRAINT processing_months_pkey PRIMARY KEY (organization_id, month),
  CONSTRAINT processing_months_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- What the people of a business answered about a counterparty and direction: the memory that decides the next rows.
CREATE TABLE business_answers (
  organization_id  uuid        NOT NULL,
  id               uuid        NOT NULL,
  counterparty_key text        NOT NULL,
  incoming         boolean     NOT NULL,
  amount           bigint      NOT NULL, -- cents, of the transaction asked about
  category_id      integer,
  relationship     text,
  created_at       timestamptz NOT NULL,
  CONSTRAINT business_answers_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT business_answers_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- What a question is about, so that new rows join the open one and an answer teaches the memory.
ALTER TABLE outstanding_issues ADD COLUMN group_key text;
ALTER TABLE outstanding_issues ADD COLUMN incoming boolean;
CREATE UNIQUE INDEX outstanding_issues_group ON outstanding_issues (organization_id, group_key, incoming) WHERE status = 'open' AND group_key IS NOT NULL;

-- +goose Down
DROP INDEX outstanding_issues_group;
ALTER TABLE outstanding_issues DROP COLUMN incoming, DROP COLUMN group_key;
DROP TABLE business_answers, processing_months;
DROP INDEX counterparties_key;
ALTER TABLE counterparties DROP COLUMN key;
