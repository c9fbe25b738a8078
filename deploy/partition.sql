-- Partitions transactions by a hash of the organization, with the rows that are there. docs/operations.md says when this
-- is worth it and what was seen. Run it once, while nothing else runs, on the schema of this version:
--
--   psql "$BIZFIN_DATABASE_URL" -v ON_ERROR_STOP=1 -1 -f deploy/partition.sql
--
-- Each partition has a schema of its own, so that its constraints have the names the program knows broken keys by.
LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE;
CREATE SCHEMA unpartitioned;
ALTER TABLE transaction_comments DROP CONSTRAINT transaction_comments_transaction_fkey;
ALTER TABLE transactions SET SCHEMA unpartitioned;

CREATE TABLE public.transactions (LIKE unpartitioned.transactions INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS)
  PARTITION BY HASH (organization_id);
ALTER TABLE public.transactions ADD CONSTRAINT transactions_pkey PRIMARY KEY (organization_id, id);
ALTER TABLE public.transactions ADD CONSTRAINT transactions_external_id_key UNIQUE (organization_id, source_id, external_id);

DO $$
DECLARE
  partitions CONSTANT integer := 16;
  made record;
BEGIN
  FOR made IN
    SELECT pg_get_indexdef(indexrelid) AS definition
    FROM pg_index
    WHERE indrelid = 'unpartitioned.transactions'::regclass
      AND indexrelid NOT IN (SELECT conindid FROM pg_constraint WHERE conrelid = 'unpartitioned.transactions'::regclass)
  LOOP
    EXECUTE replace(made.definition, ' ON unpartitioned.transactions ', ' ON public.transactions ');
  END LOOP;
  FOR i IN 0 .. partitions - 1 LOOP
    EXECUTE format('CREATE SCHEMA transactions_%s', i);
    EXECUTE format('CREATE TABLE transactions_%s.transactions (LIKE unpartitioned.transactions INCLUDING ALL)
      WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)', i);
    SELECT conname INTO made
    FROM pg_constraint
    WHERE conrelid = format('transactions_%s.transactions', i)::regclass
      AND contype = 'u';
    EXECUTE format('ALTER TABLE transactions_%s.transactions RENAME CONSTRAINT %I TO transactions_external_id_key', i, made.conname);
    EXECUTE format('ALTER TABLE public.transactions ATTACH PARTITION transactions_%s.transactions
      FOR VALUES WITH (MODULUS %s, REMAINDER %s)', i, partitions, i);
  END LOOP;
  EXECUTE (
    SELECT format('INSERT INTO public.transactions (%1$s) SELECT %1$s FROM unpartitioned.transactions', string_agg(quote_ident(attname), ', ' ORDER BY attnum))
    FROM pg_attribute
    WHERE attrelid = 'unpartitioned.transactions'::regclass
      AND attnum > 0
      AND NOT attisdropped
      AND attgenerated = '');
  FOR made IN
    SELECT pg_get_triggerdef(oid) AS definition
    FROM pg_trigger
    WHERE tgrelid = 'unpartitioned.transactions'::regclass
      AND NOT tgisinternal
  LOOP
    EXECUTE replace(made.definition, ' ON unpartitioned.transactions ', ' ON public.transactions ');
  END LOOP;
END $$;

DROP SCHEMA unpartitioned CASCADE;
ALTER TABLE transaction_comments ADD CONSTRAINT transaction_comments_transaction_fkey
  FOREIGN KEY (organization_id, transaction_id) REFERENCES public.transactions (organization_id, id);
ANALYZE public.transactions;
