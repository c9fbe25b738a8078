-- +goose Up

-- A snapshot that cannot be applied is given up after a while, with what it holds: the later ones of its person go on, and an
-- operator sees it.
ALTER TABLE account_snapshots
  DROP CONSTRAINT account_snapshots_state,
  DROP CONSTRAINT account_snapshots_payload,
  ADD CONSTRAINT account_snapshots_state CHECK (state IN ('pending', 'applied', 'skipped', 'dead')),
  ADD CONSTRAINT account_snapshots_payload CHECK ((state IN ('pending', 'dead')) = (payload IS NOT NULL));
CREATE INDEX account_snapshots_dead ON account_snapshots (id) WHERE state = 'dead';

-- +goose Down
DELETE FROM account_snapshots WHERE state = 'dead';
DROP INDEX account_snapshots_dead;
ALTER TABLE account_snapshots
  DROP CONSTRAINT account_snapshots_payload,
  DROP CONSTRAINT account_snapshots_state,
  ADD CONSTRAINT account_snapshots_state CHECK (state IN ('pending', 'applied', 'skipped')),
  ADD CONSTRAINT account_snapshots_payload CHECK ((state = 'pending') = (payload IS NOT NULL));
