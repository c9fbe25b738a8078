-- +goose Up

-- The net of a whole year as a number of its own: reports of whole years, which are most, add up these alone, in the order that they
-- are indexed in. Where a net needs more than 64 bits, the year is read by its months.
ALTER TABLE report_year_counterparties ADD COLUMN net bigint;
CREATE INDEX report_year_counterparties_nets ON report_year_counterparties (organization_id, counterparty_id, year) INCLUDE (net);

-- How many months the sums of the month's year are of, nets included; 0 where one needs more than 64 bits. NULL where the year is to
-- be summed: the month was rolled up anew since, or the year summed by a program of before, whose in_year nobody else reads.
ALTER TABLE report_months ADD COLUMN in_sums integer;
CREATE INDEX report_months_not_in_sums ON report_months (organization_id) WHERE in_sums IS NULL;

-- +goose Down
DROP INDEX report_months_not_in_sums;
ALTER TABLE report_months DROP COLUMN in_sums;
DROP INDEX report_year_counterparties_nets;
ALTER TABLE report_year_counterparties DROP COLUMN net;
