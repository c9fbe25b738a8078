package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
)

// addJSONFlag gives a command that prints data its form for programs.
func addJSONFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON writes a value for programs, in one line.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
