-- +goose Up

-- What is established stands in category_id; what is only guessed is suggested beside it, and counts where the row has no
-- category. New columns without a default are written nowhere, and no row has a suggestion yet: the two indexes read the
-- table once and hold nothing, so that uploads wait for them a fraction of a second at a million rows.
ALTER TABLE transactions
  ADD COLUMN suggested_id         integer,
  ADD COLUMN suggested_confidence integer, -- ten-thousandths
  ADD COLUMN suggested_reason     text,
  ADD COLUMN destination          text;    -- of a move that may be a transfer: what its line says of the other account

-- What waits for an answer, for reports. Uploads do not pay for it.
CREATE INDEX transactions_suggested ON transactions (organization_id, processed_date)
  INCLUDE (primary_date, id, amount, suggested_id, suggested_confidence, counterparty_id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND NOT pending AND currency = 'USD' AND category_id IS NULL AND suggested_id IS NOT NULL;

-- Moves of which one side is seen.
CREATE INDEX transactions_destination ON transactions (organization_id, processed_date)
  INCLUDE (primary_date, amount, category_id, suggested_id, destination, counterparty_id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND NOT pending AND currency = 'USD' AND transfer_id IS NULL AND destination IS NOT NULL;

-- The suggestions of a rolled-up month, beside its categories. A program of before rolls months up without them: such a
-- month is read row by row.
ALTER TABLE report_months ADD COLUMN suggestions boolean NOT NULL DEFAULT false;
CREATE TABLE report_month_suggestions (
  organization_id   uuid    NOT NULL,
  month             date    NOT NULL,
  suggested_id      integer NOT NULL,
  transaction_count bigint  NOT NULL,
  inflow            numeric NOT NULL, -- cents
  outflow           numeric NOT NULL, -- cents, positive
  days              text    NOT NULL, -- since 1970-01-01, and so on, as in report_month_categories
  counts            text    NOT NULL,
  inflows           text    NOT NULL,
  outflows          text    NOT NULL,
  CONSTRAINT report_month_suggestions_pkey PRIMARY KEY (organization_id, month, suggested_id)
);
INSERT INTO report_dirty (organization_id, month)
SELECT organization_id, month
FROM report_months;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION report_mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_dirty (organization_id, month)
  SELECT DISTINCT organization_id, date_trunc('month', processed_date::timestamp)::date
  FROM (
    SELECT organization_id, processed_date
    FROM (TABLE before UNION ALL TABLE after) r
    WHERE deleted_at IS NULL
      AND processing = 'processed'
      AND NOT pending
      AND currency = 'USD'
      AND processed_date = primary_date
    GROUP BY organization_id, id, processed_date, amount, category_id, counterparty_id, transfer_id, suggested_id
    HAVING count(*) = 1) changed;
  RETURN NULL;
END $$;
-- +goose StatementEnd

-- The largest row that an answer was about, without a sign: a much larger one is another matter.
ALTER TABLE business_answers ADD COLUMN largest bigint; -- cents; null for answers of before, which were about amount

-- Businesses whose rows were decided before it was told apart what is established: a worker has them decided anew, in
-- batches, from the row after the last one on.
CREATE TABLE standing_due (
  organization_id uuid NOT NULL,
  after           uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  CONSTRAINT standing_due_pkey PRIMARY KEY (organization_id),
  CONSTRAINT standing_due_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
);
INSERT INTO standing_due (organization_id)
SELECT id
FROM organizations;

-- +goose Down
DROP TABLE standing_due;
ALTER TABLE business_answers DROP COLUMN largest;

-- What is suggested is applied again, as it was before.
UPDATE transactions
SET category_id = suggested_id,
    category_source = 'rule',
    category_confidence = coalesce(suggested_confidence, 0),
    category_reason = suggested_reason
WHERE category_id IS NULL
  AND suggested_id IS NOT NULL;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION report_mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_dirty (organization_id, month)
  SELECT DISTINCT organization_id, date_trunc('month', processed_date::timestamp)::date
  FROM (
    SELECT organization_id, processed_date
    FROM (TABLE before UNION ALL TABLE after) r
    WHERE deleted_at IS NULL
      AND processing = 'processed'
      AND NOT pending
      AND currency = 'USD'
      AND processed_date = primary_date
    GROUP BY organization_id, id, processed_date, amount, category_id, counterparty_id, transfer_id
    HAVING count(*) = 1) changed;
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TABLE report_month_suggestions;
ALTER TABLE report_months DROP COLUMN suggestions;
DROP INDEX transactions_destination, transactions_suggested;
ALTER TABLE transactions
  DROP COLUMN destination,
  DROP COLUMN suggested_reason,
  DROP COLUMN suggested_confidence,
  DROP COLUMN suggested_id;
