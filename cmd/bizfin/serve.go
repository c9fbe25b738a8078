package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"

	"bizfin/server"
	"bizfin/server/limit"
	"bizfin/store"
	"bizfin/worker"
)

func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve the API",
		Example: `  bizfin doctor && bizfin serve
  BIZFIN_ADDR=127.0.0.1:9000 bizfin serve`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readSettings(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
				return err
			}
			stopTracing, err := startTracing(cmd.Context(), "bizfin-api")
			if err != nil {
				return err
			}
			defer stopTracing()
			return serve(cmd.Context(), s, s.logger(), nil)
		},
	}
}

// serve answers requests until ctx ends, then lets the ones under way finish. ready is called once it listens; others
// are shown at /metrics too.
func serve(ctx context.Context, s settings, log *slog.Logger, ready func(net.Addr),
	others ...prometheus.Collector) error {
	// Bodies come and go: the collector runs seldom while there is room, and keeps to the limit when there is not.
	debug.SetGCPercent(300)
	debug.SetMemoryLimit(s.MemoryLimit)
	db, err := store.Open(s.DatabaseURL, store.Options{
		MaxConnections:  s.DatabaseConnections,
		NodeConnections: s.NodeConnections,
		// So that a statement, or a connection that hangs, ends before its request does.
		StatementTimeout: s.RequestTimeout * 5 / 6,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	queue, err := worker.ParseRedis(s.RedisURL)
	if err != nil {
		return err
	}
	ping, stopPing := worker.Ping(queue)
	defer stopPing()
	counting := queue.MakeRedisClient().(redis.UniversalClient)
	defer counting.Close()
	go tellWhatIsAway(ctx, log, db.Ping, ping)
	backlog := worker.NewBacklog(db, queue, clock)
	defer backlog.Close()
	signal := worker.NewSignal(queue, log)
	signaling, stopSignal := context.WithCancel(context.Background())
	defer stopSignal()
	go signal.Run(signaling)
	api, err := server.New(server.Config{
		Store:            db,
		Keys:             s.keys,
		Audience:         s.Audience,
		TokenLifetime:    s.PartnerTokenLifetime,
		PublicURL:        s.PublicURL,
		RequestTimeout:   s.RequestTimeout,
		FreeMonthly:      s.FreeMonthly,
		Now:              clock,
		Log:              log,
		PingQueue:        ping,
		Accepted:         signal.Accepted,
		AccessTokens:     s.accessTokens(log),
		SignIn:           s.signIn(),
		Proxies:          s.proxies,
		CORSOrigins:      s.CORSOrigins,
		BillingSecrets:   s.StripeWebhookSecret,
		MetricsElsewhere: s.MetricsAddr != "",
		Limits:           limit.New(counting, limit.Patience, log),
		Collectors:       append(others, backlog, buildInfo()),
	})
	if err != nil {
		return err
	}
	handler, err := api.Handler()
	if err != nil {
		return err
	}
	if s.MetricsAddr != "" {
		routes := withConsole(operatorRoutes(api.Metrics()), queue, s.OperatorPassword, log)
		stop, err := serveMetrics(s.MetricsAddr, routes, log, nil)
		if err != nil {
			return err
		}
		defer stop()
	} else {
		handler = withConsole(handler, queue, s.OperatorPassword, log)
	}
	return listen(ctx, s.Addr, traced(handler), log, ready)
}

// traced gives each request a trace of its own, linked to the one that its sender names: strangers do not choose the
// ids that operators look for, nor what is sampled.
func traced(handler http.Handler) http.Handler {
	return otelhttp.NewHandler(handler, "http", otelhttp.WithPublicEndpointFn(func(*http.Request) bool { return true }))
}
