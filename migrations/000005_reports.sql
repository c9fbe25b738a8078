-- +goose Up

-- All that a report needs of a row that it counts, by the date it goes by unless told. The worker pays for it when it has
-- processed a row; uploads do not.
CREATE INDEX transactions_report ON transactions (organization_id, processed_date)
  INCLUDE (primary_date, amount, category_id, counterparty_id)
  WHERE deleted_at IS NULL AND processing = 'processed' AND NOT pending AND currency = 'USD';

-- What a report leaves out and states beside it: mostly few rows.
CREATE INDEX transactions_left_out ON transactions (organization_id, processed_date)
  WHERE deleted_at IS NULL AND (pending OR currency <> 'USD');

-- +goose Down
DROP INDEX transactions_left_out, transactions_report;
