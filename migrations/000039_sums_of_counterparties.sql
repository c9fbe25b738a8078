-- +goose Up

-- A cash flow of years sums months of every counterparty: from the key alone, where the rows are six times as wide.
ALTER TABLE report_month_counterparties
  DROP CONSTRAINT report_month_counterparties_pkey,
  ADD CONSTRAINT report_month_counterparties_pkey PRIMARY KEY (organization_id, month, counterparty_id) INCLUDE (inflow, outflow);

-- +goose Down
ALTER TABLE report_month_counterparties
  DROP CONSTRAINT report_month_counterparties_pkey,
  ADD CONSTRAINT report_month_counterparties_pkey PRIMARY KEY (organization_id, month, counterparty_id);
