package devstack

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq"
	"github.com/redis/go-redis/v9"
)

// newDir is a state folder that every account may pass through. Its downloads are shared by all tests and kept.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "devstack-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	sharedPackages(t, dir)
	return dir
}

func sharedPackages(t *testing.T, dir string) {
	t.Helper()
	shared, err := filepath.Abs("../../.local/test/pkg")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Logf("downloads are not shared: %v", err)
		return
	}
	if err := os.Symlink(shared, filepath.Join(dir, "pkg")); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, c Config) *Stack {
	t.Helper()
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	began := time.Now()
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %v: %s, %s", time.Since(began).Round(time.Millisecond), s.DatabaseKind, s.RedisKind)
	t.Cleanup(func() { s.Stop() })
	return s
}

func stop(t *testing.T, s *Stack) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
}

func openDatabase(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, url, statement string) {
	t.Helper()
	if _, err := openDatabase(t, url).ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func query(t *testing.T, url, statement string) string {
	t.Helper()
	var value string
	if err := openDatabase(t, url).QueryRowContext(t.Context(), statement).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

func openRedis(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

func TestDurableStackKeepsItsDataAndItsURLs(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	first := start(t, Config{Dir: dir})
	execute(t, first.DatabaseURL, "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin; CREATE TABLE kept AS "+
		"SELECT 42 AS n")
	if err := openRedis(t, first.RedisURL).Set(t.Context(), "kept", "42", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "TimeZone": "UTC",
		"jit": "off", "server_encoding": "UTF8"} {
		if got := query(t, first.DatabaseURL, "SHOW "+setting); got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	stop(t, first)
	stop(t, first)

	second := start(t, Config{Dir: dir})
	if second.DatabaseURL != first.DatabaseURL || second.RedisURL != first.RedisURL {
		t.Errorf("the URLs changed from %s %s to %s %s", first.DatabaseURL, first.RedisURL, second.DatabaseURL,
			second.RedisURL)
	}
	if got := query(t, second.DatabaseURL, "SELECT n FROM kept"); got != "42" {
		t.Errorf("row after restart: %s", got)
	}
	if strings.HasPrefix(second.RedisKind, "redis-server") {
		if got := openRedis(t, second.RedisURL).Get(t.Context(), "kept").Val(); got != "42" {
			t.Errorf("key after restart: %q", got)
		}
	}
	info, err := os.Stat(filepath.Join(second.Home, "devstack.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the passwords has mode %v, %v", info.Mode(), err)
	}
}

func TestLettersBeyondASCIIFoldAndTextSortsByCodePoint(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Dir: newDir(t), Ephemeral: true, RedisURL: "redis://given"})
	if got := query(t, s.DatabaseURL, "SELECT 'CAFÉ' ILIKE 'café'"); got != "true" {
		t.Errorf("'CAFÉ' ILIKE 'café' is %s", got)
	}
	if got := query(t, s.DatabaseURL,
		"SELECT string_agg(c, '' ORDER BY c) FROM unnest('{b,B,a,A,_}'::text[]) c"); got != "AB_ab" {
		t.Errorf("order is %s", got)
	}
}

func TestURLsWorkWithPsql(t *testing.T) {
	t.Parallel()
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Skip("psql is not installed")
	}
	for _, ephemeral := range []bool{false, true} {
		s := start(t, Config{Dir: newDir(t), Ephemeral: ephemeral, RedisURL: "redis://given"})
		out, err := exec.Command(psql, s.DatabaseURL, "-Atc", "SELECT current_database()").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "bizfin" {
			t.Errorf("psql, ephemeral %t: %s, %v", ephemeral, out, err)
		}
	}
}

func TestDurableDatabaseRefusesAWrongPassword(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Dir: newDir(t), RedisURL: "redis://given"})
	at := strings.Index(s.DatabaseURL, "@")
	wrong := "postgres://bizfin:wrong" + s.DatabaseURL[at:]
	if err := openDatabase(t, wrong).PingContext(t.Context()); err == nil {
		t.Error("a wrong password was accepted")
	}
}

func TestLostPasswordIsReplaced(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	first := start(t, Config{Dir: dir, RedisURL: "redis://given"})
	execute(t, first.DatabaseURL, "CREATE TABLE kept AS SELECT 42 AS n")
	stop(t, first)
	if err := os.Remove(filepath.Join(first.Home, "devstack.json")); err != nil {
		t.Fatal(err)
	}
	second := start(t, Config{Dir: dir, RedisURL: "redis://given"})
	if got := query(t, second.DatabaseURL, "SELECT n FROM kept"); got != "42" {
		t.Errorf("row: %s", got)
	}
}

func TestSecondDurableStartIsRefused(t *testing.T) {
	t.Parallel()
	c := Config{Dir: newDir(t), RedisURL: "redis://given"}
	s := start(t, c)
	if _, err := Start(t.Context(), c); !errors.Is(err, ErrRunning) ||
		!strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("second start: %v", err)
	}
	if got := query(t, s.DatabaseURL, "SELECT 1"); got != "1" {
		t.Errorf("the first stack was disturbed: %s", got)
	}
}

func TestGivenURLsStartNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "never")
	s := start(t, Config{Dir: dir, DatabaseURL: "postgres://given", RedisURL: "redis://given"})
	if s.DatabaseURL != "postgres://given" || s.RedisURL != "redis://given" || exists(dir) {
		t.Errorf("stack %+v, folder made: %t", s, exists(dir))
	}
}

func TestEphemeralStacksAreApartAndLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	var stacks [3]*Stack
	var group sync.WaitGroup
	for i := range stacks {
		group.Go(func() {
			s, err := Start(t.Context(), Config{Dir: dir, Ephemeral: true})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { s.Stop() })
			stacks[i] = s
		})
	}
	group.Wait()
	for i, s := range stacks {
		if s == nil {
			continue
		}
		execute(t, s.DatabaseURL, fmt.Sprintf("CREATE TABLE own AS SELECT %d AS n", i))
		if n, err := openRedis(t, s.RedisURL).Incr(t.Context(), "own").Result(); err != nil || n != 1 {
			t.Errorf("redis %d: %d, %v", i, n, err)
		}
	}
	for _, s := range stacks {
		if s != nil {
			stop(t, s)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "ephemeral", "run-*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Config{Dir: dir, Ephemeral: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("start: %v", err)
	}
	if folders, _ := filepath.Glob(filepath.Join(dir, "ephemeral", "run-*")); len(folders) != 0 {
		t.Errorf("left: %v", folders)
	}
}
