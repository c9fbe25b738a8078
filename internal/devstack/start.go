package devstack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Start provides PostgreSQL and Redis and returns once both accept connections. ctx bounds only Start itself:
// the servers run until Stop, and on Linux no longer than the process that started them.
//
// It recovers from a run that was killed: servers still alive on the folder's data are stopped first.
// Errors: ErrRunning, ErrUnavailable, a VersionError, or what the system or a server's log says.
func Start(ctx context.Context, c Config) (*Stack, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Stack{DatabaseURL: c.DatabaseURL, RedisURL: c.RedisURL, DatabaseKind: "given", RedisKind: "given"}
	if c.DatabaseURL != "" && c.RedisURL != "" {
		return s, nil
	}
	if err := s.start(ctx, c); err != nil {
		return nil, errors.Join(fmt.Errorf("devstack: %w", err), s.Stop())
	}
	return s, nil
}

func (s *Stack) start(ctx context.Context, c Config) error {
	h, err := openHome(c)
	if err != nil {
		return err
	}
	s.Home, s.account = h.path, h.account
	r, err := h.openRun(ctx)
	if err != nil {
		return err
	}
	s.stops = append(s.stops, r.close)

	if s.DatabaseURL == "" {
		p, err := r.startPostgres(ctx)
		if err != nil {
			return err
		}
		s.DatabaseURL, s.DatabaseKind = p.url, p.kind
		s.add(p)
		c.Log.Info("database ready", "kind", p.kind, "folder", r.path)
	}
	if s.RedisURL == "" {
		p, err := r.startRedis(ctx)
		if err != nil {
			return err
		}
		s.RedisURL, s.RedisKind = p.url, p.kind
		s.add(p)
		c.Log.Info("redis ready", "kind", p.kind)
	}
	return nil
}
