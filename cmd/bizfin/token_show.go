package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/server"
	"bizfin/store"
)

func stateOfToken(t store.ListedToken, now time.Time) string {
	switch {
	case t.RevokedAt != nil:
		return "revoked " + moment(t.RevokedAt)
	case !t.ExpiresAt.After(now):
		return "expired " + moment(&t.ExpiresAt)
	default:
		return "valid until " + moment(&t.ExpiresAt)
	}
}

func tokenListCommand() *cobra.Command {
	var user string
	var page pageFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List opaque access tokens by their ids, newest first",
		Example: "  bizfin token list --user 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01\n" +
			"  bizfin token list --json | jq -r '.tokens[].token_id'",
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			var person uuid.UUID
			if user != "" {
				if person, err = personID(user); err != nil {
					return err
				}
			}
			limit, err := page.size()
			if err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.ListOAuthTokens(cmd.Context(), person, page.after, limit)
			if errors.Is(err, store.ErrNotFound) {
				return errors.New("--after must be the token_id that a page before ended with, of a token that is " +
					"still kept")
			}
			if err != nil {
				return err
			}
			next := nextPage(list, limit, func(t store.ListedToken) string { return t.ID })
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"tokens": list, "next": next})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("id", "user", "scopes", "state")
			for _, token := range list {
				t.AppendRow(table.Row{token.ID, token.PersonID, strings.Join(token.Scopes, " "),
					stateOfToken(token, time.Now())})
			}
			screen.Table(t)
			sayMore(cmd, next)
			return nil
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "those of a person alone")
	page.add(cmd)
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func tokenShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show an opaque access token by its id",
		Example: "  bizfin token show 4f0c9a1d012b6f0c9a1d01aa",
		Args:    arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			token, err := db.ShowOAuthToken(cmd.Context(), args[0])
			if err != nil {
				return unknownToken(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), token)
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("token", token.ID)
			t.AppendRows([]table.Row{{"user", token.PersonID}, {"scopes", strings.Join(token.Scopes, " ")},
				{"created", moment(&token.CreatedAt)}, {"state", stateOfToken(token, time.Now())}})
			screen.Table(t)
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func tokenRevokeCommand() *cobra.Command {
	var user, id string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "revoke",
		Short: "End opaque access tokens, also ones you do not have",
		Long: `End opaque access tokens: one by its id, all of a person, or the one that is
written to standard input. A token is no argument: those are seen by others.
Of an agent that a person let in, all that it was granted ends.`,
		Example: `  bizfin token revoke --id 4f0c9a1d012b6f0c9a1d01aa
  bizfin token revoke --user 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01
  bizfin token revoke < leaked-token`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			revoked, err := revokeTokens(cmd.Context(), db, user, id, cmd.InOrStdin())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]int64{"revoked": revoked})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d revoked\n", revoked)
			return err
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "all valid tokens of this person")
	cmd.Flags().StringVar(&id, "id", "", "the token with this id; see: bizfin token list")
	cmd.MarkFlagsMutuallyExclusive("user", "id")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func revokeTokens(ctx context.Context, db *store.DB, user, id string, in io.Reader) (int64, error) {
	switch {
	case user != "":
		person, err := personID(user)
		if err != nil {
			return 0, err
		}
		revoked, err := db.RevokeOAuthTokensOf(ctx, time.Now(), person)
		return revoked, unknownPerson(err, person)
	case id != "":
		return 1, unknownToken(db.RevokeOAuthTokenByID(ctx, time.Now(), id))
	default:
		line, err := bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
		token := strings.TrimSpace(line)
		if strings.HasPrefix(token, server.AgentTokenPrefix) || strings.HasPrefix(token, server.RefreshTokenPrefix) {
			ended, err := db.EndGrantOf(ctx, time.Now(), token)
			if err == nil && !ended {
				err = unknownToken(store.ErrNotFound)
			}
			return 1, err
		}
		if token != "" {
			return 1, unknownToken(db.RevokeOAuthToken(ctx, time.Now(), token))
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		return 0, errors.New("no token came on standard input; give --id or --user where you do not have it")
	}
}

func unknownToken(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errors.New("there is no such token\n  Those of \"bizfin token oauth\" can be revoked, see: bizfin " +
			"token list; partner tokens and those of issuers expire by themselves")
	}
	return err
}
