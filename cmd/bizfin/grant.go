package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
)

func grantCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "grant",
		Short: "Show and end what people let agents do",
		Example: "  bizfin grant list --partner acme\n" +
			"  bizfin grant revoke --user 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01",
	}, grantListCommand(), grantRevokeCommand())
}

// grantFlags say which grants are meant.
type grantFlags struct{ id, user, partner, client string }

func (f *grantFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.user, "user", "", "those of a person")
	cmd.Flags().StringVar(&f.partner, "partner", "", "those on the word of a partner")
	cmd.Flags().StringVar(&f.client, "client", "", "those of a program, by its client id")
}

func (f *grantFlags) filter() (filter store.GrantFilter, err error) {
	filter.PartnerID, filter.ClientID = f.partner, f.client
	if f.user != "" {
		filter.PersonID, err = personID(f.user)
	}
	if f.id != "" && err == nil {
		if filter.ID, err = uuid.Parse(f.id); err != nil {
			err = fmt.Errorf("%q is no id of a grant\n  Those there are: bizfin grant list", f.id)
		}
	}
	return filter, err
}

// listedGrant is a grant as the list shows it.
type listedGrant struct {
	ID            uuid.UUID   `json:"grant_id"`
	Kind          string      `json:"kind"` // consent, or exchange by the partner
	PersonID      uuid.UUID   `json:"user_id"`
	PartnerID     string      `json:"partner_id"`
	ClientID      *string     `json:"client_id"`
	ClientName    *string     `json:"client_name"`
	Scopes        []string    `json:"scopes"`
	Organizations []uuid.UUID `json:"organization_ids"`
	CreatedAt     time.Time   `json:"created_at"`
	UsedAt        time.Time   `json:"last_used_at"`
	ExpiresAt     time.Time   `json:"expires_at"`
}

func grantListCommand() *cobra.Command {
	var which grantFlags
	var page pageFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what people let agents do, newest first",
		Example: "  bizfin grant list\n  bizfin grant list --partner acme --json | jq -r '.grants[].grant_id'",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := which.filter()
			if err != nil {
				return err
			}
			limit, err := page.size()
			if err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			listed, err := db.Grants(cmd.Context(), time.Now(), filter, store.Page{Limit: limit})
			if err != nil {
				return err
			}
			grants := listed.Rows
			if asJSON {
				list := make([]listedGrant, len(grants))
				for i, g := range grants {
					list[i] = listedGrant{g.ID, g.Kind, g.PersonID, g.PartnerID, g.ClientID, g.ClientName, g.Scopes,
						g.Organizations, g.CreatedAt.UTC(), g.UsedAt.UTC(), g.ExpiresAt.UTC()}
				}
				return printJSON(cmd.OutOrStdout(), map[string]any{"grants": list})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("id", "user", "partner", "program", "scopes", "businesses", "used", "until")
			for _, g := range grants {
				program := "exchanged by the partner"
				if g.ClientName != nil {
					program = *g.ClientName
				}
				t.AppendRow(table.Row{g.ID, g.PersonID, g.PartnerID, program, strings.Join(g.Scopes, " "),
					len(g.Organizations), moment(&g.UsedAt), moment(&g.ExpiresAt)})
			}
			screen.Table(t)
			return nil
		},
	}
	which.add(cmd)
	cmd.Flags().IntVar(&page.limit, "limit", 100, "how many to list, at most 10000")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func grantRevokeCommand() *cobra.Command {
	var which grantFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "revoke",
		Short: "End what people let agents do, with all tokens, at once",
		Example: `  bizfin grant revoke --id 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01
  bizfin grant revoke --client https://agent.example.com/client.json`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := which.filter()
			if err != nil {
				return err
			}
			if filter == (store.GrantFilter{}) {
				return errors.New("say which: --id, --user, --partner or --client")
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			ended, err := db.EndGrants(cmd.Context(), time.Now(), filter)
			if err != nil {
				return err
			}
			if ended == 0 && which.id != "" {
				return fmt.Errorf("there is no grant %s in force that fits\n  Those there are: bizfin grant list",
					which.id)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]int{"revoked": ended})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d revoked\n", ended)
			return err
		},
	}
	which.add(cmd)
	cmd.Flags().StringVar(&which.id, "id", "", "the one with this id; see: bizfin grant list")
	addJSONFlag(cmd, &asJSON)
	return cmd
}
