package main

import (
	"github.com/spf13/cobra"

	"bizfin/openapi"
)

func openapiCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "openapi",
		Short: "Print the API's OpenAPI document",
		Example: `  bizfin openapi > openapi.yaml
  bizfin openapi --json | jq '.paths | keys'`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				doc, err := openapi.Load()
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), doc)
			}
			_, err := cmd.OutOrStdout().Write(openapi.YAML)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of YAML")
	return cmd
}
