package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/pressly/goose/v3"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/migrations"
)

func migrateCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "migrate",
		Short:   "Change the database schema",
		Example: "  bizfin migrate status\n  bizfin migrate up",
	}, migrateUpCommand(), migrateDownCommand(), migrateStatusCommand(), migrateDistributeCommand())
}

func migrateUpCommand() *cobra.Command {
	var asJSON bool
	var program string
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring the schema to the newest step",
		Long: `Bring the schema to the newest step. With --grant another role may then read and
write rows, and cannot change the schema: run the other commands as that one. A
role that was granted that before gets what the new steps need without being
named again.`,
		Example: "  bizfin migrate up\n  bizfin migrate up --grant bizfin_program",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := openForMigration(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			steps, err := migrations.Up(cmd.Context(), db.SQL())
			if errors.Is(err, migrations.ErrProgramsBehind) {
				return fmt.Errorf("%w\n  No step was taken: programs of that age would go on and count rows wrongly.\n"+
					"  Stop all that use this database, and run this again; see docs/operations.md, Upgrade", err)
			}
			if err != nil {
				return err
			}
			if err := migrations.GrantAgain(cmd.Context(), db.SQL()); err != nil {
				return err
			}
			if program != "" {
				err := migrations.Grant(cmd.Context(), db.SQL(), program)
				if errors.Is(err, migrations.ErrNoRole) {
					return fmt.Errorf("there is no role %q to be granted anything\n  Make it as a superuser: CREATE "+
						"ROLE … LOGIN PASSWORD …; deploy/roles.sql makes both roles", program)
				}
				if err != nil {
					return err
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]int{"taken": steps})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d steps taken\n", steps)
			return err
		},
	}
	cmd.Flags().StringVar(&program, "grant", "", "the role that the other commands run as")
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
