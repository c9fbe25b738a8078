package main

import (
	"context"
	"log/slog"
	"net"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
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
	// One connection is left for the pulse.
	db, err := store.Open(s.DatabaseURL, store.Options{
		MaxConnections:  max(s.DatabaseConnections-1, 1),
		NodeConnections: s.NodeConnections,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	watching, stop := context.WithCancel(context.WithoutCancel(ctx)) // tasks end after ctx
	defer stop()
	go db.Watch(watching)
	ping, stopPing := worker.Ping(queue)
	defer stopPing()
	go tellWhatIsAway(ctx, log, db.Ping, ping)
	if s.MetricsAddr != "" {
		backlog := worker.NewBacklog(db, queue, clock)
		defer backlog.Close()
		stop, err := serveMetrics(s.MetricsAddr, operatorRoutes(metricsOfWork(db, metrics, backlog)), log, ready)
		if err != nil {
			return err
		}
		defer stop()
	}
	return worker.New(worker.Config{
		Store:          db,
		Keys:           s.keys,
		Redis:          queue,
		Concurrency:    s.concurrency(),
		FreeMonthly:    s.FreeMonthly,
		Aggregation:    s.aggregation(),
		SyncEvery:      s.AggregationInterval,
		Payments:       s.payments(),
		ReconcileEvery: s.StripeInterval,
		Keep: worker.Keep{Ended: s.KeepEnded, Questions: s.KeepQuestions, Answered: s.KeepAnswered, Audit: s.KeepAudit,
			Deleted: s.KeepDeleted, Disconnected: s.KeepDisconnected},
		Log:     log,
		Metrics: metrics,
	}).Run(ctx)
}

// metricsOfWork are all numbers of a process that works.
func metricsOfWork(db *store.DB, metrics *worker.Metrics, backlog *worker.Backlog) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics, backlog, buildInfo(),
		collectors.NewDBStatsCollector(db.SQL(), "bizfin"),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}
