package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
)

func organizationCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "organization",
		Short: "Look up, export and erase businesses",
		Example: "  bizfin organization list --partner acme\n" +
			"  bizfin organization show 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01",
	}, organizationListCommand(), organizationShowCommand(), organizationExportCommand(),
		organizationEraseCommand())
}

func organizationListCommand() *cobra.Command {
	var f store.OrganizationFilter
	var page pageFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List businesses, oldest first",
		Example: "  bizfin organization list --partner acme --business biz-1\n" +
			"  bizfin organization list --limit 1000 --json | jq -r '.organizations[].organization_id'",
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.After, f.Limit, err = page.read(); err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.ListOrganizations(cmd.Context(), f)
			if err != nil {
				return err
			}
			next := nextPage(list, f.Limit, func(o store.ListedOrganization) uuid.UUID { return o.ID })
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"organizations": list, "next": next})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("id", "partner", "business", "tier", "members", "created", "name")
			for _, o := range list {
				t.AppendRow(table.Row{o.ID, orDash(o.PartnerID), orDash(o.BusinessID), orDash(o.Tier), o.Members,
					o.CreatedAt.UTC().Format(time.DateOnly), o.Name})
			}
			screen.Table(t)
			sayMore(cmd, next)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.PartnerID, "partner", "", "those of a partner alone")
	cmd.Flags().StringVar(&f.BusinessID, "business", "", "by the partner's own id of the business")
	page.add(cmd)
	addJSONFlag(cmd, &asJSON)
	_ = cmd.RegisterFlagCompletionFunc("partner", completePartners)
	return cmd
}

func organizationShowCommand() *cobra.Command {
	return showCommand("Show a business: who is in it, where its accounts come from, how much it holds", "organization",
		organizationID, (*store.DB).ShowOrganization, unknownOrganization,
		func(o store.ShownOrganization) []table.Row {
			rows := []table.Row{{"name", o.Name}, {"partner", orDash(o.PartnerID)},
				{"business", orDash(o.BusinessID)}, {"tier", orDash(o.Tier)},
				{"created", o.CreatedAt.UTC().Format(time.DateTime)}, {"transactions", o.Transactions},
				{"open questions", o.Questions}, {"last upload", moment(o.LastUploadAt)}}
			for _, s := range o.Sources {
				rows = append(rows, table.Row{"source " + s.Kind, fmt.Sprintf("%s %s, %d accounts, %d active", s.ID,
					s.State, s.Accounts, s.Active)})
			}
			for _, m := range o.People {
				rows = append(rows, table.Row{m.Role, m.PersonID.String() + revokedNote(m.RevokedAt)})
			}
			return rows
		})
}

// showCommand shows one thing by its id: as a table, or as it is for programs.
func showCommand[T any](short, what string, read func(text string) (uuid.UUID, error),
	find func(db *store.DB, ctx context.Context, id uuid.UUID) (T, error), unknown func(error, uuid.UUID) error,
	rows func(T) []table.Row) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   short,
		Example: fmt.Sprintf("  bizfin %s show %s", what, exampleID),
		Args:    arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := read(args[0])
			if err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			found, err := find(db, cmd.Context(), id)
			if err != nil {
				return unknown(err, id)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), found)
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable(what, id.String())
			t.AppendRows(rows(found))
			screen.Table(t)
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}
