package devstack

import (
	"os"
	"strconv"
	"syscall"
)

// dieWithParent has the kernel send sig to the child when the parent ends without stopping it.
func dieWithParent(attr *syscall.SysProcAttr, sig syscall.Signal) {
	attr.Pdeathsig = sig
}

// serves reports whether process pid is a PostgreSQL server on dataDir, which it makes its working folder.
// A zombie has none.
func serves(pid int, dataDir string) bool {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && dir == dataDir
}
