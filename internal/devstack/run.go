package devstack

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// run is one stack's own folder: the home itself for a durable stack, a folder in it for an ephemeral one.
type run struct {
	*home
	path  string
	lock  *os.File
	state state
}

// state is what a later run needs to find and enter what this one leaves. It is kept with mode 0600.
type state struct {
	PostgresPort     int    `json:"postgres_port,omitempty"`
	PostgresPassword string `json:"postgres_password,omitempty"`
	RedisPort        int    `json:"redis_port,omitempty"`
	RedisPassword    string `json:"redis_password,omitempty"`
	SocketFolder     string `json:"socket_folder,omitempty"`
}

// close frees the run's lock and removes what is not to be kept.
func (r *run) close() error {
	var err error
	if r.config.Ephemeral {
		err = os.RemoveAll(r.path)
		if r.state.SocketFolder != "" {
			err = errors.Join(err, os.RemoveAll(r.state.SocketFolder))
		}
	}
	return errors.Join(err, unlock(r.lock))
}

// in is a path in the run's folder.
func (r *run) in(elem ...string) string {
	return filepath.Join(append([]string{r.path}, elem...)...)
}

func (r *run) loadState() error {
	text, err := os.ReadFile(r.in("devstack.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &r.state)
}

// saveState replaces the file in one step, so that a killed run cannot leave half of it.
func (r *run) saveState() error {
	text, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return err
	}
	temp := r.in("devstack.json.new")
	if err := os.WriteFile(temp, append(text, '\n'), 0o600); err != nil {
		return err
	}
	// Root leaves the file to the folder's owner, who may be the next to start.
	if info, err := os.Stat(r.path); err == nil && os.Geteuid() == 0 {
		if err := os.Chown(temp, ownerOf(info), -1); err != nil {
			return err
		}
	}
	return os.Rename(temp, r.in("devstack.json"))
}

// deathSignal is what a server gets when this process dies without stopping it.
func (r *run) deathSignal(sig syscall.Signal) syscall.Signal {
	if r.config.noDeathSignal {
		return 0
	}
	return sig
}

// newPassword has 128 random bits in letters and digits that need no quoting in a URL, in SQL or in Redis.
func newPassword() string { return rand.Text() }

// choosePort keeps the wanted port if nothing listens on it, and otherwise takes one the system says is free.
func choosePort(wanted int) (int, error) {
	if wanted != 0 && portFree(wanted) {
		return wanted, nil
	}
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func portFree(port int) bool {
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return false
	}
	l.Close()
	return true
}
