-- +goose Up

-- The months of a year that are rolled up, together: a report of years reads one row of a category or counterparty where it read
-- twelve. The program makes them from the sums of its months, while no month of the year is dirty.
CREATE TABLE report_year_categories (
  organization_id uuid    NOT NULL,
  year            date    NOT NULL, -- its first day
  category_id     integer NOT NULL, -- 0 for none
  alone           boolean NOT NULL, -- as in report_month_categories
  days            text    NOT NULL, -- the first of each of the months that have rows, since 1970-01-01
  counts          text    NOT NULL, -- and so on, as in report_month_categories
  inflows         text    NOT NULL,
  outflows        text    NOT NULL,
  CONSTRAINT report_year_categories_pkey PRIMARY KEY (organization_id, year, category_id, alone)
);

-- The nets of some months of a year are the difference of two that are kept, so to find out whose are the largest reads the key alone.
CREATE TABLE report_year_counterparties (
  organization_id uuid      NOT NULL,
  year            date      NOT NULL,
  counterparty_id uuid      NOT NULL, -- zero for none
  nets            numeric[] NOT NULL, -- cents: inflow without outflow from the year's beginning to that of each month, and to its end
  days            text      NOT NULL,
  counts          text      NOT NULL,
  inflows         text      NOT NULL,
  outflows        text      NOT NULL,
  CONSTRAINT report_year_counterparties_pkey PRIMARY KEY (organization_id, year, counterparty_id) INCLUDE (nets)
);

-- How many months the sums of the month's year are of; NULL where it is not among them: it was rolled up anew since, or by a program
-- of before. Where the months of a year say something else, or are not so many, it is read by its months.
ALTER TABLE report_months ADD COLUMN in_year integer;
CREATE INDEX report_months_to_sum ON report_months (organization_id) WHERE in_year IS NULL;

-- +goose Down
DROP INDEX report_months_to_sum;
ALTER TABLE report_months DROP COLUMN in_year;
DROP TABLE report_year_counterparties, report_year_categories;
