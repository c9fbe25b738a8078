// Command bizfin runs the Business Finance Data API and administers it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // authorities for an image that has none, and nothing else
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := execute(ctx, root())
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		const interrupted = 130 // as shells call it
		os.Exit(interrupted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bizfin:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "bizfin",
		Short: "Business Finance Data API",
		Long: `Business Finance Data API: partners upload their users' bank accounts and
transactions, bizfin understands them, and people and their agents read the
books.

Settings come from the environment (BIZFIN_…). Where one is unset, commands use
.local/dev.json, which "bizfin dev" writes in its folder. Commands that print
data print JSON with --json.

Completion: source <(bizfin completion bash); other shells: completion --help`,
		Example: `  bizfin dev       # everything on this machine
  bizfin demo      # from another terminal: a year of a made-up business
  bizfin doctor    # what is missing, and what to do`,
		SilenceUsage:  true,
		SilenceErrors: true,
	},
		serveCommand(),
		workCommand(),
		devCommand(),
		migrateCommand(),
		partnerCommand(),
		organizationCommand(),
		userCommand(),
		legacyCommand(),
		snapshotsCommand(),
		billingCommand(),
		demoCommand(),
		importCommand(),
		reportCommand(),
		doctorCommand(),
		tokenCommand(),
		grantCommand(),
		auditCommand(),
		openapiCommand(),
		settingsCommand(),
		healthCommand(),
		resealCommand(),
		versionCommand(),
	)
	return inParts(cmd)
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Example: "  bizfin version --json",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{"version": version()})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}
