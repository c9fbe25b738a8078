-- +goose Up

-- The number of a row among those of its question: answers name rows by it, so it stays while rows come and go. A question
-- gives the next ones behind the last that it gave.
ALTER TABLE issue_transactions ADD COLUMN n integer;
ALTER TABLE outstanding_issues ADD COLUMN numbered integer NOT NULL DEFAULT 0;
UPDATE issue_transactions it
SET n = numbered.n
FROM (
  SELECT it.organization_id, it.transaction_id, it.issue_id,
         row_number() OVER (PARTITION BY it.organization_id, it.issue_id ORDER BY it.amount DESC, it.transaction_id) AS n
  FROM issue_transactions it
  JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
  WHERE i.status = 'open') numbered
WHERE it.organization_id = numbered.organization_id
  AND it.transaction_id = numbered.transaction_id
  AND it.issue_id = numbered.issue_id;
UPDATE outstanding_issues i
SET numbered = rows.n
FROM (
  SELECT organization_id, issue_id, max(n) AS n
  FROM issue_transactions
  WHERE n IS NOT NULL
  GROUP BY organization_id, issue_id) rows
WHERE i.organization_id = rows.organization_id
  AND i.id = rows.issue_id;

-- What an answer says of a row alone, where that is something else than what it says of most: null elsewhere.
ALTER TABLE answer_rows ADD COLUMN category_id integer;

-- What a use is, beside the largest amount of its rows: the smallest, how many there were, on which types of accounts, how
-- many days apart they came at least and at most, and the newest day; and whether the answer said several things of them.
ALTER TABLE business_answers
  ADD COLUMN smallest bigint, -- cents, without a sign
  ADD COLUMN row_count bigint,
  ADD COLUMN account_types text[],
  ADD COLUMN least_days integer,
  ADD COLUMN most_days integer,
  ADD COLUMN newest date,
  ADD COLUMN several boolean NOT NULL DEFAULT false;

-- What a counterparty was before an answer said what it is to the business, or made it one with another: an answer that is
-- taken back leaves nothing.
ALTER TABLE answers
  ADD COLUMN relationship text,
  ADD COLUMN related_id uuid, -- the counterparty whose relationship it set
  ADD COLUMN before_relationship text,
  ADD COLUMN merged jsonb, -- the counterparty that went, and the one that it became
  ADD COLUMN merged_rows uuid[];

-- +goose Down
ALTER TABLE answer_rows DROP COLUMN category_id;
ALTER TABLE answers DROP COLUMN merged_rows, DROP COLUMN merged, DROP COLUMN before_relationship, DROP COLUMN related_id, DROP COLUMN relationship;
ALTER TABLE business_answers
  DROP COLUMN several,
  DROP COLUMN newest,
  DROP COLUMN most_days,
  DROP COLUMN least_days,
  DROP COLUMN account_types,
  DROP COLUMN row_count,
  DROP COLUMN smallest;
ALTER TABLE outstanding_issues DROP COLUMN numbered;
ALTER TABLE issue_transactions DROP COLUMN n;
