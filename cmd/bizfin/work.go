package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"bizfin/store"
	"bizfin/worker"
)

func workCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "work",
		Short: "Process uploads in the background",
		Example: `  bizfin work
  BIZFIN_LOG_LEVEL=DEBUG bizfin work`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readSettings(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := s.check(needDatabase, needRedis, needKeys); err != nil {
				return err
			}
			stopTracing, err := startTracing(cmd.Context(), "bizfin-worker")
			if err != nil {
				return err
			}
			defer stopTracing()
			return work(cmd.Context(), s, s.logger(), worker.NewMetrics(), nil)
		},
	}
}

// concurrency is how many businesses one process works on at a time: by default as many as it has cores.
func (s *settings) concurrency() int {
	if s.Workers > 0 {
		return s.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// work processes uploads until ctx ends. Where the settings name an address for metrics, it serves them there; ready is
// called once it listens.
func work(ctx context.Context, s settings, log *slog.Logger, metrics *worker.Metrics, ready func(net.Addr)) error {
	queue, err := worker.ParseRedis(s.RedisURL)
	if err != nil {
		return err
	}
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: s.DatabaseConnections})
	if err != nil {
		return err
	}
	defer db.Close()
	if s.MetricsAddr != "" {
		backlog := worker.NewBacklog(db, queue, clock)
		defer backlog.Close()
		stop, err := serveMetrics(s.MetricsAddr, metricsOfWork(db, metrics, backlog), log, ready)
		if err != nil {
			return err
		}
		defer stop()
	}
	return worker.New(worker.Config{
		Store:       db,
		Keys:        s.keys,
		Redis:       queue,
		Concurrency: s.concurrency(),
		FreeMonthly: s.FreeMonthly,
		Aggregation: s.aggregation(),
		SyncEvery:   s.AggregationInterval,
		Now:         clock,
		Log:         log,
		Metrics:     metrics,
	}).Run(ctx)
}

// metricsOfWork are all numbers of a process that works.
func metricsOfWork(db *store.DB, metrics *worker.Metrics, backlog *worker.Backlog) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics, backlog,
		collectors.NewDBStatsCollector(db.SQL(), "bizfin"),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// serveMetrics serves /metrics and /healthz of a process that has no other listener, until stop is called.
func serveMetrics(addr string, registry *prometheus.Registry, log *slog.Logger, ready func(net.Addr)) (stop func(),
	err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s for metrics; is another server there? (%w)", addr, err)
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	routes.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintln(w, `{"status":"ok"}`)
	})
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
