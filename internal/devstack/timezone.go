package devstack

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// systemZones is where Debian's PostgreSQL looks for time zones: the path is built into its programs. Without
// them not even UTC is known, and Ubuntu's container images have none.
const systemZones = "/usr/share/zoneinfo"

// localZones takes that path's place in unpacked programs. It is relative to the server's working folder, which is
// the data folder.
const localZones = "zoneinfo"

func haveSystemZones() bool { return exists(systemZones + "/UTC") }

// useUnpackedZones makes the programs unpacked in tree read localZones if the zones were unpacked with them.
func useUnpackedZones(tree string) error {
	if !exists(filepath.Join(tree, systemZones, "UTC")) {
		return nil
	}
	programs, err := filepath.Glob(filepath.Join(tree, "usr/lib/postgresql/*/bin/postgres"))
	if err != nil {
		return err
	}
	for _, path := range programs {
		program, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		from := []byte(systemZones + "\x00")
		to := append([]byte(localZones), make([]byte, len(from)-len(localZones))...)
		if bytes.Count(program, from) != 1 {
			return fmt.Errorf("%s does not name %s once: install the package tzdata", path, systemZones)
		}
		if err := os.WriteFile(path, bytes.Replace(program, from, to, 1), 0o755); err != nil {
			return err
		}
	}
	return nil
}
