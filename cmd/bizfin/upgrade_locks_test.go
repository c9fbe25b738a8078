package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path"
	"strconv"
	"testing"
	"time"

	"bizfin/migrations"
	"bizfin/store"
)

// blockRows is how many rows `transactions` has while steps are measured; this variable sets another number.
const (
	blockRows     = 1_000_000
	blockRowsName = "BIZFIN_TEST_UPGRADES_ROWS"
)

// blocking are the steps that keep uploads waiting for longer than a second where `transactions` has a million rows.
// docs/operations.md names them for those who upgrade over them. A new step is written so that it is none: it builds an
// index with CONCURRENTLY, outside a transaction (-- +goose NO TRANSACTION), and fills columns in pieces.
var blocking = map[int64]string{
	14: "builds transactions_amount",
	16: "lists the texts of all processed rows",
	21: "counts all rows",
}

// Uploads go on while the schema goes up: a step that makes them wait is known before somebody takes it.
func TestNoStepBlocksTransactionsUnsaid(t *testing.T) {
	if os.Getenv(allUpgrades) == "" {
		t.Skipf("it fills a table for minutes: make upgrades, or %s=1", allUpgrades)
	}
	rows := blockRows
	if text := os.Getenv(blockRowsName); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(newDatabase(t, "ENCODING 'UTF8'"), store.Options{StatementTimeout: time.Hour,
		LockTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := migrations.UpTo(t.Context(), db.SQL(), firstUpgrade-1); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	fill(t, db.SQL(), rows)
	t.Logf("%d rows filled in %v", rows, time.Since(began).Round(time.Second))
	for _, source := range migrationSources(t)[firstUpgrade-1:] {
		uploads := watchUploads(t, db.SQL())
		began := time.Now()
		if _, err := migrations.UpTo(t.Context(), db.SQL(), source.Version); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		waited := uploads()
		t.Logf("%s took %v, and an upload waited for %v", path.Base(source.Path), took.Round(time.Millisecond),
			waited.Round(time.Millisecond))
		if blocking[source.Version] == "" && waited > time.Second {
			t.Errorf("%s blocks uploads for %v with %d rows, and is not said to", path.Base(source.Path), waited, rows)
		}
	}
}

// fill stores processed rows of ten businesses, some of them limited or asked about, as the first steps have them.
func fill(t *testing.T, db *sql.DB, rows int) {
	t.Helper()
	for _, statement := range []string{
		`CREATE FUNCTION id(kind text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT md5(kind || n)::uuid $$`,
		`INSERT INTO partners (id, name, created_at) VALUES ('p', 'P', now())`,
		`INSERT INTO organizations (id, partner_id, business_id, name, tier, created_at)
		 SELECT id('o', n), 'p', n, 'B', 'paid', now() FROM generate_series(0, 9) n`,
		`INSERT INTO sources (organization_id, id, kind, partner_id, state, created_at)
		 SELECT id('o', n), id('s', n), 'api', 'p', 'connected', now() FROM generate_series(0, 9) n`,
		`INSERT INTO accounts (organization_id, id, source_id, external_id, name, type, currency, current_balance, status,
		   created_at, updated_at)
		 SELECT id('o', n), id('a', n), id('s', n), 'a', 'A', 'depository', 'USD', 0, 'active', now(), now()
		 FROM generate_series(0, 9) n`,
		`INSERT INTO counterparties (organization_id, id, name, type, relationship, confidence, last_date, created_at,
		   updated_at)
		 SELECT id('o', n), id('c', n), 'C', 'merchant', 'vendor', 9000, '2026-01-01', now(), now()
		 FROM generate_series(0, 9) n`,
		fmt.Sprintf(`INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at,
		   updated_at, processed_date, external_id, currency, description, merchant, processing, category_id,
		   category_confidence, category_source, counterparty_id)
		 SELECT id('o', n %% 10), id('t', n), id('s', n %% 10), id('a', n %% 10), -n %% 100000 - 1, now(), now(),
		        date '2024-01-01' + (n / 10 %% 700)::integer, n, 'USD', 'FLOUR MILL 00' || n %% 5000 || ' AUSTIN TX',
		        'Flour Mill', CASE WHEN n %% 1000 = 0 THEN 'limited' ELSE 'processed' END, 20, 9000, 'rule',
		        id('c', n %% 10)
		 FROM generate_series(1, %d) n`, rows),
	} {
		// Without triggers: what they would keep, the steps that brought them have filled from the rows.
		if _, err := db.ExecContext(t.Context(), `SET session_replication_role = replica; `+statement+
			`; SET session_replication_role = DEFAULT`); err != nil {
			t.Fatal(err)
		}
	}
}

// watchUploads stores a row all the time, as an upload does, and returns what ends this and says how long the slowest
// one took.
func watchUploads(t *testing.T, db *sql.DB) func() time.Duration {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	longest := make(chan time.Duration)
	go func() {
		var slowest time.Duration
		for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
			began := time.Now()
			_, err := db.Exec(`
				INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at,
				  processed_date, external_id, currency, description)
				VALUES (id('o', 1), gen_random_uuid(), id('s', 1), id('a', 1), -100, now(), now(), '2026-01-01',
				  gen_random_uuid(), 'USD', 'FLOUR MILL')`)
			if err != nil {
				t.Error(err)
			}
			slowest = max(slowest, time.Since(began))
		}
		longest <- slowest
	}()
	return func() time.Duration {
		stop()
		return <-longest
	}
}
