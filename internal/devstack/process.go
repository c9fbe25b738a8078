package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// process is a server program running as our child.
type process struct {
	name    string
	pid     int
	logPath string
	logFrom int64         // size of the log when this process began
	done    chan struct{} // closed when the process has ended
	err     error         // how it ended; read after done
}

// command describes a child program.
type command struct {
	account *account
	dir     string   // working folder; it must be passable for the account
	libs    []string // folders with shared libraries
	program string
	args    []string
	stdin   string
	onDeath syscall.Signal // sent to the child when the parent dies, where the system can (Linux)
}

// environment is complete: variables such as PGPORT or LC_ALL of the caller must not reach the servers.
func (c command) environment() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LC_ALL=C", "TZ=UTC"}
	if len(c.libs) > 0 {
		env = append(env, "LD_LIBRARY_PATH="+strings.Join(c.libs, ":"))
	}
	return env
}

func (c command) build(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.program, c.args...)
	cmd.Dir = c.dir
	cmd.Env = c.environment()
	cmd.SysProcAttr = c.account.attributes()
	if c.stdin != "" {
		cmd.Stdin = strings.NewReader(c.stdin)
	}
	return cmd
}

// output runs a short program to its end and returns what it printed, also as part of the error.
func (c command) output(ctx context.Context) (string, error) {
	text, err := c.build(ctx).CombinedOutput()
	out := strings.TrimSpace(string(text))
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s", c.program, err, out)
	}
	return out, nil
}

// start runs a server whose standard output and error are appended to the file logPath. Its end is reported
// on done.
func (c command) start(name, logPath string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return nil, err
	}
	cmd := c.build(context.Background())
	cmd.Stdout, cmd.Stderr = log, log
	dieWithParent(cmd.SysProcAttr, c.onDeath)

	p := &process{name: name, logPath: logPath, logFrom: info.Size(), done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux sends the death signal when the thread that started the child ends. The thread is held
		// here until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// errSlowStop is returned when a server had to be killed because it did not stop when told.
var errSlowStop = errors.New("did not stop in time and was killed")

// stop sends sig and waits for the end; after patience the process is killed.
func (p *process) stop(sig syscall.Signal, patience time.Duration) error {
	if p.ended() {
		return fmt.Errorf("%s ended by itself: %w", p.name, p.failure())
	}
	if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	select {
	case <-p.done:
		if p.err != nil {
			return fmt.Errorf("%s did not end well: %w", p.name, p.failure())
		}
		return nil
	case <-time.After(patience):
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
		<-p.done
		return fmt.Errorf("%s %w", p.name, errSlowStop)
	}
}

// failure tells how the process ended, with the end of what it logged.
func (p *process) failure() error {
	reason := p.err
	if reason == nil {
		reason = errors.New("exit status 0")
	}
	f, err := os.Open(p.logPath)
	if err != nil {
		return reason
	}
	defer f.Close()
	const most = 2000
	info, err := f.Stat()
	if err != nil {
		return reason
	}
	from := max(p.logFrom, info.Size()-most)
	text, _ := io.ReadAll(io.NewSectionReader(f, from, most)) // a part is better than nothing
	return fmt.Errorf("%w; %s ends with:\n%s", reason, p.logPath, strings.TrimSpace(string(text)))
}
