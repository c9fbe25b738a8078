package main

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/server"
	"bizfin/store"
)

func partnerLimitsCommand() *cobra.Command {
	var wanted limitFlags
	var reset, asJSON bool
	cmd := &cobra.Command{
		Use:   "limits ID",
		Short: "Show or change how many requests a partner and its organizations may send",
		Long: `Show or change how many requests a partner and its organizations may send.
A number that is not given stays as it is, and 0 is the usual one again.
Servers take a change within seconds, without a restart. Requests a second are
counted by all servers together, those in flight by each server.`,
		Example: `  bizfin partner limits acme
  bizfin partner limits acme --requests-per-second 200 --in-flight 32
  bizfin partner limits acme --organization-requests-per-second 50
  bizfin partner limits acme --reset        # the usual ones again`,
		Args:              arguments("ID"),
		ValidArgsFunction: completePartners,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			limits, err := db.LimitsOfPartner(cmd.Context(), args[0])
			if err != nil {
				return unknownPartner(err, args[0])
			}
			if reset {
				limits = store.PartnerLimits{PartnerID: args[0]}
			}
			changed, err := wanted.change(cmd, &limits)
			if err != nil {
				return err
			}
			if reset || changed {
				if err := db.LimitPartner(cmd.Context(), time.Now(), limits); err != nil {
					return unknownPartner(err, args[0])
				}
			}
			return showLimits(cmd, limits, asJSON)
		},
	}
	wanted.add(cmd)
	cmd.Flags().BoolVar(&reset, "reset", false, "the usual limits again, but for those given beside it")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// limitFlags are the numbers of the command, by the names of their flags.
type limitFlags struct{ values [4]int }

var limitNames = [4]string{"requests-per-second", "in-flight", "organization-requests-per-second",
	"organization-in-flight"}

var limitMeanings = [4]string{"requests a second of the partner", "requests in flight of the partner",
	"requests a second of each of its organizations", "requests in flight of each of its organizations"}

// most is beyond what any server answers, and fits into the database.
const most = 1_000_000

func (f *limitFlags) add(cmd *cobra.Command) {
	for i, name := range limitNames {
		cmd.Flags().IntVar(&f.values[i], name, 0, limitMeanings[i])
	}
}

// change puts the numbers that were given into limits.
func (f *limitFlags) change(cmd *cobra.Command, limits *store.PartnerLimits) (changed bool, err error) {
	for i, own := range places(limits) {
		if !cmd.Flags().Changed(limitNames[i]) {
			continue
		}
		if f.values[i] < 0 || f.values[i] > most {
			return false, fmt.Errorf("--%s must be a number from 1 to %d, or 0 for the usual one", limitNames[i], most)
		}
		changed, *own = true, nil
		if f.values[i] > 0 {
			*own = &f.values[i]
		}
	}
	return changed, nil
}

// places are the numbers of limits in the order of limitNames.
func places(limits *store.PartnerLimits) [4]**int {
	return [4]**int{&limits.PerSecond, &limits.InFlight, &limits.OrganizationPerSecond, &limits.OrganizationInFlight}
}

// shownLimit is one limit as it holds.
type shownLimit struct {
	Limit int  `json:"limit"`
	Usual bool `json:"usual"` // it holds for every partner that has none of its own
}

func showLimits(cmd *cobra.Command, limits store.PartnerLimits, asJSON bool) error {
	usual := [4]int{server.UsualRules.Partner.PerSecond, server.UsualRules.Partner.InFlight,
		server.UsualRules.Organization.PerSecond, server.UsualRules.Organization.InFlight}
	var shown [4]shownLimit
	for i, own := range places(&limits) {
		shown[i] = shownLimit{usual[i], true}
		if *own != nil {
			shown[i] = shownLimit{**own, false}
		}
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), map[string]any{"partner_id": limits.PartnerID,
			"requests_per_second": shown[0], "in_flight": shown[1],
			"organization_requests_per_second": shown[2], "organization_in_flight": shown[3]})
	}
	screen := terminal.On(cmd.OutOrStdout())
	t := screen.NewTable("limit", "number", "")
	for i, one := range shown {
		note := ""
		if one.Usual {
			note = "usual"
		}
		t.AppendRow(table.Row{limitMeanings[i], one.Limit, note})
	}
	screen.Table(t)
	return nil
}
