package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what bizfin needs, and say what to do",
		Long: `Check what bizfin needs, one line a check: the settings, PostgreSQL with its
version, encoding, extensions and migrations, the clocks, the key that opens the
stored secrets, and Redis. It changes nothing and prints no secret.

It ends with status 1 where there is a problem. A warning is something to know
that does not stop bizfin.`,
		Example: `  bizfin doctor
  bizfin doctor --json | jq '.checks[] | select(.state != "ok")'`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := examine(cmd.Context(), cmd.ErrOrStderr())
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), d); err != nil {
					return err
				}
			} else {
				showDiagnosis(terminal.On(cmd.OutOrStdout()), d)
			}
			if n := d.count(stateProblem); n > 0 {
				return fmt.Errorf("doctor found %s", counted(n, "problem"))
			}
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// examine checks one thing after the other; each part may take a few seconds at most.
func examine(ctx context.Context, notes io.Writer) *diagnosis {
	const patience = 8 * time.Second
	d := &diagnosis{}
	s, bad := d.settings(notes)
	for _, part := range []func(context.Context, settings, map[string]bool){d.database, d.redis} {
		limited, cancel := context.WithTimeout(ctx, patience)
		part(limited, s, bad)
		cancel()
	}
	d.OK = d.count(stateProblem) == 0
	return d
}

func showDiagnosis(screen *terminal.Screen, d *diagnosis) {
	screen.Line("")
	styles := map[string]terminal.Style{
		stateOK: terminal.Good, stateWarning: terminal.Warn, stateProblem: terminal.Bad, stateSkipped: terminal.Faint,
	}
	const before = 24 // columns of the state and the name
	t := screen.NewTable("", "", "")
	for _, c := range d.Checks {
		t.AppendRow(table.Row{
			screen.Paint(styles[c.State], c.State), c.Name, screen.Wrap(terminal.Plain, c.Message, screen.Width-before),
		})
		if c.Advice != "" {
			t.AppendRow(table.Row{"", "", screen.Wrap(terminal.Accent, "→ "+c.Advice, screen.Width-before)})
		}
	}
	screen.Table(t)
	problems, warnings := d.count(stateProblem), d.count(stateWarning)
	switch {
	case problems > 0:
		screen.Line("\n  %s\n", screen.Paint(terminal.Bad,
			counted(problems, "problem")+", "+counted(warnings, "warning")+"."))
	case warnings > 0:
		screen.Line("\n  %s\n", screen.Paint(terminal.Warn, "No problem, "+counted(warnings, "warning")+"."))
	default:
		screen.Line("\n  %s\n", screen.Paint(terminal.Good, "Everything is in order."))
	}
}
