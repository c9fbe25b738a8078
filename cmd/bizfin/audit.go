package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
)

func auditCommand() *cobra.Command {
	var organization, user, since string
	var f store.AuditFilter
	var page pageFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who did what: connections, uploads, deletes, answers, secrets, erasures",
		Long: `Show who did what, oldest first: of the entries that fit, the newest. Entries
have counts and ids, and nothing of what was changed. With --json each is a
line. docs/operations.md has the names of acts and actors.`,
		Example: `  bizfin audit --organization 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01 --since 24h
  bizfin audit --partner acme --action upload --since 2026-04-01 --json | jq -s 'length'`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if organization != "" {
				if f.OrganizationID, err = organizationID(organization); err != nil {
					return err
				}
			}
			if user != "" {
				if f.PersonID, err = personID(user); err != nil {
					return err
				}
			}
			if f.Since, err = parseSince(since, time.Now()); err != nil {
				return err
			}
			if f.Limit, err = page.size(); err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			if asJSON {
				return db.Audit(cmd.Context(), f, func(e store.Entry) error {
					e.At = e.At.UTC()
					return printJSON(cmd.OutOrStdout(), e)
				})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("time", "action", "actor", "who", "object", "what", "request")
			err = db.Audit(cmd.Context(), f, func(e store.Entry) error {
				t.AppendRow(auditRow(e))
				return nil
			})
			screen.Table(t)
			return err
		},
	}
	cmd.Flags().StringVar(&organization, "organization", "", "what was done to this business")
	cmd.Flags().StringVar(&user, "user", "", "what this person did, or was done to them")
	cmd.Flags().StringVar(&f.PartnerID, "partner", "", "what this partner did, or was done to it")
	cmd.Flags().StringVar(&f.Action, "action", "", "one act alone, such as upload")
	cmd.Flags().StringVar(&since, "since", "", "a time such as 24h ago, 2026-04-01 or 2026-04-01T08:30:00Z")
	cmd.Flags().IntVar(&page.limit, "limit", 1000, "how many to show, at most 10000")
	addJSONFlag(cmd, &asJSON)
	_ = cmd.RegisterFlagCompletionFunc("partner", completePartners)
	return cmd
}

func auditRow(e store.Entry) table.Row {
	object := orDash(e.ObjectType)
	if e.ObjectID != nil {
		object += " " + *e.ObjectID
	}
	return table.Row{e.At.UTC().Format(time.DateTime), e.Action, e.Actor, whoOf(e), object, countsOf(e.Counts),
		orDash(e.RequestID)}
}

func whoOf(e store.Entry) string {
	who := orDash(e.PartnerID)
	if e.PersonID != nil {
		who += " " + e.PersonID.String()
	}
	if e.TokenID != nil {
		who += " token " + *e.TokenID
	}
	return who
}

// countsOf writes {"new":3,"changed":0} as "3 new".
func countsOf(text json.RawMessage) string {
	numbers := map[string]int64{}
	_ = json.Unmarshal(text, &numbers) // the database holds nothing else
	said := ""
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if n := numbers[name]; n != 0 {
			said += fmt.Sprintf("%d %s ", n, name)
		}
	}
	return said
}

// parseSince reads how long ago, a day or a moment; the zero time where nothing is said.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since must be like 24h, 2026-04-01 or 2026-04-01T08:30:00Z, not %q", text)
}
