// Package devstack gives `bizfin dev` and the Go tests a private PostgreSQL and a private Redis.
//
// It asks nothing of the machine: installed server programs are used when they are there, Debian and Ubuntu
// packages are unpacked into a folder when they are not, and neither needs root. Run by root it hands the
// servers to an ordinary account, because PostgreSQL refuses to run as root. It works on Linux and macOS.
package devstack

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// ErrRunning is returned by Start when a living process already holds the folder.
var ErrRunning = errors.New("a development stack is already running here")

// ErrUnavailable is returned by Start when PostgreSQL is neither installed nor downloadable. Its message says
// what to install.
var ErrUnavailable = errors.New("PostgreSQL is not available")

// Config says which servers Start is to provide and where they keep their state.
type Config struct {
	// Dir is the state folder: data, downloaded programs, passwords, logs. It is made if it is missing.
	// Unused when both URLs are set.
	Dir string
	// DatabaseURL, if set, is used as it is and no PostgreSQL is started.
	DatabaseURL string
	// RedisURL, if set, is used as it is and no Redis is started.
	RedisURL string
	// Ephemeral trades durability for speed: every Start has data of its own, written without fsync and
	// removed by Stop. Any number of ephemeral stacks, and one durable stack, share a Dir and its downloads.
	Ephemeral bool
	// Password, if set, is that of the durable servers: of data that came from another one, as a standby's does, or of
	// a Redis that others like it must know. Unset, each gets one of its own.
	Password string
	// Extensions must come with the PostgreSQL beside those that the schema needs, such as "citus". One that is
	// installed is taken then, on PATH or where packages put it, and none is downloaded.
	Extensions []string
	// PostgresSettings are further settings of the durable PostgreSQL, such as "shared_preload_libraries=citus".
	PostgresSettings []string
	// RedisSettings are further lines of redis-server's configuration, such as "cluster-enabled yes".
	RedisSettings []string
	// Log tells where the servers come from and what was recovered. Nil is silent.
	Log *slog.Logger
	// Tell, if set, is told what Start is doing where that takes a while.
	Tell func(Step)

	programFolders []string // glob patterns instead of the usual ones
	noDownload     bool     // as on a machine without apt-get
	noDeathSignal  bool     // as on a system that lets children outlive their parent
}

// Step is something that Start does, or how far it is with it.
type Step struct {
	Of        string // PostgreSQL or Redis
	Doing     string // in words, the same as long as the step lasts
	Done, All int64  // bytes; All is 0 where nobody knows
}

func (c Config) tell(of, doing string) {
	if c.Tell != nil {
		c.Tell(Step{Of: of, Doing: doing})
	}
}

// The names of the servers.
const (
	postgresName = "PostgreSQL"
	redisName    = "Redis"
)

// Stack is what Start provided. The URLs carry passwords: print the Kinds instead.
type Stack struct {
	DatabaseURL string // understood by lib/pq and libpq (psql)
	RedisURL    string // redis://:password@host:port/0

	DatabaseKind string // where the database came from, e.g. "PostgreSQL 15.18 (/usr/lib/postgresql/15/bin)"
	RedisKind    string // the same for Redis, e.g. "embedded (miniredis)"
	Home         string // the folder with data and logs; empty when nothing was started

	account  *account // that the servers run as
	programs []string // their folders
	libs     []string // those of shared libraries that the system does not have
	stops    []func() error
	once     sync.Once
	err      error
}

func (s *Stack) add(p *server) {
	s.stops = append(s.stops, p.stop)
	if p.folder != "" {
		s.programs = append(s.programs, p.folder)
	}
	s.libs = append(s.libs, p.libs...)
}

// Shell makes a command for bash as the servers' account, which finds the programs that come with them, such as
// pg_basebackup and redis-cli. The variables are such as NAME=value.
func (s *Stack) Shell(ctx context.Context, script string, variables ...string) *exec.Cmd {
	cmd := command{account: s.account, dir: s.Home, libs: s.libs, program: "bash",
		args: []string{"-euo", "pipefail", "-c", script}}.build(ctx)
	path := strings.Join(append(slices.Clone(s.programs), os.Getenv("PATH")), string(os.PathListSeparator))
	cmd.Env = append(append(cmd.Env, "PATH="+path), variables...)
	return cmd
}

// Own gives a folder to the servers' account.
func (s *Stack) Own(folder string) error { return s.account.own(folder) }

// Stop shuts down what Start started, newest first, and removes ephemeral data. Further calls return the
// result of the first one.
func (s *Stack) Stop() error {
	s.once.Do(func() {
		var errs []error
		for i := len(s.stops) - 1; i >= 0; i-- {
			errs = append(errs, s.stops[i]())
		}
		s.err = errors.Join(errs...)
	})
	return s.err
}

// server is one running server of a stack.
type server struct {
	url, kind string
	folder    string   // of its programs; empty where it is none of its own
	libs      []string // folders of shared libraries
	stop      func() error
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
