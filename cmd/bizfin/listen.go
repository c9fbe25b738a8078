package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

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

func listen(ctx context.Context, addr string, handler http.Handler, log *slog.Logger, ready func(net.Addr)) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s, which BIZFIN_ADDR says; is another server there? (%w)", addr, err)
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
