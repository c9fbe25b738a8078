package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
	"bizfin/worker"
)

// erasure is what an erasing command does: count, or erase.
type erasure struct {
	object string // what is erased, as its JSON and its sentences call it
	stays  string // what cannot be found of it, in words; empty where all goes
	count  func(ctx context.Context, db *store.DB) (store.Erased, error)
	erase  func(ctx context.Context, db *store.DB, now time.Time) (store.Erased, error)
}

// eraseCommand is a command that erases with --yes, and else says what that would remove.
func eraseCommand(short, long, what, example string, of func(id string) (erasure, error)) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "erase ID",
		Short: short,
		Long: long + `
Without --yes nothing is removed: it says how many rows would be. It may be
stopped and run again, beside a running service. The record of acts keeps that
it happened; backups keep what they have until they are gone: docs/privacy.md.`,
		Example: fmt.Sprintf("  bizfin %s erase %s        # count\n  bizfin %[1]s erase %[2]s --yes", what, example),
		Args:    arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := of(args[0])
			if err != nil {
				return err
			}
			s, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			rows, err := e.count(cmd.Context(), db)
			if yes {
				rows, err = e.erase(cmd.Context(), db, time.Now())
			}
			if errors.Is(err, store.ErrBusy) {
				return fmt.Errorf("something holds rows of %s; what went is gone, run this again for the rest",
					e.object)
			}
			if err != nil {
				return err
			}
			if yes {
				forgetErased(cmd, db, s.RedisURL)
			}
			return showErased(cmd.OutOrStdout(), args[0], e, rows, yes, asJSON)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "erase: it cannot be taken back")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// forgetErased empties the queue of what is gone. What is left there is ids, which a worker lets go of.
func forgetErased(cmd *cobra.Command, db *store.DB, redisURL string) {
	queue, err := worker.ParseRedis(redisURL)
	if err == nil {
		_, err = worker.ForgetErased(cmd.Context(), db, queue)
	}
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "bizfin: Redis cannot be used here: tasks with the ids of what is erased stay "+
			"in it until a worker runs")
	}
}

func showErased(w io.Writer, id string, e erasure, rows store.Erased, erased, asJSON bool) error {
	if asJSON {
		return printJSON(w, map[string]any{"id": id, "erased": erased, "rows": rows, "stays": e.stays})
	}
	object := e.object
	screen := terminal.On(w)
	t := screen.NewTable("rows", "of")
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		t.AppendRow([]any{rows[table], table})
	}
	if len(rows) > 0 {
		screen.Table(t)
	}
	switch {
	case erased && len(rows) == 0:
		screen.Line("%s was erased before", object)
	case erased:
		screen.Line("%s is erased", object)
	default:
		screen.Line("Nothing was removed; with --yes %s would be.", object)
	}
	if e.stays != "" {
		screen.Line("What stays: %s.", e.stays)
	}
	return nil
}

func organizationEraseCommand() *cobra.Command {
	return eraseCommand("Erase a business with all it holds; without --yes, count it",
		`Erase a business with all it holds. From the first moment on nobody reaches it;
a later connection of its partner makes a new, empty one.`, "organization", exampleID,
		func(text string) (erasure, error) {
			id, err := organizationID(text)
			return erasure{object: "organization " + id.String(),
				count: func(ctx context.Context, db *store.DB) (store.Erased, error) {
					rows, err := db.CountOrganization(ctx, id)
					return rows, unknownOrganization(err, id)
				},
				erase: func(ctx context.Context, db *store.DB, now time.Time) (store.Erased, error) {
					rows, err := db.EraseOrganization(ctx, now, id)
					return rows, unknownOrganization(err, id)
				}}, err
		})
}

// What stays of people, of whom the e-mail alone is theirs for certain.
const (
	nameStays        = "their name in bank lines, comments and other texts of businesses: docs/privacy.md"
	peoplesNamesStay = "names of its people in texts of businesses of others: docs/privacy.md"
)

func userEraseCommand() *cobra.Command {
	return eraseCommand("Erase a person; without --yes, count what would go",
		`Erase a person: who they are and to whom, their tokens, memberships and native
businesses, and their e-mail from the texts of all businesses. Their name stays
where it is in bank lines and comments: nobody can tell whose name it is.
Businesses of a partner stay; they are erased with "organization erase".`, "user", exampleID,
		func(text string) (erasure, error) {
			id, err := personID(text)
			return erasure{object: "user " + id.String(), stays: nameStays,
				count: func(ctx context.Context, db *store.DB) (store.Erased, error) {
					rows, err := db.CountPerson(ctx, id)
					return rows, unknownPerson(err, id)
				},
				erase: func(ctx context.Context, db *store.DB, now time.Time) (store.Erased, error) {
					rows, err := db.ErasePerson(ctx, now, id)
					return rows, unknownPerson(err, id)
				}}, err
		})
}

func partnerEraseCommand() *cobra.Command {
	cmd := eraseCommand("Erase a partner with its businesses and people; without --yes, count",
		`Erase a partner: it is disabled, and all its businesses go, and the people that
no other partner knows. Its id stays, so that nobody takes it.`, "partner", "acme",
		func(id string) (erasure, error) {
			return erasure{object: fmt.Sprintf("partner %q", id), stays: peoplesNamesStay,
				count: func(ctx context.Context, db *store.DB) (store.Erased, error) {
					rows, err := db.CountPartner(ctx, id)
					return rows, unknownPartner(err, id)
				},
				erase: func(ctx context.Context, db *store.DB, now time.Time) (store.Erased, error) {
					rows, err := db.ErasePartner(ctx, now, id)
					return rows, unknownPartner(err, id)
				}}, nil
		})
	cmd.ValidArgsFunction = completePartners
	return cmd
}
