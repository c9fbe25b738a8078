-- +goose Up

-- What a partner may do where it differs from what every partner may; null is that.
ALTER TABLE partners
  ADD COLUMN requests_per_second              integer,
  ADD COLUMN in_flight                        integer,
  ADD COLUMN organization_requests_per_second integer,
  ADD COLUMN organization_in_flight           integer,
  ADD CONSTRAINT partners_limits_positive CHECK (
    requests_per_second > 0 AND in_flight > 0
    AND organization_requests_per_second > 0 AND organization_in_flight > 0);

-- +goose Down
ALTER TABLE partners
  DROP CONSTRAINT partners_limits_positive,
  DROP COLUMN organization_in_flight,
  DROP COLUMN organization_requests_per_second,
  DROP COLUMN in_flight,
  DROP COLUMN requests_per_second;
