package main

import (
	"fmt"
	"io"
	"reflect"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// docs/operations.md holds the table of settings between these lines; a test compares it.
const (
	tableBegins = "<!-- settings: made by `bizfin settings --markdown` -->"
	tableEnds   = "<!-- settings end -->"
)

func settingsCommand() *cobra.Command {
	var markdown, asJSON bool
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "List the settings that the environment may hold, without their values",
		Example: `  bizfin settings
  bizfin settings --json | jq -r '.settings[].name'`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"settings": described()})
			}
			if markdown {
				return writeMarkdown(cmd.OutOrStdout(), described())
			}
			return writeColumns(cmd.OutOrStdout(), described())
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the table of docs/operations.md")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// setting is what the struct tags say of one.
type setting struct {
	Name     string `json:"name"`
	Meaning  string `json:"meaning"`
	Default  string `json:"default,omitempty"`  // a value
	Unset    string `json:"unset,omitempty"`    // what leaving it out means, where that is no value
	Required string `json:"required,omitempty"` // the commands that need it
}

// fallback is what holds where it is unset, for a table.
func (s setting) fallback(mark string) string {
	switch {
	case s.Required != "":
		return "required: " + s.Required
	case s.Default != "":
		return mark + s.Default + mark
	default:
		return s.Unset
	}
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
		list = append(list, setting{Name: name, Meaning: tag.Get("meaning"), Default: tag.Get("envDefault"),
			Unset: tag.Get("unset"), Required: tag.Get("required")})
	}
	return list
}

func writeMarkdown(w io.Writer, list []setting) error {
	if _, err := fmt.Fprint(w, "| variable | meaning | default |\n|---|---|---|\n"); err != nil {
		return err
	}
	for _, s := range list {
		if _, err := fmt.Fprintf(w, "| `%s` | %s | %s |\n", s.Name, s.Meaning, s.fallback("`")); err != nil {
			return err
		}
	}
	return nil
}

func writeColumns(w io.Writer, list []setting) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range list {
		fmt.Fprintf(columns, "%s\t%s\t%s\n", s.Name, s.fallback(""), s.Meaning)
	}
	return columns.Flush()
}
