package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"bizfin/migrations"
	"bizfin/store"
)

// migrationPatience is what a step may take: building an index over a large table takes long.
const migrationPatience = 12 * time.Hour

// openForMigration opens the database without the limits of requests.
func openForMigration(notes io.Writer) (*store.DB, error) {
	s, err := readSettings(notes)
	if err != nil {
		return nil, err
	}
	if err := s.check(needDatabase); err != nil {
		return nil, err
	}
	return store.Open(s.DatabaseURL, store.Options{MaxConnections: 2, StatementTimeout: migrationPatience})
}

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "migrate", Short: "Change the database schema"}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "up",
			Short: "Bring the schema to the newest step",
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				db, err := openForMigration(cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				defer db.Close()
				steps, err := migrations.Up(cmd.Context(), db.SQL())
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%d steps taken\n", steps)
				return nil
			},
		},
		&cobra.Command{
			Use:   "down",
			Short: "Take the newest step back, with the data it holds",
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				db, err := openForMigration(cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				defer db.Close()
				provider, err := migrations.Provider(db.SQL())
				if err != nil {
					return err
				}
				result, err := provider.Down(cmd.Context())
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), "took back", result.Source.Path)
				return nil
			},
		},
		&cobra.Command{
			Use:   "status",
			Short: "List the steps and whether they were taken",
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				db, err := openForMigration(cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				defer db.Close()
				provider, err := migrations.Provider(db.SQL())
				if err != nil {
					return err
				}
				steps, err := provider.Status(cmd.Context())
				if err != nil {
					return err
				}
				for _, step := range steps {
					fmt.Fprintf(cmd.OutOrStdout(), "%-8s %s\n", step.State, step.Source.Path)
				}
				return nil
			},
		},
	)
	return cmd
}
