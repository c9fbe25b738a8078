package devstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the user the servers run as. A nil account is the current user.
type account struct {
	name     string
	uid, gid int
}

// serverAccount names the user for the servers whose data is, or will be, in dataDir. Only root changes user:
// PostgreSQL refuses to run as root, and its data belongs to one user for good, so an owner found there wins.
func serverAccount(dataDir string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(dataDir); err == nil {
		if uid := ownerOf(info); uid != 0 {
			u, err := user.LookupId(strconv.Itoa(uid))
			if err != nil {
				return nil, fmt.Errorf("%s belongs to user id %d, which this machine does not know: %w", dataDir, uid,
					err)
			}
			return asAccount(u)
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return asAccount(u)
		}
	}
	return nil, errors.New("PostgreSQL cannot run as root, and there is neither a user postgres nor nobody " +
		"to run it as")
}

func asAccount(u *user.User) (*account, error) {
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &account{u.Username, uid, gid}, nil
}

func ownerOf(info os.FileInfo) int {
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// attributes are a child's: the account's identity, and a process group of its own, so that Ctrl-C in the
// terminal reaches the parent alone, which drains its work before it stops the servers.
func (a *account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

func (a *account) id() int {
	if a == nil {
		return os.Geteuid()
	}
	return a.uid
}

// own gives path to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// makeFolder makes a folder that only the account may read; one that exists keeps its content.
func (a *account) makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return a.own(path)
}

// canEnter reports whether the account may pass through dir. The kernel is asked, by entering, because access
// lists and every parent count.
func (a *account) canEnter(dir string) bool {
	cmd := exec.Command("/bin/sh", "-c", `cd "$0"`, dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = a.attributes()
	return cmd.Run() == nil
}
