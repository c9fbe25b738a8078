package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func healthCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "health URL",
		Short: "Ask a running process whether it is well, from an image without curl",
		Example: `  bizfin health http://127.0.0.1:8080/readyz   # the API
  bizfin health http://127.0.0.1:9090/healthz  # a worker with BIZFIN_METRICS_ADDR=:9090`,
		Args: arguments("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, args[0], nil)
			if err != nil {
				return err
			}
			response, err := (&http.Client{Timeout: 5 * time.Second}).Do(r)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", args[0], response.Status)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{"status": "ok"})
			}
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}
