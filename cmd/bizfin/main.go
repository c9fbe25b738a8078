// Command bizfin runs the Business Finance Data API and administers it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bizfin:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "bizfin",
		Short:         "Business Finance Data API",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddCommand(
		serveCommand(),
		workCommand(),
		devCommand(),
		migrateCommand(),
		partnerCommand(),
		userCommand(),
		legacyCommand(),
		tokenCommand(),
		openapiCommand(),
		settingsCommand(),
		healthCommand(),
		resealCommand(),
		versionCommand(),
	)
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintln(cmd.OutOrStdout(), version())
		},
	}
}

// release is what a build without version control is called; the linker sets it: -ldflags "-X main.release=v1.2.3".
var release string

// version is the release or the commit the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if release != "" {
		return fmt.Sprintf("bizfin %s (%s)", release, info.GoVersion)
	}
	revision, modified := "unknown", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			modified = "+changes"
		}
	}
	return fmt.Sprintf("bizfin %s%s (%s)", revision, modified, info.GoVersion)
}
