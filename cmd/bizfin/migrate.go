package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"bizfin/migrations"
)

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "migrate", Short: "Change the database schema"}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "up",
			Short: "Bring the schema to the newest step",
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				_, db, err := openStore(cmd.ErrOrStderr())
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
				_, db, err := openStore(cmd.ErrOrStderr())
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
				_, db, err := openStore(cmd.ErrOrStderr())
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
