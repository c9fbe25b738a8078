package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"bizfin/internal/devstack"
	"bizfin/store"
)

// runAsProgram makes this test binary be the program: TestMain then runs main. clockApart sets its clock apart.
const (
	runAsProgram = "BIZFIN_TEST_RUN_AS_PROGRAM"
	clockApart   = "BIZFIN_TEST_CLOCK_APART"
)

// setClockApart sets what the program takes for the present. The queue's library has a clock of its own: it stays.
func setClockApart() {
	if text := os.Getenv(clockApart); text != "" {
		apart, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		clock = func() time.Time { return time.Now().Add(apart) }
	}
}

// program is a `bizfin serve` or `bizfin work` of its own process, which can be killed and started again.
type program struct {
	t       *testing.T
	path    string
	command string
	env     []string
	log     *os.File
	running *exec.Cmd
	began   time.Time // when it was last started
}

func startProgram(t *testing.T, command string, env ...string) *program {
	t.Helper()
	return startBinary(t, os.Args[0], command, append(env, runAsProgram+"=1")...)
}

// startBinary runs another build of the program.
func startBinary(t *testing.T, path, command string, env ...string) *program {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), command+".log"))
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, path: path, command: command, env: env, log: log}
	p.start()
	t.Cleanup(func() {
		p.kill()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the last of %s:\n%s", command, text[max(0, len(text)-4000):])
		}
	})
	return p
}

func (p *program) start() {
	p.running = exec.Command(p.path, p.command)
	p.running.Env = append(os.Environ(), p.env...)
	p.running.Stdout, p.running.Stderr = p.log, p.log
	p.began = time.Now()
	if err := p.running.Start(); err != nil {
		p.t.Errorf("%s: %v", p.command, err)
	}
}

// kill ends the process at once, with whatever it has in hand.
func (p *program) kill() {
	_ = p.running.Process.Kill()
	_ = p.running.Wait()
}

// terminate asks the process to end, and returns how long that took. It must end by itself, and cleanly.
func (p *program) terminate() time.Duration {
	const patience = 40 * time.Second
	began := time.Now()
	if err := p.running.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Errorf("%s: %v", p.command, err)
	}
	killed := time.AfterFunc(patience, func() { _ = p.running.Process.Kill() })
	err := p.running.Wait()
	if !killed.Stop() {
		p.t.Errorf("%s did not end within %v of SIGTERM", p.command, patience)
	} else if err != nil && !p.endedBeforeItBegan(began) {
		p.t.Errorf("%s ended by SIGTERM: %v", p.command, err)
	}
	return time.Since(began)
}

// endedBeforeItBegan is whether the signal of a moment ended the process before its own code did anything with
// signals: with the race detector on a busy machine that takes seconds.
func (p *program) endedBeforeItBegan(signaled time.Time) bool {
	status, ok := p.running.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGTERM && signaled.Sub(p.began) < 5*time.Second
}

// hang stops the process as it is until it is told to go on.
func (p *program) hang()   { _ = p.running.Process.Signal(syscall.SIGSTOP) }
func (p *program) resume() { _ = p.running.Process.Signal(syscall.SIGCONT) }

// backend is a PostgreSQL or a Redis that can be killed, and comes back at its address with what it had on disk.
type backend struct {
	t      *testing.T
	config devstack.Config
	stack  *devstack.Stack
}

// newFolder makes a folder for a server, which may have an account of its own.
func newFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bizfin-faults-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startBackend starts the server that the config does not have already, in a folder.
func startBackend(t *testing.T, dir string, config devstack.Config) *backend {
	t.Helper()
	downloads, err := filepath.Abs("../../.local/pkg")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(downloads); err == nil {
		if err := os.Symlink(downloads, filepath.Join(dir, "pkg")); err != nil {
			t.Fatal(err)
		}
	}
	config.Dir = dir
	b := &backend{t: t, config: config}
	b.start()
	t.Cleanup(func() { b.stack.Stop() })
	return b
}

func (b *backend) start() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stack, err := devstack.Start(ctx, b.config)
	if err != nil {
		b.t.Errorf("a server did not start again: %v", err)
		return
	}
	if b.stack != nil && (stack.DatabaseURL != b.stack.DatabaseURL || stack.RedisURL != b.stack.RedisURL) {
		b.t.Errorf("another program took the port of a server that was down")
	}
	b.stack = stack
}

// startAgain starts PostgreSQL where it has given up.
func (b *backend) startAgain() {
	const patience = 3 * time.Second // in which it recovers by itself, or ends
	for began := time.Now(); time.Since(began) < patience; <-time.After(50 * time.Millisecond) {
		if syscall.Kill(b.postgresProcess(), 0) != nil {
			break
		}
		if answers(b.stack.DatabaseURL) {
			return
		}
	}
	_ = b.stack.Stop()
	b.start()
}

func answers(databaseURL string) bool {
	db, err := store.Open(databaseURL, store.Options{MaxConnections: 1})
	if err != nil {
		return false
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return db.Ping(ctx) == nil
}

// kill ends the server's process at once.
func (b *backend) kill(pid int) {
	b.signal(pid, syscall.SIGKILL)
	_ = b.stack.Stop() // it says that the server is gone, and frees its folder
}

// forget removes what Redis has on disk, so that it comes back empty.
func (b *backend) forget() {
	if err := os.RemoveAll(filepath.Join(b.stack.Home, "redis")); err != nil {
		b.t.Error(err)
	}
}

// signal leaves alone what is no single process, such as this one's group.
func (b *backend) signal(pid int, signal syscall.Signal) {
	if pid <= 1 {
		b.t.Errorf("no process to signal")
		return
	}
	if err := syscall.Kill(pid, signal); err != nil {
		b.t.Errorf("signal: %v", err)
	}
}

// postgresProcesses are PostgreSQL's first process and all that it started.
func (b *backend) postgresProcesses() []int {
	first := b.postgresProcess()
	out, err := exec.Command("ps", "-A", "-o", "pid=", "-o", "ppid=").Output()
	if err != nil {
		b.t.Errorf("ps: %v", err)
	}
	all := []int{first}
	for line := range strings.Lines(string(out)) {
		var pid, parent int
		if n, _ := fmt.Sscan(line, &pid, &parent); n == 2 && parent == first {
			all = append(all, pid)
		}
	}
	return all
}

// postgresProcess is the id of the process that PostgreSQL began with.
func (b *backend) postgresProcess() int {
	text, err := os.ReadFile(filepath.Join(b.stack.Home, "postgres", "postmaster.pid"))
	if err != nil {
		b.t.Error(err)
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		b.t.Error(err)
	}
	return pid
}

// redisProcess is the id of the Redis process.
func (b *backend) redisProcess() int {
	client := b.redis()
	defer client.Close()
	info, err := client.InfoMap(context.Background(), "server").Result()
	if err != nil {
		b.t.Errorf("redis: %v", err)
		return 0
	}
	pid, err := strconv.Atoi(info["Server"]["process_id"])
	if err != nil {
		b.t.Errorf("redis: %v", err)
	}
	return pid
}

func (b *backend) redis() *redis.Client {
	options, err := redis.ParseURL(b.stack.RedisURL)
	if err != nil {
		b.t.Fatal(err)
	}
	return redis.NewClient(options)
}

// freeAddress is a loopback address where nobody listens. Others take free ports of 127.0.0.1 all the time, and one of
// them would be asked in place of a service that could not begin; where all of 127.0.0.0/8 is loopback (RFC 1122), as
// on Linux, nobody else has this one.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
