package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// docs/operations.md holds the table of settings between these lines; a test compares it.
const (
	tableBegins = "<!-- settings: made by `bizfin settings --markdown` -->"
	tableEnds   = "<!-- settings end -->"
)

func settingsCommand() *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "List the settings that the environment may hold, without their values",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if markdown {
				return writeMarkdown(cmd.OutOrStdout(), described())
			}
			return writeColumns(cmd.OutOrStdout(), described())
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "as the table of docs/operations.md")
	return cmd
}

// setting is what the struct tags say of one.
type setting struct {
	name, meaning string
	fallback      string // what holds where it is unset
	required      string // the commands that need it; empty for none
}

// described are all settings in the order of their struct.
func described() []setting {
	var list []setting
	fields := reflect.TypeFor[settings]()
	for i := range fields.NumField() {
		tag := fields.Field(i).Tag
		name, ok := tag.Lookup("env")
		if !ok {
			continue
		}
		s := setting{name: name, meaning: tag.Get("meaning"), fallback: tag.Get("unset"), required: tag.Get("required")}
		if value, ok := tag.Lookup("envDefault"); ok {
			s.fallback = "`" + value + "`"
		}
		if s.required != "" {
			s.fallback = "required: " + s.required
		}
		list = append(list, s)
	}
	return list
}

func writeMarkdown(w io.Writer, list []setting) error {
	if _, err := fmt.Fprint(w, "| variable | meaning | default |\n|---|---|---|\n"); err != nil {
		return err
	}
	for _, s := range list {
		if _, err := fmt.Fprintf(w, "| `%s` | %s | %s |\n", s.name, s.meaning, s.fallback); err != nil {
			return err
		}
	}
	return nil
}

func writeColumns(w io.Writer, list []setting) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(columns, "%s\t%s\t%s\n", s.name, strings.Trim(s.fallback, "`"), s.meaning)
	}
	return columns.Flush()
}
