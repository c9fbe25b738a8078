package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/migrations"
)

func migrateDistributeCommand() *cobra.Command {
	var asJSON, status, trial bool
	cmd := &cobra.Command{
		Use:   "distribute",
		Short: "Spread the tables of businesses over the nodes of a Citus",
		Long: `Spread the tables of businesses over the nodes of a Citus, all rows of a
business on one of them, in one transaction: a kill leaves all as it was. After
each later "migrate up" it spreads what the new steps brought. With --status it
changes nothing, says where each table is, and ends with status 1 where one is
not where it should be.

bizfin answers from a spread database, more slowly than from one machine of the
same size, and not all that a worker does is done there: docs/scaling.md has
what it costs and what it lacks. So it needs --trial, and there is no way back
but a backup.`,
		Example: "  bizfin migrate distribute --status\n  bizfin migrate distribute --trial",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !status && !trial {
				return &failure{"a spread database is on trial",
					"docs/scaling.md says what it costs and lacks; --trial spreads this one, --status looks"}
			}
			db, err := openForMigration(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			spread := []string{}
			if !status {
				now, err := migrations.Distribute(cmd.Context(), db.SQL())
				if err != nil {
					return inWordsOfCitus(err)
				}
				spread = append(spread, now...)
			}
			places, err := migrations.Places(cmd.Context(), db.SQL())
			if err != nil {
				return inWordsOfCitus(err)
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), map[string]any{"spread": spread, "tables": places})
			} else {
				showPlaces(terminal.On(cmd.OutOrStdout()), places)
			}
			elsewhere := 0
			for _, p := range places {
				if p.Wanted != "" && !p.In() {
					elsewhere++
				}
			}
			if err == nil && elsewhere > 0 {
				err = fmt.Errorf("%s not where it should be: bizfin migrate distribute --trial",
					counted(elsewhere, "table"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&status, "status", false, "say where the tables are, and change nothing")
	cmd.Flags().BoolVar(&trial, "trial", false, "spread the database, knowing what docs/scaling.md says of it")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// showPlaces shows where each table is, and where it should be.
func showPlaces(screen *terminal.Screen, places []migrations.Place) {
	t := screen.NewTable("table", "is", "should be")
	for _, p := range places {
		is, wanted := "local", p.Wanted
		if p.Distributed {
			is = "distributed"
		}
		if wanted == "" {
			wanted = "unknown: it is no table of this program"
		}
		t.AppendRow([]any{p.Table, is, wanted})
	}
	screen.Table(t)
}

// inWordsOfCitus says what to do where the database cannot be spread.
func inWordsOfCitus(err error) error {
	switch {
	case errors.Is(err, migrations.ErrNoCitus):
		return &failure{"this database is on one machine: it has no extension citus",
			"plain PostgreSQL is the usual way; docs/scaling.md says when to leave it, and how"}
	case errors.Is(err, migrations.ErrNotUp):
		return &failure{"the schema is of another version than this program", "bizfin migrate up"}
	default:
		return err
	}
}
