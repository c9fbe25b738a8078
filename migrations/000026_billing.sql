-- +goose Up

-- Customers of the payment processor and what it said of their subscriptions when it was asked last. An event is a reason to
-- ask again, and nothing more: so it does not matter in which order events come, or how often. Who asks puts next_at off;
-- whoever stores an answer does so only over the version that was taken.
CREATE TABLE stripe_customers (
  id                   text        NOT NULL, -- the processor's
  person_id            uuid,                 -- null until the customer is linked
  version              bigint      NOT NULL DEFAULT 1, -- counts events, links and claims
  next_at              timestamptz,          -- null where there is nothing to ask for
  attempts             integer     NOT NULL DEFAULT 0, -- since the last answer
  status               text,                 -- null where the customer has no subscription
  plan                 text,
  "interval"           text,
  current_period_end   timestamptz,
  cancel_at_period_end boolean     NOT NULL DEFAULT false,
  synced_at            timestamptz,          -- null until the processor was asked
  created_at           timestamptz NOT NULL,
  CONSTRAINT stripe_customers_pkey PRIMARY KEY (id),
  CONSTRAINT stripe_customers_person_fkey FOREIGN KEY (person_id) REFERENCES persons (id),
  CONSTRAINT stripe_customers_id_length CHECK (char_length(id) BETWEEN 1 AND 255),
  CONSTRAINT stripe_customers_status CHECK (status IN ('trialing', 'active', 'past_due', 'canceled'))
);
CREATE INDEX stripe_customers_due ON stripe_customers (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX stripe_customers_person ON stripe_customers (person_id) WHERE person_id IS NOT NULL;

-- The one schedule of looking at all customers, whatever the number of workers.
CREATE TABLE stripe_reconciliation (
  one         boolean     NOT NULL DEFAULT true, -- row there is
  next_at     timestamptz NOT NULL,
  finished_at timestamptz,
  CONSTRAINT stripe_reconciliation_pkey PRIMARY KEY (one),
  CONSTRAINT stripe_reconciliation_one CHECK (one)
);

-- When the partner last sent an account itself, and when its balance: a legacy snapshot may leave that out. Of what was sent
-- before this step nothing is known.
ALTER TABLE accounts
  ADD COLUMN sent_at timestamptz,
  ADD COLUMN balance_at timestamptz;

-- +goose Down
ALTER TABLE accounts DROP COLUMN balance_at, DROP COLUMN sent_at;
DROP TABLE stripe_reconciliation, stripe_customers;
