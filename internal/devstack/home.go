package devstack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// home is the folder that outlives a run: durable data, downloaded programs, passwords.
type home struct {
	path    string // absolute, without symbolic links
	account *account
	config  Config
	log     *slog.Logger
}

func openHome(c Config) (*home, error) {
	path, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	account, err := serverAccount(filepath.Join(path, "postgres"))
	if err != nil {
		return nil, err
	}
	if path, err = makeOpenFolder(path); err != nil {
		return nil, err
	}
	h := &home{path: path, account: account, config: c, log: c.Log}
	if account == nil || account.canEnter(path) {
		return h, nil
	}
	return h, h.moveToReachable()
}

// makeOpenFolder makes path if it is missing, passable for the servers' account whatever the umask says, and
// returns it without symbolic links.
func makeOpenFolder(path string) (string, error) {
	isNew := !exists(path)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", err
	}
	if isNew {
		if err := os.Chmod(path, 0o755); err != nil {
			return "", err
		}
	}
	return filepath.EvalSymlinks(path)
}

// moveToReachable chooses a folder the account can reach for a configured one that it cannot, such as any
// folder below /root.
func (h *home) moveToReachable() error {
	sum := sha256.Sum256([]byte(h.path))
	name := "bizfin-" + hex.EncodeToString(sum[:6])
	for _, parent := range []string{"/var/lib", os.TempDir()} {
		path, err := makeOpenFolder(filepath.Join(parent, name))
		if err != nil || !h.account.canEnter(path) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || ownerOf(info) != 0 {
			continue // made by somebody else, who could read what we put there
		}
		h.log.Warn("the servers' user cannot enter the state folder: its data goes elsewhere",
			"user", h.account.name, "folder", h.path, "instead", path)
		h.path = path
		return nil
	}
	return fmt.Errorf("user %s, who runs PostgreSQL for root, can enter neither %s nor a folder in /var/lib or %s",
		h.account.name, h.path, os.TempDir())
}

func (h *home) join(elem ...string) string {
	return filepath.Join(append([]string{h.path}, elem...)...)
}

var errLocked = errors.New("locked")

// tryLock takes the lock file at path, or returns errLocked while another process has it. The kernel frees it
// when its holder dies, however it dies.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return f, nil
}

// unlock lets go of a lock file. Closing it alone does not: a program that was being started at that moment has the
// file for as long as it takes to begin.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// waitLock takes the lock file at path as soon as its holder lets go.
func waitLock(ctx context.Context, path string) (*os.File, error) {
	var lock *os.File
	err := until(ctx, 20*time.Millisecond, func() (bool, error) {
		var err error
		lock, err = tryLock(path)
		if errors.Is(err, errLocked) {
			return false, nil
		}
		return err == nil, err
	})
	return lock, err
}

// lockHome takes the folder for one durable run and notes the holder's process id for the message others get.
func (h *home) lockHome() (*os.File, error) {
	lock, err := tryLock(h.join("lock"))
	if errors.Is(err, errLocked) {
		pid, _ := os.ReadFile(h.join("lock"))
		return nil, fmt.Errorf("%w: process %s uses %s", ErrRunning, strings.TrimSpace(string(pid)), h.path)
	}
	if err != nil {
		return nil, err
	}
	err = errors.Join(lock.Truncate(0), writeAt(lock, strconv.Itoa(os.Getpid())+"\n"))
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

func writeAt(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

// until calls done every interval until it reports true or fails, or ctx ends.
func until(ctx context.Context, interval time.Duration, done func() (bool, error)) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
