package devstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// errNoApt is returned where packages cannot be downloaded because the system is not Debian's or Ubuntu's.
var errNoApt = errors.New("apt-get and dpkg are not on this machine, so nothing can be downloaded")

const (
	fetchPatience = 5 * time.Minute // for one package with its libraries
	failureAge    = 2 * time.Minute // for which a failed download is not tried again
)

// downloadedPostgres provides the packaged PostgreSQL that was the newest when it was downloaded, or the one of
// the given major version if not 0.
func (h *home) downloadedPostgres(ctx context.Context, major int) (*postgresPrograms, error) {
	const newest = "postgresql"
	name := newest
	if major != 0 {
		if p, err := h.unpackedPostgres(ctx, h.join("pkg", newest)); err == nil && p.major == major {
			return p, nil
		}
		name = fmt.Sprintf("postgresql-%d", major)
	}
	root, err := h.download(ctx, postgresName, name, func(ctx context.Context, a apt) ([]string, error) {
		majors, err := a.postgresMajors(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range majors {
			if major == 0 || m == major {
				packages := []string{fmt.Sprintf("postgresql-%d", m), fmt.Sprintf("postgresql-client-%d", m)}
				if !haveSystemZones() {
					packages = append(packages, "tzdata")
				}
				return packages, nil
			}
		}
		return nil, fmt.Errorf("the package sources offer PostgreSQL %v", majors)
	})
	if err != nil {
		return nil, err
	}
	return h.unpackedPostgres(ctx, root)
}

func (h *home) unpackedPostgres(ctx context.Context, root string) (*postgresPrograms, error) {
	bins, _ := filepath.Glob(filepath.Join(root, "usr/lib/postgresql/*/bin"))
	if len(bins) != 1 {
		return nil, fmt.Errorf("%s: server programs of %d versions", root, len(bins))
	}
	p := postgresPrograms{bin: bins[0], libs: libraryFolders(root)}
	if zones := filepath.Join(root, systemZones); exists(filepath.Join(zones, "UTC")) {
		p.zones = zones
	}
	return h.inspectPostgres(ctx, p)
}

// downloadedRedis provides the packaged redis-server.
func (h *home) downloadedRedis(ctx context.Context) (*redisProgram, error) {
	root, err := h.download(ctx, redisName, "redis", func(context.Context, apt) ([]string, error) {
		return []string{"redis-server", "redis-tools"}, nil // the program is in redis-tools
	})
	if err != nil {
		return nil, err
	}
	return h.inspectRedis(ctx, filepath.Join(root, "usr/bin/redis-server"), libraryFolders(root))
}

// libraryFolders lists where packages unpacked below root put shared libraries.
func libraryFolders(root string) []string {
	var folders []string
	for _, pattern := range []string{"usr/lib/*-linux-*", "lib/*-linux-*"} {
		match, _ := filepath.Glob(filepath.Join(root, pattern))
		folders = append(folders, match...)
	}
	return folders
}

// download returns the folder pkg/name with the chosen packages unpacked, and makes it on first use. The folder
// appears in one step when it is whole, and one process at a time makes it.
func (h *home) download(ctx context.Context, of, name string,
	choose func(context.Context, apt) ([]string, error)) (string, error) {
	root := h.join("pkg", name)
	if exists(root) {
		return root, nil
	}
	if h.config.noDownload {
		return "", errNoApt
	}
	for _, program := range []string{"apt-get", "apt-cache", "dpkg"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", errNoApt
		}
	}
	parent, err := makeOpenFolder(h.join("pkg"))
	if err != nil {
		return "", err
	}
	lock, err := waitLock(ctx, filepath.Join(parent, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if exists(root) {
		return root, nil
	}
	failure := root + ".failed"
	if info, err := os.Stat(failure); err == nil && time.Since(info.ModTime()) < failureAge {
		text, _ := os.ReadFile(failure)
		return "", fmt.Errorf("not tried again before %s: %s", info.ModTime().Add(failureAge).Format(time.TimeOnly),
			text)
	}

	h.log.Info("downloading packages once", "name", name, "folder", root)
	limited, cancel := context.WithTimeout(ctx, fetchPatience)
	defer cancel()
	if err := h.fetch(limited, of, parent, root, choose); err != nil {
		if ctx.Err() == nil {
			_ = os.WriteFile(failure, []byte(err.Error()), 0o644)
		}
		return "", fmt.Errorf("download %s: %w", name, err)
	}
	_ = os.Remove(failure)
	return root, nil
}

// fetch makes root. The caller holds the lock of parent.
func (h *home) fetch(ctx context.Context, of, parent, root string,
	choose func(context.Context, apt) ([]string, error)) error {
	a := apt{filepath.Join(parent, "apt")}
	h.config.tell(of, "reading the lists of packages")
	updateErr := a.update(ctx) // one unreachable source among several still lets the download succeed
	packages, err := choose(ctx, a)
	if err != nil {
		return errors.Join(err, updateErr)
	}
	libs, err := a.missingLibraries(ctx, packages)
	if err != nil {
		return errors.Join(err, updateErr)
	}
	unfinished, _ := filepath.Glob(filepath.Join(parent, "new-*")) // left by a killed download
	for _, path := range unfinished {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp(parent, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := h.fetchInto(ctx, a, of, work, append(packages, libs...)); err != nil {
		return errors.Join(err, updateErr)
	}
	h.config.tell(of, "unpacking")
	tree, err := makeOpenFolder(filepath.Join(work, "tree"))
	if err != nil {
		return err
	}
	debs, _ := filepath.Glob(filepath.Join(work, "*.deb"))
	for _, deb := range debs {
		if _, err := a.run(ctx, work, "dpkg", "-x", deb, tree); err != nil {
			return err
		}
	}
	if err := useUnpackedZones(tree); err != nil {
		return err
	}
	return os.Rename(tree, root)
}

// fetchInto downloads packages and tells how many bytes of all are there.
func (h *home) fetchInto(ctx context.Context, a apt, of, work string, packages []string) error {
	all, err := a.size(ctx, packages)
	if err != nil {
		return err
	}
	fetched := make(chan error, 1)
	go func() {
		_, err := a.run(ctx, work, "apt-get", append([]string{"download"}, packages...)...)
		fetched <- err
	}()
	doing := fmt.Sprintf("fetching %d packages", len(packages))
	tell := func() {
		if h.config.Tell != nil {
			h.config.Tell(Step{Of: of, Doing: doing, Done: min(sizeOf(work), all), All: all})
		}
	}
	tell()
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-fetched:
			return err
		case <-look.C:
			tell()
		}
	}
}

// sizeOf is what the files of a folder come to.
func sizeOf(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that has gone is of no size
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
