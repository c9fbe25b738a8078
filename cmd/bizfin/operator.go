package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// operatorRoutes are the routes of an address that is not for callers.
func operatorRoutes(numbers prometheus.Gatherer) http.Handler {
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", promhttp.HandlerFor(numbers, promhttp.HandlerOpts{}))
	routes.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintln(w, `{"status":"ok"}`)
	})
	return routes
}

// serveMetrics serves what is not for callers at an address of its own, until stop is called.
func serveMetrics(addr string, routes http.Handler, log *slog.Logger, ready func(net.Addr)) (stop func(), err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s, which BIZFIN_METRICS_ADDR says; is another server there? (%w)",
			addr, err)
	}
	srv := &http.Server{Handler: routes, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout}
	log.Info("metrics", slog.String("addr", listener.Addr().String()))
	if ready != nil {
		ready(listener.Addr())
	}
	go func() {
		if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more", slog.Any("error", err))
		}
	}()
	return func() { _ = srv.Close() }, nil
}

// tellWhatIsAway says at the start what cannot be reached. It is no reason to stop: what is away comes back.
func tellWhatIsAway(ctx context.Context, log *slog.Logger, database, queue func(context.Context) error) {
	const patience = 5 * time.Second
	for _, of := range []struct {
		ping    func(context.Context) error
		message string
		advice  string
	}{
		{database, "the database does not answer; requests fail and nothing is processed until it does",
			"start it, or correct BIZFIN_DATABASE_URL; bizfin doctor looks for the cause"},
		{queue, "the queue does not answer; uploads are kept, and processed later than usual until it does",
			"start Redis, or correct BIZFIN_REDIS_URL; bizfin doctor looks for the cause"},
	} {
		limited, cancel := context.WithTimeout(ctx, patience)
		err := of.ping(limited)
		cancel()
		if err != nil && ctx.Err() == nil {
			log.Error(of.message, slog.String("advice", of.advice))
		}
	}
}
