package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
)

func snapshotsCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "snapshots",
		Short: "See to account lists of the webhook that were not applied",
		Long: `See to account lists of the webhook that were not applied. A worker gives one up
after 20 attempts, which take a quarter of an hour, and says why in its log.`,
		Example: "  bizfin snapshots list --dead\n  bizfin snapshots retry --all",
	}, snapshotsListCommand(), snapshotsRetryCommand(), snapshotsDropCommand())
}

// listedSnapshot is a snapshot as the list shows it; nothing of what it holds.
type listedSnapshot struct {
	ID         int64      `json:"id"`
	PartnerID  string     `json:"partner_id"`
	Subject    string     `json:"sub"`
	State      string     `json:"state"` // pending or dead
	Attempts   int        `json:"attempts"`
	ReceivedAt time.Time  `json:"received_at"`
	GivenUpAt  *time.Time `json:"given_up_at"`
	Superseded bool       `json:"superseded"` // a later list of the person was applied
}

func snapshotsListCommand() *cobra.Command {
	const most = 10_000
	var dead, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List those that wait or were given up, oldest first",
		Example: "  bizfin snapshots list\n" +
			"  bizfin snapshots list --dead --json | jq '.snapshots[] | select(.superseded) | .id'",
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			found, err := db.WaitingSnapshots(cmd.Context(), dead, most)
			if err != nil {
				return err
			}
			list := make([]listedSnapshot, len(found))
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("id", "state", "attempts", "received", "partner", "person", "")
			for i, s := range found {
				list[i] = listedSnapshot{ID: s.ID, PartnerID: s.PartnerID, Subject: s.Subject, State: s.State,
					Attempts: s.Attempts, ReceivedAt: s.ReceivedAt.UTC(), GivenUpAt: s.EndedAt,
					Superseded: s.Superseded}
				note := ""
				if s.Superseded {
					note = "a later one was applied"
				}
				t.AppendRow(table.Row{s.ID, s.State, s.Attempts, list[i].ReceivedAt.Format(time.DateTime), s.PartnerID,
					s.Subject, note})
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"snapshots": list})
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "There is none.")
				return nil
			}
			screen.Table(t)
			return nil
		},
	}
	cmd.Flags().BoolVar(&dead, "dead", false, "those that were given up alone")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func snapshotsRetryCommand() *cobra.Command {
	return onDeadSnapshots("retry", "Have those applied that were given up, but for superseded ones",
		func(ctx context.Context, db *store.DB, ids []int64) (bool, map[string]any, string, error) {
			retried, stay, err := db.RetrySnapshots(ctx, time.Now(), ids)
			text := fmt.Sprintf("%d tried again", retried)
			if stay > 0 {
				text += fmt.Sprintf("; %d left as they are: a later list of the person was applied\n  They can go: "+
					"bizfin snapshots drop ID", stay)
			}
			return retried+stay > 0, map[string]any{"retried": retried, "superseded": stay}, text, err
		})
}

func snapshotsDropCommand() *cobra.Command {
	return onDeadSnapshots("drop", "Remove those that were given up, with what they hold",
		func(ctx context.Context, db *store.DB, ids []int64) (bool, map[string]any, string, error) {
			dropped, err := db.DropSnapshots(ctx, time.Now(), ids)
			return dropped > 0, map[string]any{"dropped": dropped}, fmt.Sprintf("%d dropped", dropped), err
		})
}

// onDeadSnapshots is a command for one snapshot, or for all.
func onDeadSnapshots(name, short string,
	do func(context.Context, *store.DB, []int64) (found bool, said map[string]any, text string, err error),
) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:     name + " [ID]",
		Short:   short,
		Example: "  bizfin snapshots " + name + " 42\n  bizfin snapshots " + name + " --all",
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return arguments()(cmd, args)
			}
			return arguments("ID (or --all)")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var ids []int64
			if !all {
				id, err := strconv.ParseInt(args[0], 10, 64)
				if err != nil {
					return fmt.Errorf("%q is no id of a snapshot\n  Those there are: bizfin snapshots list --dead",
						args[0])
				}
				ids = []int64{id}
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			found, said, text, err := do(cmd.Context(), db, ids)
			if err != nil {
				return err
			}
			if !all && !found {
				return fmt.Errorf("no snapshot %s was given up\n  Those that were: bizfin snapshots list --dead",
					args[0])
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), said)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that were given up")
	addJSONFlag(cmd, &asJSON)
	return cmd
}
