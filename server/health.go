package server

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/singleflight"

	"bizfin/migrations"
	"bizfin/server/limit"
)

// quiet routes are asked every few seconds by machines; their lines are for debugging only.
var quiet = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// metricsRule is for anybody who can reach the address: each answer is a millisecond and a half of a core.
var metricsRule = limit.Rule{PerSecond: 60, Per: time.Minute, InFlight: 4}

func (s *Server) serveHealth(e *echo.Echo) {
	e.GET("/healthz", func(c echo.Context) error {
		return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
	})
	e.GET("/readyz", s.ready)
	if !s.MetricsElsewhere {
		e.GET("/metrics", echo.WrapHandler(promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})),
			s.holdAddress("metrics", metricsRule))
	}
}

// Metrics are what /metrics shows.
func (s *Server) Metrics() prometheus.Gatherer { return s.metrics.registry }

// readiness names the state of everything a request depends on.
type readiness struct {
	Status     string `json:"status"`     // ready, degraded or unavailable
	Database   string `json:"database"`   // ok or unreachable
	Migrations string `json:"migrations"` // ok, pending or unknown
	Queue      string `json:"queue"`      // ok or unreachable
}

// readyWithin is what a probe waits for its answer. What is not found well by then is not.
const readyWithin = time.Second

// ready says whether requests can be served. Without the queue they can: processing is late, and nothing is lost.
func (s *Server) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyWithin)
	defer cancel()
	r := readiness{Status: "ready", Database: "ok", Migrations: "ok", Queue: "ok"}
	queue := s.check("queue", func(ctx context.Context) error { return s.PingQueue(ctx) })
	database := s.check("database", s.Store.Ping)
	if s.found(ctx, database) != nil {
		r.Status, r.Database, r.Migrations = "unavailable", "unreachable", "unknown"
	} else if err := s.found(ctx, s.check("migrations", s.migrated)); errors.Is(err, errPending) {
		r.Status, r.Migrations = "unavailable", "pending"
	} else if err != nil {
		r.Status, r.Migrations = "unavailable", "unknown"
	}
	err := s.found(ctx, queue)
	if failed := (*panicked)(nil); errors.As(err, &failed) {
		return err
	}
	if err != nil {
		r.Queue = "unreachable"
		if r.Status == "ready" {
			r.Status = "degraded"
		}
	}
	if r.Status == "unavailable" {
		return c.JSON(http.StatusServiceUnavailable, r)
	}
	return c.JSON(http.StatusOK, r)
}

var errPending = errors.New("server: migrations are pending")

func (s *Server) migrated(ctx context.Context) error {
	pending, err := migrations.Pending(ctx, s.Store.SQL())
	if err == nil && pending {
		err = errPending
	}
	return err
}

// check looks at one thing that requests depend on, once at a time: however often it is asked, a database that hangs
// has one connection waiting for it.
func (s *Server) check(what string, look func(context.Context) error) <-chan singleflight.Result {
	return s.checks.DoChan(what, func() (_ any, err error) {
		defer func() { // of a goroutine that no middleware stands around
			if value := recover(); value != nil {
				err = &panicked{value: value, stack: debug.Stack()}
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
		defer cancel()
		return nil, look(ctx)
	})
}

// found is what a check found, if it did in time.
func (s *Server) found(ctx context.Context, check <-chan singleflight.Result) error {
	select {
	case result := <-check:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}
