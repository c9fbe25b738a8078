// Package storetest gives tests a real, migrated PostgreSQL and a real Redis. Each test makes its own partners and
// organizations, so tests share one database and run in parallel.
package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"bizfin/internal/devstack"
	"bizfin/internal/seal"
	"bizfin/migrations"
	"bizfin/store"
)

var (
	shared *store.DB
	stack  *devstack.Stack
)

// durable names the variable that gives the tests servers which write to disk as in production, for benchmarks.
const durable = "BIZFIN_TEST_DURABLE"

// Main runs the tests of a package between the start and the stop of its servers; call it from TestMain. A package
// whose tests must show something together says so in after, which is asked when all of them passed.
func Main(m *testing.M, after ...func() bool) {
	os.Exit(run(m, after))
}

func run(m *testing.M, after []func() bool) (code int) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var err error
	config := devstack.Config{Dir: folder(), Ephemeral: true, Log: slog.Default()}
	if os.Getenv(durable) != "" {
		config.Ephemeral = false
		if config.Dir, err = os.MkdirTemp("", "bizfin-durable-"); err != nil {
			fmt.Fprintln(os.Stderr, "storetest:", err)
			return 1
		}
		defer os.RemoveAll(config.Dir)
	}
	stack, err = devstack.Start(ctx, config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return 1
	}
	defer func() {
		if err := stack.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "storetest:", err)
			code = 1
		}
	}()
	shared, err = store.Open(stack.DatabaseURL, store.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return 1
	}
	defer shared.Close()
	if _, err := migrations.Up(ctx, shared.SQL()); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return 1
	}
	if _, err := shared.SQL().ExecContext(ctx, guard); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return 1
	}
	code = m.Run()
	for _, holds := range after {
		if code == 0 && !holds() {
			code = 1
		}
	}
	return code
}

// guard refuses to end the event of an account that has rows to process: they would stay queued for ever.
const guard = `
	CREATE FUNCTION no_event_is_lost() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  IF EXISTS (
	    SELECT
	    FROM transactions
	    WHERE organization_id = OLD.organization_id
	      AND account_id = OLD.account_id
	      AND processing = 'queued'
	      AND deleted_at IS NULL)
	  AND NOT EXISTS (
	    SELECT
	    FROM pending_work
	    WHERE organization_id = OLD.organization_id
	      AND account_id = OLD.account_id) THEN
	    RAISE EXCEPTION 'the event of account % is gone, and it has rows to process', OLD.account_id;
	  END IF;
	  RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER no_event_is_lost AFTER DELETE ON pending_work DEFERRABLE INITIALLY DEFERRED
	  FOR EACH ROW EXECUTE FUNCTION no_event_is_lost();`

// folder is where downloaded servers are kept, the same for all packages: .local of this checkout.
func folder() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", ".local")
}

// DB is the package's database.
func DB(testing.TB) *store.DB { return shared }

// DatabaseURL is where that database is.
func DatabaseURL(testing.TB) string { return stack.DatabaseURL }

// RedisURL is the package's Redis.
func RedisURL(testing.TB) string { return stack.RedisURL }

// SecretKey is a key that seals the secrets of the package's partners, as in BIZFIN_SECRET_KEY.
func SecretKey(testing.TB) string { return secretKey }

var secretKey = seal.NewKey()
