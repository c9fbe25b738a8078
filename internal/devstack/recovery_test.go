package devstack

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperEnv holds a Config for the test program run as a process of its own, which starts a stack, prints it and
// waits to be killed.
const helperEnv = "DEVSTACK_TEST_HELPER"

type helperConfig struct {
	Dir           string
	Ephemeral     bool
	NoDeathSignal bool
}

func TestMain(m *testing.M) {
	if text := os.Getenv(helperEnv); text != "" {
		runHelper(text)
	}
	os.Exit(m.Run())
}

func runHelper(text string) {
	var hc helperConfig
	if err := json.Unmarshal([]byte(text), &hc); err != nil {
		panic(err)
	}
	s, err := Start(context.Background(), Config{Dir: hc.Dir, Ephemeral: hc.Ephemeral, noDeathSignal: hc.NoDeathSignal})
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(s); err != nil {
		panic(err)
	}
	select {}
}

// startHelper starts a stack in another process and returns it with the process.
func startHelper(t *testing.T, hc helperConfig) (*Stack, *exec.Cmd) {
	t.Helper()
	text, err := json.Marshal(hc)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := new(Stack)
	if err := json.Unmarshal(line, s); err != nil {
		t.Fatal(err)
	}
	return s, cmd
}

func TestKilledRunIsRecoveredFrom(t *testing.T) {
	for _, noDeathSignal := range []bool{false, true} {
		t.Run(fmt.Sprintf("noDeathSignal=%t", noDeathSignal), func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			left, cmd := startHelper(t, helperConfig{Dir: dir, NoDeathSignal: noDeathSignal})
			execute(t, left.DatabaseURL, "CREATE TABLE kept AS SELECT 42 AS n")
			if err := openRedis(t, left.RedisURL).Set(t.Context(), "kept", "42", 0).Err(); err != nil {
				t.Fatal(err)
			}
			cmd.Process.Kill()
			cmd.Wait()

			s := start(t, Config{Dir: dir})
			if got := query(t, s.DatabaseURL, "SELECT n FROM kept"); got != "42" {
				t.Errorf("row: %s", got)
			}
			if got := openRedis(t, s.RedisURL).Get(t.Context(), "kept").Val(); got != "42" &&
				strings.HasPrefix(s.RedisKind, "redis-server") {
				t.Errorf("key: %q", got)
			}
			stop(t, s)
		})
	}
}

func TestKilledTestRunIsClearedAway(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	left, cmd := startHelper(t, helperConfig{Dir: dir, Ephemeral: true, NoDeathSignal: true})
	cmd.Process.Kill()
	cmd.Wait()

	stop(t, start(t, Config{Dir: dir, Ephemeral: true}))
	if folders, _ := filepath.Glob(filepath.Join(dir, "ephemeral", "run-*")); len(folders) != 0 {
		t.Errorf("left: %v", folders)
	}
	if err := openDatabase(t, left.DatabaseURL).PingContext(t.Context()); err == nil {
		t.Error("the killed run's database is still served")
	}
	if err := openRedis(t, left.RedisURL).Ping(t.Context()).Err(); err == nil &&
		strings.HasPrefix(left.RedisKind, "redis-server") {
		t.Error("the killed run's Redis is still served")
	}
}

func TestKilledServerIsReportedAndStartedAgain(t *testing.T) {
	t.Parallel()
	c := Config{Dir: newDir(t), RedisURL: "redis://given"}
	s := start(t, c)
	execute(t, s.DatabaseURL, "CREATE TABLE kept AS SELECT 42 AS n")
	f, err := readPidFile(filepath.Join(s.Home, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(f.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	err = until(t.Context(), 10*time.Millisecond,
		func() (bool, error) { return !serves(f.pid, filepath.Join(s.Home, "postgres")), nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err == nil {
		t.Error("Stop says nothing about a server that was not there any more")
	}
	again := start(t, c)
	if got := query(t, again.DatabaseURL, "SELECT n FROM kept"); got != "42" {
		t.Errorf("row: %s", got)
	}
}
