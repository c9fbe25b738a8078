package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// findPostgres chooses the newest usable installed PostgreSQL, or a downloaded one. Data that exists already
// fixes the major version; dataMajor is 0 where there is none.
func (h *home) findPostgres(ctx context.Context, dataMajor int) (*postgresPrograms, error) {
	installed, reasons := h.installedPostgres(ctx)
	for _, p := range installed {
		if dataMajor == 0 || p.major == dataMajor {
			return p, nil
		}
	}
	if len(h.config.Extensions) > 0 {
		return nil, fmt.Errorf("%w with the extension %s: install it, or put its programs on PATH\n%w", ErrUnavailable,
			strings.Join(h.config.Extensions, ", "), errors.Join(reasons...))
	}
	p, err := h.downloadedPostgres(ctx, dataMajor)
	if err == nil {
		return p, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	reasons = append(reasons, err)
	if dataMajor != 0 {
		e := &VersionError{Folder: h.join("postgres"), Data: dataMajor}
		for _, p := range installed {
			e.Available = append(e.Available, p.version)
		}
		return nil, errors.Join(append([]error{e}, reasons...)...)
	}
	return nil, fmt.Errorf("%w: on Debian or Ubuntu run `apt-get install postgresql`, "+
		"on macOS `brew install postgresql@17`, "+
		"or set BIZFIN_DATABASE_URL to a PostgreSQL %d or newer\n%w", ErrUnavailable, oldestPostgres,
		errors.Join(reasons...))
}

// findRedis chooses an installed redis-server, or a downloaded one.
func (h *home) findRedis(ctx context.Context) (*redisProgram, error) {
	patterns := h.config.programFolders
	if patterns == nil {
		patterns = append(filepath.SplitList(os.Getenv("PATH")), "/usr/bin", "/opt/homebrew/bin", "/usr/local/bin")
	}
	for _, pattern := range patterns {
		paths, _ := filepath.Glob(filepath.Join(pattern, "redis-server"))
		for _, path := range paths {
			p, err := h.inspectRedis(ctx, path, nil)
			if err == nil {
				return p, nil
			}
			h.log.Warn("installed Redis passed over", "reason", err)
		}
	}
	return h.downloadedRedis(ctx)
}
