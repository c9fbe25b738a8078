package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// indexAge is the age at which the package sources' indexes are read again.
const indexAge = time.Hour

// apt runs apt's programs on state of their own, so that they need no root and leave the machine's untouched.
type apt struct{ folder string }

// update reads the package sources' indexes, unless that was done within indexAge.
func (a apt) update(ctx context.Context) error {
	for _, dir := range []string{"state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(a.folder, dir), 0o755); err != nil {
			return err
		}
	}
	// Clearing the hooks keeps apt from running what the machine does after its own updates. The system's list
	// of installed packages is read, to know which libraries are missing.
	config := fmt.Sprintf(`Dir::State %q;
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache %q;
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Update::Post-Invoke-Stats;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::DEP-11-icons-small;
#clear Acquire::IndexTargets::deb::DEP-11-icons;
#clear Acquire::IndexTargets::deb::DEP-11-icons-hidpi;
#clear Acquire::IndexTargets::deb::CNF;
`, filepath.Join(a.folder, "state"), filepath.Join(a.folder, "cache"))
	if err := os.WriteFile(a.config(), []byte(config), 0o644); err != nil {
		return err
	}
	stamp := filepath.Join(a.folder, "updated")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < indexAge {
		return nil
	}
	if _, err := a.run(ctx, a.folder, "apt-get", "-q", "update"); err != nil {
		return err
	}
	return os.WriteFile(stamp, nil, 0o644)
}

func (a apt) config() string { return filepath.Join(a.folder, "apt.conf") }

func (a apt) run(ctx context.Context, dir, program string, args ...string) (string, error) {
	if program != "dpkg" {
		args = append([]string{"-c", a.config()}, args...)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

var postgresPackage = regexp.MustCompile(`(?m)^postgresql-(\d+)$`)

// postgresMajors lists the packaged major versions that are new enough, newest first. A name alone may only be
// mentioned by other packages, so each one must be installable.
func (a apt) postgresMajors(ctx context.Context) ([]int, error) {
	names, err := a.run(ctx, a.folder, "apt-cache", "pkgnames", "postgresql-")
	if err != nil {
		return nil, err
	}
	var majors []int
	for _, match := range postgresPackage.FindAllStringSubmatch(names, -1) {
		major, err := strconv.Atoi(match[1])
		if err != nil || major < oldestPostgres {
			continue
		}
		if _, err := a.missingLibraries(ctx, []string{match[0]}); err == nil {
			majors = append(majors, major)
		}
	}
	slices.Sort(majors)
	slices.Reverse(majors)
	return majors, nil
}

var (
	aptFile = regexp.MustCompile(`(?m)^'[^']*' ([^_\s]+)_`)
	library = regexp.MustCompile(`^lib.*\d`)
	// unneeded libraries: the C library must be the system's, LLVM is only used for just-in-time compilation,
	// which is off, and Perl and development packages are not used by the servers.
	unneeded = regexp.MustCompile(`^(libc6|libc-bin|libllvm|libz3|libclang)|-(dev|perl|xs|bin|data|common)$`)
)

// missingLibraries asks apt what it would install besides the packages and keeps the shared libraries.
func (a apt) missingLibraries(ctx context.Context, packages []string) ([]string, error) {
	args := append([]string{"install", "--print-uris", "-qq", "--no-install-recommends"}, packages...)
	out, err := a.run(ctx, a.folder, "apt-get", args...)
	if err != nil {
		return nil, err
	}
	var libs []string
	for _, match := range aptFile.FindAllStringSubmatch(out, -1) {
		name := match[1]
		if library.MatchString(name) && !unneeded.MatchString(name) && !slices.Contains(packages, name) {
			libs = append(libs, name)
		}
	}
	return libs, nil
}

var aptSize = regexp.MustCompile(`(?m)^'[^']*' \S+ (\d+)`)

// size is how many bytes the packages are, as they are fetched.
func (a apt) size(ctx context.Context, packages []string) (bytes int64, err error) {
	out, err := a.run(ctx, a.folder, "apt-get", append([]string{"download", "--print-uris", "-qq"}, packages...)...)
	if err != nil {
		return 0, err
	}
	for _, match := range aptSize.FindAllStringSubmatch(out, -1) {
		n, err := strconv.ParseInt(match[1], 10, 64)
		if err != nil {
			return 0, err
		}
		bytes += n
	}
	return bytes, nil
}
