-- +goose Up

-- A generation is never given twice: a late worker that saw an earlier one can end no newer event.
CREATE SEQUENCE pending_work_generation AS bigint OWNED BY pending_work.generation;
SELECT setval('pending_work_generation', (SELECT coalesce(max(generation), 0) + 1 FROM pending_work));
ALTER TABLE pending_work
  ALTER COLUMN generation SET DEFAULT nextval('pending_work_generation'),
  ADD COLUMN came_at timestamptz NOT NULL DEFAULT now(), -- the oldest upload or change that is not processed
  ADD COLUMN turn bigint NOT NULL DEFAULT 0;             -- the last one that worked on it; 0 for none

-- Businesses are processed in turns. One row a business that ever had one; uploads do not touch it.
CREATE TABLE turns (
  organization_id uuid        NOT NULL,
  number          bigint      NOT NULL DEFAULT 0, -- of the last turn that was taken
  leased_until    timestamptz,                    -- nobody else takes a turn before; null where nobody has one
  failures        integer     NOT NULL DEFAULT 0, -- turns that failed since the last that did not
  answers         bigint      NOT NULL DEFAULT 0, -- counts the answers of the business: what was decided before one is stale
  CONSTRAINT turns_pkey PRIMARY KEY (organization_id),
  CONSTRAINT turns_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
) WITH (fillfactor = 50);

-- Accounts with rows that their business's month did not allow, so that nobody looks for such rows among all.
CREATE TABLE limited_accounts (
  organization_id uuid NOT NULL,
  account_id      uuid NOT NULL,
  month           date NOT NULL, -- in which rows were last held back
  CONSTRAINT limited_accounts_pkey PRIMARY KEY (organization_id, account_id),
  CONSTRAINT limited_accounts_account_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts (organization_id, id)
);
CREATE INDEX limited_accounts_month ON limited_accounts (month);
INSERT INTO limited_accounts (organization_id, account_id, month)
SELECT DISTINCT organization_id, account_id, date '2000-01-01'
FROM transactions
WHERE deleted_at IS NULL
  AND processing = 'limited';

-- What a row added to the impact of its question, so that it takes the same away when it leaves.
ALTER TABLE issue_transactions ADD COLUMN amount bigint NOT NULL DEFAULT 0; -- cents, without a sign; 0 in another currency than the question's
UPDATE issue_transactions it
SET amount = CASE WHEN t.currency = i.impact_currency THEN abs(t.amount) ELSE 0 END
FROM transactions t, outstanding_issues i
WHERE t.organization_id = it.organization_id
  AND t.id = it.transaction_id
  AND i.organization_id = it.organization_id
  AND i.id = it.issue_id
  AND i.status = 'open';
DROP INDEX issue_transactions_issue;
CREATE INDEX issue_transactions_issue ON issue_transactions (organization_id, issue_id, transaction_id);

-- +goose Down
DROP INDEX issue_transactions_issue;
CREATE INDEX issue_transactions_issue ON issue_transactions (organization_id, issue_id);
ALTER TABLE issue_transactions DROP COLUMN amount;
DROP TABLE limited_accounts, turns;
ALTER TABLE pending_work
  ALTER COLUMN generation SET DEFAULT 1,
  DROP COLUMN turn,
  DROP COLUMN came_at;
DROP SEQUENCE pending_work_generation;
