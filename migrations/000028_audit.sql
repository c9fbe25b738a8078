-- +goose Up

-- Who did what, and how much of it; never what it held. No key begins with anything but the organization, and no reference
-- holds a row: it outlives what it tells of.
CREATE TABLE audit (
  id              bigint      GENERATED ALWAYS AS IDENTITY, -- the order of those of one moment
  at              timestamptz NOT NULL,
  action          text        NOT NULL,
  actor           text        NOT NULL, -- which kind of one
  partner_id      text,                 -- whose word the actor was, or who was acted on
  person_id       uuid,
  token_id        text,
  organization_id uuid,
  object_type     text,
  object_id       text,                 -- ours, never a partner's own
  request_id      text,
  counts          jsonb       NOT NULL DEFAULT '{}',
  CONSTRAINT audit_actor CHECK (actor IN ('partner', 'person', 'token', 'command', 'service'))
);
CREATE INDEX audit_organization ON audit (organization_id, at);
CREATE INDEX audit_at ON audit USING brin (at) WITH (autosummarize = on);

-- The program's own role adds and reads. Default privileges of an earlier `migrate up --grant` gave it more.
-- +goose StatementBegin
DO $$
DECLARE
  other record;
BEGIN
  FOR other IN
    SELECT DISTINCT grantee::regrole::text AS role
    FROM pg_class c
    CROSS JOIN LATERAL aclexplode(c.relacl) a
    WHERE c.oid = 'audit'::regclass
      AND a.grantee NOT IN (c.relowner, 0)
  LOOP
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON audit FROM %s', other.role);
  END LOOP;
END $$;
-- +goose StatementEnd

-- What is old goes through this alone: as the owner, and nothing of the last 30 days, whatever is asked for.
-- +goose StatementBegin
CREATE FUNCTION remove_audit(before timestamptz, most integer) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  removed bigint;
BEGIN
  DELETE FROM audit
  WHERE ctid = ANY (ARRAY (
    SELECT ctid
    FROM audit
    WHERE at < least(before, now() - interval '30 days')
    LIMIT most));
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $$;
-- +goose StatementEnd
-- No table of the caller stands in for the record.
-- +goose StatementBegin
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION remove_audit(timestamptz, integer) SET search_path = %I, pg_temp', current_schema());
END $$;
-- +goose StatementEnd
-- It is granted to the program by `migrate up --grant`; PUBLIC may execute functions unless told otherwise.
REVOKE EXECUTE ON FUNCTION remove_audit(timestamptz, integer) FROM PUBLIC;

-- Businesses and people who were erased, or are being: what began is gone on with after a kill.
CREATE TABLE erasures (
  kind       text        NOT NULL,
  id         uuid        NOT NULL, -- of the business or person, which is gone
  began_at   timestamptz NOT NULL,
  ended_at   timestamptz,
  CONSTRAINT erasures_pkey PRIMARY KEY (kind, id),
  CONSTRAINT erasures_kind CHECK (kind IN ('organization', 'person'))
);

-- How far deleted transactions were looked through for what they still hold.
ALTER TABLE retention
  ADD COLUMN deleted_owner uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  ADD COLUMN deleted_row   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

-- +goose Down
ALTER TABLE retention DROP COLUMN deleted_row, DROP COLUMN deleted_owner;
DROP TABLE erasures;
DROP FUNCTION remove_audit;
DROP TABLE audit;
