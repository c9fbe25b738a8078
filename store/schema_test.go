package store_test

import (
	"database/sql"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/migrations"
	"bizfin/store"
	"bizfin/store/storetest"
)

// What is found by an id of another business, or points at it, is another business's. So each key and reference of a
// table that has the rows of businesses begins with the organization.
func TestKeysAndReferencesBeginWithTheOrganization(t *testing.T) {
	t.Parallel()
	found := column(t, storetest.DB(t).SQL(), `
		WITH owned AS (
		  SELECT attrelid AS id, attnum AS organization
		  FROM pg_attribute
		  JOIN pg_class c ON c.oid = attrelid AND c.relkind IN ('r', 'p')
		  WHERE attname = 'organization_id'
		    AND c.relnamespace = current_schema()::regnamespace)
		SELECT 'key ' || indexrelid::regclass
		FROM pg_index
		JOIN owned ON owned.id = indrelid
		WHERE indisunique
		  AND indkey[0] <> owned.organization
		UNION ALL
		SELECT 'reference ' || conname
		FROM pg_constraint
		JOIN owned ON owned.id = conrelid
		JOIN owned AS of ON of.id = confrelid
		WHERE contype = 'f'
		  AND (conkey[1] <> owned.organization OR confkey[1] <> of.organization)
		ORDER BY 1`)
	// It says which business a person's snapshots go to, and is asked before there is an organization.
	if diff := cmp.Diff([]string{"key legacy_mappings_pkey"}, found); diff != "" {
		t.Error(diff)
	}
}

// Where Citus spreads the database, a table that nobody spreads is on the coordinator alone: so each says which it is.
func TestEveryTableIsDistributedOrLocal(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t).SQL()
	tables := column(t, db, `
		SELECT relname
		FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace
		  AND relkind IN ('r', 'p')
		ORDER BY relname`)
	named := slices.Sorted(slices.Values(slices.Concat(migrations.Distributed, migrations.Local)))
	if diff := cmp.Diff(named, tables); diff != "" {
		t.Errorf("migrations/places.go names (-) other tables than there are (+):\n%s", diff)
	}
	owned := column(t, db, `
		SELECT c.relname
		FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND a.attnotnull
		WHERE c.relnamespace = current_schema()::regnamespace
		  AND c.relkind IN ('r', 'p')`)
	for _, table := range migrations.Distributed {
		if !slices.Contains(owned, table) {
			t.Errorf("%s is distributed and has no organization_id in each row", table)
		}
	}
}

func TestEveryStepOfTheSchemaHasAWayBack(t *testing.T) {
	t.Parallel()
	db := emptyDatabase(t).SQL()
	provider, err := migrations.Provider(db)
	must(t, err)
	_, err = provider.Up(t.Context())
	must(t, err)
	for sources := provider.ListSources(); len(sources) > 0; sources = sources[:len(sources)-1] {
		name := sources[len(sources)-1].Path
		before := schemaOf(t, db)
		if _, err := provider.Down(t.Context()); err != nil {
			t.Fatalf("%s down: %v", name, err)
		}
		if _, err := provider.UpByOne(t.Context()); err != nil {
			t.Fatalf("%s does not go up again after it went down: %v", name, err)
		}
		if diff := cmp.Diff(before, schemaOf(t, db)); diff != "" {
			t.Fatalf("%s is another one after it went down and up: %s", name, diff)
		}
		_, err := provider.Down(t.Context())
		must(t, err)
	}
	if left := schemaOf(t, db); len(left) > 0 {
		t.Errorf("after the first step went down these are left: %v", left)
	}
}

// emptyDatabase is a database without tables, beside the one of the other tests.
func emptyDatabase(t *testing.T) *store.DB {
	t.Helper()
	name := "empty_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	_, err := storetest.DB(t).SQL().Exec(`CREATE DATABASE ` + name)
	must(t, err)
	address, err := url.Parse(storetest.DatabaseURL(t))
	must(t, err)
	address.Path = "/" + name
	db, err := store.Open(address.String(), store.Options{MaxConnections: 2, StatementTimeout: 20 * time.Second})
	must(t, err)
	t.Cleanup(func() {
		db.Close()
		_, err := storetest.DB(t).SQL().Exec(`DROP DATABASE ` + name)
		must(t, err)
	})
	return db
}

// schemaOf is every column, constraint, index, trigger and function of a database, but those of goose.
func schemaOf(t *testing.T, db *sql.DB) []string {
	t.Helper()
	return column(t, db, `
		SELECT text
		FROM (
		  SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, generation_expression)
		  FROM information_schema.columns
		  WHERE table_schema = current_schema()
		  UNION ALL
		  SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
		  FROM pg_constraint
		  WHERE connamespace = current_schema()::regnamespace
		  UNION ALL
		  SELECT indexdef
		  FROM pg_indexes
		  WHERE schemaname = current_schema()
		  UNION ALL
		  SELECT pg_get_triggerdef(t.oid)
		  FROM pg_trigger t
		  WHERE NOT tgisinternal
		  UNION ALL
		  SELECT 'function ' || oid::regprocedure || prosrc
		  FROM pg_proc
		  WHERE pronamespace = current_schema()::regnamespace
		    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')) AS of (text)
		WHERE text NOT LIKE '%goose%'
		ORDER BY text`)
}
