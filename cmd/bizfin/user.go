package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bizfin/server/oauth"
	"bizfin/store"
)

func userCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "user",
		Short: "Administer people",
		Example: "  bizfin user list --email ana@example.com\n" +
			"  bizfin user demo 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01",
	}, userListCommand(), userShowCommand(), userDemoCommand(), userLinkCommand(),
		userExportCommand(), userEraseCommand())
}

func userDemoCommand() *cobra.Command {
	var off, asJSON bool
	cmd := &cobra.Command{
		Use:   "demo ID",
		Short: "Make a person a demo person, who reads and answers but never uploads or deletes",
		Example: `  bizfin user demo 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01
  bizfin user demo 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01 --off`,
		Args: arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := personID(args[0])
			if err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.SetDemo(cmd.Context(), time.Now(), id, !off); err != nil {
				return unknownPerson(err, id)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"user_id": id, "demo": !off})
			}
			is := "is a demo person"
			if off {
				is = "is an ordinary person"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", id, is)
			return err
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "make them an ordinary person again")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func userLinkCommand() *cobra.Command {
	var issuer, subject string
	var off, asJSON bool
	cmd := &cobra.Command{
		Use:   "link ID",
		Short: "Let the access tokens of an OAuth issuer's subject act as a person",
		Example: `  bizfin user link 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01 --issuer https://id.example.com --subject a-42
  bizfin user link 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01 --issuer https://id.example.com --subject a-42 --off`,
		Args: arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := personID(args[0])
			if err != nil {
				return err
			}
			if issuer == "" || subject == "" {
				return errors.New("--issuer and --subject must be the iss and sub of the tokens")
			}
			s, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			if off {
				err = db.UnlinkOAuthIdentity(cmd.Context(), time.Now(), issuer, subject, id)
				if errors.Is(err, store.ErrNotFound) {
					return fmt.Errorf("subject %q of %s is not linked to person %s", subject, issuer, id)
				}
				if err != nil {
					return err
				}
				return showLink(cmd.OutOrStdout(), asJSON, id, issuer, subject, false)
			}
			err = db.LinkOAuthIdentity(cmd.Context(), time.Now(), issuer, subject, id)
			if errors.Is(err, store.ErrIdentityLinked) {
				return fmt.Errorf("subject %q of %s is linked to another person; unlink it there first with --off",
					subject, issuer)
			}
			if err != nil {
				return unknownPerson(err, id)
			}
			if !slices.ContainsFunc(s.issuers, func(i oauth.Issuer) bool { return i.URL == issuer }) {
				fmt.Fprintf(cmd.ErrOrStderr(),
					"bizfin: linked; %s is not in BIZFIN_OAUTH_ISSUERS here, and a server takes its tokens only "+
						"where it is\n", issuer)
			}
			return showLink(cmd.OutOrStdout(), asJSON, id, issuer, subject, true)
		},
	}
	cmd.Flags().StringVar(&issuer, "issuer", "", "the issuer, exactly as in the iss of its tokens")
	cmd.Flags().StringVar(&subject, "subject", "", "the person at the issuer, the sub of its tokens")
	cmd.Flags().BoolVar(&off, "off", false, "end the link instead; its tokens stop working at once")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func showLink(w io.Writer, asJSON bool, person uuid.UUID, issuer, subject string, linked bool) error {
	if asJSON {
		return printJSON(w, map[string]any{"user_id": person, "issuer": issuer, "subject": subject, "linked": linked})
	}
	is := "acts as"
	if !linked {
		is = "acts no more as"
	}
	_, err := fmt.Fprintf(w, "subject %s of %s %s %s\n", subject, issuer, is, person)
	return err
}
