package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

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

// What a client may take over the parts of a request. Headers are large because a token may be 64 KiB. A body and an
// answer that move have deadlines of their own (server/intake.go, server/steady.go); these are for everything else.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 3 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 128 << 10
	drainTimeout      = 20 * time.Second
)

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

func listen(ctx context.Context, addr string, handler http.Handler, log *slog.Logger, ready func(net.Addr)) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s; is another server there? (%w)", addr, err)
	}
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.Info("listening", slog.String("addr", listener.Addr().String()))
	if ready != nil {
		ready(listener.Addr())
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		stopped <- srv.Shutdown(drain)
	}()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	log.Info("stopped")
	return <-stopped
}
