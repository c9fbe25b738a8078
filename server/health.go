package server

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"bizfin/migrations"
)

// quiet routes are asked every few seconds by machines; their lines are for debugging only.
var quiet = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

func (s *Server) serveHealth(e *echo.Echo) {
	e.GET("/healthz", func(c echo.Context) error {
		return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
	})
	e.GET("/readyz", s.ready)
	e.GET("/metrics", echo.WrapHandler(promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{})))
}

// readiness names the state of everything a request depends on.
type readiness struct {
	Status     string `json:"status"`     // ready, degraded or unavailable
	Database   string `json:"database"`   // ok or unreachable
	Migrations string `json:"migrations"` // ok, pending or unknown
	Queue      string `json:"queue"`      // ok or unreachable
}

// ready says whether requests can be served. Without the queue they can: processing is late, and nothing is lost.
func (s *Server) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 2*time.Second)
	defer cancel()
	r := readiness{Status: "ready", Database: "ok", Migrations: "ok", Queue: "ok"}
	if s.pingQueue(ctx) != nil {
		r.Status, r.Queue = "degraded", "unreachable"
	}
	if s.Store.Ping(ctx) != nil {
		r.Status, r.Database, r.Migrations = "unavailable", "unreachable", "unknown"
	} else if pending, err := migrations.Pending(ctx, s.Store.SQL()); err != nil {
		r.Status, r.Migrations = "unavailable", "unknown"
	} else if pending {
		r.Status, r.Migrations = "unavailable", "pending"
	}
	if r.Status == "unavailable" {
		return c.JSON(http.StatusServiceUnavailable, r)
	}
	return c.JSON(http.StatusOK, r)
}

// pingQueue gives the queue half of the time: one that hangs must leave enough to find the database well.
func (s *Server) pingQueue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return s.PingQueue(ctx)
}
