// Package storetest gives tests a real, migrated PostgreSQL and a real Redis. Each test makes its own partners and
// organizations, so tests share one database and run in parallel.
package storetest

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/devstack"
	"bizfin/internal/ontology"
	"bizfin/internal/seal"
	"bizfin/internal/split"
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
	if on := os.Getenv(Citus); on != "" {
		made, drop, err := NewCitus(ctx, on)
		if err != nil {
			fmt.Fprintln(os.Stderr, "storetest:", err)
			return 1
		}
		config.DatabaseURL = made
		defer func() {
			if err := drop(context.WithoutCancel(ctx)); err != nil {
				fmt.Fprintln(os.Stderr, "storetest:", err)
				code = 1
			}
		}()
	}
	stack, err = devstack.Start(ctx, config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return 1
	}
	defer func() {
		err := stack.Stop()
		if os.Getenv(durable) != "" { // where the account of the servers cannot enter config.Dir, the data is elsewhere
			err = errors.Join(err, os.RemoveAll(stack.Home))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "storetest:", err)
			code = 1
		}
	}()
	if err := share(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		return 1
	}
	defer shared.Close()
	code = m.Run()
	// Tests may have taken longer than starting may.
	comparing, done := context.WithTimeout(context.Background(), 5*time.Minute)
	defer done()
	benchmarks := flag.Lookup("test.bench").Value.String() != "" // these put rows straight into tables
	if err := CountsAreExact(comparing, shared.SQL()); err != nil && !benchmarks {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		code = 1
	}
	for _, holds := range after {
		if code == 0 && !holds() {
			code = 1
		}
	}
	return code
}

// share opens the database that the tests of a package share, and brings its schema up.
func share(ctx context.Context) (err error) {
	// A machine on which many tests begin at once may be slow; how long a search may take has tests of its own.
	shared, err = store.Open(stack.DatabaseURL, store.Options{SearchTime: 10 * store.SearchTime})
	if err != nil {
		return err
	}
	if _, err = migrations.Up(ctx, shared.SQL()); err == nil {
		if os.Getenv(Citus) != "" { // which has no triggers
			_, err = migrations.Distribute(ctx, shared.SQL())
		} else {
			_, err = shared.SQL().ExecContext(ctx, guard)
		}
	}
	if err != nil {
		shared.Close()
	}
	return err
}

// CountsAreExact holds what is kept of all accounts and counterparties beside their rows against the rows, as one
// moment has both. Every package that tests with a database ends with it, so each statement of any test is held to it.
func CountsAreExact(ctx context.Context, db *sql.DB) error {
	uncategorized, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
	var wrong int
	var first sql.NullString
	err := db.QueryRowContext(ctx, countsDiffer, pq.Array(uncategorized.Descendants())).Scan(&wrong, &first)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d accounts have other rows than what is kept of them says, such as %s", wrong, first.String)
	}
	if err != nil {
		return err
	}
	err = db.QueryRowContext(ctx, counterpartiesDiffer).Scan(&wrong, &first)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d counts of counterparties are not those of their rows, such as %s", wrong, first.String)
	}
	if err == nil {
		err = PartsAddUp(ctx, db)
	}
	if err == nil {
		err = AskedAboutIsThere(ctx, db)
	}
	if err == nil {
		err = NumbersNameOneRow(ctx, db)
	}
	return err
}

// AskedAboutIsThere holds what is said of rows that are in questions against the rows and the questions: both are
// there.
func AskedAboutIsThere(ctx context.Context, db *sql.DB) error {
	var wrong int
	var first sql.NullString
	err := db.QueryRowContext(ctx, `
		SELECT count(*), min(concat_ws(' ', it.organization_id, it.transaction_id, it.issue_id))
		FROM issue_transactions it
		LEFT JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		LEFT JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		WHERE t.id IS NULL
		   OR i.id IS NULL`).Scan(&wrong, &first)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d rows of questions have no row or no question, such as %s", wrong, first.String)
	}
	return err
}

// NumbersNameOneRow holds the numbers of rows in questions against each other, with those of rows that left: each is
// one row's, and a row has one.
func NumbersNameOneRow(ctx context.Context, db *sql.DB) error {
	var wrong int
	var first sql.NullString
	err := db.QueryRowContext(ctx, `
		WITH given AS (
		  SELECT organization_id, issue_id, transaction_id, n
		  FROM issue_transactions
		  WHERE n IS NOT NULL
		  UNION
		  SELECT organization_id, issue_id, transaction_id, n
		  FROM issue_numbers)
		SELECT count(*), min(concat_ws(' ', organization_id, issue_id, n))
		FROM (
		  SELECT organization_id, issue_id, min(n) AS n
		  FROM given
		  GROUP BY organization_id, issue_id, transaction_id
		  HAVING count(*) > 1
		  UNION ALL
		  SELECT organization_id, issue_id, n
		  FROM given
		  GROUP BY organization_id, issue_id, n
		  HAVING count(*) > 1) twice`).Scan(&wrong, &first)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d numbers of rows in questions are not theirs alone, such as %s", wrong, first.String)
	}
	return err
}

// PartsAddUp holds the parts of all rows against the rows: those of a row that is split come to its amount, and no
// other row has any.
func PartsAddUp(ctx context.Context, db *sql.DB) error {
	var wrong int
	var first sql.NullString
	err := db.QueryRowContext(ctx, `
		SELECT count(*), min(concat_ws(' ', organization_id, transaction_id, category_id, amount, parts))
		FROM (
		  SELECT organization_id, id AS transaction_id, category_id, amount
		  FROM transactions) t
		FULL JOIN (
		  SELECT organization_id, transaction_id, sum(amount) AS parts
		  FROM transaction_parts
		  GROUP BY 1, 2) p USING (organization_id, transaction_id)
		WHERE (p.parts IS NOT NULL) <> coalesce(t.category_id = $1, false)
		   OR p.parts <> t.amount`, split.Category).Scan(&wrong, &first)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d rows have other parts than they should, such as %s", wrong, first.String)
	}
	return err
}

const counterpartiesDiffer = `
	WITH kept AS (
	  SELECT organization_id, counterparty_id, currency, category_id, sum(transactions) AS transactions,
	         sum(inflow) AS inflow, sum(outflow) AS outflow
	  FROM (
	    SELECT organization_id, counterparty_id, currency, category_id, transactions, inflow, outflow
	    FROM counterparty_counts
	    UNION ALL
	    SELECT organization_id, counterparty_id, currency, category_id, transactions, inflow, outflow
	    FROM counterparty_counts_added) c
	  GROUP BY organization_id, counterparty_id, currency, category_id),
	counted AS (
	  SELECT organization_id, counterparty_id, currency, coalesce(category_id, 0) AS category_id,
	         count(*) AS transactions, coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS inflow,
	         coalesce(-sum(amount) FILTER (WHERE amount < 0), 0) AS outflow
	  FROM transactions
	  WHERE deleted_at IS NULL
	    AND counterparty_id IS NOT NULL
	  GROUP BY 1, 2, 3, 4)
	SELECT count(*),
	       min(concat_ws(' ', organization_id, counterparty_id, currency, category_id, 'kept', k, 'counted', c))
	FROM kept k
	FULL JOIN counted c USING (organization_id, counterparty_id, currency, category_id)
	WHERE (coalesce(k.transactions, 0), coalesce(k.inflow, 0), coalesce(k.outflow, 0))
	   <> (coalesce(c.transactions, 0), coalesce(c.inflow, 0), coalesce(c.outflow, 0))`

const countsDiffer = `
	WITH kept AS (
	  SELECT organization_id, account_id, sum(transactions) AS transactions, sum(pending) AS pending,
	         sum(categorized) AS categorized, sum(needs_attention) AS needs_attention, sum(limited) AS limited,
	         sum(queued) AS queued
	  FROM (
	    SELECT organization_id, account_id, transactions, pending, categorized, needs_attention, limited, queued
	    FROM transaction_counts
	    UNION ALL
	    SELECT organization_id, account_id, transactions, pending, categorized, needs_attention, limited, queued
	    FROM transaction_counts_added) c
	  GROUP BY organization_id, account_id),
	counted AS (
	  SELECT organization_id, account_id, count(*) AS transactions, count(*) FILTER (WHERE pending) AS pending,
	         count(*) FILTER (WHERE category_id <> ALL ($1::integer[])) AS categorized,
	         count(*) FILTER (WHERE needs_attention) AS needs_attention,
	         count(*) FILTER (WHERE processing = 'limited') AS limited,
	         count(*) FILTER (WHERE processing = 'queued') AS queued
	  FROM transactions
	  WHERE deleted_at IS NULL
	  GROUP BY organization_id, account_id)
	SELECT count(*), min(concat_ws(' ', organization_id, account_id, 'kept', k, 'counted', c))
	FROM kept k
	FULL JOIN counted c USING (organization_id, account_id)
	WHERE (coalesce(k.transactions, 0), coalesce(k.pending, 0), coalesce(k.categorized, 0),
	       coalesce(k.needs_attention, 0), coalesce(k.limited, 0), coalesce(k.queued, 0))
	   <> (coalesce(c.transactions, 0), coalesce(c.pending, 0), coalesce(c.categorized, 0),
	       coalesce(c.needs_attention, 0), coalesce(c.limited, 0), coalesce(c.queued, 0))`

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
	      AND account_id = OLD.account_id)
	  AND NOT EXISTS ( -- what is being erased is not processed
	    SELECT
	    FROM erasures
	    WHERE kind = 'organization'
	      AND id = OLD.organization_id) THEN
	    RAISE EXCEPTION 'the event of account % is gone, and it has rows to process', OLD.account_id;
	  END IF;
	  RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER no_event_is_lost AFTER DELETE ON pending_work DEFERRABLE INITIALLY DEFERRED
	  FOR EACH ROW EXECUTE FUNCTION no_event_is_lost();`

// folder is where downloaded servers are kept, the same for all packages: .local beside the module's go.mod, which is
// above the folder that a test runs in.
func folder() string {
	above := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(above, "go.mod")); err == nil {
			break
		}
		above = filepath.Join(above, "..")
	}
	folder, err := filepath.Abs(filepath.Join(above, ".local"))
	if err != nil {
		panic(err) // there is no working directory
	}
	return folder
}

// DB is the package's database.
func DB(testing.TB) *store.DB { return shared }

// OnCitus reports whether the database is one that is spread over several nodes. It has no triggers then.
func OnCitus() bool { return os.Getenv(Citus) != "" }

// DatabaseURL is where that database is.
func DatabaseURL(testing.TB) string { return stack.DatabaseURL }

// RedisURL is the package's Redis.
func RedisURL(testing.TB) string { return stack.RedisURL }

// SecretKey is a key that seals the secrets of the package's partners, as in BIZFIN_SECRET_KEY.
func SecretKey(testing.TB) string { return secretKey }

var secretKey = seal.NewKey()

// Lister is a business that lists its accounts.
type Lister interface {
	Accounts(ctx context.Context, includeInactive bool, p store.Page) (store.List[store.Account], error)
}

// Accounts lists all accounts of a business that has few.
func Accounts(ctx context.Context, o Lister, includeInactive bool) ([]store.Account, error) {
	list, err := o.Accounts(ctx, includeInactive, store.Page{Limit: 1000})
	return list.Rows, err
}

// Answerer is a business that takes answers.
type Answerer interface {
	AnswerHook(ctx context.Context, now time.Time, hook store.Hook, a store.Answer) (string, error)
}

// Answer answers a question as a person.
func Answer(o Answerer, ctx context.Context, now time.Time, issue uuid.UUID, a store.Answer) error {
	a.Via = store.ViaPerson
	_, err := o.AnswerHook(ctx, now, store.Hook{Issue: issue}, a)
	return err
}
