-- +goose Up

-- The covering index of reports says which transfers have no other leg, too.
DROP INDEX transactions_report;
CREATE INDEX transactions_report ON transactions (organization_id, processed_date)
  INCLUDE (primary_date, amount, category_id, counterparty_id, transfer_id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND NOT pending AND currency = 'USD';

-- Rows whose dates differ, mostly few, count on another day by each date. Two columns are compared by their difference
-- wherever that matters to a plan: PostgreSQL has no statistics of a comparison, and expects nearly all rows to differ.
CREATE INDEX transactions_report_two_dates ON transactions (organization_id, processed_date)
  INCLUDE (primary_date, amount, category_id, counterparty_id, transfer_id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND NOT pending AND currency = 'USD' AND primary_date - processed_date <> 0;
CREATE STATISTICS transactions_dates ON (primary_date - processed_date) FROM transactions;

-- Deleted rows, and rows with another leg: where both meet, a transfer lost its other leg.
CREATE INDEX transactions_deleted ON transactions (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX transactions_transfer ON transactions (organization_id, transfer_id)
  WHERE deleted_at IS NULL AND transfer_id IS NOT NULL;

-- The months of large books, rolled up. A roll-up sums the rows that reports count, of a calendar month of the processed
-- date, where they are processed and their two dates are one day: these count on that day whichever date a report goes
-- by. All other rows, and all rows of a month that is not here or is dirty, are read one by one.
CREATE TABLE report_months (
  organization_id uuid      NOT NULL,
  month           date      NOT NULL, -- its first day
  last_day        date      NOT NULL,
  transfers       integer[] NOT NULL, -- the categories that no counterparty is part of
  CONSTRAINT report_months_pkey PRIMARY KEY (organization_id, month),
  CONSTRAINT report_months_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

CREATE TABLE report_month_categories (
  organization_id   uuid    NOT NULL,
  month             date    NOT NULL,
  category_id       integer NOT NULL, -- 0 for none
  alone             boolean NOT NULL, -- the rows have no other leg
  transaction_count bigint  NOT NULL,
  inflow            numeric NOT NULL, -- cents
  outflow           numeric NOT NULL, -- cents, positive
  CONSTRAINT report_month_categories_pkey PRIMARY KEY (organization_id, month, category_id, alone)
);

CREATE TABLE report_month_counterparties (
  organization_id   uuid    NOT NULL,
  month             date    NOT NULL,
  counterparty_id   uuid    NOT NULL, -- zero for none
  transaction_count bigint  NOT NULL, -- of rows whose category is not among report_months.transfers
  inflow            numeric NOT NULL, -- cents
  outflow           numeric NOT NULL, -- cents, positive
  CONSTRAINT report_month_counterparties_pkey PRIMARY KEY (organization_id, month, counterparty_id)
);

-- Months whose roll-up is behind. Rows are only added here, by the transaction that changes what a roll-up sums, so
-- writers never wait for each other; they go with the transaction that sums the month anew.
CREATE TABLE report_dirty (
  organization_id uuid        NOT NULL,
  month           date        NOT NULL,
  at              timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX report_dirty_month ON report_dirty (organization_id, month);
CREATE INDEX report_dirty_at ON report_dirty (at);

-- What a roll-up does not see of a row does not make its month dirty: a row that stands in both lists alike cancels out.
-- +goose StatementBegin
CREATE FUNCTION report_mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER transactions_report_changed AFTER UPDATE ON transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION report_mark_changed();

-- Uploaded rows begin unprocessed, and rows are not removed; what does either otherwise is noticed row by row.
-- +goose StatementBegin
CREATE FUNCTION report_mark_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_dirty (organization_id, month)
  SELECT r.organization_id, date_trunc('month', r.processed_date::timestamp)::date
  FROM (SELECT (CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END).*) r;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER transactions_report_inserted AFTER INSERT ON transactions
  FOR EACH ROW WHEN (NEW.processing = 'processed') EXECUTE FUNCTION report_mark_row();
CREATE TRIGGER transactions_report_removed AFTER DELETE ON transactions
  FOR EACH ROW WHEN (OLD.processing = 'processed') EXECUTE FUNCTION report_mark_row();

INSERT INTO report_dirty (organization_id, month)
SELECT DISTINCT organization_id, date_trunc('month', processed_date::timestamp)::date
FROM transactions
WHERE deleted_at IS NULL
  AND processing = 'processed';

-- +goose Down
DROP TRIGGER transactions_report_removed ON transactions;
DROP TRIGGER transactions_report_inserted ON transactions;
DROP TRIGGER transactions_report_changed ON transactions;
DROP FUNCTION report_mark_row;
DROP FUNCTION report_mark_changed;
DROP TABLE report_dirty, report_month_counterparties, report_month_categories, report_months;
DROP STATISTICS transactions_dates;
DROP INDEX transactions_transfer, transactions_deleted, transactions_report_two_dates, transactions_report;
CREATE INDEX transactions_report ON transactions (organization_id, processed_date)
  INCLUDE (primary_date, amount, category_id, counterparty_id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND NOT pending AND currency = 'USD';
