package devstack

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMissingPostgresSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{Dir: newBareDir(t), programFolders: []string{}, noDownload: true})
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, errNoApt) {
		t.Fatalf("start: %v", err)
	}
	for _, advice := range []string{"apt-get install postgresql", "brew install postgresql", "BIZFIN_DATABASE_URL"} {
		if !strings.Contains(err.Error(), advice) {
			t.Errorf("no word of %q in: %v", advice, err)
		}
	}
}

// newBareDir is a state folder without downloads.
func newBareDir(t *testing.T) string {
	t.Helper()
	dir := newDir(t)
	if err := os.Remove(filepath.Join(dir, "pkg")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return dir
}

func TestDataOfAnotherMajorVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := newBareDir(t)
	data := filepath.Join(dir, "postgres")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("13\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Config{Dir: dir, noDownload: true})
	var version *VersionError
	if !errors.As(err, &version) || version.Data != 13 {
		t.Fatalf("start: %v", err)
	}
}

func TestProgramsThatDoNotRunArePassedOver(t *testing.T) {
	t.Parallel()
	dir := newBareDir(t)
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"postgres", "initdb", "redis-server"} {
		if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\nexit 127\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := Config{Dir: dir, programFolders: []string{bin}, noDownload: true}
	if _, err := Start(t.Context(), c); !errors.Is(err, ErrUnavailable) {
		t.Errorf("start: %v", err)
	}
	c.DatabaseURL = "postgres://given"
	if s := start(t, c); s.RedisKind != "embedded (miniredis)" {
		t.Errorf("redis is %s", s.RedisKind)
	}
}

func TestEmbeddedRedisNeedsThePasswordAndExpiresKeys(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Dir: newBareDir(t), DatabaseURL: "postgres://given", programFolders: []string{},
		noDownload: true})
	client := openRedis(t, s.RedisURL)
	if err := client.Set(t.Context(), "lock", "held", time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	err := until(t.Context(), 50*time.Millisecond, func() (bool, error) {
		n, err := client.Exists(t.Context(), "lock").Result()
		return n == 0, err
	})
	if err != nil {
		t.Error(err)
	}
	open := openRedis(t, "redis://"+s.RedisURL[strings.Index(s.RedisURL, "@")+1:])
	if err := open.Ping(t.Context()).Err(); err == nil {
		t.Error("Redis answers without the password")
	}
}

func TestDownloadHappensOnceAndWhole(t *testing.T) {
	t.Parallel()
	dir := newBareDir(t)
	unfinished := filepath.Join(dir, "pkg", "new-killed")
	if err := os.MkdirAll(unfinished, 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := openHome(Config{Dir: dir, programFolders: []string{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var found [2]*redisProgram
	var failed [2]error
	var group sync.WaitGroup
	for i := range found {
		group.Go(func() { found[i], failed[i] = h.findRedis(t.Context()) })
	}
	group.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		t.Skipf("packages cannot be downloaded here: %v", err)
	}
	if found[0].path != found[1].path || !strings.HasPrefix(found[0].path, h.path) {
		t.Errorf("programs: %+v", found)
	}
	if exists(unfinished) {
		t.Error("what a killed download left is still there")
	}
	s := start(t, Config{Dir: dir, programFolders: []string{}, DatabaseURL: "postgres://given"})
	if !strings.HasPrefix(s.RedisKind, "redis-server") {
		t.Errorf("redis is %s", s.RedisKind)
	}
	if err := openRedis(t, s.RedisURL).Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
}

func TestFailedDownloadIsNotTriedAgainAtOnce(t *testing.T) {
	t.Parallel()
	dir := newBareDir(t)
	if err := os.Mkdir(filepath.Join(dir, "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pkg", "redis.failed"), []byte("no network"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, Config{Dir: dir, programFolders: []string{}, DatabaseURL: "postgres://given"})
	if s.RedisKind != "embedded (miniredis)" {
		t.Errorf("redis is %s", s.RedisKind)
	}
}

func TestRootUsesAFolderTheServersUserCanEnter(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root hands the servers to another user")
	}
	dir := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, Config{Dir: dir, RedisURL: "redis://given"})
	t.Cleanup(func() { s.Stop(); os.RemoveAll(s.Home) })
	if strings.HasPrefix(s.Home, dir) {
		t.Errorf("home is %s", s.Home)
	}
	if got := query(t, s.DatabaseURL, "SELECT 1"); got != "1" {
		t.Errorf("answer: %s", got)
	}
}

func TestUnpackedProgramsReadUnpackedTimeZones(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	program := filepath.Join(tree, "usr/lib/postgresql/15/bin/postgres")
	zone := filepath.Join(tree, systemZones, "UTC")
	for _, path := range []string{program, zone} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("before\x00/usr/share/zoneinfo\x00after"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := useUnpackedZones(tree); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\x00zoneinfo" + strings.Repeat("\x00", 12) + "after"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if err := useUnpackedZones(tree); err == nil {
		t.Error("a program that does not name the system's zones was taken as it is")
	}
}
