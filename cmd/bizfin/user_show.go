package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
)

func userListCommand() *cobra.Command {
	var f store.PersonFilter
	var page pageFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List people, oldest first",
		Example: "  bizfin user list --email ana@example.com\n" +
			"  bizfin user list --partner acme --sub user-1 --json | jq -r '.users[].user_id'",
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.Subject != "" && f.PartnerID == "" {
				return fmt.Errorf("--sub is a partner's own id of a person: give --partner with it")
			}
			if f.After, f.Limit, err = page.read(); err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.ListPersons(cmd.Context(), f)
			if err != nil {
				return err
			}
			next := nextPage(list, f.Limit, func(p store.ListedPerson) uuid.UUID { return p.ID })
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"users": list, "next": next})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("id", "e-mail", "name", "businesses", "created")
			for _, p := range list {
				t.AppendRow(table.Row{p.ID, orDash(p.Email), orDash(p.Name), p.Organizations,
					p.CreatedAt.UTC().Format(time.DateOnly)})
			}
			screen.Table(t)
			sayMore(cmd, next)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.PartnerID, "partner", "", "those whom a partner connected alone")
	cmd.Flags().StringVar(&f.Subject, "sub", "", "by the partner's own id of the person")
	cmd.Flags().StringVar(&f.Email, "email", "", "by e-mail")
	page.add(cmd)
	addJSONFlag(cmd, &asJSON)
	_ = cmd.RegisterFlagCompletionFunc("partner", completePartners)
	return cmd
}

func userShowCommand() *cobra.Command {
	return showCommand("Show a person: who they are to partners and issuers, their businesses and tokens", "user",
		personID, (*store.DB).ShowPerson, unknownPerson, func(p store.ShownPerson) []table.Row {
			rows := []table.Row{{"e-mail", orDash(p.Email)}, {"name", orDash(p.Name)}, {"demo", p.Demo},
				{"created", p.CreatedAt.UTC().Format(time.DateTime)}}
			for _, i := range p.Identities {
				rows = append(rows, table.Row{"known to", i.PartnerID + i.Issuer + " as " + i.Subject})
			}
			for _, m := range p.Memberships {
				rows = append(rows, table.Row{m.Role, m.OrganizationID.String() + revokedNote(m.RevokedAt)})
			}
			for _, token := range p.Tokens {
				rows = append(rows, table.Row{"token", token.ID + ", " + stateOfToken(token, time.Now())})
			}
			return rows
		})
}
