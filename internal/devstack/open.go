package devstack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

func (h *home) openRun(ctx context.Context) (*run, error) {
	if h.config.Ephemeral {
		return h.openEphemeral(ctx)
	}
	lock, err := h.lockHome()
	if err != nil {
		return nil, err
	}
	r := &run{home: h, path: h.path, lock: lock}
	if err := r.loadState(); err != nil {
		lock.Close()
		return nil, err
	}
	return r, nil
}

// openEphemeral makes a folder for one test process and clears away those whose process was killed.
func (h *home) openEphemeral(ctx context.Context) (*run, error) {
	parent, err := makeOpenFolder(h.join("ephemeral"))
	if err != nil {
		return nil, err
	}
	// The parent's lock keeps others from taking a folder for abandoned before its own lock is held.
	guard, err := waitLock(ctx, filepath.Join(parent, "lock"))
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	h.clearAbandoned(parent)

	path, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o711); err != nil {
		return nil, err
	}
	lock, err := tryLock(filepath.Join(path, "lock"))
	if err != nil {
		return nil, err
	}
	return &run{home: h, path: path, lock: lock}, nil
}

func (h *home) clearAbandoned(parent string) {
	folders, _ := filepath.Glob(filepath.Join(parent, "run-*"))
	for _, path := range folders {
		lock, err := tryLock(filepath.Join(path, "lock"))
		if err != nil {
			continue // in use, or another user's
		}
		r := &run{home: h, path: path, lock: lock}
		err = errors.Join(r.loadState(), r.stopLeftovers(), r.close())
		h.log.Info("removed the data of a test run that was killed", "folder", path, "error", err)
	}
}

// stopLeftovers ends servers that outlived the run.
func (r *run) stopLeftovers() error {
	return errors.Join(r.stopLeftPostgres(), r.stopLeftRedis(context.Background()))
}
