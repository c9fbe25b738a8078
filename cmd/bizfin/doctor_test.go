package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/uuid"

	"bizfin/internal/devstack"
	"bizfin/internal/seal"
	"bizfin/migrations"
	"bizfin/store"
	"bizfin/store/storetest"
)

// examined runs the doctor and returns its checks by name, where they have one each.
func examined(t *testing.T) (map[string]check, error) {
	t.Helper()
	out, err := bizfin(t.Context(), "doctor", "--json")
	var d diagnosis
	if jsonErr := json.Unmarshal([]byte(out), &d); jsonErr != nil {
		t.Fatalf("it prints %q", out)
	}
	if d.OK != (err == nil) {
		t.Errorf("ok is %v, and the error is %v", d.OK, err)
	}
	checks := map[string]check{}
	for _, c := range d.Checks {
		checks[c.Name] = c
	}
	return checks, err
}

func TestTheDoctorFindsASoundStackInOrder(t *testing.T) {
	useTestStack(t)
	t.Setenv("BIZFIN_DATABASE_URL", migratedDatabase(t))
	if _, err := bizfin(t.Context(), "partner", "create", "sound"); err != nil {
		t.Fatal(err)
	}
	checks, err := examined(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"settings", "public url", "database", "encoding", "extensions", "migrations", "clock",
		"snapshots", "erasures", "secrets", "redis", "eviction"} {
		if checks[name].State != stateOK || checks[name].Advice != "" {
			t.Errorf("%s: %+v", name, checks[name])
		}
	}
	if got := checks["secrets"].Message; !strings.Contains(got, "all 2 stored") {
		t.Errorf("the secrets: %s", got)
	}
	text, err := bizfin(t.Context(), "doctor")
	if err != nil || !strings.Contains(text, "Everything is in order.") ||
		!strings.Contains(text, "ok  encoding    UTF8") {
		t.Errorf("%v %s", err, text)
	}
}

// migratedDatabase makes an empty database with the newest schema.
func migratedDatabase(t *testing.T) string {
	t.Helper()
	address := newDatabase(t, "ENCODING 'UTF8'")
	db, err := store.Open(address, store.Options{MaxConnections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := migrations.Up(t.Context(), db.SQL()); err != nil {
		t.Fatal(err)
	}
	return address
}

// Each thing that can be broken, with the check that must say so and a word of its advice.
func TestTheDoctorNamesWhatIsBroken(t *testing.T) {
	useTestStack(t)
	set := func(name, value string) func(*testing.T) {
		return func(t *testing.T) { t.Setenv(name, value) }
	}
	inDatabase := func(address string, change func(*testing.T, *store.DB)) func(*testing.T) {
		return func(t *testing.T) {
			t.Setenv("BIZFIN_DATABASE_URL", address)
			db, err := store.Open(address, store.Options{MaxConnections: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			change(t, db)
		}
	}
	for name, c := range map[string]struct {
		breakIt             func(*testing.T)
		check, state        string
		message, advice     string
		skipped, stillFound string
	}{
		"a setting is missing": {set("BIZFIN_AUDIENCE", ""), "settings", stateProblem,
			"BIZFIN_AUDIENCE is not set", "export BIZFIN_AUDIENCE=", "", "database"},
		"a setting is of no form": {set("BIZFIN_REQUEST_TIMEOUT", "hidden"), "settings", stateProblem,
			"BIZFIN_REQUEST_TIMEOUT must be a duration", "unset it", "", "database"},
		"a setting is out of range": {set("BIZFIN_MEMORY_LIMIT", "1"), "settings", stateProblem,
			"BIZFIN_MEMORY_LIMIT must be at least", "unset it", "", "redis"},
		"a sign-in without https": {func(t *testing.T) {
			t.Setenv("BIZFIN_SIGN_IN", "true")
			t.Setenv("BIZFIN_PUBLIC_URL", "http://api.example.com")
		}, "settings", stateProblem, "BIZFIN_SIGN_IN needs a BIZFIN_PUBLIC_URL with https", "https", "", "database"},
		"a sign-in without a partner": {func(t *testing.T) {
			t.Setenv("BIZFIN_DATABASE_URL", migratedDatabase(t))
			t.Setenv("BIZFIN_SIGN_IN", "true")
			t.Setenv("BIZFIN_PUBLIC_URL", "https://api.example.com")
		}, "sign-in", stateWarning, "no partner has an address", "--sign-in-url", "", "clock"},
		"no database address": {set("BIZFIN_DATABASE_URL", "hidden"), "settings", stateProblem,
			"BIZFIN_DATABASE_URL must look like", "export BIZFIN_DATABASE_URL", "migrations", "redis"},
		"the database is away": {set("BIZFIN_DATABASE_URL", "postgres://u:hidden@"+freeAddress(t)+"/x"),
			"database", stateProblem, "does not answer", "BIZFIN_DATABASE_URL", "secrets", "redis"},
		"no such database": {set("BIZFIN_DATABASE_URL", anotherDatabase(t, "no_such_database")), "database",
			stateProblem, "no such database", "createdb", "clock", "redis"},
		"no schema": {set("BIZFIN_DATABASE_URL", newDatabase(t, "ENCODING 'UTF8'")), "migrations",
			stateProblem, "no schema yet", "bizfin migrate up", "secrets", "redis"},
		"an encoding that is not UTF-8": {
			set("BIZFIN_DATABASE_URL", newDatabase(t, "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")), "encoding",
			stateProblem, "SQL_ASCII", "UTF8", "secrets", "redis",
		},
		"a schema that is older": {inDatabase(migratedDatabase(t), stepBack), "migrations", stateProblem,
			"is the last that was taken", "bizfin migrate up", "", "clock"},
		"a schema that is newer": {inDatabase(migratedDatabase(t), func(t *testing.T, db *store.DB) {
			if _, err := db.SQL().Exec(
				`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999999, true)`,
			); err != nil {
				t.Fatal(err)
			}
		}), "migrations", stateProblem, "is at step 999999", "newer program", "", "clock"},
		"a replica": {inDatabase(migratedDatabase(t), func(t *testing.T, db *store.DB) {
			t.Setenv("BIZFIN_DATABASE_URL", addOption(storetest.DatabaseURL(t), "default_transaction_read_only=on"))
		}), "database", stateProblem, "takes no writes", "primary", "", "clock"},
		"no partner": {inDatabase(migratedDatabase(t), func(*testing.T, *store.DB) {}), "secrets", stateWarning,
			"no partner yet", "partner create", "", "redis"},
		"another key": {inDatabase(migratedDatabase(t), func(t *testing.T, _ *store.DB) {
			if _, err := bizfin(t.Context(), "partner", "create", "shut"); err != nil {
				t.Fatal(err)
			}
			t.Setenv("BIZFIN_SECRET_KEY", seal.NewKey())
		}), "secrets", stateProblem, "stored secrets open", "partner rotate", "", "redis"},
		"an erasure that was killed": {inDatabase(migratedDatabase(t), func(t *testing.T, db *store.DB) {
			if _, err := db.SQL().Exec(`
				INSERT INTO erasures (kind, id, began_at)
				VALUES ('person', '` + exampleID + `', now())`); err != nil {
				t.Fatal(err)
			}
		}), "erasures", stateWarning, "1 erasure began and is not over",
			"bizfin user erase " + exampleID + " --yes", "",
			"clock"},
		"the end of a partner that was killed": {inDatabase(migratedDatabase(t), func(t *testing.T, db *store.DB) {
			if err := db.CreatePartner(t.Context(), time.Now(), "ended", "Ended", nil); err != nil {
				t.Fatal(err)
			}
			if _, err := db.SQL().Exec(`UPDATE partners SET erasing_at = now()`); err != nil {
				t.Fatal(err)
			}
		}), "erasures", stateWarning, "1 erasure began and is not over", "bizfin partner erase ended --yes", "",
			"clock"},
		"no key": {set("BIZFIN_SECRET_KEY", "hidden"), "settings", stateProblem,
			"BIZFIN_SECRET_KEY must be 32 bytes", "no other opens", "secrets", "redis"},
		"Redis is away": {set("BIZFIN_REDIS_URL", "redis://:hidden@"+freeAddress(t)+"/0"), "redis", stateProblem,
			"does not answer", "BIZFIN_REDIS_URL", "eviction", "secrets"},
		"no Redis address": {set("BIZFIN_REDIS_URL", "hidden"), "settings", stateProblem,
			"BIZFIN_REDIS_URL must look like", "export", "eviction", "secrets"},
		"an http address": {set("BIZFIN_PUBLIC_URL", "http://api.example.com"), "public url", stateWarning,
			"not encrypted", "https", "", "redis"},
		"an API address": {set("BIZFIN_PUBLIC_URL", "https://api.example.com/api/v1"), "public url", stateProblem,
			"path of the API", "leave /api/v1 out", "", "redis"},
		"an address with a password": {
			set("BIZFIN_PUBLIC_URL", "https://u:hidden@api.example.com"), "public url", stateProblem, "plain http",
			"https://api.example.com", "", "redis",
		},
		"too many connections": {set("BIZFIN_DATABASE_CONNECTIONS", "5000"), "database", stateWarning,
			"one process may take 5000", "max_connections", "", "clock"},
	} {
		t.Run(name, func(t *testing.T) {
			c.breakIt(t)
			checks, _ := examined(t)
			got := checks[c.check]
			if got.State != c.state || !strings.Contains(got.Message, c.message) ||
				!strings.Contains(got.Advice, c.advice) {
				t.Errorf("%+v", got)
			}
			if c.skipped != "" && checks[c.skipped].State != stateSkipped {
				t.Errorf("%s: %+v, want it skipped", c.skipped, checks[c.skipped])
			}
			if state := checks[c.stillFound].State; state == stateSkipped || state == "" {
				t.Errorf("%s is %q", c.stillFound, state)
			}
			text, _ := bizfin(t.Context(), "doctor")
			if strings.Contains(text, "hidden") || strings.Contains(text, storetest.SecretKey(t)) {
				t.Errorf("it shows a secret: %s", text)
			}
		})
	}
}

// addOption adds a server setting to a database address.
func addOption(address, option string) string {
	sign := "?"
	if strings.Contains(address, "?") {
		sign = "&"
	}
	return address + sign + option
}

func TestTheDoctorWithoutAnythingPointsToMakeRun(t *testing.T) {
	useTestStack(t)
	for _, name := range []string{"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "AUDIENCE", "PUBLIC_URL"} {
		t.Setenv("BIZFIN_"+name, "")
	}
	text, err := bizfin(t.Context(), "doctor")
	if err == nil || !strings.Contains(text, "make run") || !strings.Contains(err.Error(), "5 problems") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestTheDoctorLooksAtWhatRedisEvicts(t *testing.T) {
	// which looks for its program from here
	b := startBackend(t, newFolder(t), devstack.Config{DatabaseURL: storetest.DatabaseURL(t)})
	useTestStack(t)
	t.Setenv("BIZFIN_REDIS_URL", b.stack.RedisURL)
	if checks, _ := examined(t); checks["eviction"].State != stateOK {
		t.Errorf("%+v", checks["eviction"])
	}
	client := b.redis()
	defer client.Close()
	if err := client.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err(); err != nil {
		t.Fatal(err)
	}
	if checks, err := examined(t); checks["eviction"].State != stateWarning ||
		!strings.Contains(checks["eviction"].Message, "allkeys-lru") || err != nil {
		t.Errorf("%+v %v", checks["eviction"], err)
	}
	t.Setenv("BIZFIN_REDIS_URL", "redis://"+miniredis.RunT(t).Addr()+"/0")
	if checks, err := examined(t); checks["redis"].State != stateOK || checks["eviction"].State != stateSkipped ||
		err != nil {
		t.Errorf("%+v %+v %v", checks["redis"], checks["eviction"], err)
	}
}

// A difference counts only beyond what the way to the server and back can explain.
func TestTheDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		server time.Duration // after asking
		took   time.Duration
		state  string
	}{
		{10 * time.Millisecond, 20 * time.Millisecond, stateOK}, {900 * time.Millisecond, 0, stateOK},
		{-900 * time.Millisecond, 0, stateOK},
		{1500 * time.Millisecond, 0, stateWarning}, {-1500 * time.Millisecond, 0, stateWarning},
		{time.Hour, time.Second, stateWarning},
		{3 * time.Second, 4 * time.Second, stateOK}, {0, 4 * time.Second, stateOK},
		{6 * time.Second, 4 * time.Second, stateWarning},
	} {
		d := &diagnosis{}
		d.clock(asked.Add(c.server), asked, c.took)
		if d.Checks[0].State != c.state {
			t.Errorf("a server's clock %s after asking, in an answer that took %s, is %+v", c.server, c.took,
				d.Checks[0])
		}
	}
}

func TestTheDoctorRefusesAnOldServerAndOneWithoutTheExtensions(t *testing.T) {
	t.Parallel()
	s := settings{DatabaseURL: storetest.DatabaseURL(t), DatabaseConnections: 16}
	for version, state := range map[int]string{130_012: stateProblem, 140_000: stateOK, 180_001: stateOK} {
		d := &diagnosis{}
		d.server(s, store.Condition{Version: version, VersionName: "x", Encoding: "UTF8", MaxConnections: 100}, 0)
		if d.Checks[0].State != state {
			t.Errorf("version %d is %+v", version, d.Checks[0])
		}
	}
	for _, c := range []struct {
		installed, available []string
		state, message       string
	}{
		{store.Extensions, store.Extensions, stateOK, "installed"},
		{nil, store.Extensions, stateOK, "can be installed"},
		{[]string{"pg_trgm"}, []string{"pg_trgm"}, stateProblem, "does not have btree_gin"},
	} {
		d := &diagnosis{}
		d.schema(t.Context(), storetest.DB(t), store.Condition{Installed: c.installed, Available: c.available})
		if d.Checks[0].State != c.state || !strings.Contains(d.Checks[0].Message, c.message) {
			t.Errorf("%+v", d.Checks[0])
		}
	}
}

// A partner's secret that another key sealed is found, and only it.
func TestTheDoctorNamesThePartnersWhoseSecretsStayShut(t *testing.T) {
	useTestStack(t)
	t.Setenv("BIZFIN_DATABASE_URL", migratedDatabase(t))
	if _, err := bizfin(t.Context(), "partner", "create", "opens"); err != nil {
		t.Fatal(err)
	}
	key := storetest.SecretKey(t)
	t.Setenv("BIZFIN_SECRET_KEY", seal.NewKey())
	if _, err := bizfin(t.Context(), "partner", "create", "stays-shut-"+uuid.NewString()[:8]); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIZFIN_SECRET_KEY", key)
	checks, err := examined(t)
	got := checks["secrets"]
	if err == nil || !strings.HasPrefix(got.Message, "2 of 4 stored secrets") ||
		!strings.Contains(got.Message, "stays-shut") || strings.Contains(got.Message, "opens,") {
		t.Errorf("%+v %v", got, err)
	}
}

// A database elsewhere is reached by a connection that nobody can listen to or take the place of, and by no superuser.
func TestTheDoctorLooksAtTheWayToTheDatabase(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://u:hidden@127.0.0.1:5432/x":                            stateOK,
		"postgres:///x?host=/run/postgresql":                              stateOK,
		"postgres://u:hidden@db.example.com/x?sslmode=verify-full":        stateOK,
		"postgres://u:hidden@db.example.com/x":                            stateWarning,
		"postgres://u:hidden@db.example.com/x?sslmode=require":            stateWarning,
		"postgres://u:hidden@10.0.0.7/x?sslmode=verify-ca":                stateWarning,
		"postgres://u:hidden@localhost/x?sslmode=disable&host=10.0.0.7":   stateWarning,
		"postgres://u:hidden@localhost:5432/x?sslmode=disable&user=other": stateOK,
	} {
		for _, superuser := range []bool{false, true} {
			d := &diagnosis{}
			d.connection(address, store.Condition{Role: "someone", Superuser: superuser})
			u, _ := url.Parse(address)
			role := stateOK
			if superuser && !onThisMachine(u) {
				role = stateWarning
			}
			if len(d.Checks) != 2 || d.Checks[0].State != want || d.Checks[1].State != role ||
				strings.Contains(fmt.Sprint(d.Checks), "hidden") {
				t.Errorf("%s: %+v, want %s and %s", address, d.Checks, want, role)
			}
		}
	}
}

// A typing error in a setting's name leaves its default in force, and nothing else would say so.
func TestTheDoctorNamesVariablesThatAreNoSettings(t *testing.T) {
	useTestStack(t)
	t.Setenv("BIZFIN_DATABASE_URL", migratedDatabase(t))
	t.Setenv("BIZFIN_SIGNIN", "secret-1")
	t.Setenv("BIZFIN_TOKEN", "secret-2")
	out, err := bizfin(t.Context(), "doctor")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "BIZFIN_SIGNIN") || strings.Contains(out, "BIZFIN_TOKEN") ||
		strings.Contains(out, "secret-") {
		t.Errorf("it says %s", out)
	}
}
