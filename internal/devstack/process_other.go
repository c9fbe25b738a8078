//go:build unix && !linux

package devstack

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing here: servers of a killed run are found and stopped by the next Start.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// serves reports whether process pid is a PostgreSQL server on dataDir, which stands in its command line.
func serves(pid int, dataDir string) bool {
	line, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(line), "postgres -D "+dataDir+" ")
}
