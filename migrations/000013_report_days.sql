-- +goose Up

-- The days of a rolled-up month that have rows, beside its sums: parallel lists, separated by commas, so that a month of a
-- category or counterparty stays one row to write and to read. Days, weeks, and a month of which a report takes only a part
-- are read from them. They are text because a report takes them as they are: to print arrays was most of what it cost.
INSERT INTO report_dirty (organization_id, month)
SELECT organization_id, month
FROM report_months;
TRUNCATE report_months, report_month_categories, report_month_counterparties;

ALTER TABLE report_month_categories
  ADD COLUMN days     text NOT NULL, -- since 1970-01-01
  ADD COLUMN counts   text NOT NULL, -- how many rows
  ADD COLUMN inflows  text NOT NULL, -- cents
  ADD COLUMN outflows text NOT NULL; -- cents, positive

ALTER TABLE report_month_counterparties
  ADD COLUMN days     text NOT NULL,
  ADD COLUMN counts   text NOT NULL,
  ADD COLUMN inflows  text NOT NULL,
  ADD COLUMN outflows text NOT NULL;

-- +goose Down
ALTER TABLE report_month_counterparties DROP COLUMN days, DROP COLUMN counts, DROP COLUMN inflows, DROP COLUMN outflows;
ALTER TABLE report_month_categories DROP COLUMN days, DROP COLUMN counts, DROP COLUMN inflows, DROP COLUMN outflows;
