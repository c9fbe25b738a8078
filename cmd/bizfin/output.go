package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

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

// orDash shows what may be absent.
func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return cmp.Or(*text, "-")
}

func moment(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format(time.DateTime)
}

func revokedNote(at *time.Time) string {
	if at == nil {
		return ""
	}
	return ", revoked " + moment(at)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
