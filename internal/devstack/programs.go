package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldestPostgres is the oldest major version that the migrations are written for.
const oldestPostgres = 14

// extensions must come with the server: migrations create them. A config may want more.
var extensions = []string{"pg_trgm", "btree_gin"}

// postgresFolders is where PostgreSQL's server programs are: Debian and Ubuntu, Homebrew on Apple silicon and on
// Intel, the PostgreSQL project's own packages for Red Hat. The folders of PATH come after these.
var postgresFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/usr/pgsql-*/bin",
}

// VersionError is returned by Start when the data was made by a major version that is not available.
type VersionError struct {
	Folder    string   // the data
	Data      int      // major version that made it
	Available []string // versions found on this machine
}

func (e *VersionError) Error() string {
	found := "no PostgreSQL server programs were found"
	if len(e.Available) > 0 {
		found = "this machine has PostgreSQL " + strings.Join(e.Available, ", ")
	}
	return fmt.Sprintf("the data in %s was made by PostgreSQL %d, but %s: install PostgreSQL %d, or remove that "+
		"folder to start with an empty database",
		e.Folder, e.Data, found, e.Data)
}

// postgresPrograms are the server programs of one PostgreSQL installation.
type postgresPrograms struct {
	bin     string
	libs    []string // folders with shared libraries the system does not have
	zones   string   // unpacked time zones, if the programs are to use these
	major   int
	version string // such as "15.18"
}

var postgresVersion = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// inspectPostgres runs the programs in p.bin to learn their version and whether they can be used at all.
func (h *home) inspectPostgres(ctx context.Context, p postgresPrograms) (*postgresPrograms, error) {
	bin := p.bin
	for _, program := range []string{"initdb", "postgres"} {
		out, err := command{account: h.account, dir: "/", libs: p.libs, program: filepath.Join(bin, program),
			args: []string{"--version"}}.output(ctx)
		if err != nil {
			return nil, err
		}
		match := postgresVersion.FindStringSubmatch(out)
		if match == nil {
			return nil, fmt.Errorf("%s/%s: unknown version %q", bin, program, out)
		}
		p.version = match[1]
		p.major, _ = strconv.Atoi(match[2])
	}
	if p.major < oldestPostgres {
		return nil, fmt.Errorf("%s: PostgreSQL %s is older than %d", bin, p.version, oldestPostgres)
	}
	share, err := shareFolder(bin, p.major, append(slices.Clone(extensions), h.config.Extensions...))
	if err != nil {
		return nil, err
	}
	if p.zones == "" && !exists(filepath.Join(share, "timezone/UTC")) && !haveSystemZones() {
		return nil, fmt.Errorf("%s: no time zones in %s: install the package tzdata", bin, systemZones)
	}
	return &p, nil
}

// shareFolder finds the shared files that belong to the programs in bin, with extensions present. PostgreSQL
// finds them the same way: relative to its programs, which is what lets an unpacked package run anywhere.
func shareFolder(bin string, major int, extensions []string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(bin, "postgres"))
	if err != nil {
		return "", err
	}
	missing := extensions
	for _, pattern := range []string{"../share/postgresql*", "../share/pgsql", "../share",
		fmt.Sprintf("../../../../share/postgresql/%d", major)} {
		shares, _ := filepath.Glob(filepath.Join(filepath.Dir(real), pattern))
		for _, share := range shares {
			lacks := slices.DeleteFunc(slices.Clone(extensions), func(name string) bool {
				return exists(filepath.Join(share, "extension", name+".control"))
			})
			if len(lacks) == 0 {
				return share, nil
			}
			missing = lacks
		}
	}
	return "", fmt.Errorf("%s: without the extensions %s (packaged as postgresql-contrib)", bin,
		strings.Join(missing, ", "))
}

// installedPostgres lists the usable installations, newest first, and why the others are not usable.
func (h *home) installedPostgres(ctx context.Context) ([]*postgresPrograms, []error) {
	patterns := h.config.programFolders
	if patterns == nil {
		patterns = append(slices.Clone(postgresFolders), filepath.SplitList(os.Getenv("PATH"))...)
	}
	var found []*postgresPrograms
	var reasons []error
	for _, pattern := range patterns {
		bins, _ := filepath.Glob(pattern)
		for _, bin := range bins {
			if !exists(filepath.Join(bin, "postgres")) {
				continue
			}
			p, err := h.inspectPostgres(ctx, postgresPrograms{bin: bin})
			if err != nil {
				reasons = append(reasons, err)
				h.log.Warn("installed PostgreSQL passed over", "reason", err)
				continue
			}
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b *postgresPrograms) int { return b.major - a.major })
	return found, reasons
}

// redisProgram is a usable redis-server.
type redisProgram struct {
	path    string
	libs    []string
	version string
}

var redisVersion = regexp.MustCompile(`v=(\S+)`)

func (h *home) inspectRedis(ctx context.Context, path string, libs []string) (*redisProgram, error) {
	out, err := command{account: h.account, dir: "/", libs: libs, program: path,
		args: []string{"--version"}}.output(ctx)
	if err != nil {
		return nil, err
	}
	match := redisVersion.FindStringSubmatch(out)
	if match == nil {
		return nil, fmt.Errorf("%s: unknown version %q", path, out)
	}
	return &redisProgram{path, libs, match[1]}, nil
}

// linkZones gives a data folder the unpacked zones, if its programs need them there.
func (p *postgresPrograms) linkZones(data string) error {
	if p.zones == "" {
		return nil
	}
	link := filepath.Join(data, localZones)
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(p.zones, link)
}
