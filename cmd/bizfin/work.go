package main

import (
	"context"
	"log/slog"
	"time"

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
			return work(cmd.Context(), s, s.logger())
		},
	}
}

// workers is how many tasks one process runs at once.
const workers = 2

// work processes uploads until ctx ends.
func work(ctx context.Context, s settings, log *slog.Logger) error {
	queue, err := worker.ParseRedis(s.RedisURL)
	if err != nil {
		return err
	}
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: s.DatabaseConnections})
	if err != nil {
		return err
	}
	defer db.Close()
	return worker.New(worker.Config{
		Store:       db,
		Keys:        s.keys,
		Redis:       queue,
		Concurrency: workers,
		FreeMonthly: s.FreeMonthly,
		Aggregation: s.aggregation(),
		SyncEvery:   s.AggregationInterval,
		Now:         time.Now,
		Log:         log,
	}).Run(ctx)
}
