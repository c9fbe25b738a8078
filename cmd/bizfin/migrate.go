package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/pressly/goose/v3"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
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
	return group(&cobra.Command{
		Use:     "migrate",
		Short:   "Change the database schema",
		Example: "  bizfin migrate status\n  bizfin migrate up",
	}, migrateUpCommand(), migrateDownCommand(), migrateStatusCommand())
}

func migrateUpCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "up",
		Short:   "Bring the schema to the newest step",
		Example: "  bizfin migrate up",
		Args:    arguments(),
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
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]int{"taken": steps})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d steps taken\n", steps)
			return err
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func migrateDownCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "down",
		Short:   "Take the newest step back, with the data it holds",
		Example: "  bizfin migrate down",
		Args:    arguments(),
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
			if errors.Is(err, goose.ErrNoNextVersion) {
				return errors.New("no step is taken, so there is none to take back")
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{"taken_back": path.Base(result.Source.Path)})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "took back", path.Base(result.Source.Path))
			return err
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// migrationStep is a step of the schema.
type migrationStep struct {
	Step    string     `json:"step"`
	State   string     `json:"state"` // applied or pending
	TakenAt *time.Time `json:"taken_at"`
}

func migrateStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the steps and whether they were taken",
		Example: "  bizfin migrate status\n  bizfin migrate status --json | jq '.steps[] | select(.state == " +
			"\"pending\")'",
		Args: arguments(),
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
			list, err := provider.Status(cmd.Context())
			if err != nil {
				return err
			}
			var steps []migrationStep
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("state", "step", "taken")
			for _, s := range list {
				step, taken := migrationStep{Step: path.Base(s.Source.Path), State: string(s.State)}, ""
				if !s.AppliedAt.IsZero() {
					at := s.AppliedAt.UTC()
					step.TakenAt, taken = &at, at.Format(time.DateTime)
				}
				steps = append(steps, step)
				t.AppendRow(table.Row{step.State, step.Step, cmp.Or(taken, "bizfin migrate up")})
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"steps": steps})
			}
			screen.Table(t)
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}
