package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bizfin/store"
)

// execute runs what was typed. The error of something that is no command says where to read on, and the errors of
// commands say what to do.
func execute(ctx context.Context, cmd *cobra.Command) error {
	understood := false
	walk(cmd, func(c *cobra.Command) {
		if run := c.RunE; run != nil {
			c.RunE = func(cmd *cobra.Command, args []string) error {
				understood = true
				return run(cmd, args)
			}
		}
	})
	ran, err := cmd.ExecuteContextC(store.By(ctx, store.Actor{Kind: store.ActorCommand}))
	if err != nil && !understood {
		return fmt.Errorf("%w\n  See: %s --help", err, ran.CommandPath())
	}
	if f, ok := explained(err); ok {
		return f
	}
	return err
}

// walk visits a command and all below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, below := range cmd.Commands() {
		walk(below, visit)
	}
}

// group gathers commands under a name. By itself it explains them; what it does not have is an error, which cobra would
// answer with help and success.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.DisableFlagsInUseLine = true
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		message := fmt.Sprintf("there is no command %q", cmd.CommandPath()+" "+args[0])
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			message += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("%s", message)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(below...)
	return cmd
}

// The parts of the first help.
var parts = []struct{ id, title, commands string }{
	{"try", "Try it:", "dev demo import report doctor"},
	{"run", "Run it:", "serve work migrate"},
	{"administer", "Administer it:", "partner organization user token grant legacy billing snapshots reseal"},
	{"look", "Look at it:", "audit openapi settings health version help completion"},
}

// inParts sorts the commands of the first help; what is in no part comes last.
func inParts(cmd *cobra.Command) *cobra.Command {
	for _, part := range parts {
		cmd.AddGroup(&cobra.Group{ID: part.id, Title: part.title})
		for name := range strings.FieldsSeq(part.commands) {
			for _, c := range cmd.Commands() {
				if c.Name() == name {
					c.GroupID = part.id
				}
			}
		}
	}
	cmd.SetHelpCommandGroupID("look")
	cmd.SetCompletionCommandGroupID("look")
	return cmd
}

// mayBeEmpty marks a flag of which an empty value says something.
const mayBeEmpty = "bizfin_may_be_empty"

// arguments says which arguments a command takes, all of them needed. A flag that is given an empty value, as where a
// variable of a script is not set, is no filter that lets everything through.
func arguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var err error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if _, may := f.Annotations[mayBeEmpty]; !may && f.Value.Type() == "string" && f.Value.String() == "" {
				err = fmt.Errorf("--%s is empty; give it a value or leave it out", f.Name)
			}
		})
		if err != nil {
			return err
		}
		if len(args) < len(names) {
			return fmt.Errorf("%s is missing", names[len(args)])
		}
		if len(args) > len(names) {
			return fmt.Errorf("%q is one argument too many", args[len(names)])
		}
		return nil
	}
}

// completePartners offers the partners of the database to the shell, where it answers soon.
func completePartners(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, none
	}
	_, db, err := openStore(io.Discard)
	if err != nil {
		return nil, none
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
	defer cancel()
	partners, err := db.ListPartners(ctx)
	if err != nil {
		return nil, none
	}
	var ids []cobra.Completion
	for _, p := range partners {
		ids = append(ids, cobra.CompletionWithDesc(p.ID, p.Name))
	}
	return ids, none
}

// completeWords offers fixed words.
func completeWords(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}
